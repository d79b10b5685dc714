#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_hostile.py TRACE KINSTR-REPORT FOLDER: names that try to be more than names."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
from browser import Browser
from rewrite_meta import rewrite

NAMES = [
    "</script><script>window.hurt=1</script>", '<img src=x onerror="window.hurt=2">', "\"'`${window.hurt=3}`",
    "\U0001F525 hot \U0001F9CA", "a\u2028b\u2029c", "x" * 10000, "tab\tbell\x07nul\x00escape\x1b[31m", "<!-- <script>",
    "\u202eright to left", "&lt;b&gt;&amp;", "  ", "\u00fc" * 5000,
]  # fmt: skip


def rename(meta):
    meta["program"] = "</title><script>window.hurt=4</script>"
    meta["options"] = "</script>"
    meta["devices"][0]["name"] = 'GPU "</script>" ' + "y" * 10000
    module = meta["modules"][0]
    module["file"] = "</script>" + "q" * 3000 + ".cu"
    module["kernels"][0]["name"] = "<b>k</b>" + "z" * 10000
    for site, name in zip(module["kernels"][0]["sites"], NAMES):
        site["name"] = name
    # Ends of scopes have their names, by which they are found.
    for site in module["kernels"][0]["sites"][len(NAMES) :]:
        site["name"] = NAMES[(site["line"] - 14) * 4 % len(NAMES)]
    for function in meta["functions"]:
        function["name"] = "<svg onload=window.hurt=5>"


def shown(name):
    """Control characters, ends of lines and what turns text round are replaced, as in all reports; a long name is
    cut."""
    text = re.sub("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "?", name)
    return text if len(text) <= 200 else text[:199] + "…"


def main(source, report, folder):
    trace, html = os.path.join(folder, "hostile.kitrace"), os.path.join(folder, "hostile.html")
    rewrite(source, trace, rename)
    subprocess.run([report, trace, "--html", html], check=True, stdout=subprocess.DEVNULL)
    with open(html, encoding="utf-8") as file:
        text = file.read()
    for name in (*NAMES[:3], "<svg onload", "<b>k</b>"):
        assert name not in text, f"{name} stands in the page as it is"
    with Browser() as browser:
        for width in (1300, 400):
            page = browser.open(html, width=width)
            # Everything that shows names is made to show them.
            page.evaluate("document.querySelectorAll('button.name').forEach(b => b.click())")
            page.evaluate("document.getElementById('search').focus()")
            page.type("s")
            left, top, w, h = page.box(".overview .plot")
            page.move(left + w / 2, top + h / 3)
            left, top, w, h = page.box("#warps-plot")
            page.move(left + w / 2, top + h / 2)
            assert page.evaluate("window.hurt ?? null") is None, "a name was executed"
            assert page.evaluate("document.querySelectorAll('img, iframe, object, b b, svg[onload]').length") == 0
            names = page.evaluate("[...document.querySelectorAll('tr[data-phase]')].map(r => r.dataset.phase)")
            assert names == [shown(n) for n in NAMES], names
            scopes = page.evaluate("[...document.querySelectorAll('tr[data-scope]')].map(r => r.dataset.scope)")
            values = page.evaluate("[...document.querySelectorAll('tr[data-value]')].map(r => r.dataset.value)")
            assert (scopes, values) == ([shown(NAMES[i]) for i in (0, 4)], [shown(NAMES[8])]), (scopes, values)
            # Each in turn.
            page.evaluate("document.getElementById('warps-plot').focus()")
            for _ in range(3):
                page.key("ArrowDown")
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{wide} pixels wide on a screen of {width}"
            tall = page.evaluate("Math.max(...['header', '#legend', '#warps .head'].map(s => document.querySelector(s).clientHeight))")
            assert tall < 520, f"names push the page apart: {tall} pixels"
            tip = page.evaluate("document.querySelector('button.name[title^=xxx]').title.length")
            assert 4000 <= tip < 4100, tip
            assert page.errors == [] and len(page.requests) == 1, (page.errors, page.requests)
            page.close()
    print("names are names")


main(*sys.argv[1:])
