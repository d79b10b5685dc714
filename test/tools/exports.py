#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what kinstr-report wrote for other programs with the trace, and with each other.

    exports.py TRACE --csv FILE [--sqlite FILE] [--chrome FILE] [--perfetto FILE]

The trace is read by kitrace.py, independently of kinstr-report: every span and mark of it must be in
the CSV file, cycle by cycle, and nothing else. The other files must hold the same spans at the same
nanoseconds. --filtered: the CSV file is a part of the trace. --callees: it is not compared with the trace,
since here functions that are called are not understood. Perfetto's file is decoded with
Perfetto's own descriptors (PyPI: perfetto). Exits with 1 and says where they differ.
"""
import argparse
import collections
import csv
import json
import os
import re
import sqlite3
import struct
import sys

import kitrace

Row = collections.namedtuple("Row", "launch block warp kind phase begin end open depth number")  # cycles
Timed = collections.namedtuple("Timed", "launch block warp kind phase begin end number")  # ns
# A span that values were recorded in, or a value that was recorded in none: the last of each name.
Arguments = collections.namedtuple("Arguments", "launch block warp phase begin end numbers")  # ns


def differ(what, want, got):
    if want == got:
        return
    missing, extra = want - got, got - want
    for label, rows in (("missing", missing), ("not expected", extra)):
        for row, count in list(rows.items())[:3]:
            print(f"{what}: {label}: {count} x {row}", file=sys.stderr)
    sys.exit(f"{what}: {sum(missing.values())} missing, {sum(extra.values())} not expected")


def plain(name):
    """A name as every output has it: control characters are replaced."""
    return re.sub("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "?", name)


def as_number(value):
    """An integer, a float of single precision, or "nan": what a counter shows, however it was written."""
    if isinstance(value, str):
        value = int(value) if re.fullmatch(r"-?\d+", value) else float(value)
    if value is None or value != value:
        return "nan"
    return value if isinstance(value, int) else struct.unpack("<f", struct.pack("<f", value))[0]


def finite(number):
    return number != "nan" and abs(number) != float("inf")


# ---- the trace -----------------------------------------------------------------------------------


def near(base, low, bits):
    """The value nearest base with these low bits."""
    half = 1 << (bits - 1)
    return base - half + ((low - base + half) & ((1 << bits) - 1))


def spans_of_warp(events, sites):
    """(kind, name, begin, end, open, depth, number) of (site, clock, number) in order of the clocks."""
    current, scopes = None, []
    for position, (site, clock, number) in enumerate(events):
        if site == kitrace.EXIT:
            if position != len(events) - 1:
                continue
            if current:
                yield ("phase", *current, clock, 0, 0, None)
            while scopes:
                yield ("scope", *scopes.pop(), clock, 0, len(scopes), None)
            return
        kind, name = sites[site]["kind"], plain(sites[site]["name"])
        if kind == "mark":
            yield ("mark", name, clock, clock, 0, 0, None)
        elif kind == "value":
            if number is not None:
                yield ("value", name, clock, clock, 0, 0, as_number(number))
        elif kind == "scope":
            scopes.append((name, clock))
        elif kind == "scope-end":
            while name in [n for n, _ in scopes]:
                last = scopes.pop()
                yield ("scope", *last, clock, 0, len(scopes), None)
                if last[0] == name:
                    break
        else:
            if current:
                yield ("phase", *current, clock, 0, 0, None)
            current = (name, clock) if kind == "phase" else None
    if current:
        yield ("phase", *current, events[-1][1], 1, 0, None)
    while scopes:
        yield ("scope", *scopes.pop(), events[-1][1], 1, len(scopes), None)


def read_trace(path):
    trace = kitrace.Trace(path)
    anchors = {(r.grid_low, r.block): r.anchor for r in trace.records if r.anchor}
    launches = sorted({a.grid_id for a in anchors.values()})
    stream = {(r.grid_low, r.block): r.stream for r in trace.records}
    numbers = {}
    for r in trace.records:
        for site, clock, number in r.numbers:
            numbers[r.grid_low, r.block, r.warp, site, clock] = number
    rows = collections.Counter()
    assert not trace.callees(), "callees are not understood here"
    for (grid, block, warp), events in trace.warps().items():
        anchor = anchors[grid, block]
        sites = trace.meta["modules"][anchor.module]["kernels"][anchor.kernel]["sites"]
        bits = 48 if stream[grid, block] else 32
        events = sorted(
            (
                (site, near(anchor.clock_start, low, bits), numbers.get((grid, block, warp, site, low)))
                for site, low in events
            ),
            key=lambda e: e[1],
        )
        launch = launches.index(anchor.grid_id)
        for span in spans_of_warp(events, sites):
            rows[Row(launch, block, warp, *span)] += 1
    return rows


# ---- what was written ----------------------------------------------------------------------------


def read_csv(path):
    rows, timed = collections.Counter(), collections.Counter()
    with open(path, newline="") as file:
        for r in csv.DictReader(file):
            # What a spreadsheet would take for a formula has an apostrophe in front.
            phase = re.sub("^'(?=[-=+@])", "", r["phase"])
            where = (int(r["launch"]), int(r["block"]), int(r["warp"]), r["kind"], phase)
            number = as_number(r["value"]) if r["kind"] == "value" else None
            span = (int(r["begin_cycle"]), int(r["end_cycle"]))
            depth = int(r["depth"])
            rows[Row(*where, *span, int(r["open"]), depth, number)] += 1
            if r["begin_ns"]:
                timed[Timed(*where, int(r["begin_ns"]), int(r["end_ns"]), number)] += 1
                assert int(r["begin_ns"]) <= int(r["end_ns"]), r
    return rows, timed


SQL = """
SELECT b.launch_id, b.number, w.warp, p.kind, p.name, s.{begin}cycle, s.{end}cycle, s.{begin}ns, s.{end}ns, {more}
  FROM {table} s JOIN phases p ON p.id = s.phase_id JOIN warps w ON w.id = s.warp_id
  JOIN blocks b ON b.id = w.block_id"""
SPANS = SQL.format(table="spans", begin="begin_", end="end_", more="open, depth, NULL, NULL")
SCOPES = SQL.format(table="scopes", begin="begin_", end="end_", more="open, depth, NULL, NULL")
MARKS = SQL.format(table="marks", begin="", end="", more="0, 0, NULL, NULL")
VALUES = SQL.format(table='"values"', begin="", end="", more="0, 0, s.value, s.type")
# Each value is of the span that the table says.
MISPLACED = """
SELECT count(*) FROM "values" v LEFT JOIN spans s ON s.id = v.span_id
 WHERE CASE WHEN s.id THEN s.warp_id != v.warp_id OR v.cycle NOT BETWEEN s.begin_cycle AND s.end_cycle
       ELSE EXISTS (SELECT 1 FROM spans o WHERE o.warp_id = v.warp_id AND v.cycle > o.begin_cycle AND v.cycle < o.end_cycle)
       END"""


def read_sqlite(path):
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    rows, timed = collections.Counter(), collections.Counter()
    for query in (SPANS, SCOPES, MARKS, VALUES):
        for *where, begin, end, begin_ns, end_ns, is_open, depth, value, type_ in db.execute(query):
            number = as_number(value) if type_ else None
            assert type_ in (None, "float") or isinstance(value, int)
            rows[Row(*where, begin, end, is_open, depth, number)] += 1
            if begin_ns is not None:
                timed[Timed(*where, begin_ns, end_ns, number)] += 1
    assert db.execute(MISPLACED).fetchone() == (0,), "values are in other spans than the table says"
    return rows, timed


class Timeline:
    """Slices by line; blocks are the slices of the line that a slot's warps lie below."""

    def __init__(self):
        self.blocks = collections.defaultdict(list)  # by line: (begin, end, launch, block)
        self.slices = []  # (line of the block, warp, kind, name, begin, end, number, arguments)

    def timed(self):
        """What is on the lines, and what was recorded in it: (Timed counts, Arguments counts)."""
        for blocks in self.blocks.values():
            blocks.sort()
            for earlier, later in zip(blocks, blocks[1:]):
                assert earlier[1] < later[0], f"blocks on one line overlap: {earlier} {later}"
        out = collections.Counter()
        arguments = collections.Counter()
        for line, warp, kind, name, begin, end, number, numbers in self.slices:
            inside = [b for b in self.blocks[line] if b[0] <= begin and end <= b[1]]
            assert len(inside) == 1, f"{name} of warp {warp} at {begin} is in {len(inside)} blocks"
            where = (inside[0][2], inside[0][3], warp)
            if kind != "lone":
                out[Timed(*where, kind, name, begin, end, number)] += 1
            if numbers:
                arguments[Arguments(*where, name, begin, end, frozenset(numbers.items()))] += 1
        return out, arguments


