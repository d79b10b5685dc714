#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_states.py FOLDER: prints what pages say, one after another, for FileCheck."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
from browser import Browser


def look(browser, folder, name):
    page = browser.open(os.path.join(folder, name + ".html"))
    print(f"== {name}")
    if page.evaluate("document.body.classList.contains('nothing')"):
        print("empty:", page.text("#empty"))
    else:
        for selector in ("#kernel", "#length", "#quality", "#warps-title", "#warps-note", "#warps-empty"):
            print(f"{selector}: {page.text(selector)}".replace("\u202f", " "))
        for note in page.texts("#notes li"):
            print("note:", note)
        print("axis:", page.text("#axis .unit"))
        print("profile:", "no" if page.evaluate("document.getElementById('profile').hidden") else "yes")
        print("warps:", "no" if page.evaluate("document.getElementById('warps').classList.contains('empty')") else "yes")
        print("drawn:", page.evaluate("kinstr.launch.lanes.reduce((n, r) => n + r.lanes.reduce((m, l) => m + l.length, 0), 0)"), "blocks")
        if page.evaluate("document.getElementById('heat').hidden"):
            print("heat: no")
        for row in page.evaluate("[...document.querySelectorAll('table.phases tbody tr')].map(r => [...r.children].map(c => c.textContent).join(' | '))"):
            print("row:", row)
        for launch in page.texts("#launch-list button .quiet"):
            print("launch:", launch)
        for line in page.texts("ul.bare li"):
            print("source:", line)
    assert page.errors == [], page.errors
    page.close()


with Browser() as b:
    for n in sys.argv[2:]:
        look(b, sys.argv[1], n)
