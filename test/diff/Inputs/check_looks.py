#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_looks.py PAGE: nothing is beside the window, however narrow, and all can be read."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools"))
from browser import Browser

# How far to the right things reach, and whether two cells of a row lie on each other.
PLACES = """(() => {
  const boxes = (e) => [...e.children].map((c) => c.getBoundingClientRect()).filter((b) => b.width && b.height);
  const over = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
  const wide = [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 0.5);
  const rows = [...document.querySelectorAll('tr')].filter((r) => boxes(r).some((a, i, all) => all.slice(i + 1).some((b) => over(a, b))));
  return [document.documentElement.scrollWidth, wide.map((e) => e.outerHTML.slice(0, 60)), rows.map((r) => r.textContent.slice(0, 60))];
})()"""


def main(html):
    seen = 0
    with Browser() as browser:
        for dark in (False, True):
            for width in (*range(380, 1300, 60), 1600, 1920):
                page = browser.open(html, width=width, script=False, dark=dark)
                scrolled, wide, over = page.evaluate(PLACES)
                assert scrolled <= width and wide == [] and over == [], (width, scrolled, wide, over)
                assert page.unreadable() == []
                assert page.errors == [] and len(page.requests) == 1, (page.errors, page.requests)
                page.close()
                seen += 1
    print(f"{seen} pages looked at")


main(*sys.argv[1:])
