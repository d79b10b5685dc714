#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_figures.py TRACE PAGE TABLE: the page's figures and pixels, against those computed from the trace's records and those
of kinstr-report's table.

With - for TRACE, against the table alone. The trace has one launch of a kernel with slots, in which each warp passes all sites in order.
"""
import collections
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
from browser import Browser
from kitrace import EXIT, Trace

GUTTER = 58  # left of the plots: overview.js
ROWS = "[...document.querySelectorAll('tr[data-phase]')].filter(r => r.querySelectorAll('td').length > 2)"  # no marks


def number(text):
    return int(re.sub(r"\s", "", text))


def quantile(values, p):
    return sorted(values)[max(math.ceil(p * len(values)), 1) - 1]


class Expected:
    """Durations from neighbouring slots, as docs/trace-format.md has it; no code of the tool's."""

    def __init__(self, path):
        trace = Trace(path)
        kernel = trace.meta["modules"][0]["kernels"][0]
        self.sites = kernel["sites"]
        self.anchors = {r.block: r.anchor for r in trace.records if r.anchor}
        self.durations = collections.defaultdict(list)  # by phase
        self.by_warp = collections.defaultdict(int)  # phase, warp
        self.by_line = collections.Counter()
        self.warps = collections.defaultdict(dict)  # block, warp: [(phase, begin, cycles)]
        self.total, self.spans, self.marks = 0, 0, 0
        for (_, block, warp), events in trace.warps().items():
            start = self.anchors[block].clock_start
            # The smallest value with these low bits that is not below the start, less 65536.
            floor, clocks = start - 65536, []
            for site, low in events:
                floor += (low - floor) & 0xFFFFFFFF
                clocks.append((site, floor))
            self.total += clocks[-1][1] - clocks[0][1]
            self.warps[block][warp] = []
            stops = [(s, c) for s, c in clocks if s == EXIT or self.sites[s]["kind"] != "mark"]
            self.marks += len(clocks) - len(stops)
            for (site, begin), (_, end) in zip(stops, stops[1:]):
                s = self.sites[site]
                assert site != EXIT
                if s["kind"] != "phase":
                    continue
                self.spans += 1
                self.durations[s["name"]].append(end - begin)
                self.by_warp[s["name"], warp] += end - begin
                self.by_line[s["line"]] += end - begin
                self.warps[block][warp].append((s["name"], begin, end - begin))

    def block_range(self, block):
        a = self.anchors[block]
        spans = [s for w in self.warps[block].values() for s in w]
        first = min([a.clock_start] + [s[1] for s in spans])
        last = max([a.clock_end] + [s[1] + s[2] for s in spans])
        return first, last


def check_table(page, e):
    page.click(*centre(page.box("#unit")))  # to cycles
    rows = page.evaluate(
        ROWS + ".map(r => [r.dataset.phase,"
        " ...[...r.querySelectorAll('td')].slice(0, 6).map(c => (c.querySelector('span') || c).textContent)])"
    )
    assert [r[0] for r in rows] == list(e.durations), rows
    for name, *cells in rows:
        all_ = e.durations[name]
        wanted = [len(all_)] + [quantile(all_, p) for p in (0.5, 0.95, 0.99, 1)]
        assert [number(c) for c in cells[:5]] == wanted, (name, cells, wanted)
        assert cells[5] == f"{100 * sum(all_) / e.total:.1f} %", (name, cells[5], sum(all_) / e.total)
    # And in nanoseconds: by the rate that the page says was measured.
    page.click(*centre(page.box("#unit")))
    low, high = map(float, re.search(r"\(([\d.]+)–([\d.]+)\)|$", page.text("#quality")).groups() or (0, 0))
    for name, p50 in page.evaluate(
        ROWS + ".map(r => [r.dataset.phase, r.querySelectorAll('td')[1].textContent])"
    ):
        cycles = quantile(e.durations[name], 0.5)
        assert cycles / high - 1 <= number(p50) <= cycles / low + 1, (name, p50, cycles)


def check_against_table(page, path):
    """Every cell in ns, against the columns of the same names of kinstr-report's table."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    at = next(i for i, line in enumerate(lines) if line.split()[:1] == ["phase"])
    columns = lines[at].split()
    table = {}
    for line in lines[at + 1 :]:
        cells = line.split()
        if len(cells) < len(columns):
            break
        if "mark" not in cells:
            table[cells[0]] = dict(zip(columns, cells))
    rows = page.evaluate(
        ROWS + ".map(r => [r.dataset.phase,"
        " ...[...r.querySelectorAll('td')].slice(0, 6).map(c => (c.querySelector('span') || c).textContent)])"
    )
    assert rows and [r[0] for r in rows] == list(table), (rows, table)
    for name, *cells in rows:
        for column, cell in zip(("count", "p50", "p95", "p99", "max", "share"), cells):
            wanted = table[name][column] + (" %" if column == "share" else "")
            assert cell.replace("\u202f", "") == wanted, (name, column, cell, wanted)
    return len(rows)


def check_heat(page, e):
    names = list(e.durations)
    cells = page.evaluate(
        "[...document.querySelectorAll('table.heat tbody tr')].map(r => [...r.querySelectorAll('td')].map(c => +c.dataset.mean))"
    )
    blocks = len(e.warps)
    for name, row in zip(names, cells):
        for warp, mean in enumerate(row):
            wanted = e.by_warp[name, warp] / blocks
            assert abs(mean - wanted) < 0.01, (name, warp, mean, wanted)


def check_source(page, e):
    for line, cycles in e.by_line.items():
        text = page.text(f'li[data-line="{line}"] .cost')
        assert text == f"{100 * cycles / e.total:.1f} %", (line, text, cycles / e.total)
        assert "@phase" in page.text(f'li[data-line="{line}"] code'), line


def check_profile(page, e):
    """Warps over time, summed up, are the time of all warps; rates of SMs' clocks differ by up to a percent."""
    total = page.evaluate(
        "kinstr.launch.columns.profile.reduce((a, b) => a + b, 0) / 16 * kinstr.launch.length / kinstr.launch.table.profileBins"
        " / kinstr.launch.nsPerCycle"
    )
    assert abs(total / e.total - 1) < 0.02, (total, e.total)


