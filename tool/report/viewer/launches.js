// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launches of the trace, to choose from.
import { swatch } from './colours.js';
import { count, duration } from './format.js';
import { $, clear, make, shorten } from './dom.js';

export const mostChosen = 4;

export class Launches {
  constructor(app) {
    this.app = app;
  }

  draw() {
    const { trace, chosen, launch } = this.app;
    $('launches').hidden = trace.launches.length < 2;
    if (trace.launches.length < 2) return;
    const list = $('launch-list');
    const scroll = list.scrollTop;
    const longest = Math.max(...trace.launches.map((l) => l.ns || 0), 1e-9);
    clear(list).append(...trace.launches.map((info) => this.line(info, longest,
      chosen.some((l) => l.info === info), launch && launch.info === info)));
    list.scrollTop = scroll;
  }

  line(info, longest, isChosen, isActive) {
    const { app } = this;
    const rows = app.trace.kernels[info.kernel].rows;
    const bar = make('span', { class: 'stack', style: `width:${((100 * (info.ns || longest)) / longest).toFixed(2)}%` },
      ...info.shares.map((share, i) => share > 0 && make('i', { style: `flex:${share};background:${swatch(rows[i])}` })),
      make('i', { style: `flex:${Math.max(0, 1000 - info.paused - info.shares.reduce((a, b) => a + b, 0))};background:var(--untracked)` }),
      info.paused > 0 && make('i', { style: `flex:${info.paused};background:var(--recorder)` }));
    return make('li', { class: isActive ? 'active' : undefined, 'data-launch': info.number },
      make('input', {
        type: 'checkbox', checked: isChosen, 'aria-label': `show launch ${info.number}`,
        onchange: () => app.toggleLaunch(info),
      }),
      make('button', {
        class: 'launch', 'aria-current': isActive ? 'true' : undefined, title: shorten(info.name, 4000),
        onclick: () => app.showOnly(info),
      }, make('b', {}, String(info.number)), make('span', { class: 'label' }, shorten(info.name, 60)),
      make('span', { class: 'quiet' }, `grid ${info.grid}${info.whose ? `, ${info.whose}` : ''}`),
      make('span', { class: 'n' }, info.ns === undefined ? `${count(info.blocks)} blocks` : duration(info.ns)),
      make('span', { class: 'track' }, bar)));
  }
}
