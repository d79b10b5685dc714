#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""inserts_only.py ORIGINAL REWRITTEN

Proves that REWRITTEN is ORIGINAL plus insertions: two lines at the head (behind a byte-order mark,
if there is one), a table at the tail, and in between the same lines with the same line ends, each
with every character it had, in order. Lines that name no KINSTR_ macro are the same byte for byte.
"""

import sys

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
TABLE = b"#ifndef KINSTR_OFF"


def fail(line, message):
    sys.exit(f"{sys.argv[2]}:{line}: {message}")


def is_subsequence(short, long):
    rest = iter(long)
    return all(c in rest for c in short)


def lines_of(path):
    """Whether a byte-order mark comes first, and the lines without their line feeds."""
    with open(path, "rb") as file:
        text = file.read()
    mark = text.startswith(BYTE_ORDER_MARK)
    return mark, text[len(BYTE_ORDER_MARK) if mark else 0 :].split(b"\n")


def main():
    original_mark, original = lines_of(sys.argv[1])
    rewritten_mark, rewritten = lines_of(sys.argv[2])
    if original_mark != rewritten_mark:
        fail(1, "byte-order mark lost or added")
    if not rewritten[0].startswith(b"#include <kinstr/trace.cuh>"):
        fail(1, "no '#include <kinstr/trace.cuh>'")
    if not rewritten[1].startswith(b'#line 1 "'):
        fail(2, "no '#line 1'")

    tables = [i for i, line in enumerate(rewritten) if line.rstrip(b"\r") == TABLE]
    if not tables:
        fail(len(rewritten), "no table at the end")
    body = rewritten[2 : tables[-1]]
    if original[-1] == b"":  # the usual case: the file ends in a newline
        original.pop()
    if len(body) != len(original):
        fail(3, f"{len(body)} lines, the original has {len(original)}")

    changed = 0
    for number, (before, after) in enumerate(zip(original, body), start=3):
        last = number - 3 == len(original) - 1
        if last and not before.endswith(b"\r"):
            after = after.rstrip(b"\r")  # it may have had no line end
        if before == after:
            continue
        changed += 1
        if b"KINSTR_" not in after:
            fail(number, "changed, but not by a KINSTR_ macro")
        if before.endswith(b"\r") != after.endswith(b"\r"):
            fail(number, "another line end")
        if not is_subsequence(before, after):
            fail(number, f"characters lost: {before!r} became {after!r}")
    print(f"insertions only: {len(original)} lines, {changed} with insertions")


if __name__ == "__main__":
    main()
