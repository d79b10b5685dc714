// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases: how long they take, how that is distributed, and where launches differ.
import { axisBottom } from 'd3-axis';
import { scaleLog } from 'd3-scale';
import { select } from 'd3-selection';
import { phaseColour, rowSwatch, swatch } from './colours.js';
import { axisUnit, both, count, cycles, duration, percent } from './format.js';
import { $, clear, make, shorten, svg } from './dom.js';

const binsPerOctave = 8; // HtmlSurvey.h, SiteSurvey::Eighths
const figures = ['p50', 'p95', 'p99', 'max'];
const lessNeeded = ['distribution', 'p99', 'p95']; // left out, one after another, where there is no room

// What has a row in the table: its name and colour, its figures, and those of another launch of the kernel.
const phasesOf = (launch) => launch.rows
  .map((row, i) => ({ row, r: launch.table.rows[i], key: `phase-${i}`, of: (l) => l.table.rows[i], i }))
  .filter((e) => launch.isSelected(e.i));
const scopesOf = (launch) => launch.scopes
  .map((row, i) => ({ row, r: launch.table.scopeRows[i], key: `scope-${i}`, of: (l) => l.table.scopeRows[i], scope: true, i }))
  .filter((e) => launch.hasScope(e.i));
const entries = (launch) => [...phasesOf(launch), ...scopesOf(launch)];

// By how much it differs, as an element; none where that cannot be said.
export function change(before, after, none) {
  if (none || !before) return [];
  const part = after / before - 1;
  return [make('small', { class: 'change' }, ` ${Math.abs(part) < 0.0005 ? '±' : part > 0 ? '+' : '−'}${Math.abs(100 * part).toFixed(1)} %`)];
}

export class Phases {
  constructor(app) {
    this.app = app;
    this.open = undefined; // the key of the row whose distribution is shown large
    this.compared = 'p50';
    this.folded = new Set(); // columns
    new ResizeObserver(() => $('phases-table').clientWidth !== this.width && this.fit()).observe($('phases-table'));
  }

  draw() {
    const { launch } = this.app;
    if (!launch) return;
    $('unit').hidden = !launch.hasTime;
    $('unit').textContent = this.app.inCycles ? 'cycles' : 'ns';
    this.fit();
    clear($('compare')).append(...this.comparison());
  }
  // As many columns as there is room for, with names as long as they are, up to a limit.
  fit() {
    const { launch } = this.app, area = $('phases-table');
    if (!launch) return;
    this.width = area.clientWidth;
    this.folded.clear();
    clear(area).append(this.table(launch));
    const longest = Math.max(0, ...[...area.querySelectorAll('.label')].map((label) => label.scrollWidth));
    area.style.setProperty('--name', `${Math.min(longest + 26, 200, 0.4 * this.width)}px`);
    for (const column of lessNeeded) {
      if (area.scrollWidth <= area.clientWidth) return;
      this.folded.add(column);
      clear(area).append(this.table(launch));
    }
    if (area.scrollWidth > area.clientWidth) area.style.removeProperty('--name');
  }
  has(column) {
    return !this.folded.has(column);
  }
  shown() {
    return figures.filter((q) => this.has(q));
  }
  get columns() {
    return 4 + figures.length - this.folded.size; // name, count, share and distribution too
  }
  // A duration of a launch in the chosen unit, as text: as in the terminal's table.
  value(launch, cyc) {
    if (this.app.inCycles || !launch.hasTime) return count(cyc);
    return count(cyc * launch.nsPerCycle);
  }
  share(launch, r) {
    return launch.table.warpCycles ? r.cycles / launch.table.warpCycles : 0;
  }

