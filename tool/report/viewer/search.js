// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "block 17", "17", "sm 5", "warp 3", "launch 2", or the name of a phase, a mark, a scope, a value or a kernel.
import { $, clear, make, shorten } from './dom.js';
import { swatch } from './colours.js';

const mostShown = 12;

// What a query may mean, best first: [{text, swatch, go}].
export function findAll(app, query) {
  const text = query.trim().toLowerCase();
  const { launch } = app;
  if (!text || !launch) return [];
  const match = /^(block|sm|warp|launch|b|w|l)?\s*#?(\d+)$/.exec(text);
  const out = match ? byNumber(app, match[1] || '', Number(match[2])) : [];
  return [...out, ...byName(app, text)].slice(0, mostShown);
}

// That very name, then what begins with it, then what has it in it.
function byName(app, text) {
  const { launch, trace } = app, ranks = [[], [], []];
  const offer = (name, result) => {
    const lower = name.toLowerCase();
    if (lower.includes(text)) ranks[lower === text ? 0 : lower.startsWith(text) ? 1 : 2].push(result);
  };
  launch.rows.forEach((row, i) => offer(row.name, row.instant
    ? { text: `mark ${row.name}`, swatch: swatch(row), go: () => app.lookAtMark(i) }
    : { text: `phase ${row.name}`, swatch: swatch(row), go: () => app.pin(row.name) }));
  launch.scopes.forEach((row, i) => launch.hasScope(i) &&
    offer(row.name, { text: `scope ${row.name}`, swatch: swatch(row), go: () => app.lookAtScope(i) }));
  launch.values.forEach((row, i) => launch.table.valueRows[i].count &&
    offer(row.name, { text: `value ${row.name}`, go: () => app.lookAtValue(i) }));
  if (trace.launches.length > 1)
    for (const info of trace.launches)
      offer(info.name, { text: `launch ${info.number}: ${info.name}`, go: () => app.showOnly(info) });
  return ranks.flat();
}

function byNumber(app, kind, number) {
  const { launch, trace } = app, out = [];
  const wants = (...names) => kind === '' || names.includes(kind);
  const block = launch.findBlock(number);
  if (wants('block', 'b') && block >= 0)
    out.push({ text: `block ${number} on SM ${launch.columns.sm[block]}`, go: () => app.selectBlock(launch, block, true) });
  if (wants('sm')) {
    const row = launch.lanes.find((r) => r.sm === number);
    const first = row && row.lanes[0][0];
    if (first !== undefined)
      out.push({ text: `SM ${number}: its first block, ${launch.columns.block[first]}`, go: () => app.selectBlock(launch, first, true) });
  }
  if (wants('warp', 'w') && launch.table.warpsByIndex[number])
    out.push({ text: `warp ${number} of the block`, go: () => app.selectWarp(number) });
  const info = trace.launches.find((l) => l.number === number);
  if (wants('launch', 'l') && trace.launches.length > 1 && info)
    out.push({ text: `launch ${number}: ${info.name}`, go: () => app.showOnly(info) });
  return out;
}

export class Search {
  constructor(app) {
    this.app = app;
    this.input = $('search');
    this.list = $('found');
    this.at = 0;
    this.input.addEventListener('input', () => this.look());
    this.input.addEventListener('focus', () => this.look());
    this.input.addEventListener('blur', () => setTimeout(() => this.close(), 150));
    this.input.addEventListener('keydown', (event) => this.key(event));
  }

  look() {
    this.results = findAll(this.app, this.input.value);
    this.at = 0;
    this.draw();
  }
  draw() {
    const open = this.input.value.trim() !== '';
    this.input.setAttribute('aria-expanded', String(open));
    this.list.hidden = !open;
    clear(this.list).append(...(this.results || []).map((r, i) => make('li', {
      role: 'option', id: `found-${i}`, 'aria-selected': String(i === this.at),
      onpointerdown: (event) => {
        event.preventDefault();
        this.go(i);
      },
    }, r.swatch && make('i', { class: 'swatch', style: `background:${r.swatch}` }), shorten(r.text, 70))));
    if (open && !this.results.length) this.list.append(make('li', { class: 'quiet' }, 'nothing in this launch'));
    this.input.setAttribute('aria-activedescendant', open && this.results.length ? `found-${this.at}` : '');
  }
  close() {
    this.list.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
  }
  async go(i) {
    const result = this.results && this.results[i];
    if (!result) return;
    this.close();
    // Where it leads to something that has the keys, they stay there.
    if (!(await result.go())) this.leave();
  }
  leave() {
    const timeline = this.app.timeline();
    if (timeline) timeline.focus();
    else this.input.blur();
  }
  key(event) {
    const n = (this.results || []).length;
    if (event.key === 'Enter') this.go(this.at);
    else if (event.key === 'Escape') {
      this.input.value = '';
      this.close();
      this.app.pin(undefined);
      this.app.pinScope(undefined);
      this.leave();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && n) {
      this.at = (this.at + (event.key === 'ArrowDown' ? 1 : n - 1)) % n;
      this.draw();
    } else return;
    event.preventDefault();
  }
}
