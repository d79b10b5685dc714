// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace as the views see it: launches, their blocks on a time axis, warps and spans. Times are
// nanoseconds from the beginning of the launch's first block, or, where no clock rate is known, cycles
// from the beginning of each block.
import { elementBytes, unpack } from './columns.js';
import { general } from './format.js';

export const blockFinished = 1, blockMoved = 2, blockHasSpans = 4;
export const warpExited = 1, warpMayHaveWrapped = 2;
export const spanInterrupted = 1, spanOpen = 2, spanContinued = 4;

export async function readTrace() {
  return JSON.parse(new TextDecoder().decode(await elementBytes('trace')));
}

// Where the parts of each entry begin: [0, n0, n0 + n1, ...].
function begins(counts) {
  const out = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; ++i) out[i + 1] = out[i] + counts[i];
  return out;
}

// Within each of the groups, sums of what stands before: gaps and lengths become beginnings.
function running(groupBegin, start, gap, length) {
  let largest = 0;
  const last = groupBegin.length - 1;
  const at = (write) => {
    for (let g = 0; g < last; ++g) {
      let t = start(g);
      for (let i = groupBegin[g]; i < groupBegin[g + 1]; ++i) {
        t += gap ? gap[i] : 0;
        write(i, t);
        if (length) t += length[i];
      }
      if (t > largest) largest = t;
    }
  };
  at(() => {});
  const out = new (largest < 2 ** 32 ? Uint32Array : Float64Array)(groupBegin[last]);
  at((i, t) => (out[i] = t));
  return out;
}

// The last index in [from, to) whose value is not above x, at least from.
export function lastNotAbove(values, from, to, x) {
  let low = from, high = to;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle;
    else high = middle;
  }
  return low;
}

const signed = 1, floating = 2; // number_type of record.h
const word = new DataView(new ArrayBuffer(4));

function numberOf(type, bits) {
  word.setUint32(0, bits);
  return type === floating ? word.getFloat32(0) : type === signed ? word.getInt32(0) : bits;
}

export class Launch {
  static async read(trace, info) {
    const bytes = await elementBytes(`launch-${info.number}`);
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const table = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    return new Launch(trace, info, table, unpack(bytes.subarray(4 + length), table.columns));
  }

  constructor(trace, info, table, columns) {
    this.trace = trace;
    this.info = info;
    this.table = table;
    this.kernel = trace.kernels[info.kernel];
    this.rows = this.kernel.rows;
    this.scopes = this.kernel.scopes;
    this.values = this.kernel.values;
    this.sites = this.kernel.sites;
    this.columns = columns;
    this.numBlocks = columns.block.length;
    this.nsPerCycle = table.nsPerCycle || 0;
    this.hasTime = this.nsPerCycle > 0;
    this.warpsPerBlock = table.warpsByIndex.length;
    this.placeBlocks();
    this.placeSpans();
    this.placeScopes();
    this.lanes = packLanes(this);
  }

  placeBlocks() {
    const c = this.columns;
    const origin = this.table.originNs || 0;
    this.begin = c.blockBegin.map((t) => t - origin);
    this.end = this.begin.map((t, i) => t + c.blockLength[i]);
    // Of the whole launch, also of what is not drawn.
    this.length = this.hasTime ? this.info.axisNs : this.end.reduce((a, b) => Math.max(a, b), 0);
    this.length = Math.max(this.length, 1e-3);
    this.knots = this.findKnots();
  }

  // Blocks within which their SM's clock changes its rate: [cycles from the block's first, times].
  findKnots() {
    const c = this.columns, out = new Map();
    if (!this.hasTime || !c.bendCycles.length) return out;
    const first = begins(c.clockBends), lineOf = new Map();
    c.clockSm.forEach((sm, i) => lineOf.set(sm, i));
    for (let b = 0; b < this.numBlocks; ++b) {
      const line = lineOf.get(c.sm[b]);
      if (line === undefined || c.blockFlags[b] & blockMoved) continue;
      const from = first[line], to = first[line + 1];
      const cycles = [], times = [];
      const bendAt = (x) => {
        let i = Math.min(Math.max(lastNotAbove(c.bendCycles, from, to, x), from), to - 2);
        if (to - from < 2) return c.bendNs[from];
        const part = (x - c.bendCycles[i]) / (c.bendCycles[i + 1] - c.bendCycles[i]);
        return c.bendNs[i] + part * (c.bendNs[i + 1] - c.bendNs[i]);
      };
      for (let i = from; i < to; ++i) {
        const x = c.bendCycles[i] - c.blockOrigin[b];
        if (x <= 0 || x >= c.blockCycles[b]) continue;
        cycles.push(x);
        times.push(this.begin[b] + x * this.nsPerCycle + c.bendNs[i] - bendAt(c.blockOrigin[b]));
      }
      if (!cycles.length) continue;
      out.set(b, {
        cycles: Float64Array.from([0, ...cycles, c.blockCycles[b]]),
        times: Float64Array.from([this.begin[b], ...times, this.end[b]]),
      });
    }
    return out;
  }