  table(launch) {
    const unit = this.app.inCycles || !launch.hasTime ? 'cycles' : 'ns';
    const head = make('tr', {}, make('th', { scope: 'col' }, 'phase'),
      ...['count', ...this.shown()].map((h) =>
        make('th', { scope: 'col', class: 'n', title: h === 'count' ? 'finished phases' : `${h} of the phase's duration [${unit}]` }, h)),
      make('th', { scope: 'col', class: 'n', title: 'part of the time of all warps, from each one’s first mark to its exit' }, 'share'),
      this.has('distribution') &&
        make('th', { scope: 'col', title: 'how many phases took how long; every tick is a factor of ten' }, 'distribution'));
    const body = make('tbody');
    const range = this.range(launch);
    const largest = Math.max(...entries(launch).map((e) => this.share(launch, e.r)), 1e-9);
    const add = (e) => {
      body.append(this.tableRow(launch, e, range, largest));
      if (this.open === e.key && e.r.count) body.append(this.largeRow(launch, e));
    };
    phasesOf(launch).forEach(add);
    const rest = (row, share, title) => make('tr', { class: 'rest', title }, make('th', { scope: 'row' },
      make('i', { class: 'swatch', style: `background:${rowSwatch(launch, row)}` }), launch.rowName(row)),
      make('td', { colspan: 1 + this.shown().length }),
      make('td', { class: 'n' }, percent(share)), this.has('distribution') && make('td'));
    if (launch.restShare >= 0.0005) body.append(rest(launch.noRow, launch.restShare));
    if (launch.pausedShare > 0)
      body.append(rest(launch.pausedRow, launch.pausedShare, 'pauses of the recorder, in no phase: copying full buffers, finding room'));
    const scopes = scopesOf(launch);
    if (scopes.length)
      body.append(make('tr', { class: 'between' }, make('th', { scope: 'rowgroup', colspan: this.columns },
        'scopes: with all that lies in them, so their shares overlap and are not added to those above')));
    scopes.forEach(add);
    return make('table', { class: 'phases' }, make('thead', {}, head), body);
  }

  tableRow(launch, { row, r, key, scope }, range, largest) {
    const { app } = this;
    const standOut = (name) => (scope ? app.pinScope(name) : app.pin(name));
    const name = make('button', {
      class: 'name', 'data-row': key, title: `${shorten(row.name, 4000)} (${shorten(row.lines, 200)})`, 'aria-expanded': String(this.open === key),
      onclick: () => {
        this.open = this.open === key ? undefined : key;
        standOut(this.open === undefined ? undefined : row.name);
        this.draw();
        const button = $('phases-table').querySelector(`button.name[data-row="${key}"]`);
        if (button) button.focus();
      },
    }, make('i', { class: scope ? 'swatch thin' : 'swatch', style: `background:${swatch(row)}` }),
    make('span', { class: 'label' }, shorten(row.name, 40)));
    const cell = (text, title) => make('td', { class: 'n', title }, text);
    const look = (name) => (scope ? app.lookScope(name) : app.look(name));
    const line = make('tr', {
      [scope ? 'data-scope' : 'data-phase']: shorten(row.name, 200),
      onpointerenter: () => look(row.name),
      onpointerleave: () => look(undefined),
    }, make('th', { scope: 'row' }, name));
    if (row.instant) {
      line.append(cell(count(r.passes)), make('td', { colspan: this.columns - 2, class: 'quiet' }, 'mark'));
      return line;
    }
    const open = r.open ? `; ${count(r.open)} more did not end` : '';
    line.append(cell(count(r.count), `${count(r.count)} finished${open}`));
    for (const q of this.shown())
      line.append(r.count ? cell(this.value(launch, r[q]), both(r[q], launch.nsPerCycle)) : cell('-'));
    const share = this.share(launch, r);
    line.append(make('td', { class: 'n share', title: scope && 'inclusive' }, make('span', {}, percent(share)),
      make('i', { class: 'bar', style: `width:${(100 * share / largest).toFixed(1)}%;background:${phaseColour(row)}` })));
    if (this.has('distribution')) line.append(make('td', { class: 'distribution' }, r.count ? this.small(launch, row, r, range) : ''));
    return line;
  }

  // ---- distributions ----

