// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the figures say, in words: those of the terminal's report. One leads to the phase, the block and the warp it
// is about.
import { phaseColour } from './colours.js';
import { $, clear, make, shorten } from './dom.js';

export class Findings {
  constructor(app) {
    this.app = app;
  }

  draw() {
    const { launch } = this.app;
    const found = launch ? launch.table.findings : [];
    $('findings').hidden = !found.length;
    clear($('finding-list')).append(...found.map((f) => make('li', {}, this.button(launch, f))));
  }

  button(launch, finding) {
    const row = launch.rows.find((r) => r.name === finding.phase && !r.instant);
    const block = finding.block === undefined ? -1 : launch.findBlock(finding.block);
    const leads = [row && 'let this phase stand out', block >= 0 && `select block ${finding.block}`].filter(Boolean);
    return make('button', {
      style: row && `border-color:${phaseColour(row)}`,
      title: leads.length > 0 && leads.join(', '),
      onclick: () => {
        this.app.pin(row && row.name);
        if (block >= 0) this.app.selectBlock(launch, block, true);
        if (finding.warp !== undefined && this.app.warp !== finding.warp) this.app.selectWarp(finding.warp);
      },
    }, shorten(finding.text, 1000), block >= 0 && `; see block ${finding.block}`, !finding.certain && make('span', { class: 'quiet' }, ' (medium confidence)'));
  }
}
