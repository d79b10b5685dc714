// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers out of the page's text: what HtmlColumns.cpp put in.

// Five characters to four bytes.
export function fromBase85(text, length) {
  const codes = new TextEncoder().encode(text);
  const out = new Uint8Array((codes.length / 5) * 4);
  for (let i = 0, o = 0; i < codes.length; i += 5, o += 4) {
    let word = 0;
    for (let j = 0; j < 5; ++j) {
      const c = codes[i + j];
      word = word * 85 + (c === 120 ? 60 : c) - 35; // 'x' stands for '<'
    }
    out[o] = word >>> 24;
    out[o + 1] = word >>> 16;
    out[o + 2] = word >>> 8;
    out[o + 3] = word;
  }
  return out.subarray(0, length);
}

export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The bytes of a data element of the page.
export async function elementBytes(id) {
  const element = document.getElementById(id);
  return inflate(fromBase85(element.textContent, Number(element.dataset.bytes)));
}

function integers(bytes, at, count, planes) {
  const Type = planes <= 1 ? Uint8Array : planes === 2 ? Uint16Array : planes <= 4 ? Uint32Array : Float64Array;
  const out = new Type(count);
  for (let p = 0, weight = 1; p < planes; ++p, weight *= 256) {
    const plane = bytes.subarray(at + p * count, at + (p + 1) * count);
    if (p === 0) out.set(plane);
    else for (let i = 0; i < count; ++i) out[i] += plane[i] * weight;
  }
  return out;
}

function doubles(bytes, at, count, planes) {
  const out = new Float64Array(count);
  const raw = new Uint8Array(out.buffer); // little-endian, as all browsers' machines are
  for (let p = 0; p < planes; ++p) for (let i = 0; i < count; ++i) raw[8 * i + p] = bytes[at + p * count + i];
  return out;
}

// Columns by name; list: [[name, count, planes, isDouble], ...].
export function unpack(bytes, list) {
  const out = {};
  let at = 0;
  for (const [name, count, planes, isDouble] of list) {
    out[name] = (isDouble ? doubles : integers)(bytes, at, count, planes);
    at += count * planes;
  }
  return out;
}
