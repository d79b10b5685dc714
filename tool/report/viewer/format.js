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

// A number of single precision, with the fewest digits that tell it from its neighbours: as %g has it.
export function general(value) {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const digits = [6, 7, 8, 9].find((d) => Math.fround(Number(value.toPrecision(d))) === value) || 9;
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
  const zeros = (text) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  if (exponent >= -4 && exponent < digits) return Object.is(value, -0) ? '-0' : zeros(value.toFixed(digits - 1 - exponent));
  return `${zeros(mantissa)}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}

// The same where there is room for few characters.
export function brief(value) {
  const text = general(value);
  if (text.length <= 7) return text;
  const units = [['', 1], ['k', 1e3], ['M', 1e6], ['G', 1e9]];
  const [unit, per] = units.find(([, f]) => Math.abs(value) < 1000 * f) || units[3];
  return Math.abs(value) < 1e-3 || Math.abs(value) >= 1e12 ? value.toExponential(0) : `${+(value / per).toPrecision(4)}${unit}`;
}

// A unit and a factor in which times up to this are told on an axis.
export function axisUnit(ns) {
  if (ns < 2e3) return { name: 'ns', per: 1 };
  if (ns < 2e6) return { name: 'µs', per: 1e3 };
  if (ns < 2e9) return { name: 'ms', per: 1e6 };
  return { name: 's', per: 1e9 };
}
