// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many warps were in which phase over the whole launch, and which part of that the blocks below show.
import { Plot } from './raster.js';
import { cssVariable, phaseColour } from './colours.js';
import { count, duration } from './format.js';
import { $, onFrame } from './dom.js';
import { hideTip, showTip } from './tooltip.js';
import { gutter } from './overview.js';

export class Profile {
  constructor(app) {
    this.app = app;
    this.element = $('profile');
    this.plot = new Plot(this.element);
    this.draw = onFrame(() => this.drawNow());
    this.drawOver = onFrame(() => this.drawOverNow());
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.element.addEventListener('pointerdown', (event) => this.press(event));
    this.element.addEventListener('pointermove', (event) => this.move(event));
    this.element.addEventListener('pointerup', (event) => this.release(event));
    this.element.addEventListener('pointercancel', () => (this.from = undefined));
    this.element.addEventListener('pointerleave', () => this.leave());
    this.element.addEventListener('dblclick', () => app.view.all());
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.element.addEventListener('blur', () => this.leave());
  }

  // The same ends as a view of everything below.
  get width() {
    return Math.max(10, this.plot.width - gutter);
  }
  x(time) {
    const { least, most } = this.app.view;
    return gutter + ((time - least) / (most - least)) * this.width;
  }
  time(x) {
    const { least, most } = this.app.view;
    return least + ((x - gutter) / this.width) * (most - least);
  }

  get bins() {
    return this.app.launch.table.profileBins;
  }
  // Warps in a row at a bin.
  warps(row, bin) {
    return this.app.launch.columns.profile[row * this.bins + bin] / 16;
  }
  binAt(time) {
    return Math.floor((time / this.app.launch.length) * this.bins);
  }

  // Phases, none, pauses of the recorder: from below.
  order(launch) {
    return [...launch.rows.keys(), launch.noRow, launch.pausedRow];
  }

