// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warps of one block: for each a line of its phases, and below it its scopes and numbers.
import { blockFinished, blockHasSpans, blockMoved, lastNotAbove, warpExited, warpMayHaveWrapped } from './model.js';
import { MarkTrack, NumberTrack, PhaseTrack, ScopeTrack, tracksOf } from './tracks.js';
import { TimeView, attachGestures } from './timeview.js';
import { TimeAxis } from './axis.js';
import { Plot, colourLine, nothing } from './raster.js';
import { cssVariable, inkOn, phaseColour, pixelColours } from './colours.js';
import { both, duration, plural } from './format.js';
import { $, make, onFrame } from './dom.js';
import { hideTip, say, showTip } from './tooltip.js';
import { gutter } from './overview.js';

const least = 14, most = 26; // height of a line of phases [px]
const thinScope = 8, wordScope = 15, numberHeight = 32, gap = 4; // [px]

export class Warps {
  constructor(app) {
    this.app = app;
    this.element = $('warps-plot');
    this.view = new TimeView(1, () => this.draw && this.draw());
    this.axis = new TimeAxis($('warps-axis'));
    this.pane = make('div', { class: 'pane' }); // what of the lines is seen
    this.element.append(this.pane);
    this.plot = new Plot(this.pane);
    this.tracks = [];
    this.shown = { scopes: true, numbers: true };
    this.draw = onFrame(() => this.drawNow());
    this.drawOver = onFrame(() => this.drawOverNow());
    this.cursor = null; // {track, item}, by keyboard
    attachGestures(this.element, this.view, () => this.axisPlace(), null, (event, at) => this.clicked(event, at));
    this.element.addEventListener('pointermove', (event) => this.hover(event));
    this.element.addEventListener('pointerleave', (event) => event.pointerType !== 'touch' && this.leave());
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.element.addEventListener('blur', () => this.leave());
    this.hoverTime = null;
    $('warps-scroll').addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.draw()).observe($('warps-scroll'));
    for (const [id, act] of [
      ['block-previous', () => app.stepBlock(-1)],
      ['block-next', () => app.stepBlock(1)],
      ['block-typical', () => app.selectRank(0.5)],
      ['block-slowest', () => app.selectRank(1)],
      ['block-fastest', () => app.selectRank(0)],
      ['show-scopes', () => this.toggle('scopes')],
      ['show-numbers', () => this.toggle('numbers')],
    ]) $(id).addEventListener('click', act);
  }

  axisPlace() {
    return { left: gutter, width: Math.max(10, this.plot.width - gutter - this.margin) };
  }
  // Right of the plot: the scales of numbers.
  get margin() {
    return this.hasNumbers && this.shown.numbers ? 62 : 12;
  }
  get launch() {
    return this.app.launch;
  }
  get block() {
    return this.app.block;
  }

  // Another block was selected. The view stays where it is if it shows all.
  show() {
    const { launch, block } = this;
    this.cursor = null;
    const none = block < 0 || !launch.has(block, blockHasSpans) || launch.warpsOf(block) === 0;
    $('warps').classList.toggle('empty', none);
    $('warps-title').textContent = block < 0 ? 'No block' : `Block ${launch.columns.block[block]}`;
    $('warps-note').textContent = $('warps-note').title = this.note();
    $('warps-empty').textContent = block < 0
      ? 'No block is selected. Click one above.'
      : 'The timelines of this block’s warps are not in this page.';
    this.findTracks(none);
    if (none) return this.draw();
    this.length = this.times(launch.columns.blockCycles[block]);
    this.view.reset(Math.max(this.length, 1e-3));
    this.view.all();
  }
  findTracks(none) {
    const { launch } = this;
    this.hasNumbers = launch.table.numbers > 0;
    this.tracks = none ? [] : tracksOf(this, this.shown);
    for (const [id, which, there] of [['show-scopes', 'scopes', launch.table.scopes > 0], ['show-numbers', 'numbers', this.hasNumbers]]) {
      $(id).hidden = !there;
      $(id).setAttribute('aria-pressed', String(this.shown[which]));
    }
  }
  toggle(which) {
    this.shown[which] = !this.shown[which];
    this.cursor = null;
    this.findTracks($('warps').classList.contains('empty'));
    this.draw();
  }

  // Cycles of the block on the axis.
  times(cyc) {
    return this.launch.hasTime ? this.launch.timeAt(this.block, cyc) - this.launch.begin[this.block] : cyc;
  }
  cyclesAt(time) {
    return this.launch.hasTime ? this.launch.cyclesAt(this.block, time + this.launch.begin[this.block]) : time;
  }

  note() {
    const { launch, block } = this;
    if (block < 0) return '';
    const c = launch.columns;
    const parts = [`SM ${c.sm[block]}`];
    if (launch.hasTime) parts.push(`begins at ${duration(launch.begin[block])}`);
    parts.push(both(c.blockCycles[block], launch.nsPerCycle), plural(launch.warpsOf(block), 'warp'));
    if (launch.has(block, blockMoved)) parts.push('moved to another SM: later times are of another clock');
    else if (!launch.has(block, blockFinished)) parts.push('never reached the end of the kernel');
    const warps = Array.from({ length: launch.warpsOf(block) }, (_, i) => launch.firstWarp[block] + i);
    const open = warps.filter((w) => !(c.warpFlags[w] & warpExited)).length;
    if (open) parts.push(`${plural(open, 'warp')} without an exit (dashed)`);
    const wrapped = warps.filter((w) => c.warpFlags[w] & warpMayHaveWrapped).length;
    if (wrapped) parts.push(`${plural(wrapped, 'warp')} may have taken longer than shown`);
    return parts.join(' · ');
  }

  // ---- places ----

  // Puts the tracks below each other. Scopes have room for words where all fit, and in the warp that is selected.
  layTracks(height) {
    const phases = this.tracks.filter((t) => t instanceof PhaseTrack);
    const hasOthers = this.tracks.some((t) => this.otherHeight(t, wordScope));
    const others = (scope) => this.tracks.reduce((sum, t) => sum + this.otherHeight(t, scope), 0) +
      (hasOthers ? gap * phases.length : 0);
    const fits = phases.length * least + others(wordScope) <= height - 4;
    this.rowHeight = Math.min(most, Math.max(least,
      Math.floor((height - 4 - others(fits ? wordScope : thinScope)) / phases.length)));
    let y = 0, last = -1;
    for (const t of this.tracks) {
      if (t instanceof MarkTrack) { // on the line of its warp's phases
        Object.assign(t, { y: y - this.rowHeight, height: this.rowHeight });
        continue;
      }
      if (t.warp !== last && last >= 0 && hasOthers) y += gap;
      last = t.warp;
      const isSelected = this.launch.columns.warp[t.warp] === this.app.warp;
      t.y = y;
      t.height = this.otherHeight(t, fits || isSelected ? wordScope : thinScope) || this.rowHeight;
      y += t.height;
    }
    this.total = y;
  }
  otherHeight(track, scope) {
    return track instanceof ScopeTrack ? scope : track instanceof NumberTrack ? numberHeight : 0;
  }
  // Of a warp's tracks: [top, bottom].
  warpPlace(w) {
    const own = this.tracks.filter((t) => t.warp === w);
    return own.length ? [own[0].y, own[own.length - 1].y + own[own.length - 1].height] : null;
  }
  trackAt(y) {
    return this.tracks.find((t) => y >= t.y && y < t.y + t.height);
  }
  // Scrolls to what lies from top to bottom, where it is not seen.
  reveal(top, bottom) {
    const scroll = $('warps-scroll');
    if (top < scroll.scrollTop || bottom > scroll.scrollTop + scroll.clientHeight)
      scroll.scrollTop = (top + bottom) / 2 - scroll.clientHeight / 2;
  }
  get perPixel() {
    return (this.view.to - this.view.from) / this.axisPlace().width;
  }
  x(time) {
    return gutter + (time - this.view.from) / this.perPixel;
  }
  timeAtX(x) {
    return this.view.from + (x - gutter) * this.perPixel;
  }

  // ---- drawing ----

  drawNow() {
    const { launch } = this;
    const scroll = $('warps-scroll');
    const width = scroll.clientWidth;
    if (!width || !launch || $('warps').classList.contains('empty')) return;
    const started = performance.now();
    this.layTracks(scroll.clientHeight);
    this.element.style.height = `${this.total}px`;
    const height = Math.min(this.total, scroll.clientHeight);
    this.pane.style.height = `${height}px`;
    this.plot.resize(width, height);
    this.top = Math.min(scroll.scrollTop, this.total - height);
    const { left } = this.axisPlace();
    const grid = this.axis.draw(this.view, left, this.axisPlace().width, launch.hasTime);
    this.plot.clearBase();
    const seen = this.tracks.filter((t) => !(t instanceof MarkTrack) && t.y + t.height > this.top && t.y < this.top + height);
    this.drawPixels(seen);
    this.drawTracks(seen, grid);
    this.drawOverNow();
    this.app.frameTimes.push(performance.now() - started);
  }

  drawPixels(seen) {
    const { launch, block, app } = this;
    const phases = pixelColours(launch.rows, app.onlyIn(launch));
    const scopes = pixelColours(launch.scopes, app.onlyScopeIn(launch));
    const buffer = this.plot.pixels(gutter, 0, this.axisPlace().width, this.plot.height);
    const perPixel = (this.view.to - this.view.from) / buffer.width;
    const from = this.view.from + (launch.hasTime ? launch.begin[block] : 0);
    const line = new Uint16Array(buffer.width);
    for (const t of seen) {
      if (!t.paint) continue;
      line.fill(nothing);
      t.paint(line, from, perPixel);
      this.fill(buffer, line, t, t instanceof ScopeTrack ? scopes : phases);
    }
    this.plot.put();
  }
  fill(buffer, line, track, colours) {
    const top = track.y - this.top;
    const y0 = Math.max(Math.round((top + 1) * buffer.ratio), 0);
    const y1 = Math.min(Math.round((top + track.height - 1) * buffer.ratio), buffer.height);
    for (let y = y0; y < y1; ++y) {
      const at = y * buffer.width;
      if (y > y0 && !colours.striped) buffer.words.copyWithin(at, y0 * buffer.width, (y0 + 1) * buffer.width);
      else colourLine(buffer.words, at, line, colours, y);
    }
  }

  // Names of warps, phases and scopes where they fit, marks, numbers, and ends that were not recorded.
  drawTracks(seen, grid) {
    const g = this.plot.context, { launch } = this;
    const right = gutter + this.axisPlace().width;
    g.fillStyle = cssVariable('--grid');
    for (const x of grid) g.fillRect(Math.round(x), 0, 1, this.plot.height);
    g.font = '12px system-ui, sans-serif';
    g.textBaseline = 'middle';
    for (const t of seen) {
      const y = t.y - this.top;
      g.textAlign = 'right';
      g.fillStyle = cssVariable(this.app.warp === launch.columns.warp[t.warp] ? '--ink' : '--ink-2');
      if (t instanceof PhaseTrack) g.fillText(`warp ${launch.columns.warp[t.warp]}`, gutter - 8, y + t.height / 2 + 0.5);
      if (t instanceof NumberTrack) this.drawScale(g, t, y, right);
      g.save();
      g.beginPath();
      g.rect(gutter, y, right - gutter, t.height);
      g.clip();
      if (t instanceof PhaseTrack) {
        this.drawNames(g, t, y, launch.rows, (i) => launch.spanRow[t.from + i], this.app.onlyIn(launch));
        this.drawMarks(g, t, y);
        this.drawEnd(g, t, y);
      } else if (t instanceof ScopeTrack) {
        if (t.height >= wordScope) this.drawNames(g, t, y, launch.scopes, (i) => t.rows[i], this.app.onlyScopeIn(launch));
      } else {
        t.draw(g, gutter, right, y, t.height);
      }
      g.restore();
    }
  }

  drawNames(g, t, y, rows, rowOf, only) {
    if (!t.count) return;
    const first = t.lastBegun(this.cyclesAt(this.view.from)), last = t.lastBegun(this.cyclesAt(this.view.to));
    if (last - first > 400) return; // too narrow for words
    g.textAlign = 'left';
    for (let i = first; i <= last; ++i) {
      const x0 = Math.max(this.x(this.times(t.begin(i))), gutter);
      const x1 = this.x(this.times(t.end(i)));
      if (x1 - x0 > 5 && i > 0 && t.begin(i) <= t.end(i - 1)) {
        g.fillStyle = cssVariable('--plot');
        g.fillRect(Math.round(x0), y + 1, 1, t.height - 2);
      }
      const row = rowOf(i);
      if (x1 - x0 < 26 || (only !== undefined && only !== row)) continue;
      if (this.textWidth(g, rows[row].name) + 10 > x1 - x0 || rows[row].hatch) continue;
      g.fillStyle = inkOn(phaseColour(rows[row]));
      g.fillText(rows[row].name, x0 + 5, y + t.height / 2 + (t.height < 16 ? -0.5 : 0.5)); // room for descenders
    }
  }
  textWidth(g, text) {
    this.widths = this.widths || new Map();
    if (!this.widths.has(text)) this.widths.set(text, text.length > 80 ? 1e6 : g.measureText(text).width);
    return this.widths.get(text);
  }
  // As much of a name as fits.
  cut(g, text, room) {
    let n = Math.min(text.length, 40);
    if (n === text.length && this.textWidth(g, text) <= room) return text;
    while (n > 1 && this.textWidth(g, text.slice(0, n) + '…') > room) --n;
    return text.slice(0, n) + '…';
  }

  // The name of a value on the left, its least and largest number in the block on the right.
  drawScale(g, t, y, right) {
    g.fillText(this.cut(g, t.name, gutter - 10), gutter - 8, y + t.height / 2);
    g.fillStyle = cssVariable('--grid');
    g.fillRect(gutter, y + t.height - 1, right - gutter, 1);
    g.fillStyle = cssVariable('--ink-2');
    g.textAlign = 'left';
    for (const [text, part] of t.labels()) g.fillText(text, right + 6, y + 8 + part * (t.height - 16));
  }

  drawMarks(g, t, y) {
    const { launch } = this;
    g.fillStyle = cssVariable('--ink');
    let last = -10;
    const from = launch.firstMark[t.warp], to = launch.firstMark[t.warp + 1];
    const first = from < to ? lastNotAbove(launch.markAt, from, to, this.cyclesAt(this.view.from)) : to;
    for (let m = first; m < to; ++m) {
      const x = this.x(this.times(launch.markAt[m]));
      if (x < last + 2 || x < gutter - 4) continue;
      if (x > this.plot.width) break;
      last = x;
      g.fillRect(Math.round(x) - 0.5, y, 2, t.height);
    }
  }
  drawEnd(g, t, y) {
    const c = this.launch.columns;
    if (c.warpFlags[t.warp] & warpExited) return;
    g.strokeStyle = cssVariable('--ink');
    g.setLineDash([3, 2]);
    g.lineWidth = 2;
    const x = this.x(this.times(c.warpBegin[t.warp] + c.warpCycles[t.warp])) + 2;
    g.beginPath();
    g.moveTo(x, y + 1);
    g.lineTo(x, y + t.height - 1);
    g.stroke();
    g.setLineDash([]);
  }

  drawOverNow() {
    const g = this.plot.overlay;
    if (!this.plot.width) return;
    this.plot.clearOver();
    if ($('warps').classList.contains('empty')) return;
    if (this.hoverTime !== null) {
      g.fillStyle = cssVariable('--cross');
      g.fillRect(Math.round(this.x(this.hoverTime)), 0, 1, this.plot.height);
    }
    if (this.app.warp >= 0) {
      const place = this.warpPlace(this.launch.findWarp(this.block, this.app.warp));
      if (place) this.box(g, gutter, place[0], this.axisPlace().width, place[1] - place[0]);
    }
    if (this.cursor && this.cursor.item >= 0) {
      const t = this.tracks[this.cursor.track];
      const x = this.x(this.times(t.begin(this.cursor.item)));
      this.box(g, x, t.y, Math.max(this.x(this.times(t.end(this.cursor.item))) - x, 2), t.height);
    }
  }
  box(g, x, y, width, height) {
    g.lineWidth = 2;
    g.strokeStyle = cssVariable('--ink');
    g.strokeRect(x, y - this.top, width, height);
  }

  // ---- pointer and keys ----

  hover(event) {
    if ($('warps').classList.contains('empty')) return;
    const box = this.element.getBoundingClientRect();
    this.pointAt(event.clientX - box.left, event.clientY - box.top, event);
  }
  // A finger cannot hover: it taps.
  clicked(event, { x, y }) {
    if (event.pointerType === 'touch') this.pointAt(x, y, { clientX: event.clientX, clientY: event.clientY });
  }
  pointAt(x, y, event) {
    const inside = x >= gutter;
    this.hoverTime = inside ? this.timeAtX(x) : null;
    this.drawOver();
    const track = inside && !event.buttons && this.trackAt(y);
    const tip = track && track.tip(this.hoverTime);
    if (tip) showTip(tip, event.clientX, event.clientY);
    else hideTip();
  }
  leave() {
    hideTip();
    this.hoverTime = null;
    this.cursor = null;
    this.drawOver();
  }

  // Up and down choose a line, comma and full stop what is in it.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $('warps').classList.contains('empty')) return;
    const rows = { ArrowUp: -1, ArrowDown: 1 }[event.key], items = { ',': -1, '.': 1 }[event.key];
    if (!rows && !items) {
      if (event.key === 'n' || event.key === 'p') this.app.stepBlock(event.key === 'n' ? 1 : -1);
      return;
    }
    event.preventDefault();
    const at = this.cursor || { track: rows > 0 ? -1 : Math.max(this.tracks.findIndex((t) => t.count), 0), item: -1 };
    const index = this.nextTrack(at.track, rows || 0, event.shiftKey), track = this.tracks[index];
    let item = track.count ? 0 : -1;
    if (items && at.item >= 0) item = Math.min(Math.max(at.item + items, 0), track.count - 1);
    else if (rows && at.item >= 0 && track.count) item = track.lastBegun(this.tracks[at.track].begin(at.item));
    this.cursor = { track: index, item };
    this.tellCursor();
  }
  // Of those that hold something; with shift the next of the same kind: another warp's.
  nextTrack(from, step, sameKind) {
    const { kind } = this.tracks[Math.max(from, 0)];
    const passes = (t) => t && (!t.count || (sameKind && t.kind !== kind));
    let to = from + step;
    while (step && passes(this.tracks[to])) to += step;
    return this.tracks[to] ? to : Math.max(from, 0);
  }
  tellCursor() {
    const { track: index, item } = this.cursor, track = this.tracks[index];
    if (item < 0) return;
    const begin = this.times(track.begin(item));
    this.view.show(begin, this.times(track.end(item)));
    this.reveal(track.y, track.y + track.height);
    this.drawNow();
    const tip = track.describe(item);
    const box = this.element.getBoundingClientRect();
    showTip(tip, box.left + Math.min(Math.max(this.x(begin), gutter), this.plot.width - 40), box.top + track.y + track.height - 14);
    say([tip.title, ...tip.lines.filter(Boolean)].join(', '));
  }

  // The first line of a value's numbers, or of scopes of a name; says whether there is one.
  lookFor(isIt, itemOf = () => 0) {
    const index = this.tracks.findIndex((t) => isIt(t));
    if (index < 0) return false;
    this.cursor = { track: index, item: itemOf(this.tracks[index]) };
    this.tellCursor();
    return true;
  }
}
