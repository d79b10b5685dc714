#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_steps.py TRACE SVG: the bars and steps of block 0 lie where its records say.

Scopes are 5 px high; the first value runs from -2 to 10, by 3 a round. Warps have 5 rounds.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools"))
from kitrace import EXIT, Trace


def main(path, svg):
    trace = Trace(path)
    sites = trace.meta["modules"][0]["kernels"][0]["sites"]
    anchor = next(r.anchor for r in trace.records if r.anchor and r.block == 0)
    warps = {w: sorted(e, key=lambda x: x[1]) for (_, b, w), e in trace.warps().items() if b == 0}
    first = min([anchor.clock_start] + [e[0][1] for e in warps.values()])
    last = max([anchor.clock_end] + [e[-1][1] for e in warps.values()])
    x_of = lambda clock: 64 + (clock - first) / (last - first) * (1000 - 20 - 64)
    near = lambda a, b: abs(a - b) < 0.02

    with open(svg, encoding="utf-8") as file:
        text = file.read()
    bars = [tuple(map(float, b)) for b in re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="5"', text)]
    paths = re.findall(r'<path fill="none"[^>]* d="([^"]*)"', text)
    wanted, ends = [], []
    for _, events in sorted(warps.items()):
        open_, by_depth = [], {}
        for site, clock in events:
            if site == EXIT:
                continue
            if sites[site]["kind"] == "scope":
                open_.append(clock)
            elif sites[site]["kind"] == "scope-end":
                begin = open_.pop()
                by_depth.setdefault(len(open_), []).append((x_of(begin), x_of(clock) - x_of(begin)))
        wanted += [bar for depth in sorted(by_depth) for bar in by_depth[depth]]
        ends.append(x_of(events[-1][1]))
    assert len(bars) == len(wanted) == 20, (len(bars), len(wanted))
    for (x, _, width), (begin, length) in zip(bars, wanted):
        assert near(x, begin) and near(width, length), (x, width, begin, length)

    assert len(paths) == 4, paths
    for (warp, events), d, end in zip(sorted(warps.items()), paths[::2], ends):
        clocks = [c for s, c in events if s != EXIT and sites[s]["kind"] == "value" and sites[s]["name"] == "n"]
        start, *rest = re.findall(r"[MHV][^MHV]*", d)
        x, y = map(float, start[1:].split())
        steps = [(float(h[1:]), float(v[1:])) for h, v in zip(rest[::2], rest[1::2])]
        assert near(x, x_of(clocks[0])) and near(float(rest[-1][1:]), end), (d, end)
        assert len(steps) == 4
        for (sx, sy), clock, up in zip(steps, clocks[1:], range(1, 5)):
            assert near(sx, x_of(clock)) and near(y - sy, up * 17 / 4), (warp, sx, sy, y)
    print("2 scopes of each of 5 rounds and 2 warps; steps from -2 to 10")


main(*sys.argv[1:])
