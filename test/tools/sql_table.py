#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sql_table.py DATABASE TABLE: computes the figures of the table in TABLE, which kinstr-report printed
of a trace with one launch, from the database that it wrote, and compares them.
"""
import math
import re
import sqlite3
import sys

PHASES = "SELECT phase, share FROM phase_view"
STAYS = "SELECT cycles, ns FROM span_view WHERE phase = ? AND NOT open"


def quantiles(values):
    """min, p50, p95, max by nearest rank."""
    values = sorted(values)
    rank = lambda p: values[max(math.ceil(p * len(values)), 1) - 1]
    return [values[0], rank(0.50), rank(0.95), values[-1]]


def agrees(wanted, shown, relative):
    """Rounded as shown; the table's percentiles come from a histogram, and may be off by so much."""
    return abs(wanted - float(shown)) <= 10 ** -len(shown.partition(".")[2]) * 0.5001 + relative * wanted


def main():
    db = sqlite3.connect(sys.argv[1])
    with open(sys.argv[2]) as file:
        lines = file.read().splitlines()
    header = next(i for i, line in enumerate(lines) if line.startswith("  phase "))
    names = lines[header].split()[2:]  # behind phase and line: count, then those in ns, then those in cycles
    second = names.index("min", names.index("min") + 1)
    names = [n + "_ns" if i < second and n not in ("count",) else n for i, n in enumerate(names)]
    phases = db.execute(PHASES).fetchall()
    assert phases, "no phases"
    for phase, share in phases:
        stays = db.execute(STAYS, (phase,)).fetchall()
        figures = {"count": len(stays), "share": 100 * share}
        for suffix, values in (("_ns", [ns for _, ns in stays]), ("", [cycles for cycles, _ in stays])):
            for name, value in zip(("min", "p50", "p95", "max"), quantiles(values)):
                figures[name + suffix] = value
            figures["mean" + suffix] = sum(values) / len(values)
        rows = [line.split() for line in lines[header:] if re.match(rf" +{re.escape(phase)} +L", line)]
        assert len(rows) == 1, f"{len(rows)} rows of {phase}"
        shown = dict(zip(names, rows[0][2:]))
        for name, value in figures.items():
            relative = 1 / 4096 if name.startswith("p") else 1e-9
            assert agrees(value, shown[name], relative), f"{phase}: {name} is {value}, the table has {shown[name]}"
    print(f"{len(phases)} rows agree")


main()
