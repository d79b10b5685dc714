"""began.py TABLE PFTRACE DATABASE CSV: when each launch of a merged trace began, as four outputs have it.

In the report's table, which counts from the first launch; in Perfetto's file, decoded, where it lies below a
process and a GPU; in the tables; in the rows. They must agree, as far as the report's digits go.
"""

import csv
import os
import re
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools"))
from exports import Decoder

table, pftrace, database, rows = sys.argv[1:]
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}

said = {}
with open(table, encoding="utf-8") as file:
    for launch, value, unit in re.findall(
        r"^launch (\d+): .*\n(?:  .*\n)*?  began ([\d.]+) (\S+) after", file.read(), flags=re.MULTILINE
    ):
        step = UNITS[unit] / 10 ** len(value.partition(".")[2])
        said[int(launch)] = (float(value) * UNITS[unit], step)

decoder = Decoder(pftrace)
drawn = {}
for line, kind, name, arguments, begin, end in decoder.slices:
    if decoder.tracks[line].name.startswith("launches"):
        gpu = decoder.tracks[decoder.tracks[line].parent_uuid]
        process = decoder.tracks[gpu.parent_uuid]
        assert not process.parent_uuid
        drawn[arguments["launch"]] = (name, begin, gpu.name, process.name)

db = sqlite3.connect(database)
tabled = {
    launch: (begin, whose)
    for launch, begin, *whose in db.execute(
        """SELECT l.id, l.begin_ns, d.id, p.rank, p.host, p.pid FROM launches l
             JOIN devices d ON d.id = l.device_id JOIN processes p ON p.id = d.process_id"""
    )
}
listed = {}
with open(rows, newline="") as file:
    for r in csv.DictReader(file):
        whose = [int(r["device"]), int(r["rank"]) if r["rank"] else None, r["host"] or None, int(r["pid"])]
        begin, before = listed.get(int(r["launch"]), (float("inf"), whose))
        assert whose == before
        listed[int(r["launch"])] = (min(begin, int(r["begin_ns"])), whose)

assert said.keys() == drawn.keys() == tabled.keys() == listed.keys(), (said, drawn, tabled, listed)
for launch, (name, begin, gpu, process) in sorted(drawn.items()):
    value, step = said[launch]
    # The first block may begin some ns from the launch's origin, which is rounded.
    assert abs(begin - value) <= step + 50, (launch, begin, said[launch])
    assert tabled[launch][0] == begin, (launch, begin, tabled[launch])
    # A block begins with its anchor, a little before its first span.
    assert 0 <= listed[launch][0] - begin <= 100, (launch, begin, listed[launch])
    assert tabled[launch][1] == listed[launch][1]
    print(f"launch {launch}: {name} at {begin / 1000:.1f} µs on {gpu} of {process}; {tabled[launch][1]}")