def read_chrome(path):
    with open(path) as file:
        events = json.load(file)
    names = {}
    for e in events:
        if e["ph"] == "M" and e["name"] == "thread_name":
            names[e["pid"], e["tid"]] = e["args"]["name"]
    lines = {(pid, name): tid for (pid, tid), name in names.items()}
    ns = lambda micros: round(micros * 1000)
    out = Timeline()
    for e in events:
        if e["ph"] not in "XiC":
            continue
        place = names[e["pid"], e["tid"]]
        begin = ns(e["ts"])
        end = begin + ns(e.get("dur", 0))
        warp = re.fullmatch(r"(slot \d+) warp (\d+)( scopes)?", place)
        if warp:
            line = (e["pid"], lines[e["pid"], warp[1]])
            numbers = {name: as_number(value) for name, value in e.get("args", {}).items()}
            kind, name, number = "phase", e["name"], None
            if e["ph"] == "C":
                kind, (name, number) = "value", *numbers.items()
                assert e["name"] == f"{place} {name}"
                numbers = None
            elif e["ph"] == "i":
                kind = "lone" if numbers else "mark"
            elif warp[3]:
                kind = "scope"
            out.slices.append((line, int(warp[2]), kind, name, begin, end, number, numbers))
        elif place.startswith("slot"):
            out.blocks[e["pid"], e["tid"]].append((begin, end, e["args"]["launch"], e["args"]["block"]))
    return out.timed()


