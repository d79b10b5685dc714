// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All blocks of a launch: time to the right, SMs downwards, a lane for each block that is resident.
import { blockHasSpans, lastNotAbove } from './model.js';
import { attachGestures } from './timeview.js';
import { Plot, colourLine, paintLane } from './raster.js';
import { cssVariable, pixelColours, rowSwatch } from './colours.js';
import { both, duration, plural } from './format.js';
import { make, onFrame, shorten } from './dom.js';
import { hideTip, say, showTip } from './tooltip.js';

export const gutter = 58; // left of the plots: names of rows [px]
const largestLane = 900;

export class Overview {
  constructor(app, launch, parent) {
    this.app = app;
    this.launch = launch;
    this.laneHeight = 0; // 0: all lanes fit
    this.scroll = 0;
    this.numLanes = launch.lanes.reduce((n, row) => n + row.lanes.length, 0);
    this.titleElement = make('h3', {});
    this.element = make('div', {
      class: 'plot', tabindex: 0, role: 'application',
      'aria-label': `Blocks of launch ${launch.info.number} over time, by SM. Arrow keys move, plus and minus zoom time, ` +
        'brackets zoom SMs, Home shows all, n and p select the next and previous block, f zooms to it.',
    });
    this.root = make('section', { class: 'overview' }, this.titleElement, this.element);
    parent.append(this.root);
    this.plot = new Plot(this.element);
    this.draw = onFrame(() => this.drawNow());
    this.drawOver = onFrame(() => this.drawOverNow());
    attachGestures(this.element, app.view, () => this.axisPlace(), this, (event, at) => this.clicked(at));
    this.element.addEventListener('pointermove', (event) => this.hover(event));
    this.element.addEventListener('pointerleave', () => this.leave());
    this.element.addEventListener('dblclick', () => this.focusBlock());
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.element);
  }

  remove() {
    this.observer.disconnect();
    this.root.remove();
  }

  axisPlace() {
    return { left: gutter, width: Math.max(10, this.plot.width - gutter) };
  }
  get perPixel() {
    return (this.app.view.to - this.app.view.from) / this.axisPlace().width;
  }
  x(time) {
    return gutter + (time - this.app.view.from) / this.perPixel;
  }

  // ---- rows ----

  get height() {
    return this.plot.height || 1;
  }
  // Rows in units of lanes; a gap between SMs where there is room for one.
  layRows() {
    const fit = this.height / Math.max(this.numLanes, 1);
    const lane = this.laneHeight || Math.min(fit, 60);
    this.gap = lane >= 5 ? 3 / lane : lane >= 2.2 && !this.laneHeight ? 1 / lane : 0;
    const units = this.numLanes + this.gap * this.launch.lanes.length;
    this.lane = this.laneHeight || Math.min(this.height / units, 60);
    this.total = units * this.lane;
    this.scroll = Math.min(Math.max(this.scroll, 0), Math.max(0, this.total - this.height));
    this.element.classList.toggle('fits', this.total <= this.height);
    this.top = this.launch.lanes.map((row, i) => (row.first + i * this.gap) * this.lane);
  }
  pan(px) {
    this.scroll += px;
    this.draw();
  }
  zoom(factor, y = this.height / 2) {
    const smallest = this.height / (this.numLanes + this.gap * this.launch.lanes.length);
    const lane = Math.min(this.lane * factor, largestLane);
    this.scroll = ((this.scroll + y) / this.lane) * lane - y;
    this.lane = lane; // several may come before the next frame
    this.laneHeight = lane <= smallest ? 0 : lane;
    this.draw();
  }
  all() {
    this.laneHeight = 0;
    this.scroll = 0;
    this.draw();
  }
  // The SM and lane at a height, or null.
  rowAt(y) {
    const at = y + this.scroll;
    const i = lastNotAbove(this.top, 0, this.top.length, at);
    const row = this.launch.lanes[i];
    if (!row || at < this.top[i]) return null;
    const lane = Math.floor((at - this.top[i]) / this.lane);
    if (lane >= row.lanes.length) return null;
    return { row, lane, part: (at - this.top[i]) / this.lane - lane };
  }
  // Warps get lines of their own when there is room for them.
  get showsWarps() {
    return this.lane >= 2 * this.launch.warpsPerBlock && this.launch.warpsPerBlock > 1;
  }

  // ---- drawing ----

  drawNow() {
    const started = performance.now();
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    this.plot.resize(width, height);
    this.layRows();
    this.plot.clearBase();
    this.drawPixels();
    this.drawLabels();
    this.drawOverNow();
    this.app.frameTimes.push(performance.now() - started);
  }

  drawPixels() {
    const { launch, app } = this;
    const colours = pixelColours(launch.rows, app.onlyIn(launch));
    const buffer = this.plot.pixels(gutter, 0, this.axisPlace().width, this.height);
    const perPixel = (app.view.to - app.view.from) / buffer.width;
    const line = new Uint16Array(buffer.width);
    const warps = this.showsWarps ? launch.warpsPerBlock : 0;
    let last = '', lastAt = -1;
    for (let y = 0; y < buffer.height; ++y) {
      const hit = this.rowAt((y + 0.5) / buffer.ratio);
      if (!hit) continue;
      const sub = warps ? Math.min(Math.floor(hit.part * warps), warps - 1) : -1;
      const key = `${hit.row.first + hit.lane} ${sub}`;
      const at = y * buffer.width;
      if (key !== last) paintLane(line, launch, hit.row.lanes[hit.lane], sub, app.view.from, perPixel);
      // The last line of a thick lane stays empty.
      const next = this.rowAt((y + 1.5) / buffer.ratio);
      const edge = this.lane >= 6 && (!next || next.row !== hit.row || next.lane !== hit.lane);
      if (edge) continue;
      if (key === last && !colours.striped) buffer.words.copyWithin(at, lastAt, lastAt + buffer.width);
      else colourLine(buffer.words, at, line, colours, y);
      last = key;
      lastAt = at;
    }
    this.plot.put();
  }

  drawLabels() {
    const g = this.plot.context;
    g.font = '12px system-ui, sans-serif';
    g.textBaseline = 'middle';
    g.textAlign = 'right';
    g.fillStyle = cssVariable('--ink-2');
    const perRow = this.total / Math.max(this.launch.lanes.length, 1);
    const every = [1, 2, 4, 8, 16, 32, 64, 128].find((n) => n * perRow >= 18) || 256;
    this.launch.lanes.forEach((row, i) => {
      const top = this.top[i] - this.scroll, bottom = top + row.lanes.length * this.lane;
      if (i % every || bottom < 0 || top > this.height - 14 || (top < 0 && bottom < 14 && every * perRow < 24)) return;
      // In the middle of what is seen of it.
      const y = Math.max((Math.max(top, 0) + Math.min(bottom, this.height)) / 2, 7);
      if (y > this.height - 7) return;
      g.fillText(`SM ${row.sm}`, gutter - 8, y);
    });
    g.fillStyle = cssVariable('--grid');
    for (const x of this.app.gridLines) if (x >= gutter) g.fillRect(Math.round(x), 0, 1, this.height);
    if (this.lane >= 15) this.drawNumbers(g);
  }

  // Numbers of blocks, where they fit.
  drawNumbers(g) {
    const { launch } = this;
    g.textAlign = 'left';
    const paper = cssVariable('--plot'), ink = cssVariable('--ink');
    let drawn = 0;
    launch.lanes.forEach((row, i) => {
      const top = this.top[i] - this.scroll;
      if (top > this.height || top + row.lanes.length * this.lane < 0) return;
      row.lanes.forEach((blocks, lane) => {
        for (const b of blocks) {
          const x = Math.max(this.x(launch.begin[b]), gutter), right = this.x(launch.end[b]);
          const text = String(launch.columns.block[b]);
          const width = 7.2 * text.length + 8;
          if (right - x < width + 6 || ++drawn > 600) continue;
          const y = top + lane * this.lane + (this.showsWarps ? 9 : this.lane / 2);
          g.globalAlpha = 0.82;
          g.fillStyle = paper;
          g.fillRect(x + 3, y - 7, width - 1, 14);
          g.globalAlpha = 1;
          g.fillStyle = ink;
          g.fillText(text, x + 6, y + 0.5);
        }
      });
    });
  }

  placeOf(block) {
    const { launch } = this;
    const i = launch.lanes.findIndex((row) => row.sm === launch.columns.sm[block]);
    if (i < 0) return null;
    const lane = launch.lanes[i].lanes.findIndex((blocks) => blocks.includes(block));
    if (lane < 0) return null;
    return {
      x: this.x(launch.begin[block]), right: this.x(launch.end[block]),
      y: this.top[i] + lane * this.lane - this.scroll, height: this.lane,
    };
  }

  drawOverNow() {
    if (!this.top) return;
    const g = this.plot.overlay;
    this.plot.clearOver();
    g.save();
    g.beginPath();
    g.rect(gutter - 3, 0, this.plot.width, this.height);
    g.clip();
    const time = this.app.hoverTime;
    if (time !== null) {
      g.fillStyle = cssVariable('--cross');
      g.fillRect(Math.round(this.x(time)), 0, 1, this.height);
    }
    if (this.app.launch === this.launch && this.app.block >= 0) this.outline(g, this.app.block, cssVariable('--ink'));
    g.restore();
  }
  outline(g, block, colour) {
    const place = this.placeOf(block);
    if (!place) return;
    const w = Math.max(place.right - place.x, 2), h = Math.max(place.height - (this.lane >= 6 ? 1 : 0), 2);
    g.lineWidth = 4;
    g.strokeStyle = cssVariable('--plot');
    g.strokeRect(place.x - 2, place.y - 2, w + 4, h + 4);
    g.lineWidth = 2;
    g.strokeStyle = colour;
    g.strokeRect(place.x - 2, place.y - 2, w + 4, h + 4);
  }

  // ---- pointer and keys ----

  // The block at a place, within two pixels; and the warp of it, if warps are shown.
  find(x, y) {
    const hit = x >= gutter && this.top && this.rowAt(y);
    if (!hit) return null;
    const time = this.app.view.from + (x - gutter) * this.perPixel;
    const blocks = hit.row.lanes[hit.lane];
    const slack = 2 * this.perPixel;
    let i = blocks.length;
    while (i > 0 && this.launch.begin[blocks[i - 1]] > time + slack) --i;
    const block = i > 0 && this.launch.end[blocks[i - 1]] >= time - slack ? blocks[i - 1] : -1;
    if (block < 0) return { time, sm: hit.row.sm, block };
    let warp = -1;
    if (this.showsWarps && this.launch.has(block, blockHasSpans)) {
      const sub = Math.min(Math.floor(hit.part * this.launch.warpsPerBlock), this.launch.warpsPerBlock - 1);
      if (sub < this.launch.warpsOf(block)) warp = this.launch.firstWarp[block] + sub;
    }
    return { time, sm: hit.row.sm, block, warp };
  }

  hover(event) {
    const box = this.element.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    this.app.setHoverTime(x >= gutter ? this.app.view.from + (x - gutter) * this.perPixel : null);
    const hit = event.buttons ? null : this.find(x, y);
    if (!hit || hit.block < 0) return hideTip();
    showTip(this.describe(hit), event.clientX, event.clientY);
  }
  leave() {
    hideTip();
    this.app.setHoverTime(null);
  }

  describe({ time, block, warp }) {
    const { launch } = this, c = launch.columns;
    const at = launch.cyclesAt(block, Math.min(Math.max(time, launch.begin[block]), launch.end[block]));
    let row = launch.stripAt(block, at), detail = 'most warps of the block at this moment';
    if (warp >= 0) {
      const span = launch.spanAt(warp, at);
      row = span < 0 ? launch.restAt(warp, at) : launch.spanRow[span];
      detail = `warp ${c.warp[warp]}` + (span < 0 ? '' : `: ${both(c.spanCycles[span], launch.nsPerCycle)}`);
    }
    return {
      title: launch.rowName(row, time),
      swatch: rowSwatch(launch, row),
      lines: [detail, ...this.blockLines(block)],
    };
  }
  blockLines(block) {
    const { launch } = this, c = launch.columns;
    const when = launch.hasTime ? `${duration(launch.begin[block])} to ${duration(launch.end[block])}, ` : '';
    return [
      `block ${c.block[block]} on SM ${c.sm[block]}`,
      when + both(c.blockCycles[block], launch.nsPerCycle),
      !launch.has(block, 1) && 'never reached the end of the kernel',
      !launch.has(block, blockHasSpans) && 'its warps’ timelines are not in this page',
    ];
  }

  clicked({ x, y }) {
    const hit = this.find(x, y);
    if (hit && hit.block >= 0) this.app.selectBlock(this.launch, hit.block);
  }
  focusBlock() {
    const b = this.app.launch === this.launch ? this.app.block : -1;
    if (b < 0) return;
    const room = 0.15 * (this.launch.end[b] - this.launch.begin[b]);
    this.app.view.set(this.launch.begin[b] - room, this.launch.end[b] + room);
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { n: 1, p: -1 }[event.key];
    if (step) this.app.stepBlock(step, this.launch);
    else if (event.key === 'f') this.focusBlock();
    else return;
    event.preventDefault();
  }

  title(text) {
    this.titleElement.textContent = shorten(text, 120);
    this.titleElement.title = shorten(text, 2000);
    this.titleElement.hidden = !text;
  }
}

export const announceBlock = (launch, block) =>
  say(`block ${launch.columns.block[block]} on SM ${launch.columns.sm[block]}, ` +
    `${both(launch.columns.blockCycles[block], launch.nsPerCycle)}, ${plural(launch.warpsOf(block), 'warp')}`);