  // From the shortest phase to the longest, in bins.
  range(launch) {
    const all = entries(launch).map((e) => e.r).filter((r) => r.histogram);
    if (!all.length) return { first: 0, last: 1 };
    return {
      first: Math.min(...all.map((r) => r.histogram.first)),
      last: Math.max(...all.map((r) => r.histogram.first + r.histogram.counts.length)),
    };
  }
  // The outline of a histogram, one step a bin.
  outline(histogram, x, y) {
    const top = Math.max(...histogram.counts);
    let path = `M${x(histogram.first).toFixed(1)},${y(0).toFixed(1)}`;
    histogram.counts.forEach((n, i) => {
      const height = y(n / top).toFixed(1);
      path += `L${x(histogram.first + i).toFixed(1)},${height}L${x(histogram.first + i + 1).toFixed(1)},${height}`;
    });
    return path + `L${x(histogram.first + histogram.counts.length).toFixed(1)},${y(0).toFixed(1)}Z`;
  }
  small(launch, row, r, range) {
    const width = $('phases-table').clientWidth < 500 ? 56 : 80, height = 24;
    const x = (bin) => ((bin - range.first) / (range.last - range.first)) * width;
    const y = (part) => height - 1 - part * (height - 3);
    const picture = svg('svg', { width, height, 'aria-hidden': 'true' });
    const rate = this.app.inCycles || !launch.hasTime ? 1 : launch.nsPerCycle;
    for (let e = -2; e < 18; ++e) {
      const at = x(Math.log2(10 ** e / rate) * binsPerOctave);
      if (at > 0 && at < width) picture.append(svg('line', { x1: at, x2: at, y1: 0, y2: height, class: 'decade' }));
    }
    picture.append(
      svg('path', { d: this.outline(r.histogram, x, y), fill: phaseColour(row) }),
      svg('line', { x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5, class: 'base' }));
    return picture;
  }
  largeRow(launch, { row, r, scope }) {
    const width = Math.max(260, Math.min(680, $('phases-table').clientWidth - 24)), height = 108;
    const rate = this.app.inCycles || !launch.hasTime ? 1 : launch.nsPerCycle;
    const per = rate === 1 ? { name: 'cycles', per: 1 } : axisUnit(r.max * rate);
    const h = r.histogram;
    const value = (bin) => (2 ** (bin / binsPerOctave) * rate) / per.per;
    const scale = scaleLog().domain([value(h.first - 1), value(h.first + h.counts.length + 1)]).range([8, width - 72]);
    const picture = svg('svg', { width, height, class: 'large', role: 'img' });
    const label = figures.map((q) => `${q} ${both(r[q], launch.nsPerCycle)}`).join(', ');
    picture.setAttribute('aria-label', `distribution of ${shorten(row.name, 80)}: ${label}`);
    const base = height - 24;
    picture.append(svg('path', {
      d: this.outline(h, (bin) => scale(value(bin)), (part) => base - part * (base - 20)),
      fill: phaseColour(row),
    }));
    const g = svg('g', { transform: `translate(0 ${base})`, class: 'axis' });
    const only = (digits) => (values) => values.filter((v) => digits.test(v.toExponential()));
    const sparser = [(values) => values, only(/^[125]/), only(/^1/)];
    const few = sparser.map((f) => f(scale.ticks(6))).find((values) => values.length <= 7) || [];
    select(g).call(axisBottom(scale).tickValues(few).tickFormat((v) => `${+v.toPrecision(3)}`).tickSize(4));
    g.removeAttribute('font-size');
    g.removeAttribute('font-family');
    picture.append(g);
    const unit = svg('text', { x: width - 2, y: height - 10, class: 'unit', 'text-anchor': 'end' });
    unit.textContent = `${per.name} (log)`;
    picture.append(unit);
    let lastRight = -1;
    for (const q of ['p50', 'p95', 'p99']) {
      const at = scale((Math.max(r[q], 1) * rate) / per.per);
      picture.append(svg('line', { x1: at, x2: at, y1: 16, y2: base, class: 'quantile' }));
      if (at < lastRight + 26) continue;
      const text = svg('text', { x: at, y: 12, class: 'unit', 'text-anchor': 'middle' });
      text.textContent = q;
      picture.append(text);
      lastRight = at;
    }
    const words = make('p', {}, `min ${both(r.min, launch.nsPerCycle)}, ${label}` +
      (r.p99 < 4096 ? '' : '; percentiles are within 0.03 %'));
    const more = [
      scope && 'from its begin to its end, with all that lies in it, without pauses of the recorder',
      r.path !== undefined && `${percent(r.path)} of the critical path`,
      r.imbalance !== undefined && launch.warpsPerBlock > 1 &&
        `imbalance ${r.imbalance.toFixed(2)}: 0 if all warps of a block take equally long, up to 1`,
    ].filter(Boolean);
    return make('tr', { class: 'open' }, make('td', { colspan: this.columns }, picture, words,
      more.length ? make('p', {}, more.join('; ')) : ''));
  }