def alike(a, b):
    """Lines of the grid shade what is below them."""
    return all(abs(int(a[i : i + 2], 16) - int(b[i : i + 2], 16)) < 32 for i in (1, 3, 5))


def tip_and_colours(page, selector, x, ys):
    """What the tooltip says, and the colours of a canvas at CSS pixels from its corner, as #rrggbb."""
    return page.evaluate(
        f"(() => {{ const c = document.querySelector('{selector} canvas');"
        " const g = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});"
        f" const at = (y) => {{ g.drawImage(c, -Math.floor({x} * devicePixelRatio), -Math.floor(y * devicePixelRatio));"
        " return '#' + [...g.getImageData(0, 0, 1, 1).data].slice(0, 3).map(v => v.toString(16).padStart(2, '0')).join(''); };"
        f" const tip = document.getElementById('tip'); return [tip.firstChild.textContent, tip.textContent, {ys}.map(at)]; }})()"
    )


def check_block(page, e, block):
    """Its title, and for some phases of its warps the pixel and the tooltip in their middle."""
    page.evaluate("document.getElementById('search').focus()")
    page.evaluate("document.getElementById('search').value = ''")
    page.type(f"block {block}")
    page.key("Enter")
    first, last = e.block_range(block)
    assert page.text("#warps-title") == f"Block {block}"
    note = page.text("#warps-note")
    assert note.startswith(f"SM {e.anchors[block].smid_start} ·"), note
    assert number(re.search(r"\(([\d\s]+) cycles\)", note)[1]) == last - first, (note, last - first)
    assert f"{len(e.warps[block])} warps" in note, note

    colours = dict(page.evaluate("kinstr.launch.rows.map(r => [r.name, r.colour])"))
    left, top, width, _ = page.box("#warps-plot")
    row = page.evaluate("kinstr.warps.rowHeight")
    length = last - first
    per_cycle = (width - GUTTER - 12) / (1.02 * length)
    seen = 0
    for i, warp in enumerate(sorted(e.warps[block])):
        if (i + 1) * row > page.box("#warps-scroll")[3]:
            break
        for name, begin, cycles in e.warps[block][warp]:
            if cycles * per_cycle < 9:  # a clock whose rate bends moves it by a few pixels
                continue
            x = GUTTER + (begin + cycles / 2 - first + 0.01 * length) * per_cycle
            y = (i + 0.5) * row
            page.mouse("mouseMoved", left + x, top + y)
            # Words in a phase may have ink above or below.
            title, said, colour = tip_and_colours(page, "#warps-plot", x, [i * row + 1.5, (i + 1) * row - 1.5])
            assert title == name, (warp, name, said)
            assert f"warp {warp} of block {block}" in said, said
            assert number(re.search(r"\(([\d\s]+) cycles\)", said)[1]) == cycles, (said, cycles)
            assert any(alike(c, colours[name]) for c in colour), (warp, name, colour)
            seen += 1
    assert seen > 3 * len(colours), seen
    return seen


def centre(box):
    left, top, width, height = box
    return left + width / 2, top + height / 2


def main(trace, html, table):
    with Browser() as browser:
        page = browser.open(html)
        if trace == "-":
            print(f"figures are those of the table: {check_against_table(page, table)} phases")
            return
        e = Expected(trace)
        assert page.evaluate("kinstr.launch.table.spans") == e.spans
        check_table(page, e)
        check_against_table(page, table)
        check_heat(page, e)
        if page.evaluate("document.querySelectorAll('ol.source').length"):
            check_source(page, e)
        rest = 1 - sum(map(sum, e.durations.values())) / e.total
        assert page.texts("tr.rest td.n") == ([f"{100 * rest:.1f} %"] if rest >= 0.0005 else []), rest
        assert page.evaluate("kinstr.launch.columns.markSite.length") == e.marks
        check_profile(page, e)
        blocks = sorted(e.warps)
        seen = sum(check_block(page, e, b) for b in (blocks[0], blocks[-1]))
        assert page.errors == [] and len(page.requests) == 1, (page.errors, page.requests)
        print(f"figures agree: {e.spans} spans, {e.marks} marks, {len(e.durations)} phases, {seen} spans pointed at")


main(*sys.argv[1:])
