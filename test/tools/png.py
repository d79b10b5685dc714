#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""png.py FILE: prints the size of a picture and how many different bytes its pixels are made of."""
import struct
import sys
import zlib

data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG file"
pixels, at = b"", 8
while at < len(data):
    size, kind = struct.unpack_from(">I4s", data, at)
    chunk = data[at + 8 : at + 8 + size]
    assert zlib.crc32(kind + chunk) == struct.unpack_from(">I", data, at + 8 + size)[0], "bad checksum"
    if kind == b"IDAT":
        pixels += chunk
    at += 12 + size
width, height = struct.unpack_from(">II", data, 16)
print(f"{width} x {height}, {len(set(zlib.decompress(pixels)))} different bytes")
