// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the figures say, in words: those of the terminal's report. One leads to the phase and the warp it is about.
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
    return make('button', {
      style: row && `border-color:${phaseColour(row)}`,
      title: row && 'let this phase stand out',
      onclick: () => {
        this.app.pin(row && row.name);
        if (finding.warp !== undefined && this.app.warp !== finding.warp) this.app.selectWarp(finding.warp);
      },
    }, shorten(finding.text, 1000), !finding.certain && make('span', { class: 'quiet' }, ' (medium confidence)'));
  }
}
