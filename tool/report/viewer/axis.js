// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time axis above a plot.
import { axisTop } from 'd3-axis';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { axisUnit } from './format.js';
import { clear, svg } from './dom.js';

export class TimeAxis {
  constructor(parent) {
    this.svg = svg('svg', { class: 'axis', height: 26, 'aria-hidden': 'true' });
    this.ticks = svg('g');
    this.unit = svg('text', { y: 12, x: 4, class: 'unit' });
    this.svg.append(this.ticks, this.unit);
    parent.append(this.svg);
  }

  // Times of the view in ns, or cycles; returns where grid lines belong [px].
  draw(view, left, width, hasTime) {
    const unit = hasTime ? axisUnit(Math.max(Math.abs(view.from), Math.abs(view.to))) : { name: 'cycles', per: 1 };
    const scale = scaleLinear()
      .domain([view.from / unit.per, view.to / unit.per]).range([left, left + width]);
    const wanted = Math.max(2, Math.floor(width / 110));
    const values = scale.ticks(wanted).filter((v) => v >= 0);
    const format = scale.tickFormat(wanted);
    this.svg.setAttribute('width', left + width);
    this.ticks.setAttribute('transform', 'translate(0 25)');
    clear(this.ticks);
    select(this.ticks).call(axisTop(scale).tickValues(values).tickFormat((v) => format(v).replace(/,/g, '\u202f')).tickSize(5));
    this.ticks.removeAttribute('font-size');
    this.ticks.removeAttribute('font-family');
    this.unit.textContent = unit.name;
    return values.map((v) => scale(v));
  }
}
