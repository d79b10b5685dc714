// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Painting time into pixels. Each pixel shows the phase at one moment in it, found by search: the cost of a
// picture is its pixels, however many spans there are, and a texture of many short phases has their shares.
// The moments are multiples of a power of two, so that they stay the same while the picture is moved.
import { lastNotAbove, blockHasSpans } from './model.js';

// A canvas with a second one above it for what changes with the pointer.
export class Plot {
  constructor(parent) {
    this.base = document.createElement('canvas');
    this.over = document.createElement('canvas');
    this.over.className = 'over';
    parent.append(this.base, this.over);
    this.context = this.base.getContext('2d', { alpha: true });
    this.overlay = this.over.getContext('2d');
  }

  // Sizes are CSS pixels; true where anything changed.
  resize(width, height) {
    const ratio = window.devicePixelRatio || 1;
    if (this.width === width && this.height === height && this.ratio === ratio) return false;
    Object.assign(this, { width, height, ratio });
    for (const canvas of [this.base, this.over]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    for (const context of [this.context, this.overlay]) context.scale(ratio, ratio);
    this.image = null;
    return true;
  }

  // Pixels for an area of the base [CSS pixels]; put() shows them.
  pixels(x, y, width, height) {
    const w = Math.max(1, Math.round(width * this.ratio)), h = Math.max(1, Math.round(height * this.ratio));
    if (!this.image || this.image.width !== w || this.image.height !== h) {
      this.image = new ImageData(w, h);
      this.words = new Uint32Array(this.image.data.buffer);
    } else {
      this.words.fill(0);
    }
    this.put = () => this.context.putImageData(this.image, Math.round(x * this.ratio), Math.round(y * this.ratio));
    return { words: this.words, width: w, height: h, ratio: this.ratio };
  }
  clearBase() {
    this.context.clearRect(0, 0, this.width, this.height);
  }
  clearOver() {
    this.overlay.clearRect(0, 0, this.width, this.height);
  }
}

const gridStep = (perPixel) => 2 ** Math.floor(Math.log2(Math.max(perPixel, 1e-9)));

// Writes the row of each pixel of a block into line, 255 or 65535 where it is none. what(block) has
// begin, length [cycles] and row arrays, and from and to in them.
export function sampleSpans(line, launch, block, spans, x0, x1, from, perPixel, none) {
  const step = gridStep(perPixel);
  let s = -1, sEnd = -1, sBegin = 0;
  const straight = !launch.knots.has(block);
  const begin = launch.begin[block];
  const length = launch.end[block] - begin;
  const rate = length > 0 ? launch.columns.blockCycles[block] / length : 0;
  const any = spans.from < spans.to;
  for (let x = x0; x < x1; ++x) {
    const time = (Math.floor((from + (x + 0.5) * perPixel) / step) + 0.5) * step;
    const cycles = straight ? (time - begin) * rate : launch.cyclesAt(block, time);
    if (any && (s < 0 || cycles >= sEnd || cycles < sBegin)) {
      s = lastNotAbove(spans.begin, s < 0 || cycles < sBegin ? spans.from : s, spans.to, cycles);
      sBegin = spans.begin[s];
      sEnd = s + 1 < spans.to ? spans.begin[s + 1] : Infinity;
    }
    const since = cycles - sBegin;
    line[x] = any && since >= 0 && since < spans.length[s] ? spans.row[s] : none(cycles);
  }
}

export const nothing = 0xffff;

// What a warp does, and what most warps of a block do.
export function paintWarp(line, launch, block, warp, from, perPixel) {
  const c = launch.columns;
  const begin = c.warpBegin[warp], end = begin + c.warpCycles[warp];
  const [x0, x1] = pixelRange(line, launch.timeAt(block, begin), launch.timeAt(block, end), from, perPixel);
  const spans = {
    begin: launch.spanBegin, length: c.spanCycles, row: launch.spanRow,
    from: launch.firstSpan[warp], to: launch.firstSpan[warp + 1],
  };
  sampleSpans(line, launch, block, spans, x0, x1, from, perPixel, (cycles) => launch.restAt(warp, cycles));
}

export function paintBlock(line, launch, block, from, perPixel) {
  const [x0, x1] = pixelRange(line, launch.begin[block], launch.end[block], from, perPixel);
  const spans = {
    begin: launch.stripBegin, length: launch.columns.stripCycles, row: launch.columns.stripRow,
    from: launch.firstStrip[block], to: launch.firstStrip[block + 1],
  };
  sampleSpans(line, launch, block, spans, x0, x1, from, perPixel, () => launch.noRow);
  return [x0, x1];
}

// At least one pixel: nothing that is there is unseen.
export function pixelRange(line, begin, end, from, perPixel) {
  const x0 = Math.round((begin - from) / perPixel);
  const x1 = Math.max(Math.round((end - from) / perPixel), x0 + 1);
  return [Math.min(Math.max(x0, 0), line.length), Math.min(Math.max(x1, 0), line.length)];
}

// A lane of the overview: blocks one after another. sub is the warp of each that is shown, -1 for most.
export function paintLane(line, launch, blocks, sub, from, perPixel) {
  line.fill(nothing);
  if (!blocks.length) return;
  const to = from + line.length * perPixel;
  let low = 0, high = blocks.length; // the first that ends behind from
  while (low < high) {
    const middle = (low + high) >> 1;
    if (launch.end[blocks[middle]] < from) low = middle + 1;
    else high = middle;
  }
  let lastPixel = -1;
  for (let i = low; i < blocks.length && launch.begin[blocks[i]] <= to; ++i) {
    const block = blocks[i];
    // Many blocks in a pixel: the first of them is shown, the rest skipped.
    if (launch.end[block] < from + (lastPixel + 1) * perPixel) continue;
    let range;
    const warp = sub < 0 || !launch.has(block, blockHasSpans) ? -1 : launch.firstWarp[block] + sub;
    if (warp >= 0 && warp < launch.firstWarp[block + 1]) {
      range = pixelRange(line, launch.begin[block], launch.end[block], from, perPixel);
      paintWarp(line, launch, block, warp, from, perPixel);
    } else if (warp < 0) {
      range = paintBlock(line, launch, block, from, perPixel);
    } else {
      continue;
    }
    lastPixel = range[1] - 1;
    if (range[1] - range[0] > 8 && range[0] > 0) line[range[0]] = nothing; // a gap between blocks
  }
}

// Colours for a line of rows; y matters where there are stripes.
export function colourLine(words, at, line, colours, y) {
  const { main, other, hatch, striped } = colours;
  for (let x = 0; x < line.length; ++x) {
    const row = line[x];
    if (row === nothing) continue;
    if (!striped || hatch[row] === 0) words[at + x] = main[row];
    else words[at + x] = ((hatch[row] % 2 ? x + y : x - y) & 7) < 5 ? main[row] : other[row];
  }
}
