// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a block's warps, below each other: the phases of a warp, its marks on the same line, its scopes, a
// line for each depth, and its numbers, a line for each name. A track has items, which begin and end [cycles of the block], and says what
// they are.
import { lastNotAbove, spanContinued, spanInterrupted, spanOpen } from './model.js';
import { nothing, paintWarp, pixelRange, sampleSpans } from './raster.js';
import { cssVariable, rowSwatch, swatch } from './colours.js';
import { both, brief, cycles, duration, percent } from './format.js';
import { Ranges } from './ranges.js';

const deepest = 7; // scopes that lie deeper share a line

// Tracks of the block that is shown, in their order. show: {scopes, numbers}.
export function tracksOf(view, show) {
  const { launch, block } = view, out = [];
  const scales = new Map();
  for (let w = launch.firstWarp[block]; w < launch.firstWarp[block + 1]; ++w) {
    const phases = new PhaseTrack(view, w);
    out.push(phases);
    if (phases.marks.count) out.push(phases.marks);
    if (show.scopes)
      groups(launch.firstScope[w], launch.firstScope[w + 1], (s) => Math.min(launch.columns.scopeDepth[s], deepest))
        .forEach((items, depth) => out.push(new ScopeTrack(view, w, depth, items)));
    if (show.numbers)
      groups(launch.firstNumber[w], launch.firstNumber[w + 1], (n) => launch.sites[launch.columns.numberSite[n]].value)
        .forEach((items, row) => out.push(new NumberTrack(view, w, row, items, scales)));
  }
  return out;
}

// Positions from..to by a small number: arrays, with holes where there are none.
function groups(from, to, keyOf) {
  const keys = new Uint16Array(to - from), sizes = [];
  for (let i = from; i < to; ++i) {
    const key = keyOf(i);
    keys[i - from] = key;
    sizes[key] = (sizes[key] || 0) + 1;
  }
  const out = sizes.map((n) => new Uint32Array(n)), next = sizes.map(() => 0);
  for (let i = from; i < to; ++i) {
    const key = keys[i - from];
    out[key][next[key]++] = i;
  }
  return out;
}

// What each of some positions has. A block may have a million: TypedArray.from() takes ten times as long.
function gather(out, items, of) {
  for (let i = 0; i < items.length; ++i) out[i] = of(items[i]);
  return out;
}

class Track {
  constructor(view, warp) {
    this.view = view;
    this.launch = view.launch;
    this.warp = warp;
  }
  when(cyc) {
    const { launch } = this;
    return launch.hasTime ? `${duration(this.view.times(cyc))} (${cycles(cyc)})` : cycles(cyc);
  }
  warpLine() {
    const { launch } = this, c = launch.columns, { block } = this.view;
    return `warp ${c.warp[this.warp]} of block ${c.block[block]}, SM ${c.sm[block]}`;
  }
  siteLine(site) {
    const file = this.launch.trace.files[site.file ?? this.launch.kernel.file];
    return `${file.name.split('/').pop()}:${site.line}` + (site.function ? `, in ${site.function}` : '') +
      (site.drain ? `, drains ${site.drain}` : '');
  }
  shareOfWarp(cyc) {
    const all = this.launch.columns.warpCycles[this.warp];
    return `${percent(all ? cyc / all : 0)} of the warp`;
  }
}

export class PhaseTrack extends Track {
  constructor(view, warp) {
    super(view, warp);
    this.kind = 'phases';
    this.marks = new MarkTrack(view, warp);
    this.from = this.launch.firstSpan[warp];
    this.count = this.launch.firstSpan[warp + 1] - this.from;
  }
  begin(i) {
    return this.launch.spanBegin[this.from + i];
  }
  end(i) {
    return this.begin(i) + this.launch.columns.spanCycles[this.from + i];
  }
  lastBegun(cyc) {
    return lastNotAbove(this.launch.spanBegin, this.from, this.from + this.count, cyc) - this.from;
  }
  paint(line, from, perPixel) {
    paintWarp(line, this.launch, this.view.block, this.warp, from, perPixel);
  }
  tip(time) {
    const mark = this.marks.near(time);
    if (mark >= 0) return this.marks.describe(mark);
    const { launch } = this, at = this.view.cyclesAt(time);
    const s = launch.spanAt(this.warp, at);
    return s >= 0 ? this.describe(s - this.from) : this.describeRest(time, at);
  }
  // time: from the block's beginning.
  describeRest(time, at) {
    const { launch } = this, c = launch.columns, p = launch.pauseAt(this.warp, at);
    const row = launch.restAt(this.warp, at);
    return {
      title: launch.rowName(row, launch.begin[this.view.block] + time),
      swatch: rowSwatch(launch, row),
      lines: p < 0 ? [this.warpLine(), `at ${this.when(at)}`] : [
        `${both(c.pauseCycles[p], launch.nsPerCycle)}, ${this.shareOfWarp(c.pauseCycles[p])}`,
        'a pause: the recorder copied a full buffer, or waited for room',
        this.warpLine(),
        `from ${this.when(launch.pauseBegin[p])}`,
      ],
    };
  }
  describe(i) {
    const { launch } = this, c = launch.columns, s = this.from + i;
    const site = launch.sites[c.spanSite[s]], flags = c.spanFlags[s];
    return {
      title: launch.rowName(site.row),
      swatch: swatch(launch.rows[site.row]),
      lines: [
        both(c.spanCycles[s], launch.nsPerCycle) + (flags & spanOpen ? ' or more: no exit recorded' : '') +
          `, ${this.shareOfWarp(c.spanCycles[s])}`,
        flags & (spanInterrupted | spanContinued) && 'a piece: a function’s phases lie between it and the rest',
        this.warpLine(),
        `from ${this.when(launch.spanBegin[s])}`,
        this.siteLine(site),
      ],
    };
  }
}