class Decoder:
    """Follows the packets of a Perfetto file: interned names, defaults, the clock, nesting."""

    BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
    WRAP = 1 << 64

    def __init__(self, path):
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2

        trace = perfetto_trace_pb2.Trace()
        with open(path, "rb") as file:
            trace.ParseFromString(file.read())
        self.tracks, self.names, self.arguments, self.categories = {}, {}, {}, {}
        self.default_line, self.default_clock = None, None
        self.clocks, self.origin = {}, None
        self.events = []  # (time, line, event)
        self.open = collections.defaultdict(list)
        self.slices = []  # (line, kind, name, arguments, begin, end)
        self.counters = []  # (line, time, number)
        self.flowing, self.flows = {}, []  # by id: (line, begin); ((line, begin), (line, begin))
        for packet in trace.packet:
            self.packet(packet)
        # As the trace processor does: of equal times the first in the file is the first.
        for now, line, event in sorted(self.events, key=lambda e: e[0]):
            self.event(now, line, event)
        assert not any(self.open.values()), "a slice has no end"

    def packet(self, p):
        if p.HasField("track_descriptor"):
            assert p.track_descriptor.uuid not in self.tracks, "a line is described twice"
            self.tracks[p.track_descriptor.uuid] = p.track_descriptor
            return
        assert p.trusted_packet_sequence_id == 1
        if p.HasField("trace_packet_defaults"):
            defaults = p.trace_packet_defaults
            self.default_clock = defaults.timestamp_clock_id
            self.default_line = defaults.track_event_defaults.track_uuid or None
        if p.HasField("interned_data"):
            for table, entries in (
                (self.names, p.interned_data.event_names),
                (self.arguments, p.interned_data.debug_annotation_names),
                (self.categories, p.interned_data.event_categories),
            ):
                table.update((e.iid, e.name) for e in entries)
        if p.HasField("clock_snapshot"):
            assert self.origin is None, "one snapshot of the clocks"
            self.clocks = {c.clock_id: c.timestamp for c in p.clock_snapshot.clocks}
            assert [c.clock_id for c in p.clock_snapshot.clocks if c.is_incremental] == [64]
            self.origin = self.clocks[6]
        if p.HasField("timestamp"):
            assert (p.timestamp_clock_id or self.default_clock) == 64
            self.clocks[64] = (self.clocks[64] + p.timestamp) % self.WRAP
        if p.HasField("track_event"):
            line = p.track_event.track_uuid or self.default_line
            assert line in self.tracks, f"no line {line}"
            self.events.append((self.clocks[64] - self.origin, line, p.track_event))

    def event(self, now, line, e):
        name = e.name or self.names.get(e.name_iid)
        arguments = {self.arguments[a.name_iid]: getattr(a, a.WhichOneof("value")) for a in e.debug_annotations}
        assert len(arguments) == len(e.debug_annotations), "an argument twice"
        assert (e.type == self.COUNTER) == self.tracks[line].HasField("counter")
        if e.type == self.BEGIN:
            self.open[line].append((name, arguments, now))
            self.flow((line, now), e)
        elif e.type == self.END:
            name, arguments, begin = self.open[line].pop()
            self.slices.append((line, "phase", name, arguments, begin, now))
        elif e.type == self.COUNTER:
            number = e.double_counter_value if e.HasField("double_counter_value") else e.counter_value
            self.counters.append((line, now, number))
        else:
            assert e.type == self.INSTANT
            self.slices.append((line, "mark", name, arguments, now, now))


    def warp_of(self, line):
        """(number, line of its slot) of a warp's own line, or that of its scopes or a value; else nothing."""
        track = self.tracks[line]
        if track.HasField("counter") or track.name == "scopes":
            track = self.tracks[track.parent_uuid]
        warp = re.fullmatch(r"warp (\d+)", track.name)
        return (int(warp[1]), track.parent_uuid) if warp else (None, None)

    def flow(self, place, e):
        """As the trace processor does: a flow is known by where it was last."""
        for flow in e.flow_ids_old:
            assert flow not in self.flowing, f"flow {flow} begins twice"
            self.flowing[flow] = place
        for flow in e.terminating_flow_ids_old:
            origin = self.flowing.pop(flow)
            assert origin[1] < place[1], "a flow goes to what begins later"
            self.flows.append((origin, place))


