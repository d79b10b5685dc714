#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_labels.py PAGE: names of SMs, times on the axes and the heat map's scale."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
from browser import Browser

# Texts that a redraw of the blocks writes into the canvas: [text, y].
WRITTEN = """(() => {
  const all = [], proto = CanvasRenderingContext2D.prototype, fillText = proto.fillText;
  proto.fillText = function (text, x, y) { all.push([text, y]); return fillText.apply(this, arguments); };
  kinstr.overviews[0].drawNow();
  proto.fillText = fillText;
  return all;
})()"""


def check_sms(page):
    """However high the picture is, SM 0 is named; names lie within it and not on each other."""
    seen = set()
    for height in (80, 140, 260, 420, 700, 1100):
        page.evaluate(f"kinstr.overviews[0].element.style.cssText = 'flex: none; height: {height}px'")
        page.settle()
        names = [(int(text[3:]), y) for text, y in page.evaluate(WRITTEN) if text.startswith("SM ")]
        assert names[0][0] == 0, (height, names[:3])
        assert all(7 <= y <= height - 7 for _, y in names), (height, names)
        assert all(b - a >= 12 for (_, a), (_, b) in zip(names, names[1:])), (height, names)
        seen.add(len(names))
    assert len(seen) > 3, seen
    page.evaluate("kinstr.overviews[0].element.style.cssText = ''")
    page.settle()


def check_times(page):
    """Thousands stand apart as in the tables, and what a tick says is where it is."""
    grouped = 0
    for _ in range(12):
        ticks = page.evaluate(
            "[...document.querySelectorAll('#axis .tick')].map(t => [t.textContent, +/translate\\(([\\d.]+)/.exec(t.getAttribute('transform'))[1]])"
        )
        unit = {"ns": 1, "µs": 1e3}[page.text("#axis .unit")]
        start, end, width = page.evaluate("[kinstr.view.from, kinstr.view.to, document.querySelector('#axis').clientWidth - 58]")
        assert len(ticks) > 1
        for text, x in ticks:
            assert re.fullmatch("\\d{1,3}(\u202f\\d{3})*(\\.\\d+)?", text), text
            grouped += "\u202f" in text
            time = float(text.replace("\u202f", "")) * unit
            assert abs(58 + (time - start) / (end - start) * width - x) < 1, (text, x)
        page.evaluate("kinstr.view.zoom(0.7, 0)")
        page.settle()
    assert grouped, "no tick has thousands"
    page.evaluate("kinstr.view.all()")


def check_heat(page):
    """The scale ends where the strongest shade is, in its unit."""
    cells = "[...document.querySelectorAll('table.heat tbody td')]"
    largest = max(page.evaluate(cells + ".map(c => +c.dataset.mean)"))
    shade, ends = page.evaluate(
        f"[getComputedStyle({cells}.reduce((a, b) => +a.dataset.mean > +b.dataset.mean ? a : b)).backgroundColor,"
        " getComputedStyle(document.querySelector('#heat-legend .shades')).backgroundImage]"
    )
    rgb = [round(255 * float(v)) for v in re.findall(r"[\d.]+", shade)]
    assert [int(v) for v in re.findall(r"\d+", ends)][-3:] == rgb, (shade, ends)

    def ticks():
        return page.evaluate(
            "(() => { const b = document.querySelector('#heat-legend .shades').getBoundingClientRect();"
            " return [...document.querySelectorAll('#heat-legend .tick')].map(t => { const r = t.querySelector('line').getBoundingClientRect();"
            " return [+t.textContent.replace(/\\s/g, ''), ((r.left + r.right) / 2 - b.left) / b.width]; }); })()"
        )

    ns = largest / 2  # at 2 GHz
    for unit, most in (("µs" if ns >= 2000 else "ns", ns / 1000 if ns >= 2000 else ns), ("cycles", largest)):
        assert page.text("#heat-legend .unit") == unit
        assert len(ticks()) > 2
        for value, part in ticks():
            assert abs(value / most - part) < 0.01, (unit, value, part, most)
        page.evaluate("document.getElementById('unit').click()")
    page.evaluate("document.getElementById('heat-scale').click()")
    assert page.text("#heat-legend .unit").startswith("% of")
    assert ticks()[-1][0] == 100 and abs(ticks()[-1][1] - 1) < 0.01, ticks()
    page.evaluate("document.getElementById('heat-scale').click()")


def main(html):
    with Browser() as browser:
        page = browser.open(html)
        for check in (check_sms, check_times, check_heat):
            check(page)
        assert page.errors == [] and len(page.requests) == 1, (page.errors, page.requests)
        print("labels are right")


main(*sys.argv[1:])
