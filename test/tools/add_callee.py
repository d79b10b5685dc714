#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""add_callee.py IN OUT: a trace of whose warps each calls a function in its first phase, twice.

The function has two phases, "inner" and "innermost": in the latter it calls itself once. Each takes
equal parts of the caller's phase.
"""
import json
import struct
import sys
import zlib

import kitrace

PHASES = ["inner", "innermost"]  # then the return and the entry
RETURN, ENTRY = 2, 3


def site(kind, name, line):
    return {"kind": kind, "name": name, "line": line, "drain": "none"}


def with_callee(meta):
    sites = [site("phase", n, 100 + i) for i, n in enumerate(PHASES)]
    sites += [site("return", "", 105), site("entry", "", 99)]
    callee = {"name": "f", "line": 99, "first_site": 0, "flow": "uniform", "sites": sites}
    meta["modules"][0]["callees"] = [callee]
    return meta


def call(clock, step, deeper=True):
    """Events of one call, (site, clock), and the clock after it."""
    events = []
    for number in [ENTRY, 0, 1]:
        events.append((number, clock))
        clock += step
    if deeper:
        inside, clock = call(clock, step, deeper=False)
        events += inside
    events.append((RETURN, clock))
    return events, clock + step


def record(r, events):
    words = [1 | 1 << 2 | r.warp << 3 | r.grid_low << 16, r.block, len(events) | 1 << 16]
    for number, clock in events:
        words += [clock & 0xFFFFFFFF, number | clock >> 32 << 16]
    return words


def main():
    trace = kitrace.Trace(sys.argv[1])
    anchors = {(r.grid_low, r.block): r.anchor for r in trace.records if r.anchor}
    added = {}
    for r in trace.records:
        base = anchors[r.grid_low, r.block].clock_start
        begin, end = (base + (low - base & 0xFFFFFFFF) for _, low in sorted(r.events)[:2])
        step = (end - begin) // 20
        first, clock = call(begin + step, step)
        second, _ = call(clock, step)
        added.setdefault((r.device, r.sm), []).extend(record(r, first + second))

    data = open(sys.argv[1], "rb").read()
    out, offset = data[:16], 16
    while offset < len(data):
        kind, _, size = struct.unpack_from("<IIQ", data, offset)
        payload = data[offset + 16 : offset + 16 + size]
        offset += 16 + (size + 7) // 8 * 8
        if kind == 1:
            payload = json.dumps(with_callee(json.loads(payload))).encode()
        if kind == 2:
            words = added.get(struct.unpack_from("<II", payload), [])
            payload += struct.pack(f"<{len(words)}I", *words)
        out += struct.pack("<IIQ", kind, zlib.crc32(payload), len(payload)) + payload
        out += bytes(-len(payload) % 8)
    open(sys.argv[2], "wb").write(out)


main()
