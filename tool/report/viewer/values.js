// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that the kernel recorded, by name. Their texts come with the page: not all are JavaScript's.
import { count } from './format.js';
import { $, clear, make, shorten } from './dom.js';

const columns = ['count', 'min', 'mean', 'max', 'last'];

export class Values {
  constructor(app) {
    this.app = app;
  }

  draw() {
    const { launch } = this.app;
    const rows = launch ? launch.table.valueRows : [];
    const shown = rows.map((r, i) => [r, i]).filter(([r]) => r.count > 0);
    $('values').hidden = !shown.length;
    const head = make('tr', {}, make('th', { scope: 'col' }, 'value'), ...columns.map((name) =>
      make('th', { scope: 'col', class: 'n', title: name === 'last' ? 'recorded latest in the launch' : undefined }, name)));
    clear($('values-table')).append(make('table', { class: 'phases' }, make('thead', {}, head),
      make('tbody', {}, ...shown.map(([r, i]) => this.row(launch.values[i], r, i)))));
  }

  row(value, r, i) {
    const name = make('button', {
      class: 'name', title: `${shorten(value.name, 4000)} (${shorten(value.lines, 200)}): look at it in the block`,
      onclick: () => this.app.lookAtValue(i),
    }, make('span', { class: 'label' }, shorten(value.name, 40)));
    return make('tr', { 'data-value': shorten(value.name, 200) }, make('th', { scope: 'row' }, name),
      ...columns.map((c) => make('td', { class: 'n' }, c === 'count' ? count(r.count) : (r[c] ?? '-'))));
  }
}