  // ---- several launches ----

  comparison() {
    const all = this.app.chosen;
    if (all.length < 2) return [];
    const first = all[0];
    const same = all.filter((l) => l.kernel === first.kernel);
    const out = [make('h3', {}, 'Launches compared'),
      make('p', { class: 'quiet' }, this.choice(), ` of each phase, and how it differs from launch ${first.info.number}` +
        (same.length < all.length ? '; launches of other kernels are left out' : '')),
      ...same.filter((l) => l.table.incomplete).map((l) => make('p', { class: 'quiet' },
        `launch ${l.info.number} is incomplete, ${l.table.incomplete}: how long it took is not compared`))];
    const head = make('tr', {}, make('th', { scope: 'col' }, 'phase'),
      ...same.map((l) => make('th', { scope: 'col', class: 'n' }, `launch ${l.info.number}`)));
    const rows = entries(first).map((e) => e.row.instant ? null : make('tr', {},
      make('th', { scope: 'row' }, make('i', { class: e.scope ? 'swatch thin' : 'swatch', style: `background:${swatch(e.row)}` }), shorten(e.row.name, 40)),
      ...same.map((l) => this.comparedCell(first, e.r, l, e.of(l)))));
    const length = (l) => (l.hasTime ? duration(l.info.ns) : '-');
    const known = (l) => l.hasTime && !l.table.incomplete;
    rows.push(make('tr', { class: 'rest' }, make('th', { scope: 'row' }, this.app.trace.filtered ? 'selected' : 'whole launch'),
      ...same.map((l) => make('td', { class: 'n' }, length(l),
        ...change(first.info.ns, l.info.ns, l === first || !known(l) || !known(first))))));
    return [...out, make('table', { class: 'phases' }, make('thead', {}, head), make('tbody', {}, ...rows.filter(Boolean)))];
  }
  // Which of the figures is compared.
  choice() {
    return make('select', {
      id: 'compared', 'aria-label': 'What is compared',
      onchange: (event) => {
        this.compared = event.target.value;
        clear($('compare')).append(...this.comparison());
        $('compared').focus();
      },
    }, ...[...figures, 'share'].map((name) =>
      make('option', { value: name, selected: name === this.compared }, name)));
  }
  comparedCell(first, f, launch, r) {
    if (this.compared === 'share') return this.comparedShare(first, f, launch, r);
    const q = this.compared;
    const rate = (l) => (this.app.inCycles || !l.hasTime ? 1 : l.nsPerCycle);
    if (!r.count) return make('td', { class: 'n' }, '-');
    return make('td', { class: 'n', title: both(r[q], launch.nsPerCycle) }, this.value(launch, r[q]),
      ...change((f[q] || 0) * rate(first), r[q] * rate(launch), launch === first));
  }
  // Shares differ by percentage points.
  comparedShare(first, f, launch, r) {
    const points = 100 * (this.share(launch, r) - this.share(first, f));
    return make('td', { class: 'n' }, percent(this.share(launch, r)), launch !== first && make('small', { class: 'change' },
      ` ${Math.abs(points) < 0.05 ? '±' : points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)} pp`));
  }
}
