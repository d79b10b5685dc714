// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that the kernel recorded, by name. Their texts come with the page: not all are JavaScript's.
import { count } from './format.js';
import { change } from './phases.js';
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
      make('tbody', {}, ...shown.map(([r, i]) => this.row(launch.values[i], r, i)))), ...this.comparison());
  }

  // The means of the launches that are chosen, of the first one's kernel.
  comparison() {
    const [first, ...others] = this.app.chosen;
    const same = [first, ...others.filter((l) => l.kernel === first.kernel)];
    if (same.length < 2) return [];
    const mean = (l, i) => l.table.valueRows[i].mean;
    const cell = (l, i) => make('td', { class: 'n' }, mean(l, i) ?? '-',
      ...change(Number(mean(first, i)), Number(mean(l, i)), l === first || mean(first, i) === undefined || mean(l, i) === undefined));
    const head = make('tr', {}, make('th', { scope: 'col' }, 'value'),
      ...same.map((l) => make('th', { scope: 'col', class: 'n' }, `launch ${l.info.number}`)));
    const rows = first.values.map((value, i) => same.some((l) => l.table.valueRows[i].count) && make('tr', {},
      make('th', { scope: 'row' }, shorten(value.name, 40)), ...same.map((l) => cell(l, i))));
    return [make('h3', {}, 'Means of launches compared'),
      make('table', { class: 'phases' }, make('thead', {}, head), make('tbody', {}, ...rows.filter(Boolean)))];
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
