#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_scopes.py TRACE PAGE TABLE: scopes and values in the page, against the trace's records and kinstr-report's table.

The trace has one launch of a kernel with a stream, whose scopes all end, and no pauses.
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
SHIFT = 8

Scope = collections.namedtuple("Scope", "name depth begin end")


def number(text):
    return int(re.sub(r"\s", "", text))


def quantile(values, p):
    return sorted(values)[max(math.ceil(p * len(values)), 1) - 1]


def shown(value):
    """As %d, or %g of the fewest digits that tell a float."""
    if isinstance(value, int):
        return str(value)
    import struct

    single = lambda v: struct.unpack("<f", struct.pack("<f", v))[0]
    return next(t for t in (f"{value:.{d}g}" for d in (6, 7, 8, 9)) if single(float(t)) == value)


class Expected:
    def __init__(self, path):
        trace = Trace(path)
        self.sites = trace.meta["modules"][0]["kernels"][0]["sites"]
        self.anchors = {r.block: r.anchor for r in trace.records if r.anchor}
        self.scopes, self.numbers = collections.defaultdict(list), collections.defaultdict(list)  # by block, warp
        self.total, self.ends = 0, {}
        for (_, block, warp), events in trace.warps().items():
            open_ = []
            events.sort(key=lambda e: e[1])
            for site, clock in events:
                if site == EXIT:
                    continue
                s = self.sites[site]
                if s["kind"] == "scope":
                    open_.append((s["name"], clock))
                elif s["kind"] == "scope-end":
                    name, begin = open_.pop()
                    assert name == s["name"]
                    self.scopes[block, warp].append(Scope(name, len(open_), begin, clock))
            assert not open_
            self.total += events[-1][1] - events[0][1]
            self.ends[block, warp] = events[-1][1]
        for r in trace.records:
            for site, clock, value in r.numbers:
                self.numbers[r.block, r.warp].append((self.sites[site]["name"], clock, value))
        for all_ in self.numbers.values():
            all_.sort(key=lambda n: n[1])

    def of_scope(self, name):
        return [s.end - s.begin for all_ in self.scopes.values() for s in all_ if s.name == name]

    def of_value(self, name):
        return [v for all_ in self.numbers.values() for n, _, v in all_ if n == name]

    def names(self, kind):
        return [s["name"] for s in self.sites if s["kind"] == kind]


def check_figures(page, e):
    page.evaluate("document.getElementById('unit').click()")  # to cycles
    rows = page.evaluate(
        "[...document.querySelectorAll('tr[data-scope]')].map(r => [r.dataset.scope,"
        " ...[...r.querySelectorAll('td')].slice(0, 6).map(c => (c.querySelector('span') || c).textContent)])"
    )
    assert [r[0] for r in rows] == e.names("scope"), rows
    for name, *cells in rows:
        all_ = e.of_scope(name)
        assert [number(c) for c in cells[:5]] == [len(all_)] + [quantile(all_, p) for p in (0.5, 0.95, 0.99, 1)], (name, cells)
        assert cells[5] == f"{100 * sum(all_) / e.total:.1f} %", (name, cells[5])
    # Inclusive shares, which the page says are not added to the phases': those are 100 % without.
    assert "not added to those above" in page.text("tr.between")
    shares = page.evaluate("[...document.querySelectorAll('tr[data-phase] td.share span, tr.rest td.n')].map(c => parseFloat(c.textContent))")
    assert abs(sum(shares) - 100) < 0.3, shares
    page.evaluate("document.getElementById('unit').click()")

    rows = page.evaluate("[...document.querySelectorAll('tr[data-value]')].map(r => [...r.children].map(c => c.textContent))")
    assert [r[0] for r in rows] == e.names("value"), rows
    for name, count, least, mean, largest, last in rows:
        all_ = e.of_value(name)
        assert number(count) == len(all_)
        assert (least, largest) == (shown(min(all_)), shown(max(all_))), (name, least, largest)
        assert abs(float(mean) / (math.fsum(all_) / len(all_)) - 1) < 1e-6, (name, mean)
        # The last round is everywhere the last.
        assert last == shown(max(all_) if name != "err" else min(all_)), (name, last)
    print(f"figures agree: {sum(map(len, e.scopes.values()))} scopes, {sum(map(len, e.numbers.values()))} numbers")