  placeSpans() {
    const c = this.columns;
    this.firstStrip = begins(c.strips);
    this.stripBegin = running(this.firstStrip, () => 0, null, c.stripCycles);
    this.firstWarp = begins(c.warps);
    this.firstSpan = begins(c.spans);
    this.firstPause = begins(c.pauses);
    this.firstMark = begins(c.marks);
    this.spanBegin = running(this.firstSpan, (w) => c.warpBegin[w], c.spanGap, c.spanCycles);
    this.pauseBegin = running(this.firstPause, (w) => c.warpBegin[w], c.pauseGap, c.pauseCycles);
    this.markAt = running(this.firstMark, (w) => c.warpBegin[w], c.markGap, null);
    this.noRow = this.rows.length;
    this.pausedRow = this.noRow + 1; // of the recorder
    const rowOfSite = this.sites.map((s) => s.row);
    const Type = this.noRow < 255 ? Uint8Array : Uint16Array;
    this.spanRow = Type.from(c.spanSite, (site) => rowOfSite[site]);
    c.spanGap = c.pauseGap = c.markGap = null;
  }

  // Scopes as they begin; what they hold is not taken off. Numbers by their clock.
  placeScopes() {
    const c = this.columns;
    this.firstScope = begins(c.scopes);
    this.firstNumber = begins(c.numbers);
    this.scopeBegin = running(this.firstScope, (w) => c.warpBegin[w], c.scopeGap, null);
    this.numberAt = running(this.firstNumber, (w) => c.warpBegin[w], c.numberGap, null);
    c.scopeGap = c.numberGap = null;
  }
  scopeCycles(s) {
    return this.columns.scopeLength[s] - this.columns.scopePaused[s];
  }
  number(n) {
    return numberOf(this.columns.numberType[n], this.columns.numberBits[n]);
  }
  numberText(n) {
    return this.columns.numberType[n] === floating ? general(this.number(n)) : String(this.number(n));
  }

  // Time of a cycle of a block, both from the block's first one, and back.
  timeAt(block, cycles) {
    return this.interpolate(block, cycles, 'cycles', 'times');
  }
  cyclesAt(block, time) {
    return this.interpolate(block, time, 'times', 'cycles');
  }
  interpolate(block, x, from, to) {
    const knots = this.knots.get(block);
    if (knots) {
      const i = Math.min(lastNotAbove(knots[from], 0, knots[from].length, x), knots[from].length - 2);
      const part = (x - knots[from][i]) / (knots[from][i + 1] - knots[from][i]);
      return knots[to][i] + part * (knots[to][i + 1] - knots[to][i]);
    }
    const length = this.end[block] - this.begin[block], cycles = this.columns.blockCycles[block];
    if (to === 'cycles') return length > 0 ? ((x - this.begin[block]) / length) * cycles : 0;
    return this.begin[block] + (cycles > 0 ? (x / cycles) * length : 0);
  }