# A stay at a barrier of the warp that came last, and what one that had waited did next.
Flow = collections.namedtuple("Flow", "launch block from_warp from_begin to_warp to_begin")  # ns


def flows_of(path):
    """Who let whom go on at barriers, from the CSV file, by the rules in docs/export.md."""
    warps = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path, newline="") as file:
        for r in csv.DictReader(file):
            if r["kind"] == "phase" and r["begin_ns"]:
                warps[r["kernel"], int(r["launch"]), int(r["block"])][int(r["warp"])].append(r)
    telling, together, early = collections.Counter(), collections.Counter(), collections.Counter()
    candidates = collections.defaultdict(list)
    for (kernel, launch, block), of_block in warps.items():
        passings = collections.defaultdict(list)  # by phase and how often a warp was there
        for warp, rows in of_block.items():
            rows.sort(key=lambda r: int(r["begin_cycle"]))
            times = collections.Counter()
            for r, after in zip(rows, rows[1:] + [None]):
                passings[r["phase"], times[r["phase"]]].append((warp, r, after))
                times[r["phase"]] += 1
        for (phase, _), stays in passings.items():
            begins = [int(r["begin_cycle"]) for _, r, _ in stays]
            ends = [int(r["end_cycle"]) for _, r, _ in stays]
            apart = max(begins) - min(begins)
            if any(int(r["open"]) for _, r, _ in stays) or len(stays) < 2 or apart < 64:
                continue
            telling[kernel, phase] += 1
            early[kernel, phase] += min(ends) < max(begins)
            if min(ends) < max(begins) or max(ends) - min(ends) > apart // 2:
                continue
            together[kernel, phase] += 1
            last, arrival, _ = stays[begins.index(max(begins))]
            come = int(arrival["begin_ns"])
            for warp, r, after in stays:
                if max(begins) - int(r["begin_cycle"]) >= 128 and after and int(after["begin_ns"]) > come:
                    flow = Flow(launch, block, last, come, warp, int(after["begin_ns"]))
                    candidates[kernel, phase].append(flow)
    return collections.Counter(
        flow
        for site, flows in candidates.items()
        if telling[site] >= 20 and early[site] == 0 and together[site] >= 0.9 * telling[site]
        for flow in flows
    )


def flows_of_decoded(decoder, timeline):
    def place(line, at):
        slot = decoder.tracks[line].parent_uuid
        inside = [b for b in timeline.blocks[slot] if b[0] <= at <= b[1]]
        return inside[0][2:], int(decoder.tracks[line].name.split()[1])

    out = collections.Counter()
    for origin, target in decoder.flows:
        (block, warp), (same, to_warp) = place(*origin), place(*target)
        assert block == same, "a flow between blocks"
        out[Flow(*block, warp, origin[1], to_warp, target[1])] += 1
    return out


