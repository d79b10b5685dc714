// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is looked at, and the views that follow it.
import { Launch, readTrace } from './model.js';
import { TimeView } from './timeview.js';
import { TimeAxis } from './axis.js';
import { Overview, announceBlock, gutter } from './overview.js';
import { Profile } from './profile.js';
import { Warps } from './warps.js';
import { Phases } from './phases.js';
import { Heat } from './heat.js';
import { Values } from './values.js';
import { Source } from './source.js';
import { Findings } from './findings.js';
import { Launches, mostChosen } from './launches.js';
import { Search } from './search.js';
import { isDark, rowSwatch, swatch } from './colours.js';
import { duration, plural } from './format.js';
import { $, clear, make, onFrame, shorten } from './dom.js';
import { say } from './tooltip.js';

class App {
  constructor(trace) {
    this.trace = trace;
    this.cache = new Map();
    this.chosen = []; // launches that are shown
    this.launch = null; // the one that figures are of
    this.block = -1;
    this.warp = -1;
    this.pinned = this.looked = undefined; // names of a phase
    this.pinnedScope = this.lookedScope = undefined; // of a scope
    this.inCycles = false;
    this.hoverTime = null;
    this.gridLines = [];
    this.frameTimes = [];
    this.overviews = [];
    this.drawTimes = onFrame(() => this.drawTimesNow());
    this.view = new TimeView(1, () => this.drawTimes());
    this.axis = new TimeAxis($('axis'));
    this.profile = new Profile(this);
    this.warps = new Warps(this);
    this.panels = [new Phases(this), new Values(this), new Findings(this), new Heat(this), new Source(this)];
    this.launches = new Launches(this);
    this.search = new Search(this);
    new ResizeObserver(() => this.drawTimes()).observe($('axis'));
  }

  // ---- launches ----

  async read(info) {
    if (!this.cache.has(info.number)) {
      if (this.cache.size >= 2 * mostChosen) // forget the oldest that is not shown
        for (const [number, launch] of this.cache)
          if (!this.chosen.includes(launch)) {
            this.cache.delete(number);
            break;
          }
      $('busy').hidden = false;
      try {
        this.cache.set(info.number, await Launch.read(this.trace, info));
      } finally {
        $('busy').hidden = true;
      }
    }
    return this.cache.get(info.number);
  }
  async showOnly(info) {
    const launch = await this.read(info);
    if (!this.chosen.includes(launch)) this.chosen = [launch];
    this.show(launch);
  }
  async toggleLaunch(info) {
    const launch = await this.read(info);
    const at = this.chosen.indexOf(launch);
    if (at < 0) this.chosen = [...this.chosen.slice(-(mostChosen - 1)), launch];
    else if (this.chosen.length > 1) this.chosen.splice(at, 1);
    this.chosen.sort((a, b) => a.info.number - b.info.number);
    this.show(this.chosen.includes(launch) ? launch : this.chosen[0]);
  }

  show(launch) {
    const other = this.launch !== launch;
    this.launch = launch;
    if (other) {
      this.warp = -1;
      this.block = launch.blockOfRank(0.5);
    }
    for (const o of this.overviews) o.remove();
    this.overviews = this.chosen.map((l) => new Overview(this, l, $('overviews')));
    this.overviews.forEach((o) => o.title(this.chosen.length < 2 ? '' : `launch ${o.launch.info.number}: ${o.launch.info.name}`));
    this.view.reset(Math.max(...this.chosen.map((l) => l.length)));
    this.view.all();
    if (this.trace.filtered) this.showSelected();
    $('profile').hidden = !launch.table.profileBins;
    this.header();
    this.legend();
    this.launches.draw();
    this.warps.show();
    this.drawAll();
  }

  // Of a launch of which there is a part, that part; the axis is that of the launch.
  showSelected() {
    const some = this.chosen.filter((l) => l.numBlocks);
    if (!some.length) return;
    const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
    const from = least(some.map((l) => least(l.begin)));
    const to = -least(some.map((l) => -l.length));
    this.view.set(from - 0.01 * (to - from), to + 0.01 * (to - from));
  }