// The marks of a warp, all of them: on the line of its phases.
export class MarkTrack extends Track {
  constructor(view, warp) {
    super(view, warp);
    this.kind = 'marks';
    this.from = this.launch.firstMark[warp];
    this.count = this.launch.firstMark[warp + 1] - this.from;
  }
  begin(i) {
    return this.launch.markAt[this.from + i];
  }
  end(i) {
    return this.begin(i);
  }
  lastBegun(cyc) {
    return lastNotAbove(this.launch.markAt, this.from, this.from + this.count, cyc) - this.from;
  }
  site(i) {
    return this.launch.sites[this.launch.columns.markSite[this.from + i]];
  }
  // The first of a name, or -1.
  indexOf(row) {
    for (let i = 0; i < this.count; ++i) if (this.site(i).row === row) return i;
    return -1;
  }
  // The one within three pixels of a time, or -1.
  near(time) {
    const { view } = this;
    if (!this.count) return -1;
    const i = this.lastBegun(view.cyclesAt(time + 3 * view.perPixel));
    return Math.abs(view.times(this.begin(i)) - time) <= 3 * view.perPixel ? i : -1;
  }
  describe(i) {
    const { launch } = this, site = this.site(i);
    return {
      title: launch.rowName(site.row),
      swatch: swatch(launch.rows[site.row]),
      lines: [`mark ${i + 1} of ${this.count} of the warp`, this.warpLine(), `at ${this.when(this.begin(i))}`, this.siteLine(site)],
    };
  }
}

// Scopes of one depth, none of which overlap.
export class ScopeTrack extends Track {
  constructor(view, warp, depth, items) {
    super(view, warp);
    const { launch } = this, c = launch.columns;
    this.kind = `scopes ${depth}`;
    this.depth = depth;
    this.items = items;
    this.count = items.length;
    this.begins = gather(new Float64Array(this.count), items, (s) => launch.scopeBegin[s]);
    this.lengths = gather(new Float64Array(this.count), items, (s) => c.scopeLength[s]);
    this.rows = gather(new Uint16Array(this.count), items, (s) => launch.sites[c.scopeSite[s]].scope);
  }
  begin(i) {
    return this.begins[i];
  }
  end(i) {
    return this.begins[i] + this.lengths[i];
  }
  lastBegun(cyc) {
    return lastNotAbove(this.begins, 0, this.count, cyc);
  }
  paint(line, from, perPixel) {
    const { launch, view } = this;
    const end = this.depth < deepest ? this.end(this.count - 1) : this.begins.reduce((e, _, i) => Math.max(e, this.end(i)), 0);
    const [x0, x1] = pixelRange(line, launch.timeAt(view.block, this.begins[0]), launch.timeAt(view.block, end), from, perPixel);
    const spans = { begin: this.begins, length: this.lengths, row: this.rows, from: 0, to: this.count };
    sampleSpans(line, launch, view.block, spans, x0, x1, from, perPixel, () => nothing);
  }
  tip(time) {
    const at = this.view.cyclesAt(time), i = this.lastBegun(at);
    return at >= this.begin(i) && at <= this.end(i) ? this.describe(i) : null;
  }
  describe(i) {
    const { launch } = this, c = launch.columns, s = this.items[i];
    const site = launch.sites[c.scopeSite[s]], cyc = launch.scopeCycles(s);
    const paused = c.scopePaused[s];
    return {
      title: `scope ${launch.scopes[site.scope].name}`,
      swatch: swatch(launch.scopes[site.scope]),
      lines: [
        both(cyc, launch.nsPerCycle) + (c.scopeFlags[s] & spanOpen ? ' or more: no exit recorded' : '') +
          `, with all that lies in it, ${this.shareOfWarp(cyc)}`,
        paused > 0 && `${both(paused, launch.nsPerCycle)} of pauses of the recorder are not counted`,
        this.warpLine(),
        `from ${this.when(this.begins[i])}` + (c.scopeDepth[s] ? `, in ${c.scopeDepth[s]} other${c.scopeDepth[s] > 1 ? 's' : ''}` : ''),
        this.siteLine(site),
      ],
    };
  }
}

