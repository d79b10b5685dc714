// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What part of a time axis is seen, and the gestures that change it: wheel, drag, pinch, keys.

const finest = 1e-2; // [ns or cycles] across the whole view

export class TimeView {
  constructor(length, changed) {
    this.changed = changed;
    this.reset(length);
  }

  reset(length) {
    this.length = length;
    this.set(0, length);
  }

  // A little room on both sides, so that the ends are seen to be ends.
  get least() {
    return -0.01 * this.length;
  }
  get most() {
    return 1.01 * this.length;
  }

  set(from, to) {
    const width = Math.min(Math.max(to - from, finest), this.most - this.least);
    this.from = Math.min(Math.max((from + to - width) / 2, this.least), this.most - width);
    this.to = this.from + width;
    this.changed();
  }
  all() {
    this.set(this.least, this.most);
  }
  zoom(factor, at = (this.from + this.to) / 2) {
    const width = Math.min(Math.max((this.to - this.from) * factor, finest), this.most - this.least);
    const part = (at - this.from) / (this.to - this.from);
    this.set(at - part * width, at + (1 - part) * width);
  }
  pan(share) {
    const by = share * (this.to - this.from);
    this.set(this.from + by, this.to + by);
  }
  // Zooms out as far as it takes to see all of it, else moves.
  show(from, to) {
    if (from >= this.from && to <= this.to) return;
    const width = Math.max(this.to - this.from, 1.2 * (to - from));
    this.set((from + to - width) / 2, (from + to + width) / 2);
  }
  get moved() {
    return this.to - this.from < 0.9999 * (this.most - this.least);
  }
}

// Lets an element change a view. plot() says where the axis lies in it: {left, width} [px]. rows, where
// there are such, has pan(px) and zoom(factor, y). clicked(event, place) for a press that did not move.
export function attachGestures(element, view, plot, rows, clicked) {
  const pointers = new Map();
  let moved = false, pinch = 0, upright = false;
  const place = (event) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const timeAt = (x) => {
    const { left, width } = plot();
    return view.from + ((x - left) / width) * (view.to - view.from);
  };

  element.addEventListener('wheel', (event) => {
    event.preventDefault();
    const step = event.deltaMode === 1 ? 20 : 1;
    const dx = event.deltaX * step, dy = event.deltaY * step;
    const { x, y } = place(event);
    if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) view.pan((dx || dy) / plot().width);
    else if (event.altKey && rows) rows.zoom(Math.exp(-dy * 0.002), y);
    else view.zoom(Math.exp(dy * 0.002), timeAt(x));
  }, { passive: false });

  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    pointers.set(event.pointerId, place(event));
    moved = pointers.size > 1;
    pinch = 0;
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = place(event);
    if (!moved && Math.hypot(now.x - before.x, now.y - before.y) < 4) return;
    moved = true;
    element.classList.add('dragging');
    if (pointers.size === 1) {
      view.pan((before.x - now.x) / plot().width);
      if (rows) rows.pan(before.y - now.y);
    } else {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const dx = Math.abs(now.x - other.x), dy = Math.abs(now.y - other.y);
      if (!pinch) upright = rows && dy > 2 * dx; // fingers one above the other zoom rows
      const apart = Math.max(upright ? dy : Math.max(dx, dy), 10);
      if (pinch && upright) rows.zoom(apart / pinch, (now.y + other.y) / 2);
      else if (pinch) view.zoom(pinch / apart, timeAt((now.x + other.x) / 2));
      pinch = apart;
    }
    pointers.set(event.pointerId, now);
  });
  const up = (event) => {
    const was = pointers.delete(event.pointerId);
    pinch = 0;
    element.classList.remove('dragging');
    if (was && !moved && event.type === 'pointerup') clicked(event, place(event));
  };
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', up);

  element.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey) return;
    const big = event.shiftKey ? 0.5 : 0.1;
    const keys = {
      ArrowLeft: () => view.pan(-big),
      ArrowRight: () => view.pan(big),
      '+': () => view.zoom(0.7),
      '=': () => view.zoom(0.7),
      '-': () => view.zoom(1 / 0.7),
      _: () => view.zoom(1 / 0.7),
      Home: () => {
        view.all();
        if (rows) rows.all();
      },
      ...(rows && {
        ArrowUp: () => rows.pan(-40),
        ArrowDown: () => rows.pan(40),
        PageUp: () => rows.pan(-0.8 * element.clientHeight),
        PageDown: () => rows.pan(0.8 * element.clientHeight),
        ']': () => rows.zoom(1.4),
        '[': () => rows.zoom(1 / 1.4),
      }),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}
