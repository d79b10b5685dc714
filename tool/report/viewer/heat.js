// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases by warps: how long warp N of a block is in each, on the average of the blocks.
import { swatch } from './colours.js';
import { both, count, percent } from './format.js';
import { $, clear, make, shorten } from './dom.js';
import { hideTip, showTip } from './tooltip.js';

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
    $('heat').hidden = !warps.length;
    const means = launch.table.rows.map((r) =>
      warps.map((w) => (r.warps[w] || 0) / launch.table.warpsByIndex[w]));
    const largest = Math.max(...means.flat(), 1e-9);
    const body = launch.rows.map((row, i) => row.instant || !launch.isSelected(i) ? null : make('tr', {},
      make('th', { scope: 'row', title: shorten(row.name, 4000) },
        make('i', { class: 'swatch', style: `background:${swatch(row)}` }),
        make('span', { class: 'label' }, shorten(row.name, 40))),
      ...warps.map((w, k) => this.cell(launch, i, w, means[i][k], this.perPhase ? Math.max(...means[i], 1e-9) : largest))));
    const head = make('tr', {}, make('th', { scope: 'col' }, 'warp'),
      ...warps.map((w, k) => make('th', { scope: 'col' }, warps.length <= 12 || k % 4 === 0 ? String(w) : '')));
    area.append(make('table', { class: 'heat' }, make('thead', {}, head), make('tbody', {}, ...body.filter(Boolean))));
  }

  cell(launch, row, warp, mean, largest) {
    const r = launch.table.rows[row];
    const all = launch.table.rows.reduce((sum, other) => sum + (other.warps[warp] || 0), 0);
    const name = shorten(launch.rows[row].name, 80);
    const shade = mean / largest;
    return make('td', {
      'aria-label': `${name}, warp ${warp}: ${both(mean, launch.nsPerCycle)}`,
      'data-mean': mean.toFixed(3),
      style: `background:color-mix(in srgb, var(--heat) ${(100 * shade).toFixed(1)}%, var(--heat-0))`,
      onpointermove: (event) => showTip({
        title: `${name}, warp ${warp}`,
        swatch: swatch(launch.rows[row]),
        lines: [
          `${both(mean, launch.nsPerCycle)} a block, on the average`,
          `${percent(all ? (r.warps[warp] || 0) / all : 0)} of the phases of this warp`,
          `of ${count(launch.table.warpsByIndex[warp])} blocks`,
        ],
      }, event.clientX, event.clientY),
      onpointerleave: hideTip,
      onclick: () => this.app.selectWarp(warp),
    });
  }
}
