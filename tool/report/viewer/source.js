// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The annotated source, with what each phase costs beside its line.
import { phaseColour, swatch } from './colours.js';
import { both, percent, count } from './format.js';
import { $, clear, make, shorten } from './dom.js';
import { tipped } from './tooltip.js';

const around = 2; // lines shown before the kernel and behind its last site

// The phase, mark, scope or value that a site begins or records.
const rowOf = (site, launch) =>
  launch.rows[site.row] || launch.scopes[site.scope] || launch.values[site.value];
const nameOf = (site, launch) => rowOf(site, launch)?.name;

export class Source {
  constructor(app) {
    this.app = app;
    this.whole = new Set(); // files of which all lines are shown
  }

  draw() {
    const { launch, trace } = this.app;
    const area = clear($('source-files'));
    if (!launch) return;
    const byFile = new Map([[launch.kernel.file, []]]);
    launch.sites.forEach((site, i) => {
      const file = site.file ?? launch.kernel.file;
      if (!byFile.has(file)) byFile.set(file, []);
      byFile.get(file).push({ ...site, index: i });
    });
    for (const [file, sites] of byFile) area.append(...this.file(trace.files[file], file, sites, launch));
  }

  file(file, number, sites, launch) {
    const name = make('h3', { title: shorten(file.name, 4000) }, shorten(file.name, 80));
    if (!file.lines)
      return [name, make('p', { class: 'quiet' }, 'The file was not found where kinstr-report ran; --source DIR says where it is. ' +
        'Lines of the phases:'), this.bare(sites, launch)];
    const marked = sites.filter((s) => nameOf(s, launch) !== undefined);
    const warning = this.doubt(file, marked, launch);
    const from = Math.max(1, Math.min(...marked.map((s) => s.line), number === launch.kernel.file ? launch.kernel.line : 1e9) - around);
    const to = Math.min(file.lines.length, Math.max(...sites.map((s) => s.line), from) + 3 * around);
    const all = this.whole.has(number);
    const toggle = file.lines.length > to - from + 1 && make('button', {
      class: 'small', 'aria-pressed': String(all),
      onclick: () => {
        if (!this.whole.delete(number)) this.whole.add(number);
        this.draw();
      },
    }, all ? 'the kernel only' : `all ${count(file.lines.length)} lines`);
    return [make('div', { class: 'file-head' }, name, toggle), warning,
      this.lines(file, sites, launch, all ? 1 : from, all ? file.lines.length : to)].filter(Boolean);
  }

  // An annotation should be in its line. Those that kinstr --auto chose are in none.
  doubt(file, marked, launch) {
    const off = marked.filter((s) => {
      const line = file.lines[s.line - 1] || '';
      return !line.includes('@') || !line.includes(nameOf(s, launch));
    }).length;
    if (!off) return null;
    const text = off < marked.length
      ? `${off} of ${marked.length} phases are not annotated in the line the trace names: this file is probably not the one that was traced.`
      : 'No phase is annotated in the line the trace names: kinstr --auto chose them, or this file is not the one that was traced.';
    return make('p', { class: 'warn' }, text);
  }

  lines(file, sites, launch, from, to) {
    const byLine = new Map();
    for (const s of sites) if (s.row >= 0 || s.line) byLine.set(s.line, [...(byLine.get(s.line) || []), s]);
    const list = make('ol', { class: 'source', style: `counter-reset:line ${from - 1}` });
    let band = -1, last = Math.max(...sites.map((s) => s.line));
    for (let n = from; n <= to; ++n) {
      const here = byLine.get(n) || [];
      for (const s of here) if (s.row < 0 && !s.inPhase) band = -1;
      for (const s of here) if (s.row >= 0 && !launch.rows[s.row].instant) band = s.row;
      const phases = here.filter((s) => nameOf(s, launch) !== undefined);
      const colour = band >= 0 ? phaseColour(launch.rows[band]) : 'transparent';
      list.append(make('li', { class: phases.length ? 'site' : undefined, 'data-line': n, style: `border-color:${colour}` },
        make('span', { class: 'cost' }, ...phases.map((s) => this.cost(s, launch))),
        make('code', {}, shorten(file.lines[n - 1], 400) || ' ')));
      if (n >= last && /^\}/.test(file.lines[n - 1])) band = -1;
    }
    return list;
  }

  // Share of the warps' time, and how long it takes.
  cost(site, launch) {
    const r = launch.table.sites[site.index];
    if (site.value !== undefined) return this.numbers(r.numbers, site.value, launch.values[site.value].name);
    const isScope = site.scope !== undefined, row = isScope ? launch.scopes[site.scope] : launch.rows[site.row];
    if (row.instant) return make('span', { class: 'mark' }, `${count(r.passes)}×`);
    const share = launch.table.warpCycles ? r.cycles / launch.table.warpCycles : 0;
    const lines = r.count
      ? [`${percent(share)} of the warps' time` + (isScope ? ', with all that lies in it' : ''),
        `p50 ${both(r.p50, launch.nsPerCycle)}, p95 ${both(r.p95, launch.nsPerCycle)}`, `${count(r.count)} times`]
      : ['never ended'];
    return make('button', {
      class: isScope ? 'cost-of scope' : 'cost-of', 'aria-label': shorten([row.name, ...lines].join(', '), 600),
      onclick: () => (isScope ? this.app.pinScope(row.name) : this.app.pin(row.name)),
      ...tipped(() => ({ title: row.name, swatch: swatch(row), lines })),
    }, make('span', {}, percent(share)),
    make('i', { class: 'bar', style: `width:${Math.max(1, 44 * share).toFixed(1)}px;background:${swatch(row)}` }));
  }

  // From the least to the largest.
  numbers(r, value, name) {
    const range = !r ? '-' : r.min === undefined ? r.last : r.min === r.max ? `= ${r.min}` : `${r.min} … ${r.max}`;
    const lines = r
      ? [`min ${r.min ?? '-'}, mean ${r.mean ?? '-'}, max ${r.max ?? '-'}, last ${r.last}`, `${count(r.count)} numbers`]
      : ['never recorded'];
    return make('button', {
      class: 'cost-of value', 'aria-label': shorten([name, ...lines].join(', '), 600),
      onclick: () => this.app.lookAtValue(value), ...tipped(() => ({ title: name, lines })),
    }, range);
  }

  bare(sites, launch) {
    const list = make('ul', { class: 'bare' });
    for (const s of sites) {
      const row = rowOf(s, launch);
      if (row)
        list.append(make('li', {}, make('b', {}, `line ${s.line}`), ' ',
          s.value === undefined && make('i', { class: s.scope === undefined ? 'swatch' : 'swatch thin', style: `background:${swatch(row)}` }),
          shorten(row.name, 80), ' ', this.cost(s, launch)));
    }
    return list;
  }
}
