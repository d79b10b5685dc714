#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_launches.py PAGE INCOMPLETE SCOPES: several launches are chosen, and seen side by side; of the second page's, the first lacks
blocks; the third page's have scopes and values."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
from browser import Browser


def toggle(page, n):
    page.evaluate(f"document.querySelector('li[data-launch=\"{n}\"] input').click()")
    page.wait("document.getElementById('busy').hidden")
    page.settle()


def check_scopes(page):
    """Scopes are compared as phases are, values by their means. The second launch takes twice the time."""
    toggle(page, 0)
    rows = page.evaluate("[...document.querySelectorAll('#compare tbody tr')].map(r => [...r.children].map(c => c.textContent))")
    assert [r[0] for r in rows] == ["a", "s", "whole launch"], rows
    assert re.fullmatch(r"\d+ \+(99|100)\.\d %", rows[1][2].replace("\u202f", "")), rows
    rows = page.evaluate("[...document.querySelectorAll('#values h3 + table tr')].map(r => [...r.children].map(c => c.textContent))")
    assert rows == [["value", "launch 0", "launch 1"], ["n", "3", "3 ±0.0 %"], ["none", "-", "-"]], rows
    assert page.errors == [], page.errors


def main(html, incomplete, scopes):
    with Browser() as browser:
        page = browser.open(html)
        lines = page.evaluate("[...document.querySelectorAll('#launch-list li')].map(l => [...l.querySelectorAll('button > *')].map(e => e.textContent))")
        assert [l[:3] for l in lines] == [["0", "first", "grid 40"], ["1", "first", "grid 40"], ["2", "second", "grid 60"]], lines
        # The longest to begin with.
        lengths = page.evaluate("kinstr.trace.launches.map(l => l.ns)")
        assert lengths[1] == max(lengths) and page.evaluate("kinstr.launch.info.number") == 1
        toggle(page, 0)
        assert page.texts(".overview h3") == ["launch 0: first", "launch 1: first"]
        # One axis for both, long enough for the longer.
        assert page.evaluate("kinstr.view.length") == max(lengths[:2])
        # The second launch's clock runs at half the rate: the same cycles, twice the time.
        text = page.text("#compare")
        head, *rows = page.evaluate("[...document.querySelectorAll('#compare tr')].map(r => [...r.children].map(c => c.textContent))")
        assert head == ["phase", "launch 0", "launch 1"], head
        assert rows[0][0] == "a" and re.fullmatch(r"1\s000 \+(99|100)\.\d %", rows[0][2].replace("\u202f", " ")), rows
        page.evaluate("document.getElementById('unit').click()")
        rows = page.evaluate("[...document.querySelectorAll('#compare tbody tr')].map(r => [...r.children].map(c => c.textContent))")
        assert rows[0][1:] == ["1\u202f000", "1\u202f000 ±0.0 %"], rows
        # Another figure.
        page.evaluate("(() => { const s = document.getElementById('compared'); s.value = 'share'; s.dispatchEvent(new Event('change')); })()")
        assert page.evaluate("document.activeElement.id") == "compared"
        cells = page.evaluate("[...document.querySelectorAll('#compare tbody tr')].slice(0, 2).map(r => [...r.children].map(c => c.textContent))")
        shares = page.evaluate("kinstr.chosen.map(l => l.table.rows.map(r => 100 * r.cycles / l.table.warpCycles))")
        for row, (name, first, second) in enumerate(cells):
            a, b = shares[0][row], shares[1][row]
            sign = "±" if abs(b - a) < 0.05 else "+" if b > a else "−"
            assert first == f"{a:.1f} %" and second == f"{b:.1f} % {sign}{abs(b - a):.1f} pp", (name, first, second, a, b)
        # A block of the other one.
        tops = page.evaluate("[...document.querySelectorAll('.overview .plot')].map(p => { const b = p.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })")
        for n, (left, top, width, height) in enumerate(tops):
            page.click(left + 58 + 0.1 * (width - 58), top + 3.4 / 8 * height)
            assert page.evaluate("kinstr.launch.info.number") == n, n
            assert page.text("#facts dd") == f"{n} of 3"
        # A launch of another kernel beside them has no column; alone it has everything.
        toggle(page, 2)
        assert len(page.texts(".overview")) == 3 and "launch 2" not in page.text("#compare thead")
        assert "left out" in page.text("#compare")
        toggle(page, 0)
        toggle(page, 1)
        assert page.texts(".overview h3") == [""] and page.text("#kernel") == "second" and page.text("#compare") == ""
        assert page.texts("#legend button") == ["p", "q"]
        assert page.errors == [] and len(page.requests) == 1, (page.errors, page.requests)
        print("launches side by side")
        page.close()
        page = browser.open(incomplete)
        toggle(page, 0)
        assert "%" not in page.text("#compare tr.rest") and "µs" in page.text("#compare tr.rest")
        print(page.text("#compare p ~ p"))
        page.close()
        check_scopes(browser.open(scopes))


main(*sys.argv[1:])
