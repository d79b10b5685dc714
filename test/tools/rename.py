#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rename.py IN OUT [--invalid]: a trace whose names are hostile: of its sites, kernels, files, device.

With --invalid one of them is not even UTF-8.
"""
import itertools
import json
import struct
import sys
import zlib

NAMES = [
    "</script><script>alert(1)</script>",
    "quote\" apostrophe' back\\slash, comma; semicolon",
    "=HYPERLINK(\"x\")",
    "-1+2",
    "@SUM(A1)",
    "line\nfeed\r\nreturn\ttab\0null\x1b[31mescape\x9b",
    "🙂 größe \u2028 \uffff \u202e",
    "l" * 10000,
    "]]>&lt;<!--",
    "'; DROP TABLE spans; --",
]


def main():
    data = open(sys.argv[1], "rb").read()
    out, offset = data[:16], 16
    while offset < len(data):
        kind, crc, size = struct.unpack_from("<IIQ", data, offset)
        payload = data[offset + 16 : offset + 16 + size]
        offset += 16 + (size + 7) // 8 * 8
        if kind == 1:
            payload = renamed(json.loads(payload))
        out += struct.pack("<IIQ", kind, zlib.crc32(payload), len(payload)) + payload
        out += bytes(-len(payload) % 8)
    open(sys.argv[2], "wb").write(out)


def renamed(meta):
    names = itertools.cycle(NAMES)
    for module in meta["modules"]:
        for kernel in module["kernels"]:
            scopes = {}
            for site in kernel["sites"]:
                if site["kind"] == "scope-end":
                    site["name"] = scopes[site["name"]]
                elif site.get("name"):
                    old, site["name"] = site["name"], next(names)
                    if site["kind"] == "scope":
                        scopes[old] = site["name"]
            kernel["name"] = NAMES[0]
            kernel["file"] = NAMES[1]
    meta["devices"][0]["name"] = NAMES[5]
    meta["program"] = NAMES[2]
    text = json.dumps(meta).encode()
    return text.replace(b"DROP TABLE", b"DROP\xff\xfe\xc3(") if "--invalid" in sys.argv else text


main()