  header() {
    const { launch, trace } = this;
    const { info, table } = launch;
    $('kernel').textContent = shorten(info.name, 120);
    $('kernel').title = shorten(info.name, 4000);
    $('length').textContent = launch.hasTime ? duration(info.ns) + (trace.filtered ? ' selected' : '') : 'time unknown';
    const facts = [['launch', trace.launches.length > 1 ? `${info.number} of ${trace.launches.length}` : String(info.number)],
      ['device', `${info.device}: ${trace.devices[info.device]}`], ...table.shape,
      ['recorded', [plural(info.blocks, 'block'), plural(table.warps, 'warp'), plural(table.events, 'event'),
        table.scopes > 0 && plural(table.scopes, 'scope'), table.numbers > 0 && plural(table.numbers, 'number')].filter(Boolean).join(', ')]];
    clear($('facts')).append(...facts.map(([name, value]) =>
      make('div', {}, make('dt', {}, name), make('dd', { title: shorten(value, 4000) }, shorten(value, 90)))));
    const quality = [...table.quality, ['dropped', plural(trace.dropped, 'event')], ['recorder', launch.kernel.recorder]];
    clear($('quality')).append(...quality.map(([name, value]) =>
      make('span', {}, name && make('b', {}, `${name} `), shorten(value, 160))));
    const notes = [...trace.notes, ...table.notes];
    if (!launch.hasTime) notes.unshift('no clock rate is known: there is no common time axis, each block begins at 0 of its own');
    $('notes').hidden = !notes.length;
    clear($('notes')).append(...notes.map((text) => make('li', {}, shorten(text, 400))));
  }

  legend() {
    const { launch } = this;
    const entry = (row) => make('button', {
      title: shorten(row.name, 4000), 'data-name': shorten(row.name, 200),
      'aria-pressed': String(this.pinned === row.name),
      onclick: () => this.pin(this.pinned === row.name ? undefined : row.name),
      onpointerenter: () => this.look(row.name),
      onpointerleave: () => this.look(undefined),
    }, make('i', { class: 'swatch', style: `background:${swatch(row)}` }), shorten(row.name, 32));
    const scope = (row) => make('button', {
      class: 'scope', title: `scope ${shorten(row.name, 4000)}`, 'aria-label': `scope ${shorten(row.name, 200)}`,
      'aria-pressed': String(this.pinnedScope === row.name),
      onclick: () => this.pinScope(this.pinnedScope === row.name ? undefined : row.name),
      onpointerenter: () => this.lookScope(row.name),
      onpointerleave: () => this.lookScope(undefined),
    }, make('i', { class: 'swatch thin', style: `background:${swatch(row)}` }), shorten(row.name, 32));
    const rest = (row, isThere) => (isThere ? make('span', { class: 'entry' },
      make('i', { class: 'swatch', style: `background:${rowSwatch(launch, row)}` }), launch.rowName(row)) : '');
    clear($('legend')).append(...launch.rows.map((row, i) => row.instant || !launch.isSelected(i) ? '' : entry(row)),
      rest(launch.noRow, launch.restShare > 0.0005), rest(launch.pausedRow, launch.pausedShare > 0),
      ...launch.scopes.map((row, i) => (launch.hasScope(i) ? scope(row) : '')));
  }

  // The element of the launch that figures are of.
  timeline() {
    const shown = this.overviews.find((o) => o.launch === this.launch);
    return shown && shown.element;
  }

  // ---- blocks, warps, phases ----

  selectBlock(launch, block, move = false) {
    const other = this.launch !== launch;
    this.block = block;
    if (other) {
      this.launch = launch;
      this.header();
      this.legend();
      this.launches.draw();
      this.drawAll();
    }
    if (move) this.view.show(launch.begin[block], launch.end[block]);
    this.warps.show();
    for (const o of this.overviews) o.drawOver();
    announceBlock(launch, block);
  }
  // By number, from the selected one on.
  stepBlock(step, launch = this.launch) {
    if (!launch || !launch.numBlocks) return;
    const from = this.launch === launch ? this.block : -1;
    this.selectBlock(launch, Math.min(Math.max(from + step, 0), launch.numBlocks - 1), true);
  }
  selectRank(share) {
    const block = this.launch ? this.launch.blockOfRank(share) : -1;
    if (block >= 0) this.selectBlock(this.launch, block, true);
  }
  selectWarp(warp) {
    this.warp = this.warp === warp ? -1 : warp;
    this.warps.drawNow(); // its lines become higher
    const i = this.block < 0 ? -1 : this.launch.findWarp(this.block, warp);
    if (i < 0) return;
    const place = this.warps.warpPlace(i);
    if (place) this.warps.reveal(...place);
    say(`warp ${warp}`);
  }
  // A phase to stand out until the next is chosen, or as long as the pointer is on it.
  pin(name) {
    this.pinned = name;
    this.legend();
    this.redraw();
    if (name !== undefined) say(`phase ${shorten(name, 80)} stands out`);
  }
  look(name) {
    if (this.looked === name) return;
    this.looked = name;
    this.redraw();
  }
  // The same for scopes, of which the warps alone have any.
  pinScope(name) {
    this.pinnedScope = name;
    this.legend();
    this.warps.draw();
    if (name !== undefined) say(`scope ${shorten(name, 80)} stands out`);
  }
  lookScope(name) {
    if (this.lookedScope === name) return;
    this.lookedScope = name;
    this.warps.draw();
  }
  onlyIn(launch) {
    const name = this.looked ?? this.pinned;
    const i = name === undefined ? -1 : launch.rows.findIndex((row) => row.name === name && !row.instant);
    return i < 0 ? undefined : i;
  }
  onlyScopeIn(launch) {
    const name = this.lookedScope ?? this.pinnedScope;
    const i = name === undefined ? -1 : launch.scopes.findIndex((row) => row.name === name);
    return i < 0 ? undefined : i;
  }

