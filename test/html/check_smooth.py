#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_smooth.py PAGE [--print]: how long frames take while the page is panned and zoomed.

Fails where one takes longer than 200 ms. The machine may do other work, which delays a frame now and then: of up to six
rounds the best counts. --print: also what opening took, and memory.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
from browser import Browser

FRAMES = """new Promise((done) => {
  const { view } = kinstr, times = [];
  kinstr.frameTimes.length = 0;
  START;
  let last = performance.now(), n = 0;
  const frame = () => {
    const now = performance.now();
    times.push(now - last);
    last = now;
    STEP;
    if (++n < 90) requestAnimationFrame(frame);
    else done([times.slice(2), kinstr.frameTimes.slice(1)]);
  };
  requestAnimationFrame(frame);
})"""

MOTIONS = {
    "pan": ("view.all(); view.zoom(0.3)", "view.pan(n % 40 < 20 ? 0.03 : -0.03)"),
    "zoom": ("view.all()", "view.zoom(n % 44 < 22 ? 0.75 : 1 / 0.75)"),
    "pan with warps": ("view.all(); view.zoom(0.1); kinstr.overviews[0].zoom(1e3)", "kinstr.overviews[0].pan(9); view.pan(n % 40 < 20 ? 0.03 : -0.03)"),
    "pan a block": ("kinstr.warps.view.all(); kinstr.warps.view.zoom(0.9)", "kinstr.warps.view.pan(n % 40 < 20 ? 0.005 : -0.005)"),
    "zoom a block": ("kinstr.warps.view.all()", "kinstr.warps.view.zoom(n % 44 < 22 ? 0.75 : 1 / 0.75)"),
    "another block": ("", "if (n % 30 === 0) kinstr.stepBlock(n % 60 ? 1 : -1); else kinstr.warps.view.pan(0.001)"),
}


def main(html, *options):
    with Browser(timeout=300) as browser:
        began = time.time()
        page = browser.open(html, width=1600, height=1000)
        opened = time.time() - began
        spans = page.evaluate("kinstr.launch.columns.spanCycles.length")
        print(f"{spans} spans, {page.evaluate('kinstr.launch.numBlocks')} blocks")
        if page.evaluate("kinstr.launch.table.scopes"):
            print(*page.evaluate("[kinstr.launch.columns.scopeSite.length, 'scopes,', kinstr.launch.columns.numberSite.length, 'numbers']"))
        if "--print" in options:
            print(f"{os.path.getsize(html) / 1e6:.1f} MB, opened in {opened:.1f} s, {browser.page_memory() / 2**20:.0f} MiB")
        for name, (start, step) in MOTIONS.items():
            for _ in range(6):
                frames, drawing = map(sorted, page.evaluate(FRAMES.replace("START", start).replace("STEP", step)))
                if frames[-1] <= 200:
                    break
                time.sleep(1)
            print(f"{name}: frames of {frames[len(frames) // 2]:.0f} ms, {frames[-1]:.0f} at most;"
                  f" drawing {drawing[len(drawing) // 2]:.1f} ms, {drawing[-1]:.1f} at most")  # fmt: skip
            assert len(drawing) > 40, "nothing was drawn"
            assert frames[-1] <= 200, "not smooth"
        assert page.errors == [] and len(page.requests) == 1, (page.errors, page.requests)
        print("smooth")


main(*sys.argv[1:])
