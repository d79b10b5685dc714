// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warps of one block, each a line of its phases.
import { blockFinished, blockHasSpans, blockMoved, lastNotAbove, spanContinued, spanInterrupted, spanOpen,
  warpExited, warpMayHaveWrapped } from './model.js';
import { TimeView, attachGestures } from './timeview.js';
import { TimeAxis } from './axis.js';
import { Plot, colourLine, nothing, paintWarp } from './raster.js';
import { cssVariable, inkOn, phaseColour, pixelColours, swatch } from './colours.js';
import { both, cycles, duration, percent, plural } from './format.js';
import { $, onFrame } from './dom.js';
import { hideTip, say, showTip } from './tooltip.js';
import { gutter } from './overview.js';

const least = 15, most = 26; // height of a row [px]

export class Warps {
  constructor(app) {
    this.app = app;
    this.element = $('warps-plot');
    this.view = new TimeView(1, () => this.draw && this.draw());
    this.axis = new TimeAxis($('warps-axis'));
    this.plot = new Plot(this.element);
    this.draw = onFrame(() => this.drawNow());
    this.drawOver = onFrame(() => this.drawOverNow());
    this.cursor = null; // {warp, span}, by keyboard
    attachGestures(this.element, this.view, () => this.axisPlace(), null, (event, at) => this.clicked(event, at));
    this.element.addEventListener('pointermove', (event) => this.hover(event));
    this.element.addEventListener('pointerleave', (event) => event.pointerType !== 'touch' && this.leave());
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.element.addEventListener('blur', () => this.leave());
    this.hoverTime = null;
    new ResizeObserver(() => this.draw()).observe($('warps-scroll'));
    for (const [id, act] of [
      ['block-previous', () => app.stepBlock(-1)],
      ['block-next', () => app.stepBlock(1)],
      ['block-typical', () => app.selectRank(0.5)],
      ['block-slowest', () => app.selectRank(1)],
      ['block-fastest', () => app.selectRank(0)],
    ]) $(id).addEventListener('click', act);
  }