  has(block, flag) {
    return (this.columns.blockFlags[block] & flag) !== 0;
  }
  warpsOf(block) {
    return this.firstWarp[block + 1] - this.firstWarp[block];
  }
  // Its position of a warp in the block's, or -1.
  findWarp(block, index) {
    for (let w = this.firstWarp[block]; w < this.firstWarp[block + 1]; ++w)
      if (this.columns.warp[w] === index) return w;
    return -1;
  }
  // The span of a warp at a cycle of its block, or -1.
  spanAt(warp, cycles) {
    const from = this.firstSpan[warp], to = this.firstSpan[warp + 1];
    if (from === to) return -1;
    const s = lastNotAbove(this.spanBegin, from, to, cycles);
    const since = cycles - this.spanBegin[s];
    return since >= 0 && since < this.columns.spanCycles[s] ? s : -1;
  }
  // The pause of the recorder, or -1.
  pauseAt(warp, cycles) {
    const from = this.firstPause[warp], to = this.firstPause[warp + 1];
    if (from === to) return -1;
    const p = lastNotAbove(this.pauseBegin, from, to, cycles);
    const since = cycles - this.pauseBegin[p];
    return since >= 0 && since < this.columns.pauseCycles[p] ? p : -1;
  }
  // Where a warp is that is in no phase.
  restAt(warp, cycles) {
    return this.pauseAt(warp, cycles) < 0 ? this.noRow : this.pausedRow;
  }
  stripAt(block, cycles) {
    const from = this.firstStrip[block], to = this.firstStrip[block + 1];
    if (from === to || cycles < 0 || cycles > this.columns.blockCycles[block]) return this.noRow;
    return this.columns.stripRow[lastNotAbove(this.stripBegin, from, to, cycles)];
  }
  // Blocks are sorted by number.
  findBlock(number) {
    const i = lastNotAbove(this.columns.block, 0, this.numBlocks, number);
    return this.columns.block[i] === number ? i : -1;
  }
  // Whether a filter leaves anything of a phase.
  isSelected(row) {
    return this.table.rows[row].selected !== false;
  }
  hasScope(row) {
    const r = this.table.scopeRows[row];
    return r.count > 0 || r.open > 0;
  }
  // Shares of the warps' time in no phase: without pauses of the recorder, and in those.
  get restShare() {
    const { warpCycles, phaseCycles, pausedCycles } = this.table;
    return warpCycles ? 1 - (phaseCycles + pausedCycles) / warpCycles : 0;
  }
  get pausedShare() {
    const { warpCycles, pausedCycles } = this.table;
    return warpCycles ? pausedCycles / warpCycles : 0;
  }
  // time: when, on the launch's axis; where none is given, in what is selected.
  rowName(row, time) {
    if (row < this.noRow) return this.rows[row].name;
    if (row === this.pausedRow) return '(recorder)';
    const { somePhases, fromNs = -Infinity, toNs = Infinity } = this.trace.selected;
    const at = time + (this.table.originNs || 0);
    return somePhases || at < fromNs || at >= toNs ? '(not selected)' : '(untracked)';
  }

  // The block whose length has so many of the others below it, from 0 to 1; of those with warps to show.
  blockOfRank(share) {
    const all = Array.from({ length: this.numBlocks }, (_, i) => i);
    const shown = all.filter((b) => this.has(b, blockHasSpans) && !this.has(b, blockMoved));
    const order = shown.length ? shown : all;
    const cycles = this.columns.blockCycles;
    order.sort((a, b) => cycles[a] - cycles[b] || a - b);
    return order.length ? order[Math.round(share * (order.length - 1))] : -1;
  }
}

// Blocks that are resident on an SM together get lanes of their own: each takes the first that is free
// when it begins. SMs without blocks are part of the picture, unless there are oddly many.
function packLanes(launch) {
  const bySm = new Map();
  if (launch.hasTime && launch.table.sms <= 512)
    for (let sm = 0; sm < launch.table.sms; ++sm) bySm.set(sm, []);
  for (let b = 0; b < launch.numBlocks; ++b) {
    if (launch.has(b, blockMoved)) continue;
    const sm = launch.columns.sm[b];
    if (!bySm.has(sm)) bySm.set(sm, []);
    bySm.get(sm).push(b);
  }
  const sms = [...bySm.keys()].sort((a, b) => a - b);
  let first = 0;
  return sms.map((sm) => {
    const blocks = bySm.get(sm).sort((a, b) => launch.begin[a] - launch.begin[b] || a - b);
    const lanes = [];
    for (const b of blocks) {
      let lane = lanes.findIndex((l) => launch.end[l[l.length - 1]] <= launch.begin[b]);
      if (lane < 0) lane = lanes.push([]) - 1;
      lanes[lane].push(b);
    }
    if (!lanes.length) lanes.push([]);
    const row = { sm, lanes: lanes.map((blocks) => Uint32Array.from(blocks)), first };
    first += lanes.length;
    return row;
  });
}