  drawNow() {
    const { launch } = this.app;
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!launch || !width || !height) return;
    this.plot.resize(width, height);
    this.plot.clearBase();
    this.element.setAttribute('aria-valuemax', Math.max(this.bins - 1, 0));
    if (this.bins) this.drawStack(launch, height);
    this.drawOverNow();
  }

  drawStack(launch, height) {
    const g = this.plot.context;
    const order = this.order(launch);
    const sums = new Float64Array(this.bins);
    for (const row of order) for (let b = 0; b < this.bins; ++b) sums[b] += this.warps(row, b);
    const largest = Math.max(...sums, 1e-9);
    const step = launch.length / this.bins;
    const y = (value) => height - 1 - (value / largest) * (height - 4);
    const only = this.app.onlyIn(launch);
    const below = new Float64Array(this.bins);
    for (const row of order) {
      g.beginPath();
      for (let b = 0; b < this.bins; ++b) {
        const top = y(below[b] + this.warps(row, b));
        g.lineTo(this.x(b * step), top);
        g.lineTo(this.x((b + 1) * step), top);
      }
      for (let b = this.bins - 1; b >= 0; --b) {
        g.lineTo(this.x((b + 1) * step), y(below[b]));
        g.lineTo(this.x(b * step), y(below[b]));
        below[b] += this.warps(row, b);
      }
      g.fillStyle = row < launch.noRow ? phaseColour(launch.rows[row]) : cssVariable(row === launch.noRow ? '--untracked' : '--recorder');
      g.globalAlpha = only === undefined || only === row ? 1 : 0.18;
      g.fill();
      g.globalAlpha = 1;
    }
    g.font = '12px system-ui, sans-serif';
    g.textAlign = 'right';
    g.textBaseline = 'top';
    g.fillStyle = cssVariable('--ink-2');
    g.fillText(count(largest), gutter - 8, 3);
    g.fillText('warps', gutter - 8, 17);
  }

  drawOverNow() {
    const { app } = this;
    if (!app.launch || !this.plot.width) return;
    const g = this.plot.overlay, height = this.plot.height;
    this.plot.clearOver();
    const x0 = this.x(app.view.from), x1 = this.x(app.view.to);
    if (app.view.moved || this.from !== undefined) {
      g.fillStyle = cssVariable('--veil');
      const a = this.from === undefined ? x0 : Math.min(this.x(this.from), this.x(this.until));
      const b = this.from === undefined ? x1 : Math.max(this.x(this.from), this.x(this.until));
      g.fillRect(gutter, 0, a - gutter, height);
      g.fillRect(b, 0, gutter + this.width - b, height);
      g.fillStyle = cssVariable('--ink');
      g.fillRect(Math.round(a) - 1, 0, 2, height);
      g.fillRect(Math.round(b) - 1, 0, 2, height);
    }
    if (app.hoverTime !== null) {
      g.fillStyle = cssVariable('--cross');
      g.fillRect(Math.round(this.x(app.hoverTime)), 0, 1, height);
    }
  }

  at(event) {
    return event.clientX - this.element.getBoundingClientRect().left;
  }
  press(event) {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    this.from = this.until = this.time(this.at(event));
  }
  move(event) {
    const x = this.at(event), time = this.time(x);
    if (this.from !== undefined) this.until = time;
    this.app.setHoverTime(x >= gutter ? time : null);
    const bin = this.binAt(time);
    if (this.from !== undefined || bin < 0 || bin >= this.bins) return hideTip();
    showTip(this.describe(bin), event.clientX, event.clientY);
  }
  describe(bin) {
    const { launch } = this.app;
    const parts = this.order(launch)
      .map((row) => ({ row, warps: this.warps(row, bin) }))
      .filter((p) => p.warps >= 0.05)
      .sort((a, b) => b.warps - a.warps);
    const shown = (n) => (n < 10 ? n.toFixed(1) : count(n));
    return {
      title: `at ${duration(this.timeOf(bin))}`,
      lines: [
        ...parts.slice(0, 10).map((p) => `${shown(p.warps)} in ${launch.rowName(p.row, this.timeOf(bin))}`),
        parts.length === 0 && 'no warp',
        'drag to look at a part',
      ],
    };
  }
  timeOf(bin) {
    return (bin + 0.5) * (this.app.launch.length / this.bins);
  }
  lookAt(time) {
    const { view } = this.app;
    view.set(time - (view.to - view.from) / 2, time + (view.to - view.from) / 2);
  }

  // A moment, by keyboard.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.bins) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const end = { Home: 0, End: this.bins - 1 }[event.key];
    if (by || end !== undefined) {
      const step = event.shiftKey ? 1 : Math.ceil(this.bins / 64);
      this.cursor = end ?? Math.min(Math.max((this.cursor ?? -step) + by * step, 0), this.bins - 1);
      this.tellCursor();
    } else if (event.key === 'Enter' && this.cursor !== undefined) this.lookAt(this.timeOf(this.cursor));
    else return;
    event.preventDefault();
  }
  tellCursor() {
    const time = this.timeOf(this.cursor);
    const content = this.describe(this.cursor);
    content.lines.pop();
    const box = this.element.getBoundingClientRect();
    this.app.setHoverTime(time);
    this.element.setAttribute('aria-valuenow', this.cursor);
    this.element.setAttribute('aria-valuetext', [content.title, ...content.lines.filter(Boolean)].join(', '));
    showTip(content, box.left + this.x(time), box.bottom - 14);
  }
  release() {
    if (this.from === undefined) return;
    const a = Math.min(this.from, this.until), b = Math.max(this.from, this.until);
    this.from = undefined;
    // A click moves the part that is seen there.
    if (this.x(b) - this.x(a) < 4) this.lookAt(a);
    else this.app.view.set(a, b);
  }
  leave() {
    hideTip();
    this.app.setHoverTime(null);
  }
}
