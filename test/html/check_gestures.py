#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_gestures.py PAGE: moving about by mouse, touch and keys; selecting, searching, light and dark."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
from browser import Browser

GUTTER = 58
ALT, SHIFT = 1, 8


def view(page):
    return page.evaluate("[kinstr.view.from, kinstr.view.to]")


def near(a, b, relative=1e-3):
    return abs(a - b) <= relative * max(abs(a), abs(b), 1)


def check_mouse(page):
    left, top, width, height = page.box(".overview .plot")
    x, y = round(left + GUTTER + 0.3 * (width - GUTTER)), top + height / 2
    part = (x - left - GUTTER) / (width - GUTTER)
    a0, b0 = view(page)
    under = a0 + part * (b0 - a0)
    page.wheel(x, y, dy=-300)
    a1, b1 = view(page)
    assert (b1 - a1) < 0.8 * (b0 - a0), "the wheel does not zoom"
    assert near(a1 + part * (b1 - a1), under), "the time under the pointer moved"
    page.drag(x, y, x + 100, y)
    a2, b2 = view(page)
    assert near(a2, a1 - 100 / (width - GUTTER) * (b1 - a1)) and near(b2 - a2, b1 - a1), "dragging does not pan"
    page.wheel(x, y, dy=60, modifiers=SHIFT)
    assert view(page)[0] > a2, "shift and the wheel do not pan"
    lane = page.evaluate("kinstr.overviews[0].lane")
    page.wheel(x, y, dy=-600, modifiers=ALT)
    assert page.evaluate("kinstr.overviews[0].lane") > 2 * lane, "alt and the wheel do not zoom SMs"
    # Drag across the curve above: that part is shown.
    l, t, w, h = page.box("#profile")
    page.drag(l + GUTTER + 0.5 * (w - GUTTER), t + h / 2, l + GUTTER + 0.75 * (w - GUTTER), t + h / 2)
    a3, b3 = view(page)
    assert near(a3, a0 + 0.5 * (b0 - a0), 0.02) and near(b3, a0 + 0.75 * (b0 - a0), 0.02), (a3, b3)


def check_first_keys(page):
    """Nothing was clicked and nothing has the focus: keys are the timeline's. A button keeps those that press it."""
    assert page.evaluate("document.activeElement === document.body")
    a0, b0 = view(page)
    first = page.text("#warps-title")
    page.key("n")
    assert page.text("#warps-title") != first, "n does nothing"
    page.key("p")
    page.key("+")
    assert near(view(page)[1] - view(page)[0], 0.7 * (b0 - a0)), "+ does nothing"
    lane = page.evaluate("kinstr.overviews[0].lane")
    page.key("]")
    assert page.evaluate("kinstr.overviews[0].lane") > lane, "] does nothing"
    page.key("Home")
    assert view(page) == [a0, b0] and page.text("#warps-title") == first
    page.evaluate("document.getElementById('block-slowest').focus()")
    page.key("n")
    page.key("p")
    assert page.text("#warps-title") == first
    page.evaluate("document.activeElement.blur()")
    page.key("?")
    assert page.evaluate("document.activeElement.id") == "help-close"
    page.key("+")
    assert view(page) == [a0, b0], "keys of the help move the timeline"
    page.key("Escape")


def check_keys(page):
    page.evaluate("document.querySelector('.overview .plot').focus()")
    page.key("Home")
    a0, b0 = view(page)
    assert near(b0 - a0, 1.02 * page.evaluate("kinstr.view.length")) and page.evaluate("kinstr.overviews[0].scroll") == 0
    page.key("+")
    a1, b1 = view(page)
    assert near(b1 - a1, 0.7 * (b0 - a0)), "+ does not zoom"
    page.key("ArrowRight")
    a2, b2 = view(page)
    assert near(a2, a1 + 0.1 * (b1 - a1)), "an arrow does not pan"
    page.key("-")
    assert near(view(page)[1] - view(page)[0], b0 - a0), "- does not zoom out"
    lane = page.evaluate("kinstr.overviews[0].lane")
    for _ in range(10):
        page.key("]")
    assert page.evaluate("kinstr.overviews[0].lane") > 5 * lane
    page.key("ArrowDown")
    assert page.evaluate("kinstr.overviews[0].scroll") > 0
    page.key("Home")
    first = page.text("#warps-title")
    page.key("n")
    assert page.text("#warps-title") != first and page.text("#said").startswith("block ")
    page.key("p")
    assert page.text("#warps-title") == first
    page.key("f")
    a, b = view(page)
    assert b - a < 0.9 * (b0 - a0), "f does not zoom to the block"
    # Among the warps: a phase, told as well as shown.
    page.evaluate("document.getElementById('warps-plot').focus()")
    page.key("ArrowDown")
    page.key(".")
    said = page.text("#said")
    assert "warp 0 of block" in said and "cycles" in said, said
    assert page.text("#tip strong") == said.split(",")[0]
    page.evaluate("document.querySelector('.overview .plot').focus()")
    page.key("Home")