// The numbers of one name, as a line of steps. scales: by row, for all warps of the block the same.
export class NumberTrack extends Track {
  constructor(view, warp, row, items, scales) {
    super(view, warp);
    const { launch } = this;
    this.kind = `numbers ${row}`;
    this.row = row;
    this.items = items;
    this.count = items.length;
    this.at = gather(new Float64Array(this.count), items, (n) => launch.numberAt[n]);
    this.numbers = gather(new Float64Array(this.count), items, (n) => launch.number(n));
    this.ranges = new Ranges(this.numbers);
    if (!scales.has(row)) scales.set(row, { low: Infinity, high: -Infinity, whole: true });
    this.scale = scales.get(row);
    const [low, high] = this.ranges.of(0, this.count);
    this.scale.low = Math.min(this.scale.low, low);
    this.scale.high = Math.max(this.scale.high, high);
  }
  get name() {
    return this.launch.values[this.row].name;
  }
  begin(i) {
    return this.at[i];
  }
  // A number holds until the next, the last until the warp's end.
  end(i) {
    const c = this.launch.columns;
    return i + 1 < this.count ? this.at[i + 1] : Math.max(c.warpBegin[this.warp] + c.warpCycles[this.warp], this.at[i]);
  }
  lastBegun(cyc) {
    return lastNotAbove(this.at, 0, this.count, cyc);
  }
  tip(time) {
    const at = this.view.cyclesAt(time), i = this.lastBegun(at);
    // A little before the first is still meant for it.
    if (at > this.end(i) || time < this.view.times(this.at[i]) - 3 * this.view.perPixel) return null;
    return this.describe(i);
  }
  describe(i) {
    const { launch } = this, n = this.items[i];
    return {
      title: `${this.name} = ${launch.numberText(n)}`,
      lines: [
        `number ${i + 1} of ${this.count} of this name in the warp`,
        this.warpLine(),
        `at ${this.when(this.at[i])}`,
        this.siteLine(launch.sites[launch.columns.numberSite[n]]),
      ],
    };
  }

  // top, height: of the track on the canvas.
  draw(g, left, right, top, height) {
    const { view } = this, { low, high } = this.scale;
    const pad = 4, span = high - low;
    const y = (v) => {
      if (v === Infinity) return top + 1;
      if (v === -Infinity) return top + height - 1;
      return top + height - pad - (span > 0 ? (v - low) / span : 0.5) * (height - 2 * pad);
    };
    g.strokeStyle = cssVariable('--accent');
    g.fillStyle = cssVariable('--accent');
    g.lineWidth = 1.5;
    g.lineJoin = 'bevel';
    g.beginPath();
    const first = this.lastBegun(view.cyclesAt(view.timeAtX(left)));
    const last = this.lastBegun(view.cyclesAt(view.timeAtX(right)));
    if (last - first < right - left) this.steps(g, y, first, last, left, right);
    else this.bands(g, y, left, right);
    g.stroke();
  }
  steps(g, y, first, last, left, right) {
    const { view } = this;
    let before = NaN;
    for (let i = first; i <= last; ++i) {
      const v = this.numbers[i], x0 = view.x(view.times(this.at[i])), x1 = Math.min(view.x(view.times(this.end(i))), right);
      if (!Number.isNaN(v) && x1 >= left) {
        if (Number.isNaN(before)) g.moveTo(Math.max(x0, left), y(v));
        else g.lineTo(Math.max(x0, left), y(v));
        g.lineTo(Math.max(x1, x0 + 1), y(v));
        if (last - first < 80 && x0 >= left - 2) g.fillRect(x0 - 1.5, y(v) - 1.5, 3, 3);
      }
      before = x1 >= left ? v : NaN;
    }
  }
  // From the least to the largest of what a pixel holds.
  bands(g, y, left, right) {
    const { view } = this;
    let i = this.lastBegun(view.cyclesAt(view.timeAtX(left)));
    const end = this.end(this.count - 1);
    for (let x = left; x < right; ++x) {
      const cyc = view.cyclesAt(view.timeAtX(x + 1));
      const next = this.lastBegun(cyc);
      if (cyc >= this.at[0] && view.cyclesAt(view.timeAtX(x)) <= end) {
        const [low, high] = this.ranges.of(i, next + 1);
        if (low <= high) {
          g.moveTo(x + 0.5, y(high) - 0.75);
          g.lineTo(x + 0.5, y(low) + 0.75);
        }
      }
      i = next;
    }
  }
  // What stands beside it: [text, where it is from top (0) to bottom (1)].
  labels() {
    const { low, high } = this.scale;
    if (!(low <= high)) return [];
    return low === high ? [[brief(low), 0.5]] : [[brief(high), 0], [brief(low), 1]];
  }
}
