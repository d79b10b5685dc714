// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements. Text of the trace only ever becomes text: there is no innerHTML in the viewer.

export const $ = (id) => document.getElementById(id);

// make('td', {class: 'n', onclick: f}, 'text', child, ...)
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'style') element.style.cssText = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((c) => c !== undefined && c !== null && c !== false));
  return element;
}

export const svg = (name, attributes = {}) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

// A long name may not push anything aside: cut for labels, whole in tooltips up to a screenful.
export function shorten(text, most = 60) {
  const chars = Array.from(text.length > 4 * most ? text.slice(0, 4 * most) : text);
  return chars.length > most ? chars.slice(0, most - 1).join('') + '…' : text;
}

export function clear(element) {
  element.replaceChildren();
  return element;
}

// Runs what was asked for once, before the next frame.
export function onFrame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}