def check_curve_keys(page):
    """A moment of the curve above the blocks, told as well as shown; Enter looks there."""
    page.evaluate("kinstr.view.all(); kinstr.view.zoom(0.2)")
    page.evaluate("document.getElementById('profile').focus()")
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.key(key)
    time = page.evaluate("kinstr.hoverTime")
    said = page.evaluate("document.getElementById('profile').getAttribute('aria-valuetext')")
    assert page.text("#tip strong") == said.split(",")[0] and " in load_sumsq" in said, said
    assert page.evaluate("document.getElementById('profile').getAttribute('aria-valuenow')") == "48"
    page.key("Enter")
    a, b = view(page)
    assert a <= time <= b and near(b - a, 0.2 * page.evaluate("kinstr.view.most - kinstr.view.least")), (a, time, b)
    page.evaluate("document.activeElement.blur(); kinstr.view.all()")
    assert page.evaluate("document.getElementById('tip').hidden && kinstr.hoverTime === null")


def check_heat_keys(page):
    """Arrows go from cell to cell, which tell what the pointer would be told; Enter selects the warp."""
    page.evaluate("document.querySelector('table.heat td').focus()")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown"):
        page.key(key)
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert name.startswith("barrier, warp 2: "), name
    assert page.text("#tip strong") == "barrier, warp 2" and name.split(": ")[1] in page.text("#tip"), (name, page.text("#tip"))
    assert page.evaluate("document.querySelectorAll('table.heat td[tabindex=\"0\"]').length") == 1
    a = view(page)
    page.key("Enter")
    assert page.evaluate("kinstr.warp") == 2 and view(page) == a, "Enter does not select, or arrows move the timeline"
    page.key("Enter")
    page.evaluate("document.activeElement.blur()")


def check_source_keys(page):
    """The costs beside the source are told to who comes by keyboard; Enter lets the phase stand out."""
    page.evaluate("document.querySelector('#source button.small').focus()")
    page.key("Tab")
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert name.startswith("load_sumsq, ") and "p95" in name, name
    assert page.text("#tip strong") == "load_sumsq" and page.text("#tip span") in name, (name, page.text("#tip"))
    page.key("Enter")
    assert page.evaluate("kinstr.pinned") == "load_sumsq"
    page.key("Escape")
    page.evaluate("document.activeElement.blur()")
    assert page.evaluate("kinstr.pinned ?? null") is None and page.evaluate("document.getElementById('tip').hidden")


def check_tab(page):
    """All that can be used is reached by Tab, is named, and shows that it has the focus."""
    page.evaluate("document.querySelector('.skip').focus()")
    seen, names = set(), set()
    for _ in range(60):
        page.key("Tab")
        name, outline, tag = page.evaluate(
            "(() => { const e = document.activeElement; return [e.getAttribute('aria-label') || e.textContent.trim() || e.title,"
            " getComputedStyle(e).outlineStyle, e.id || e.classList[0] || e.tagName]; })()"
        )
        if tag == "BODY":
            break
        assert name, f"{tag} has no name"
        assert outline != "none", f"{tag}: no visible focus"
        seen.add(tag)
        names.add(name)
    for tag in ("search", "theme", "plot", "warps-plot", "block-next", "unit", "name", "profile", "TD"):
        assert tag in seen, (tag, seen)
    assert {"Previous block", "Next block"} <= names, names  # ‹ and ›


def check_selecting(page):
    left, top, width, height = page.box(".overview .plot")
    x, y = left + GUTTER + 0.25 * (width - GUTTER), top + 0.62 * height
    page.move(x, y)
    tip = page.text("#tip")
    page.click(x, y)
    block = page.text("#warps-title").split()[1]
    assert f"block {block} on SM" in tip, (tip, block)
    page.mouse("mouseMoved", x, y)
    for n in (1, 2):
        page.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=n)
        page.mouse("mouseReleased", x, y, button="left", clickCount=n)
    page.settle()
    a, b = view(page)
    assert b - a < 0.9 * page.evaluate("kinstr.view.length"), "a double click does not zoom to the block"
    page.evaluate("kinstr.view.all()")
    for which, compare in (("slowest", max), ("fastest", min)):
        page.evaluate(f"document.getElementById('block-{which}').click()")
        cycles = page.evaluate("[...kinstr.launch.columns.blockCycles]")
        assert page.evaluate("kinstr.launch.columns.blockCycles[kinstr.block]") == compare(cycles), which