def check_against_table(page, path):
    """Cell by cell; durations in ns."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file]
    for kind in ("scope", "value"):
        at = next(i for i, line in enumerate(lines) if line[:1] == [kind])
        columns = lines[at]
        rows = page.evaluate(
            f"[...document.querySelectorAll('tr[data-{kind}]')].map(r => [...r.children].slice(0, 7).map(c => (c.querySelector('td > span') || c).textContent))"
        )
        for line, row in zip(lines[at + 1 :], rows):
            wanted = dict(zip(reversed(columns), reversed(line[: len(columns)])))  # ns stand before cycles
            names = (kind, "count", "p50", "p95", "p99", "max", "share") if kind == "scope" else (kind, "count", "min", "mean", "max", "last")
            assert [c.replace("\u202f", "").replace(" %", "") for c in row] == [wanted[n] for n in names], (row, wanted)
        assert len(rows) == (4 if kind == "scope" else 3) and lines[at + 1 + len(rows)] == [], lines[at:]


PIXELS = """(x, y0, y1) => {
  const c = document.querySelector('#warps-plot canvas'), g = new OffscreenCanvas(1, c.height).getContext('2d', {willReadFrequently: true});
  g.drawImage(c, -Math.floor(x * devicePixelRatio), 0);
  const out = [];
  for (let y = y0; y < y1; ++y) {
    const p = g.getImageData(0, Math.floor(y * devicePixelRatio), 1, 1).data;
    out.push(p[3] ? '#' + [...p].slice(0, 3).map(v => v.toString(16).padStart(2, '0')).join('') : '');
  }
  return out;
}"""


def near(a, b, least=40):
    return a and all(abs(int(a[i : i + 2], 16) - int(b[i : i + 2], 16)) < least for i in (1, 3, 5))


def check_block(page, e, block, scroll=0):
    """Each bar has its colour and tells of itself; the line of steps is as high as its number. Of what is seen when the
    warps are scrolled so far."""
    page.evaluate(f"kinstr.selectBlock(kinstr.launch, kinstr.launch.findBlock({block}), true)")
    page.settle()
    a = e.anchors[block]
    mine = {w: s for (b, w), s in e.scopes.items() if b == block}
    first = min([a.clock_start] + [s.begin for all_ in mine.values() for s in all_])
    length = max([a.clock_end] + [e.ends[block, w] for w in mine]) - first
    left, top, width, height = page.box("#warps-scroll")
    scroll = page.evaluate(f"(() => {{ const s = document.getElementById('warps-scroll'); s.scrollTop = {scroll}; return s.scrollTop; }})()")
    page.settle()
    room = page.evaluate("kinstr.warps.axisPlace().width")
    per_cycle = room / (1.02 * length)
    x_of = lambda clock: GUTTER + (clock - first + 0.01 * length) * per_cycle
    colours = dict(page.evaluate("kinstr.launch.scopes.map(r => [r.name, r.colour])"))
    accent = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()")
    tracks = page.evaluate("kinstr.warps.tracks.map(t => [kinstr.launch.columns.warp[t.warp], t.kind, t.y, t.height, t.depth ?? t.name ?? null])")
    # A warp's phases, its scopes by depth, its numbers by name.
    assert [t[1] for t in tracks if t[0] == 0] == ["phases", "scopes 0", "scopes 1", "scopes 2", "numbers 0", "numbers 1", "numbers 2"], tracks[:8]
    ranges = {n: [f([v for (b, _), all_ in e.numbers.items() if b == block for m, _, v in all_ if m == n]) for f in (min, max)] for n in e.names("value")}
    seen = 0

    def tip(x, y):
        page.mouse("mouseMoved", left + x, top + y)
        return page.evaluate("[document.querySelector('#tip strong').textContent, document.getElementById('tip').textContent]")

    for warp, kind, y, tall, what in tracks:
        y -= scroll
        if y < 0 or y + tall > height:
            continue
        if kind.startswith("scopes"):
            for s in [s for s in mine[warp] if s.depth == what]:
                x = x_of((s.begin + s.end) / 2)
                title, said = tip(x, y + tall / 2)
                assert title == f"scope {s.name}" and f"warp {warp} of block {block}" in said, (s, said)
                assert number(re.search(r"\(([\d\s]+) cycles\), with all", said)[1]) == s.end - s.begin, (s, said)
                if (s.end - s.begin) * per_cycle > 3:
                    found = page.evaluate(f"({PIXELS})({x}, {y + 1.5}, {y + tall - 1})")
                    assert sum(bool(near(c, colours[s.name])) for c in found) > 3, (s, found)
                seen += 1
            # Between two scopes of a depth there is none.
        elif kind.startswith("numbers"):
            low, high = ranges[what]
            of = [n for n in e.numbers[block, warp] if n[0] == what]
            for (_, clock, value), end in zip(of, [n[1] for n in of[1:]] + [e.ends[block, warp]]):
                x = x_of(0.5 * (clock + end))
                title, said = tip(x, y + tall / 2)
                assert title == f"{what} = {shown(value)}", (title, value)
                found = page.evaluate(f"({PIXELS})({x}, {y}, {y + tall})")
                at = [i for i, c in enumerate(found) if near(c, accent, 90)]
                wanted = tall - 4 - (value - low) / (high - low) * (tall - 8)
                assert at and abs(sum(at) / len(at) + 0.5 - wanted) < 1.6, (what, value, at, wanted)
                seen += 1
    return seen


WRITTEN = """(() => {
  const all = [], proto = CanvasRenderingContext2D.prototype, fillText = proto.fillText;
  proto.fillText = function (text) { all.push(text); return fillText.apply(this, arguments); };
  kinstr.warps.drawNow();
  proto.fillText = fillText;
  return all;
})()"""


def check_words(page, e):
    """A value's name on the left, its range on the right; names of scopes where there is room."""
    words = page.evaluate(WRITTEN)
    for text in ("bytes", "4G", "err", "1.5", "-0.35", "delta", "15", "-20"):
        assert text in words, (text, words)
    page.evaluate("kinstr.selectWarp(0)")
    page.settle()
    assert "tile" in page.evaluate(WRITTEN)
    page.evaluate("kinstr.selectWarp(0)")


