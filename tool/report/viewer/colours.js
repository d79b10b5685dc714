// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colours of phases: those of the other reports (Palette.cpp). On the dark page a few that would
// drown in it are lighter, of the same hue.

const lighter = { '#332288': '#7b6fe0', '#882255': '#b8487f', '#555555': '#8d939c' };

export const isDark = () =>
  (document.documentElement.dataset.theme ||
    (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';

export const cssVariable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const phaseColour = (row) => (isDark() && lighter[row.colour]) || row.colour;

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const pack = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
const mix = (a, b, part) => a.map((v, i) => Math.round(v + (b[i] - v) * part));

// Black or white, whichever reads better on it.
export function inkOn(hex) {
  const [r, g, b] = rgb(hex).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.22 ? '#000000' : '#ffffff';
}

// What pixels are painted with, by row, those behind the last for no phase and for the recorder: the colour, and where a
// phase has stripes the colour between them. All but one row are faint where one is looked at.
export function pixelColours(rows, only) {
  const paper = rgb(cssVariable('--plot'));
  const faint = (colour, i) => (only === undefined || only === i ? colour : mix(colour, paper, 0.82));
  const plain = rows.map((row) => rgb(phaseColour(row)));
  plain.push(rgb(cssVariable('--untracked')), rgb(cssVariable('--recorder')));
  const colours = plain.map(faint);
  return {
    main: Uint32Array.from(colours, pack),
    other: Uint32Array.from(colours, (c, i) => pack(i < rows.length && rows[i].hatch ? mix(c, paper, 0.62) : c)),
    hatch: Uint8Array.from([...rows.map((row) => row.hatch), 0, 0]),
    striped: rows.some((row) => row.hatch),
  };
}

// The background of a swatch, as CSS, of a row of a launch: also of those behind the phases.
export function rowSwatch(launch, row) {
  if (row < launch.noRow) return swatch(launch.rows[row]);
  return row === launch.pausedRow ? 'var(--recorder)' : 'var(--untracked)';
}

// The same of a phase or a scope.
export function swatch(row) {
  const colour = phaseColour(row);
  if (!row.hatch) return colour;
  const between = `color-mix(in srgb, ${colour} 38%, var(--plot))`;
  return `repeating-linear-gradient(${row.hatch % 2 ? 45 : 135}deg, ${colour} 0 4px, ${between} 4px 7px)`;
}
