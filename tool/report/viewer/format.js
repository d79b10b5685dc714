// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures as people read them; the same rounding as in the terminal's table.

export const count = (n) => Math.round(n).toLocaleString('en-US').replace(/,/g, '\u202f');

export function duration(ns) {
  if (Math.abs(ns) < 1000) return `${ns.toFixed(0).replace('-0', '0')} ns`;
  let value = ns / 1000;
  for (const unit of ['µs', 'ms', 's']) {
    if (Math.abs(value) < 1000 || unit === 's') return `${value.toFixed(Math.abs(value) < 100 ? 2 : 1)} ${unit}`;
    value /= 1000;
  }
}

export const cycles = (n) => `${count(n)} ${Math.round(n) === 1 ? 'cycle' : 'cycles'}`;

// "568 ns (1 121 cycles)", or the cycles alone where no clock rate is known.
export const both = (n, nsPerCycle) => (nsPerCycle ? `${duration(n * nsPerCycle)} (${cycles(n)})` : cycles(n));

export const percent = (share) => `${(100 * share).toFixed(1)} %`;

export const plural = (n, noun) => `${count(n)} ${noun}${n === 1 ? '' : noun.endsWith('h') ? 'es' : 's'}`;

// A unit and a factor in which times up to this are told on an axis.
export function axisUnit(ns) {
  if (ns < 2e3) return { name: 'ns', per: 1 };
  if (ns < 2e6) return { name: 'µs', per: 1e3 };
  if (ns < 2e9) return { name: 'ms', per: 1e6 };
  return { name: 's', per: 1e9 };
}