def check_keys(page):
    page.evaluate("document.getElementById('warps-plot').focus()")
    said = lambda: page.text("#said")
    page.key("ArrowDown")
    assert said().startswith("load, "), said()
    page.key("ArrowDown")
    assert said().startswith("scope tile, ") and "warp 0 of" in said(), said()
    page.key("ArrowDown", SHIFT)
    assert said().startswith("scope tile, ") and "warp 1 of" in said(), said()
    page.key("ArrowDown")
    page.key(".")
    assert said().startswith("scope inner, ") and "in 1 other" in said(), said()
    for _ in range(2):
        page.key("ArrowDown")
    assert said().startswith("bytes = 40000000"), said()
    page.key(".")
    assert said().startswith("bytes = 40000000") and "number " in said(), said()
    # What was found is seen.
    place = "(() => { const t = kinstr.warps.tracks[kinstr.warps.cursor.track], s = document.getElementById('warps-scroll'); return [t.y - s.scrollTop, s.clientHeight - (t.y + t.height - s.scrollTop)]; })()"
    for _ in range(16):
        page.key("ArrowDown")
        assert min(page.evaluate(place)) >= 0
    for query, found, then in (("err", "value err", "err = 1.5"), ("deepest", "scope deepest", "scope deepest")):
        page.evaluate("document.activeElement.blur()")
        page.key("/")
        page.evaluate("document.getElementById('search').value = ''")
        page.type(query)
        assert page.texts("#found li") == [found], page.texts("#found li")
        page.key("Enter")
        assert page.text("#tip strong") == then and page.evaluate("document.activeElement.id") == "warps-plot"
    assert page.evaluate("kinstr.pinnedScope") == "deepest"
    assert page.evaluate("document.querySelector('#legend button.scope[aria-pressed=true]').textContent") == "deepest"
    page.key("Escape")
    assert page.evaluate("kinstr.pinnedScope ?? null") is None
    # Without them the lines of the phases are all there is; a value's name brings its lines back.
    for which in ("scopes", "numbers"):
        page.evaluate(f"document.getElementById('show-{which}').click()")
    page.settle()
    assert page.evaluate("kinstr.warps.tracks.every(t => t.kind === 'phases')")
    page.evaluate("document.querySelector('tr[data-value=delta] button').click()")
    page.settle()
    assert page.text("#tip strong").startswith("delta = -20") and page.evaluate("document.getElementById('show-numbers').getAttribute('aria-pressed')") == "true"
    # The distribution of a scope, and it stands out.
    page.evaluate("document.querySelector('tr[data-scope=inner] button').click()")
    page.settle()
    assert "with all that lies in it" in page.text("tr.open") and page.evaluate("kinstr.pinnedScope") == "inner"
    print("keys and search find them")


def check_source(page, e):
    line = {(s["kind"], s["name"]): s["line"] for s in e.sites}
    for name in e.names("scope"):
        text = page.text(f"li[data-line=\"{line['scope', name]}\"] .scope")
        assert text == f"{100 * sum(e.of_scope(name)) / e.total:.1f} %", (name, text)
    for name in e.names("value"):
        text = page.text(f"li[data-line=\"{line['value', name]}\"] .value")
        all_ = e.of_value(name)
        assert text == f"{shown(min(all_))} … {shown(max(all_))}", (name, text)
    # A scope ends no phase: the band beside the lines goes on.
    bands = page.evaluate("[...document.querySelectorAll('ol.source li')].slice(3, 10).map(l => l.style.borderColor)")
    assert len(set(bands[:3])) == 1 and len(set(bands[3:])) == 1 and bands[0] != bands[3], bands
    assert page.evaluate("document.querySelectorAll('#source .warn').length") == 0, page.text("#source .warn")
    print("costs stand beside the source")


def main(trace, html, table):
    e = Expected(trace)
    with Browser() as browser:
        page = browser.open(html, width=1400, height=1300)
        check_figures(page, e)
        check_against_table(page, table)
        seen = sum(check_block(page, e, b) for b in (0, 39))
        check_words(page, e)
        print(f"bars and steps are where they belong: {seen} pointed at")
        check_keys(page)
        check_source(page, e)
        page.close()
        page = browser.open(html, width=1100, height=760, dark=True)
        assert check_block(page, e, 7, scroll=1e9) > 12 and page.evaluate("document.getElementById('warps-scroll').scrollTop") > 100
        assert page.unreadable() == []
        assert page.errors == [] and len(page.requests) == 1, (page.errors, page.requests)


main(*sys.argv[1:])
