// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands beside the pointer, and what a screen reader is told.
import { $, clear, make, shorten } from './dom.js';

const box = () => $('tip');

// content: {title, swatch, lines: [...]}; at: client coordinates.
export function showTip(content, x, y) {
  const tip = clear(box());
  const title = make('strong', {}, shorten(content.title, 160));
  if (content.swatch) title.prepend(make('i', { class: 'swatch', style: `background:${content.swatch}` }));
  tip.append(title, ...content.lines.filter(Boolean).map((line) => make('span', {}, shorten(line, 240))));
  tip.hidden = false;
  const { offsetWidth: w, offsetHeight: h } = tip;
  const left = x + 16 + w > innerWidth ? x - w - 12 : x + 16;
  const top = y + 18 + h > innerHeight ? y - h - 12 : y + 18;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

export function hideTip() {
  box().hidden = true;
}

// Attributes for make(): what content() says is told to who points there, or comes there by keyboard.
export const tipped = (content) => ({
  onpointermove: (event) => showTip(content(), event.clientX, event.clientY),
  onpointerleave: hideTip,
  onfocus: (event) => {
    const box = event.target.getBoundingClientRect();
    if (event.target.matches(':focus-visible')) showTip(content(), box.left, box.bottom - 14);
  },
  onblur: hideTip,
});

export function say(text) {
  $('said').textContent = text;
}