  // The first of that name in the block; says whether there is one.
  lookAtScope(row) {
    this.pinScope(this.launch.scopes[row].name);
    return this.lookFor('scopes', (t) => t.rows && t.rows.includes(row));
  }
  lookAtMark(row) {
    return this.lookFor('marks', (t) => t.indexOf && t.indexOf(row) >= 0, (t) => t.indexOf(row));
  }
  lookAtValue(row) {
    return this.lookFor('numbers', (t) => t.numbers && t.row === row);
  }
  lookFor(kind, isIt, itemOf) {
    if (this.warps.shown[kind] === false) this.warps.toggle(kind);
    this.warps.drawNow();
    $('warps-plot').focus({ preventScroll: true });
    const found = this.warps.lookFor(isIt, itemOf);
    if (!found) say('this block has none');
    return found;
  }

  setHoverTime(time) {
    if (this.hoverTime === time) return;
    this.hoverTime = time;
    for (const o of this.overviews) o.drawOver();
    this.profile.drawOver();
  }

  // ---- drawing ----

  drawTimesNow() {
    if (!this.launch) return;
    const width = $('axis').clientWidth - gutter;
    this.gridLines = this.axis.draw(this.view, gutter, Math.max(10, width), this.launch.hasTime);
    for (const o of this.overviews) o.drawNow();
    this.profile.drawOverNow();
  }
  redraw() {
    this.drawTimes();
    this.profile.draw();
    this.warps.draw();
  }
  drawAll() {
    this.redraw();
    for (const p of this.panels) p.draw();
  }
}

// ---- the page around it ----

function fail(text) {
  $('empty').hidden = false;
  $('empty').textContent = text;
  document.body.classList.add('nothing');
  $('busy').hidden = true;
}

// Keys that the focus has no use for are the timeline's. Up and down scroll the page where it is longer than the window.
function handOn(app, event) {
  if (event.defaultPrevented || $('help').open || event.target.closest('.plot')) return;
  const { scrollHeight, clientHeight } = document.documentElement;
  if (/^(ArrowUp|ArrowDown|PageUp|PageDown)$/.test(event.key) && scrollHeight > clientHeight) return;
  const { key, shiftKey } = event;
  const timeline = app.timeline();
  if (timeline && !timeline.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, cancelable: true })))
    event.preventDefault();
}

function setUpPage(app) {
  const redrawn = () => {
    $('theme').textContent = isDark() ? 'light' : 'dark';
    if (!app.launch) return;
    app.legend();
    app.launches.draw();
    app.drawAll();
  };
  $('theme').addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    redrawn();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawn);
  $('unit').addEventListener('click', () => {
    app.inCycles = !app.inCycles;
    for (const panel of app.panels) panel.draw();
  });
  $('help-open').addEventListener('click', () => $('help').showModal());
  $('help-close').addEventListener('click', () => $('help').close());
  document.addEventListener('keydown', (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') {
      event.preventDefault();
      $('search').focus();
      $('search').select();
    } else if (event.key === '?') $('help').showModal();
    else if (event.key === 'Escape') {
      app.pin(undefined);
      app.pinScope(undefined);
    }
    else handOn(app, event);
  });
  redrawn();
}

async function start() {
  if (typeof DecompressionStream === 'undefined')
    return fail('This browser is too old for this page: it has no DecompressionStream. ' +
      'Chrome or Edge 80, Safari 16.4, Firefox 113, or a later one shows it.');
  const trace = await readTrace();
  $('program').textContent = shorten(trace.program, 60);
  $('program').title = shorten(trace.program, 4000);
  const app = new App(trace);
  window.kinstr = app;
  setUpPage(app);
  if (!trace.launches.length) {
    fail('The trace holds no launches' + (trace.notes.length ? `: ${trace.notes.join('; ')}` : '.'));
    return;
  }
  // The longest is what people come for.
  const longest = trace.launches.reduce((a, b) => ((b.ns || 0) > (a.ns || 0) ? b : a));
  await app.showOnly(longest);
}

start()
  .catch((error) => {
    fail(`The data of this page cannot be read: ${error.message}. The file may be cut short.`);
    console.error(error);
  })
  .finally(() => {
    $('busy').hidden = true;
    document.documentElement.dataset.ready = 'true';
  });
