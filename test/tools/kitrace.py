# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A second reader of .kitrace files, written from docs/trace-format.md alone.

Tests use it to see what a program recorded without going through kinstr-report, and to keep the
specification honest.
"""
import collections
import json
import struct
import zlib

EXIT = 0xFFFF
PAUSE = 0xFFFE
NUMBER = 0xFFFD

Record = collections.namedtuple(
    "Record", "device sm stream warp grid_low block anchor callee_module events clocks pauses numbers"
)
Callee = collections.namedtuple("Callee", "module name file line kind site")
Anchor = collections.namedtuple(
    "Anchor",
    "grid_id module kernel smid_start smid_end time_start clock_start time_end clock_end grid block"
    " dynamic_shared cluster",
)


class Trace:
    """meta: the JSON object. records: list of Record; events are (site, low clock words).

    pauses: (begin, end) of each, which is no event; end: None where the record ends before.
    numbers: (site, clock, number) of the events that have one. clocks: (globaltimer, clock64) or None. callee_module: None where the sites are the kernel's, else the module whose callees they are of.
    """

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        magic, version, _ = struct.unpack_from("<8sII", data)
        assert magic == b"KITRACE\n" and version == 1, "not a version 1 trace"
        self.meta, self.records, self.ended = None, [], False
        offset = 16
        while offset < len(data):
            kind, crc, size = struct.unpack_from("<IIQ", data, offset)
            payload = data[offset + 16 : offset + 16 + size]
            assert len(payload) == size, f"section at {offset} is cut short"
            assert zlib.crc32(payload) == crc, f"section at {offset} is damaged"
            if kind == 1:
                self.meta = json.loads(payload)
            elif kind == 2:
                self.records += self._region(payload)
            elif kind == 3:
                self.ended = True
            offset += 16 + (size + 7) // 8 * 8

    def _region(self, payload):
        device, sm = struct.unpack_from("<II", payload)
        words = struct.unpack(f"<{(len(payload) - 8) // 4}I", payload[8:])
        at = 0
        while at < len(words):
            tag = words[at]
            if tag == 0:
                at += 1
                continue
            assert tag & 1, f"region {sm}, word {at}: not a tag"
            has_anchor, stream = tag >> 1 & 1, tag >> 2 & 1
            length, header = tag >> 8 & 255, 3 if stream else 2
            block = words[at + 1]
            callee_module = None
            if stream:
                clocks = length
                assert clocks in (0, 4), f"region {sm}, word {at}: {clocks} words behind the events"
                length = 3 + 18 * has_anchor + 2 * (words[at + 2] & 0xFFFF) + clocks
                callee_module = (words[at + 2] >> 16) - 1 if words[at + 2] >> 16 else None
            assert at + length <= len(words), f"region {sm}, word {at}: the record is cut off"
            body = words[at + header : at + length]
            anchor = None
            if has_anchor and stream:
                anchor, body = self._anchor(body[:18]), body[18:]
            elif has_anchor:
                anchor, body = self._anchor(body[-18:]), body[:-18]
            pair = None
            if stream and clocks:
                pair, body = (body[-4] | body[-3] << 32, body[-2] | body[-1] << 32), body[:-4]
            if stream:
                pairs = zip(body[::2], body[1::2])
                written = [(hi & 0xFFFF, lo | (hi >> 16) << 32) for lo, hi in pairs if lo or hi]
                numbers = [
                    (*event, self._number(word))
                    for (site, word), event in zip(written, written[1:])
                    if site == NUMBER and event[0] not in (NUMBER, PAUSE)
                ]
                written = [e for e in written if e[0] != NUMBER]
                events = [e for e in written if e[0] != PAUSE]
                behind = [clock for _, clock in written[1:]] + [None]
                pauses = [(clock, end) for (site, clock), end in zip(written, behind) if site == PAUSE]
            else:
                last, pauses, numbers = len(body) - 1, [], []
                events = [
                    (EXIT if i == last else i, w) for i, w in enumerate(body) if w
                ]
            yield Record(
                device, sm, stream, tag >> 3 & 31, tag >> 16, block, anchor, callee_module, events, pair, pauses, numbers
            )
            at += length

    @staticmethod
    def _number(word):
        bits = word & 0xFFFFFFFF
        return struct.unpack({0: "<I", 1: "<i", 2: "<f"}[word >> 32], struct.pack("<I", bits))[0]

    @staticmethod
    def _anchor(w):
        wide = lambda i: w[i] | w[i + 1] << 32
        return Anchor(
            wide(0), w[2] >> 16, w[2] & 0xFFFF, w[3] & 0xFFFF, w[3] >> 16, wide(4), wide(6),
            wide(8), wide(10), tuple(w[12:15]),
            (w[15] & 0x7FF, w[15] >> 11 & 0x7FF, w[15] >> 22), w[16],
            (w[17] & 0xFF, w[17] >> 8 & 0xFF, w[17] >> 16 & 0xFF),
        )  # fmt: skip

    def warps(self):
        """{(grid_low, block, warp): [event, ...]} with a kernel's own records of a warp together."""
        out = collections.defaultdict(list)
        for r in self.records:
            if r.callee_module is None:
                out[r.grid_low, r.block, r.warp] += r.events
        return out

    def callees(self):
        """{(grid_low, block, warp): [(Callee, clock), ...]} in the order of the clocks."""
        out = collections.defaultdict(list)
        for r in self.records:
            if r.callee_module is not None:
                for site, clock in r.events:
                    out[r.grid_low, r.block, r.warp].append((self.callee(r.callee_module, site), clock))
        return {warp: sorted(events, key=lambda e: e[1]) for warp, events in out.items()}

    def callee(self, module, number):
        """What the site of that number is, in a module."""
        table = self.meta["modules"][module]
        for c in table["callees"]:
            if 0 <= number - c["first_site"] < len(c["sites"]):
                site = c["sites"][number - c["first_site"]]
                file = c.get("file", table["file"])
                return Callee(module, c["name"], file, site["line"], site["kind"], site["name"])
        raise AssertionError(f"module {module} has no callee with a site {number}")
