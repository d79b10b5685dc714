#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_paused.py PAGE: prints the rows of the table and, from left to right, what curve, blocks and warps say."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
from browser import Browser

GUTTER = 58  # left of the plots: overview.js


def along(page, selector, part=0.5):
    """What the pointer is told, each once."""
    left, top, width, height = page.box(selector)
    said = []
    for i in range(100):
        page.mouse("mouseMoved", left + GUTTER + (i + 0.5) * (width - GUTTER) / 100, top + part * height)
        title, *lines = page.evaluate("document.getElementById('tip').hidden ? [''] : [...document.querySelectorAll('#tip strong, #tip span')].map(e => e.textContent)")
        if selector == "#profile":  # "1.0 in load"
            title = " ".join(re.sub(r"^\S+ in ", "", line) for line in lines if " in " in line)
        if title and said[-1:] != [title]:
            said.append(title)
    return ", ".join(said)


def main(html):
    with Browser() as browser:
        page = browser.open(html)
        for row in page.evaluate("[...document.querySelectorAll('table.phases tbody tr')].map(r => [...r.children].map(c => c.textContent).filter(Boolean).join(' | '))"):
            print("row:", row)
        print("legend:", ", ".join(page.texts("#legend button, #legend .entry")))
        for what, selector in (("curve", "#profile"), ("blocks", ".overview .plot"), ("warps", "#warps-plot")):
            print(f"{what}: {along(page, selector, 0.1 if what == 'blocks' else 0.5)}")
        assert page.errors == [], page.errors


main(*sys.argv[1:])
