// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least and the largest of any stretch of many numbers, in little time: those of groups of 32, of groups of
// these, and so on, are kept. Numbers that are none, or infinite, do not count.

const wide = 32;

export class Ranges {
  constructor(numbers) {
    this.levels = [{
      low: Float64Array.from(numbers, (v) => (Number.isFinite(v) ? v : Infinity)),
      high: Float64Array.from(numbers, (v) => (Number.isFinite(v) ? v : -Infinity)),
    }];
    for (let below = this.levels[0]; below.low.length > wide;) {
      const n = Math.ceil(below.low.length / wide);
      const level = { low: new Float64Array(n).fill(Infinity), high: new Float64Array(n).fill(-Infinity) };
      below.low.forEach((v, i) => (level.low[(i / wide) | 0] = Math.min(level.low[(i / wide) | 0], v)));
      below.high.forEach((v, i) => (level.high[(i / wide) | 0] = Math.max(level.high[(i / wide) | 0], v)));
      this.levels.push(level);
      below = level;
    }
  }

  // Of from..to-1: [least, largest]; [Infinity, -Infinity] where there are none.
  of(from, to) {
    let low = Infinity, high = -Infinity;
    const see = (level, i) => {
      low = Math.min(low, level.low[i]);
      high = Math.max(high, level.high[i]);
    };
    for (let k = 0; from < to; ++k) {
      const level = this.levels[k], top = k + 1 === this.levels.length;
      while (from < to && (top || from % wide)) see(level, from++);
      while (from < to && to % wide) see(level, --to);
      from /= wide;
      to /= wide;
    }
    return [low, high];
  }
}
