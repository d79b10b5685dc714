// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases by warps: how long warp N of a block is in each, on the average of the blocks.
import { axisBottom } from 'd3-axis';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { swatch } from './colours.js';
import { axisUnit, both, count, percent } from './format.js';
import { $, clear, make, shorten, svg } from './dom.js';
import { tipped } from './tooltip.js';

export class Heat {
  constructor(app) {
    this.app = app;
    this.perPhase = false;
    $('heat-scale').addEventListener('click', () => {
      this.perPhase = !this.perPhase;
      this.draw();
    });
  }

  draw() {
    const { launch } = this.app;
    const area = clear($('heat-table'));
    $('heat-scale').textContent = this.perPhase ? 'shade: each phase for itself' : 'shade: all phases together';
    if (!launch) return;
    const warps = [...launch.table.warpsByIndex.keys()].filter((w) => launch.table.warpsByIndex[w]);
    $('heat').hidden = !warps.length || launch.rows.every((row, i) => row.instant || !launch.isSelected(i));
    if ($('heat').hidden) return;
    const means = launch.table.rows.map((r) =>
      warps.map((w) => (r.warps[w] || 0) / launch.table.warpsByIndex[w]));
    const largest = Math.max(...means.flat(), 1e-9);
    this.legend(launch, largest);
    const body = launch.rows.map((row, i) => row.instant || !launch.isSelected(i) ? null : make('tr', {},
      make('th', { scope: 'row', title: shorten(row.name, 4000) },
        make('i', { class: 'swatch', style: `background:${swatch(row)}` }),
        make('span', { class: 'label' }, shorten(row.name, 40))),
      ...warps.map((w, k) => this.cell(launch, i, w, means[i][k], this.perPhase ? Math.max(...means[i], 1e-9) : largest))));
    const head = make('tr', {}, make('th', { scope: 'col' }, 'warp'),
      ...warps.map((w, k) => make('th', { scope: 'col' }, warps.length <= 12 || k % 4 === 0 ? String(w) : '')));
    const table = make('table', { class: 'heat', role: 'grid', 'aria-label': 'Mean time of warps in phases', onkeydown: (event) => this.key(event) },
      make('thead', {}, head), make('tbody', {}, ...body.filter(Boolean)));
    const first = table.querySelector('td');
    if (first) first.tabIndex = 0;
    area.append(table);
  }

  // What the shades mean, from none to the strongest.
  legend(launch, largest) {
    const inTime = launch.hasTime && !this.app.inCycles;
    const most = this.perPhase ? 100 : largest * (inTime ? launch.nsPerCycle : 1);
    const unit = this.perPhase ? { name: '% of the phase’s longest', per: 1 } : inTime ? axisUnit(most) : { name: 'cycles', per: 1 };
    const width = 220, left = 8;
    const scale = scaleLinear().domain([0, most / unit.per]).range([left, left + width]);
    const g = svg('g', { class: 'axis' });
    select(g).call(axisBottom(scale).ticks(3).tickSize(4).tickFormat((v) => scale.tickFormat(3)(v).replace(/,/g, '\u202f')));
    g.removeAttribute('font-size');
    g.removeAttribute('font-family');
    const axis = svg('svg', { width: width + 2 * left + 14, height: 22, 'aria-hidden': 'true' });
    axis.append(g);
    clear($('heat-legend')).append(
      make('div', { class: 'shades', style: `width:${width}px;margin-left:${left}px` }), axis, make('span', { class: 'unit' }, unit.name));
    const text = this.perPhase ? '100 % of the phase’s longest' : inTime ? both(largest, launch.nsPerCycle) : both(largest, 0);
    $('heat-legend').setAttribute('aria-label', `shades from 0 to ${text}`);
  }

  // One stop for Tab; arrows go from cell to cell.
  key(event) {
    const from = event.target.closest('td');
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!from || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' || event.key === ' ') from.click();
    else if (by) {
      const row = [...from.closest('tbody').rows][from.parentElement.sectionRowIndex + by[0]];
      const to = row && row.querySelectorAll('td')[from.cellIndex - 1 + by[1]];
      if (to) {
        from.tabIndex = -1;
        to.tabIndex = 0;
        to.focus();
      }
    } else return;
    event.preventDefault();
  }

  cell(launch, row, warp, mean, largest) {
    const r = launch.table.rows[row];
    const all = launch.table.rows.reduce((sum, other) => sum + (other.warps[warp] || 0), 0);
    const name = shorten(launch.rows[row].name, 80);
    const shade = mean / largest;
    const content = () => ({
      title: `${name}, warp ${warp}`,
      swatch: swatch(launch.rows[row]),
      lines: [
        `${both(mean, launch.nsPerCycle)} a block, on the average`,
        `${percent(all ? (r.warps[warp] || 0) / all : 0)} of the phases of this warp`,
        `of ${count(launch.table.warpsByIndex[warp])} blocks`,
      ],
    });
    return make('td', {
      tabindex: -1,
      'aria-label': `${name}, warp ${warp}: ${both(mean, launch.nsPerCycle)}`,
      'data-mean': mean.toFixed(3),
      style: `background:color-mix(in srgb, var(--heat) ${(100 * shade).toFixed(1)}%, var(--heat-0))`,
      ...tipped(content),
      onclick: () => this.app.selectWarp(warp),
    });
  }
}
