#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_source.py TRACE KINSTR-REPORT FOLDER: costs beside the lines of the source, of functions in headers too.

TRACE is of a kernel of one phase. A call of a function in a header is put into the middle of the first warp's.
"""
import os
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
from browser import Browser
from kitrace import Trace
from rewrite_meta import rewrite

KERNEL = """#include "helper.cuh"
__global__ void k() // line 2
{
  // @phase outer
  helper();
}
"""
HELPER = """__device__ void helper()
{
  // @phase inner
}
"""


def add_callee(meta):
    module = meta["modules"][0]
    module["file"] = "src/k.cu"
    sites = [{"kind": "phase", "name": "inner", "line": 3}, {"kind": "return", "name": "", "line": 1}]
    module["callees"] = [
        {"name": "helper", "file": "src/helper.cuh", "line": 1, "first_site": 0, "flow": "uniform",
         "sites": [dict(s, drain="none") for s in sites]}
    ]  # fmt: skip


def add_record(path, sm, words):
    """Behind the words of an SM's region."""
    with open(path, "rb") as file:
        data = file.read()
    out, at = data[:16], 16
    while at < len(data):
        kind, _, size = struct.unpack_from("<IIQ", data, at)
        payload = data[at + 16 : at + 16 + size]
        if kind == 2 and struct.unpack_from("<II", payload)[1] == sm:
            payload += struct.pack(f"<{len(words)}I", *words)
        out += struct.pack("<IIQ", kind, zlib.crc32(payload), len(payload)) + payload + b"\0" * (-len(payload) % 8)
        at += 16 + (size + 7) // 8 * 8
    with open(path, "wb") as file:
        file.write(out)


def main(source, report, folder):
    trace = os.path.join(folder, "k.kitrace")
    rewrite(source, trace, add_callee)
    record = next(r for r in Trace(trace).records if r.anchor)
    begin, end = record.events[0][1], record.events[-1][1]
    inner = (begin + 100, begin + 350)  # 250 of the kernel's 1000 cycles
    assert inner[1] < end
    high = record.anchor.clock_start >> 32 & 0xFFFF
    words = [1 | 1 << 2 | record.warp << 3 | record.grid_low << 16, record.block, 2 | 1 << 16]
    for site, clock in enumerate(inner):
        words += [clock, high << 16 | site]
    add_record(trace, record.sm, words)

    os.makedirs(os.path.join(folder, "code", "src"))
    for name, text in (("k.cu", KERNEL), ("helper.cuh", HELPER)):
        with open(os.path.join(folder, "code", "src", name), "w") as file:
            file.write(text)

    def page(name, *options):
        html = os.path.join(folder, name)
        subprocess.run([report, trace, "--html", html, *options], check=True, stdout=subprocess.DEVNULL, cwd=folder)
        return html

    with Browser() as browser:
        p = browser.open(page("found.html", "--source", os.path.join(folder, "code")))
        assert p.texts("#source h3") == ["src/k.cu", "src/helper.cuh"], p.texts("#source h3")
        costs = p.evaluate("[...document.querySelectorAll('ol.source li.site')].map(l => [l.querySelector('code').textContent.trim(), l.querySelector('.cost').textContent])")
        assert costs == [["// @phase outer", "75.0 %"], ["// @phase inner", "25.0 %"]], costs
        assert p.evaluate("document.querySelectorAll('#source .warn').length") == 0
        # The outer phase is one phase in two pieces: 750 cycles, not 100 and 650.
        p.evaluate("document.getElementById('unit').click()")
        outer = p.evaluate("[...document.querySelector('tr[data-phase=outer]').querySelectorAll('td')].map(c => c.textContent).slice(0, 2)")
        assert outer == ["1", "750"], outer
        left, top, width, height = p.box("#warps-plot")
        p.move(left + 58 + 0.9 * (width - 58), top + height / 2)
        assert "a piece: a function’s phases lie between it and the rest" in p.text("#tip"), p.text("#tip")
        p.move(left + 58 + 0.3 * (width - 58), top + height / 2)
        assert p.text("#tip strong") == "inner" and "helper.cuh:3, in helper" in p.text("#tip"), p.text("#tip")
        p.close()

        p = browser.open(page("none.html"))
        assert p.text("#source").count("The file was not found where kinstr-report ran") == 2
        assert p.texts("ul.bare li") == ["line 4 outer 75.0 %", "line 3 inner 25.0 %"], p.texts("ul.bare li")
        p.close()

        with open(os.path.join(folder, "code", "src", "k.cu"), "w") as file:
            file.write("// one line more\n" + KERNEL)
        p = browser.open(page("other.html", "--source", os.path.join(folder, "code")))
        assert p.texts("#source .warn") == [
            "No phase is annotated in the line the trace names: kinstr --auto chose them, or this file is not the one that was traced."
        ], p.texts("#source .warn")
        assert p.errors == []
    print("costs stand beside their lines")


main(*sys.argv[1:])
