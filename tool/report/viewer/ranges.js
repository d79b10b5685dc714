// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least and the largest of any stretch of many numbers, in little time: those of groups of 32, of groups of
// these, and so on, are kept. Numbers that are none, or infinite, do not count.

const wide = 32;

const emptyLevel = (n) => ({ low: new Float64Array(n).fill(Infinity), high: new Float64Array(n).fill(-Infinity) });

export class Ranges {
  constructor(numbers) {
    const bottom = emptyLevel(numbers.length);
    for (let i = 0; i < numbers.length; ++i)
      if (Number.isFinite(numbers[i])) bottom.low[i] = bottom.high[i] = numbers[i];
    this.levels = [bottom];
    for (let below = bottom; below.low.length > wide;) {
      const level = emptyLevel(Math.ceil(below.low.length / wide));
      for (let i = 0; i < below.low.length; ++i) {
        const group = (i / wide) | 0;
        if (below.low[i] < level.low[group]) level.low[group] = below.low[i];
        if (below.high[i] > level.high[group]) level.high[group] = below.high[i];
      }
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