def check_search(page):
    page.evaluate("document.activeElement.blur()")
    page.key("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.type("barr")
    assert page.texts("#found li") == ["phase barrier"]
    page.key("Enter")
    assert page.evaluate("kinstr.pinned") == "barrier"
    assert page.evaluate("document.activeElement.classList[0]") == "plot", "Enter does not leave the field"
    assert page.evaluate("document.querySelector('#legend button[aria-pressed=true]').textContent") == "barrier"
    for query, wanted in (("17", "block 17 on SM "), ("sm 5", "SM 5: its first block"), ("warp 3", "warp 3 of the block")):
        page.key("/")
        page.evaluate("document.getElementById('search').value = ''")
        page.type(query)
        found = page.texts("#found li")
        assert found and found[0].startswith(wanted), (query, found)
    page.key("Enter")
    assert page.evaluate("kinstr.warp") == 3
    page.key("/")
    page.evaluate("document.getElementById('search').value = ''")
    page.type("no such thing")
    assert page.texts("#found li") == ["nothing in this launch"]
    page.key("Escape")
    assert page.evaluate("kinstr.pinned ?? null") is None
    assert page.evaluate("document.activeElement.classList[0]") == "plot", "Esc does not leave the field"


def check_table(page):
    """A phase that stands out: its distribution, and everything else fainter."""
    pixel = (
        "(() => { const c = document.querySelector('#warps-plot canvas');"
        " const g = new OffscreenCanvas(c.width, c.height).getContext('2d', {willReadFrequently: true}); g.drawImage(c, 0, 0);"
        " return g.getImageData(0, 0, c.width, c.height).data.reduce((a, b) => a + b, 0); })()"
    )
    before = page.evaluate(pixel)
    page.evaluate("document.querySelector('tr[data-phase=normalize] button').click()")
    page.settle()
    assert page.evaluate(pixel) > before, "nothing is fainter"
    assert "p99" in page.text("tr.open p") and page.evaluate("document.querySelectorAll('tr.open svg path').length") > 1
    page.evaluate("document.querySelector('tr[data-phase=normalize] button').click()")
    page.settle()
    assert page.evaluate(pixel) == before
    assert page.evaluate("document.querySelectorAll('tr.open').length") == 0


def check_looks(browser, html):
    papers = set()
    for dark in (False, True):
        page = browser.open(html, dark=dark, reduced_motion=True)
        assert page.unreadable() == []
        papers.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.evaluate("document.getElementById('theme').click()")
        page.settle()
        papers.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert page.unreadable() == []
        assert page.errors == []
        page.close()
    assert len(papers) == 2, papers
    page = browser.open(html, width=380, height=800)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 380, f"{wide} pixels wide on a screen of 380"
    assert page.errors == []
    page.close()


def check_touch(browser, html):
    page = browser.open(html, height=700, touch=True)
    left, top, width, height = page.box(".overview .plot")
    x, y = left + width / 2, top + height / 2
    touch = lambda kind, *points: page.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": px, "y": y, "id": i} for i, px in enumerate(points)])
    a0, b0 = view(page)
    touch("touchStart", x - 40, x + 40)
    for d in range(50, 170, 20):
        touch("touchMove", x - d, x + d)
    touch("touchEnd")
    page.settle()
    a1, b1 = view(page)
    assert b1 - a1 < 0.5 * (b0 - a0), "a pinch does not zoom"
    touch("touchStart", x)
    for d in range(10, 100, 10):
        touch("touchMove", x - d)
    touch("touchEnd")
    page.settle()
    assert view(page)[0] > a1, "a finger does not pan"
    # Two fingers, one above the other: SMs.
    lane = page.evaluate("kinstr.overviews[0].lane")
    upright = lambda kind, *ys: page.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": py, "id": i} for i, py in enumerate(ys)])
    upright("touchStart", y - 20, y + 20)
    for d in range(25, 70, 5):
        upright("touchMove", y - d, y + d)
    upright("touchEnd")
    page.settle()
    assert page.evaluate("kinstr.overviews[0].lane") > 2 * lane, "a pinch does not zoom SMs"
    # A tap on a warp tells what it does there; a finger scrolls the list of warps.
    left, top, width, height = page.box("#warps-plot")
    page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": left + width / 2, "y": top + 40}])
    page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    page.settle()
    assert "of block" in page.text("#tip") and not page.evaluate("document.getElementById('tip').hidden")
    x = left + width / 2
    upright("touchStart", top + 100)
    for d in range(5, 80, 5):
        upright("touchMove", top + 100 - d)
    upright("touchEnd")
    page.settle()
    assert page.evaluate("document.getElementById('warps-scroll').scrollTop") > 20, "a finger does not scroll the warps"
    assert page.errors == []
    page.close()


def main(html):
    with Browser() as browser:
        page = browser.open(html)
        for check in (check_first_keys, check_mouse, check_keys, check_selecting, check_search, check_table, check_curve_keys, check_heat_keys, check_source_keys, check_tab):
            check(page)
            print(check.__name__, "passed")
        assert page.errors == [] and len(page.requests) == 1, (page.errors, page.requests)
        page.close()
        check_touch(browser, html)
        check_looks(browser, html)
        print("touch, light, dark and narrow passed")


main(*sys.argv[1:])
