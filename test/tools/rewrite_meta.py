#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies a trace with other tables: rewrite(source, target, change), where change edits the JSON object."""
import json
import struct
import zlib


def rewrite(source, target, change):
    with open(source, "rb") as file:
        data = file.read()
    kind, _, size = struct.unpack_from("<IIQ", data, 16)
    assert kind == 1, "the first section is not the tables"
    meta = json.loads(data[32 : 32 + size])
    change(meta)
    text = json.dumps(meta).encode()
    section = struct.pack("<IIQ", 1, zlib.crc32(text), len(text)) + text
    rest = data[32 + (size + 7) // 8 * 8 :]
    with open(target, "wb") as file:
        file.write(data[:16] + section + b"\0" * (-len(text) % 8) + rest)