def read_perfetto(path):
    decoder = Decoder(path)
    out = Timeline()
    for line, kind, name, arguments, begin, end in decoder.slices:
        place = decoder.tracks[line].name
        warp, slot = decoder.warp_of(line)
        if warp is not None:
            numbers = {n: as_number(v) for n, v in arguments.items() if n != "unfinished"}
            if place == "scopes":
                kind = "scope"
            elif kind == "mark" and numbers:
                kind = "lone"
            out.slices.append((slot, warp, kind, name, begin, end, None, numbers))
        elif place.startswith("slot "):
            out.blocks[line].append((begin, end, arguments["launch"], arguments["block"]))
        else:
            assert place.startswith("launches"), place
    for line, now, number in decoder.counters:
        warp, slot = decoder.warp_of(line)
        out.slices.append((slot, warp, "value", decoder.tracks[line].name, now, now, as_number(number), None))
    for track in decoder.tracks.values():
        if track.HasField("counter") or track.name == "scopes":
            assert re.fullmatch(r"warp \d+", decoder.tracks[track.parent_uuid].name)
            continue
        chain = [track.name]
        while track.parent_uuid:
            track = decoder.tracks[track.parent_uuid]
            chain.append(track.name)
        below = r"((((warp \d+<)?slot \d+<)?SM \d+|launches( \d+)?)<)?GPU \d+: .*"
        assert re.fullmatch(f"({below})(<process \\d+ .*)?|process \\d+ .*", "<".join(chain)), chain
    return *out.timed(), flows_of_decoded(decoder, out)


def arguments_of(path):
    """From the CSV file: by span the last of each value that was recorded in it."""
    warps = collections.defaultdict(lambda: ([], []))
    with open(path, newline="") as file:
        for r in csv.DictReader(file):
            if r["begin_ns"] and r["kind"] in ("phase", "value"):
                warps[int(r["launch"]), int(r["block"]), int(r["warp"])][r["kind"] == "value"].append(r)
    plain_name = lambda r: re.sub("^'(?=[-=+@])", "", r["phase"])
    out = collections.Counter()
    for where, (spans, values) in warps.items():
        numbers = collections.defaultdict(dict)
        for v in values:
            clock = int(v["begin_cycle"])
            around = [
                (int(r["begin_cycle"]), i)
                for i, r in enumerate(spans)
                if int(r["begin_cycle"]) <= clock <= int(r["end_cycle"])
            ]
            if around:
                numbers[max(around)[1]][plain_name(v)] = as_number(v["value"])
            else:
                at = int(v["begin_ns"])
                lone = frozenset({plain_name(v): as_number(v["value"])}.items())
                out[Arguments(*where, plain_name(v), at, at, lone)] += 1
        for i, last in numbers.items():
            r = spans[i]
            span = (plain_name(r), int(r["begin_ns"]), int(r["end_ns"]))
            out[Arguments(*where, *span, frozenset(last.items()))] += 1
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("--csv", required=True)
    parser.add_argument("--sqlite")
    parser.add_argument("--chrome")
    parser.add_argument("--perfetto")
    parser.add_argument("--filtered", action="store_true")
    parser.add_argument("--callees", action="store_true")
    parser.add_argument("--most-bytes", type=float, help="of Perfetto's file, a span")
    args = parser.parse_args()

    rows, timed = read_csv(args.csv)
    want = rows if args.callees else read_trace(args.trace)
    if args.filtered:
        assert rows and not rows - want, "rows that the trace does not have"
    else:
        differ("csv", want, rows)
    agree = ["csv"]
    if args.sqlite:
        got_rows, got_timed = read_sqlite(args.sqlite)
        differ("sqlite", rows, got_rows)
        differ("sqlite", timed, got_timed)
        agree.append("sqlite")
    # What is not finite has no place on the axis of a counter.
    shown = collections.Counter({t: n for t, n in timed.items() if t.number is None or finite(t.number)})
    arguments = arguments_of(args.csv)
    if args.chrome:
        got_timed, got_arguments = read_chrome(args.chrome)
        differ("chrome", shown, got_timed)
        differ("arguments in chrome", arguments, got_arguments)
        agree.append("chrome")
    flows = None
    if args.perfetto:
        got_timed, got_arguments, flows = read_perfetto(args.perfetto)
        differ("perfetto", shown, got_timed)
        differ("arguments in perfetto", arguments, got_arguments)
        agree.append("perfetto")
        if not args.callees and not args.filtered:
            differ("flows", flows_of(args.csv), flows)
    count = sum(rows.values())
    print(f"{count} rows of {sum(want.values())}: {', '.join(agree)} agree")
    kinds = collections.Counter()
    for row, times in rows.items():
        kinds[row.kind] += times
    if kinds["scope"] or kinds["value"]:
        print(f"{kinds['scope']} scopes, {kinds['value']} values, {sum(arguments.values())} spans or instants with values")
    if flows is not None:
        print(f"{sum(flows.values())} flows")
    if args.most_bytes:
        size = os.path.getsize(args.perfetto) / count
        print(f"perfetto: {size:.1f} bytes a span")
        assert size <= args.most_bytes


if __name__ == "__main__":
    main()
