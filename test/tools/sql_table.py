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


def is_part(wanted, numbers):
    """Whether the wanted ones are among the numbers, in their order."""
    rest = iter(numbers)
    return all(number in rest for number in wanted)


def main():
    db = sqlite3.connect(sys.argv[1])
    with open(sys.argv[2]) as file:
        lines = file.read().splitlines()
    phases = db.execute(PHASES).fetchall()
    assert phases, "no phases"
    for phase, share in phases:
        stays = db.execute(STAYS, (phase,)).fetchall()
        figures = quantiles([ns for _, ns in stays]) + quantiles([cycles for cycles, _ in stays])
        wanted = [str(len(stays))] + [f"{f:.0f}" for f in figures] + [f"{100 * share:.1f}"]
        rows = [line for line in lines if re.match(rf" +{re.escape(phase)} +L", line)]
        assert len(rows) == 1, f"{len(rows)} rows of {phase}"
        assert is_part(wanted, rows[0].split()), f"{wanted} is not in '{rows[0]}'"
    print(f"{len(phases)} rows agree")


main()
