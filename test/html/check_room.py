#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_room.py WIDE MARKS: columns that fit, names that can be told apart, and the way to names and marks."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
from browser import Browser

SHIFT = 8


def check_columns(browser, html):
    for width in (1280, 1000, 380):
        page = browser.open(html, width=width)
        columns = page.texts("#phases-table thead th")
        print(f"{width}:", *columns[1:])
        for of in ("#phases-table", "#right")[: 2 if width > 600 else 1]:
            room, needed = page.evaluate(f"(() => {{ const e = document.querySelector('{of}'); return [e.clientWidth, e.scrollWidth]; }})()")
            assert needed <= room, (width, of, needed, room)
        # What spans several of them ends where the others do.
        ends = page.evaluate("[...document.querySelectorAll('#phases-table tr')].map(r => Math.round(r.lastElementChild.getBoundingClientRect().right))")
        assert len(set(ends)) == 1, (width, ends)
        cut = page.evaluate("[...document.querySelectorAll('#phases-table .label')].filter(l => l.scrollWidth > l.clientWidth).map(l => l.textContent)")
        assert cut == [] or width < 600, (width, cut)
        # A distribution may be opened, and keeps the focus: its row makes the table higher, not wider.
        page.evaluate("document.querySelector('tr[data-phase=summary] button').click()")
        page.settle()
        assert page.evaluate("document.activeElement.dataset.row") == "phase-2" and "p99" in page.text("tr.open p")
        assert page.errors == [], page.errors
        page.close()


def check_search(browser, html):
    page = browser.open(html)
    page.key("/")
    page.type("sum")
    print("sum:", ", ".join(page.texts("#found li")))
    page.key("Enter")
    assert page.text("#tip strong").startswith("sum = "), page.text("#tip")
    page.close()


def check_marks(browser, html):
    page = browser.open(html)
    page.evaluate("document.getElementById('warps-plot').focus()")
    said = lambda: page.text("#said")
    for key, modifiers, end in (("ArrowDown", 0, "mark 1 of 4 of the warp, warp 0"), (".", 0, "mark 2 of 4 of the warp, warp 0"),
                                ("ArrowDown", SHIFT, "of the warp, warp 1"), (",", 0, "mark 1 of 4 of the warp, warp 1")):  # fmt: skip
        page.key(key, modifiers)
        assert f"{end} of block 0, " in said(), (key, said())
        assert page.text("#tip strong") == said().split(",")[0]
    page.key("/")
    page.type("sec")
    assert page.texts("#found li") == ["mark second"]
    page.key("Enter")
    assert said().startswith("second, mark 2 of 4 of the warp, warp 0 of"), said()
    assert page.evaluate("document.activeElement.id") == "warps-plot"
    # They are on the line of the phases, and take none of their own.
    assert page.evaluate("new Set(kinstr.warps.tracks.map(t => t.y)).size") == 2
    assert page.errors == [], page.errors
    print("marks are reached")


def main(wide, marks):
    with Browser() as browser:
        check_columns(browser, wide)
        check_search(browser, wide)
        check_marks(browser, marks)


main(*sys.argv[1:])