  axisPlace() {
    return { left: gutter, width: Math.max(10, this.plot.width - gutter - 12) };
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
    $('warps-note').textContent = this.note();
    $('warps-empty').textContent = block < 0
      ? 'No block is selected. Click one above.'
      : 'The timelines of this block’s warps are not in this page.';
    if (none) return this.draw();
    this.length = this.times(launch.columns.blockCycles[block]);
    this.view.reset(Math.max(this.length, 1e-3));
    this.view.all();
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

  // ---- drawing ----

  drawNow() {
    const { launch, block } = this;
    const scroll = $('warps-scroll');
    const width = scroll.clientWidth;
    if (!width || !launch || $('warps').classList.contains('empty')) return;
    const n = launch.warpsOf(block);
    this.rowHeight = Math.min(most, Math.max(least, Math.floor((scroll.clientHeight - 4) / n)));
    this.plot.resize(width, n * this.rowHeight);
    this.element.style.height = `${n * this.rowHeight}px`;
    const { left } = this.axisPlace();
    const grid = this.axis.draw(this.view, left, this.axisPlace().width, launch.hasTime);
    this.plot.clearBase();
    this.drawPixels(n);
    this.drawRows(n, grid);
    this.drawOverNow();
  }
  get perPixel() {
    return (this.view.to - this.view.from) / this.axisPlace().width;
  }
  x(time) {
    return gutter + (time - this.view.from) / this.perPixel;
  }

  drawPixels(n) {
    const { launch, block } = this;
    const colours = pixelColours(launch.rows, this.app.onlyIn(launch));
    const buffer = this.plot.pixels(gutter, 0, this.axisPlace().width, n * this.rowHeight);
    const perPixel = (this.view.to - this.view.from) / buffer.width;
    const from = this.view.from + (launch.hasTime ? launch.begin[block] : 0);
    const line = new Uint16Array(buffer.width);
    for (let i = 0; i < n; ++i) {
      line.fill(nothing);
      paintWarp(line, launch, block, launch.firstWarp[block] + i, from, perPixel);
      const y0 = Math.round((i * this.rowHeight + 1) * buffer.ratio);
      const y1 = Math.round(((i + 1) * this.rowHeight - 1) * buffer.ratio);
      for (let y = y0; y < y1; ++y) {
        const at = y * buffer.width;
        if (y > y0 && !colours.striped) buffer.words.copyWithin(at, y0 * buffer.width, (y0 + 1) * buffer.width);
        else colourLine(buffer.words, at, line, colours, y);
      }
    }
    this.plot.put();
  }

  // Names of warps, phases where they fit, marks, and ends that were not recorded.
  drawRows(n, grid) {
    const g = this.plot.context, { launch, block } = this;
    const height = n * this.rowHeight, right = gutter + this.axisPlace().width;
    g.fillStyle = cssVariable('--grid');
    for (const x of grid) g.fillRect(Math.round(x), 0, 1, height);
    g.font = '12px system-ui, sans-serif';
    g.textBaseline = 'middle';
    for (let i = 0; i < n; ++i) {
      const w = launch.firstWarp[block] + i;
      const y = i * this.rowHeight;
      g.textAlign = 'right';
      g.fillStyle = cssVariable(this.app.warp === launch.columns.warp[w] ? '--ink' : '--ink-2');
      g.fillText(`warp ${launch.columns.warp[w]}`, gutter - 8, y + this.rowHeight / 2 + 0.5);
      g.save();
      g.beginPath();
      g.rect(gutter, y, right - gutter, this.rowHeight);
      g.clip();
      this.drawSpans(g, w, y);
      this.drawMarks(g, w, y);
      this.drawEnd(g, w, y);
      g.restore();
    }
  }

  drawSpans(g, w, y) {
    const { launch } = this, c = launch.columns;
    const from = launch.firstSpan[w], to = launch.firstSpan[w + 1];
    if (from === to) return;
    const first = lastNotAbove(launch.spanBegin, from, to, this.cyclesAt(this.view.from));
    const last = lastNotAbove(launch.spanBegin, from, to, this.cyclesAt(this.view.to));
    if (last - first > 400) return; // too narrow for words
    const only = this.app.onlyIn(launch);
    g.textAlign = 'left';
    for (let s = first; s <= last; ++s) {
      const x0 = Math.max(this.x(this.times(launch.spanBegin[s])), gutter);
      const x1 = this.x(this.times(launch.spanBegin[s] + c.spanCycles[s]));
      if (x1 - x0 > 5 && s > from) {
        g.fillStyle = cssVariable('--plot');
        g.fillRect(Math.round(x0), y + 1, 1, this.rowHeight - 2);
      }
      const row = launch.spanRow[s];
      if (x1 - x0 < 26 || (only !== undefined && only !== row)) continue;
      const name = launch.rows[row].name;
      const width = this.textWidth(g, name);
      if (width + 10 > x1 - x0 || launch.rows[row].hatch) continue;
      g.fillStyle = inkOn(phaseColour(launch.rows[row]));
      g.fillText(name, x0 + 5, y + this.rowHeight / 2 + 0.5);
    }
  }
  textWidth(g, text) {
    this.widths = this.widths || new Map();
    if (!this.widths.has(text)) this.widths.set(text, text.length > 80 ? 1e6 : g.measureText(text).width);
    return this.widths.get(text);
  }

  drawMarks(g, w, y) {
    const { launch } = this;
    g.fillStyle = cssVariable('--ink');
    let last = -10;
    for (let m = launch.firstMark[w]; m < launch.firstMark[w + 1]; ++m) {
      const x = this.x(this.times(launch.markAt[m]));
      if (x < last + 2 || x < gutter - 4) continue;
      if (x > this.plot.width) break;
      last = x;
      g.fillRect(Math.round(x) - 0.5, y, 2, this.rowHeight);
    }
  }
  drawEnd(g, w, y) {
    const c = this.launch.columns;
    if (c.warpFlags[w] & warpExited) return;
    g.strokeStyle = cssVariable('--ink');
    g.setLineDash([3, 2]);
    g.lineWidth = 2;
    const x = this.x(this.times(c.warpBegin[w] + c.warpCycles[w])) + 2;
    g.beginPath();
    g.moveTo(x, y + 1);
    g.lineTo(x, y + this.rowHeight - 1);
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
    const { launch, block } = this;
    if (this.app.warp >= 0) {
      const i = launch.findWarp(block, this.app.warp) - launch.firstWarp[block];
      if (i >= 0) this.box(g, gutter, i, this.axisPlace().width);
    }
    if (this.cursor && this.cursor.span >= 0) {
      const x = this.x(this.times(launch.spanBegin[this.cursor.span]));
      const right = this.x(this.times(launch.spanBegin[this.cursor.span] + launch.columns.spanCycles[this.cursor.span]));
      this.box(g, x, this.cursor.warp - launch.firstWarp[block], Math.max(right - x, 2));
    }
  }
  box(g, x, row, width) {
    g.lineWidth = 2;
    g.strokeStyle = cssVariable('--ink');
    g.strokeRect(x, row * this.rowHeight, width, this.rowHeight);
  }

  // ---- pointer and keys ----

  hover(event) {
    if ($('warps').classList.contains('empty')) return;
    const box = this.element.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    this.pointAt(x, y, event);
  }
  // A finger cannot hover: it taps.
  clicked(event, { x, y }) {
    if (event.pointerType === 'touch') this.pointAt(x, y, { clientX: event.clientX, clientY: event.clientY });
  }
  pointAt(x, y, event) {
    const inside = x >= gutter;
    this.hoverTime = inside ? this.view.from + (x - gutter) * this.perPixel : null;
    this.drawOver();
    const { launch, block } = this;
    const i = Math.floor(y / this.rowHeight);
    if (!inside || event.buttons || i < 0 || i >= launch.warpsOf(block)) return hideTip();
    showTip(this.describe(launch.firstWarp[block] + i, this.hoverTime), event.clientX, event.clientY);
  }
  leave() {
    hideTip();
    this.hoverTime = null;
    this.cursor = null;
    this.drawOver();
  }

  describe(w, time) {
    const { launch } = this;
    const mark = this.markNear(w, time);
    if (mark >= 0) return this.describeMark(w, mark);
    const at = this.cyclesAt(time);
    const s = launch.spanAt(w, at);
    return s >= 0 ? this.describeSpan(w, s) : {
      title: launch.rowName(launch.noRow),
      swatch: 'var(--untracked)',
      lines: [this.warpLine(w), `at ${this.when(at)}`],
    };
  }
  markNear(w, time) {
    const { launch } = this;
    const from = launch.firstMark[w], to = launch.firstMark[w + 1];
    if (from === to) return -1;
    const m = lastNotAbove(launch.markAt, from, to, this.cyclesAt(time + 3 * this.perPixel));
    return Math.abs(this.times(launch.markAt[m]) - time) <= 3 * this.perPixel ? m : -1;
  }
  when(cyc) {
    return this.launch.hasTime ? `${duration(this.times(cyc))} (${cycles(cyc)})` : cycles(cyc);
  }
  warpLine(w) {
    const { launch, block } = this, c = launch.columns;
    return `warp ${c.warp[w]} of block ${c.block[block]}, SM ${c.sm[block]}`;
  }
  describeMark(w, m) {
    const site = this.launch.sites[this.launch.columns.markSite[m]];
    return {
      title: this.launch.rowName(site.row),
      swatch: swatch(this.launch.rows[site.row]),
      lines: ['mark', this.warpLine(w), `at ${this.when(this.launch.markAt[m])}`, this.siteLine(site)],
    };
  }
  describeSpan(w, s) {
    const { launch } = this, c = launch.columns;
    const site = launch.sites[c.spanSite[s]], flags = c.spanFlags[s];
    const share = c.warpCycles[w] ? c.spanCycles[s] / c.warpCycles[w] : 0;
    return {
      title: launch.rowName(site.row),
      swatch: swatch(launch.rows[site.row]),
      lines: [
        both(c.spanCycles[s], launch.nsPerCycle) + (flags & spanOpen ? ' or more: no exit recorded' : '') +
          `, ${percent(share)} of the warp`,
        flags & (spanInterrupted | spanContinued) && 'a piece: a function’s phases lie between it and the rest',
        this.warpLine(w),
        `from ${this.when(launch.spanBegin[s])}`,
        this.siteLine(site),
      ],
    };
  }
  siteLine(site) {
    const file = this.app.trace.files[site.file ?? this.launch.kernel.file];
    return `${file.name.split('/').pop()}:${site.line}` + (site.function ? `, in ${site.function}` : '') +
      (site.drain ? `, drains ${site.drain}` : '');
  }

  // Up and down choose a warp, comma and full stop a phase of it.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $('warps').classList.contains('empty')) return;
    const rows = { ArrowUp: -1, ArrowDown: 1 }[event.key], spans = { ',': -1, '.': 1 }[event.key];
    if (!rows && !spans) {
      if (event.key === 'n' || event.key === 'p') this.app.stepBlock(event.key === 'n' ? 1 : -1);
      return;
    }
    event.preventDefault();
    const { launch, block } = this;
    const first = launch.firstWarp[block], last = first + launch.warpsOf(block) - 1;
    const at = this.cursor || { warp: rows ? first - Math.sign(rows) * (rows > 0 ? 1 : 0) : first, span: -1 };
    const warp = Math.min(Math.max(at.warp + (rows || 0), first), last);
    const from = launch.firstSpan[warp], to = launch.firstSpan[warp + 1];
    let span = from === to ? -1 : from;
    if (spans && at.span >= 0) span = Math.min(Math.max(at.span + spans, from), to - 1);
    else if (rows && at.span >= 0 && from < to) span = lastNotAbove(launch.spanBegin, from, to, launch.spanBegin[at.span]);
    this.cursor = { warp, span };
    this.tellCursor();
  }
  tellCursor() {
    const { launch, block } = this, { warp, span } = this.cursor;
    if (span < 0) return;
    const begin = this.times(launch.spanBegin[span]);
    this.view.show(begin, this.times(launch.spanBegin[span] + launch.columns.spanCycles[span]));
    this.drawOverNow();
    const tip = this.describeSpan(warp, span);
    const box = this.element.getBoundingClientRect();
    showTip(tip, box.left + Math.min(Math.max(this.x(begin), gutter), this.plot.width - 40),
      box.top + (warp - launch.firstWarp[block] + 1) * this.rowHeight - 14);
    say([tip.title, ...tip.lines.filter(Boolean)].join(', '));
  }
}
