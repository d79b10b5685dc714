# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a rewritten scopes.cu and compares its scopes and values with what it does.

    check_scopes.py PROGRAM KITRACE-EVENTS     Closes with "N passed, N failed".
"""
import collections
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import kitrace

ROUNDS, BLOCKS, WARPS = 70, 5, 3

Warp = collections.namedtuple("Warp", "block index values scopes marks")
Scope = collections.namedtuple("Scope", "name depth begin end")


def launches(program, events, trace):
    """(kernel, [Warp, ...]) of each launch, as the reader has them."""
    out = subprocess.run([events, trace], capture_output=True, text=True, check=True, timeout=120).stdout
    found = []
    for line in out.splitlines():
        kind, *fields = line.split("\t")
        if kind == "launch":
            found.append((fields[0], []))
        elif kind == "warp":
            found[-1][1].append(Warp(int(fields[0]), int(fields[2]), collections.defaultdict(list), [], []))
        elif kind == "event" and len(fields) == 4:
            found[-1][1][-1].values[fields[0]].append(float(fields[3]))
            found[-1][1][-1].marks.append((fields[0], int(fields[1])))
        elif kind == "event":
            found[-1][1][-1].marks.append((fields[0], int(fields[1])))
        elif kind == "scope":
            found[-1][1][-1].scopes.append(Scope(fields[0], int(fields[1]), int(fields[2]), int(fields[3])))
    return found


def named(warp, name):
    return [s for s in warp.scopes if s.name == name]


def nests(inner, outer):
    return any(o.begin <= inner.begin and inner.end <= o.end and o.depth + 1 == inner.depth for o in outer)


def check_loop(check, warps):
    check("loop: warps", len(warps) == BLOCKS * WARPS, str(len(warps)))
    for w in warps:
        who = f"loop: block {w.block}, warp {w.index}: "
        check(who + "i", w.values["i"] == [i - 3 for i in range(ROUNDS)], str(w.values["i"]))
        check(who + "lane 0's thread", w.values["thread"] == [32 * w.index] * ROUNDS)
        check(who + "real", w.values["real"] == [0.25 * i for i in range(ROUNDS)])
        # 2^40 does not fit: the nearest that does.
        check(who + "wide", w.values["wide"] == [0] + [2**31 - 1] * (ROUNDS // 2 - 1), str(w.values["wide"]))
        everything, rounds, even = named(w, "all"), named(w, "round"), named(w, "even")
        check(who + "scopes", [len(everything), len(rounds), len(even)] == [1, ROUNDS, ROUNDS // 2])
        check(who + "depths", all(nests(s, everything) for s in rounds) and all(nests(s, rounds) for s in even))
        check(who + "order", all(a.end <= b.begin for a, b in zip(rounds, rounds[1:])))


def check_ways_out(check, warps, leave):
    expected = {0: 6, 1: 4, 2: 5}[leave]
    for w in warps:
        who = f"ways_out({leave}): warp {w.index}: "
        rounds = named(w, "round")
        check(who + "rounds", len(rounds) == expected, str(len(rounds)))
        check(who + "not nested", all(s.depth == 0 for s in rounds))
        check(who + "late", w.values["late"] == list(range(2, expected)), str(w.values["late"]))
        names = [name for name, _ in w.marks]
        check(who + "end", ("end" in names) == (leave != 2))


def check_rest(check, found):
    for w in found["straight"]:
        outer, inner = named(w, "outer"), named(w, "inner")
        check("straight: scopes", len(outer) == 1 and len(inner) == 1 and nests(inner[0], outer), str(w.scopes))
    for w in found["apart"]:
        seen = w.values["lane"]
        lanes = range(32 * w.index, 32 * w.index + 32)
        # Some lane of each group of 8, in each of 20 rounds.
        check("apart: numbers of lanes that pass", len(seen) >= 20 and set(seen) <= set(lanes), str(seen))
        check("apart: some of each group", {int(v) % 4 for v in seen} == {0, 1, 2, 3})
        check("apart: scopes", named(w, "all") != [])
    for w in found["calls"]:
        who = f"calls: block {w.block}, warp {w.index}: "
        numbers = [w.block + i for i in range(50)]
        check(who + "v", w.values["v"] == numbers, str(w.values["v"]))
        check(who + "again", w.values["again"] == [2 * v for v in numbers if v % 3])
        check(who + "work", len(named(w, "work")) == 50 and all(nests(s, named(w, "calls")) for s in named(w, "work")))


def print_costs(warp):
    clocks = collections.defaultdict(list)
    for name, clock in warp.marks:
        clocks[name].append(clock)
    mark = statistics.median(b - a for a, b in zip(clocks["first"], clocks["second"]))
    both = statistics.median(c - b for b, c in zip(clocks["second"], clocks["third"]))
    print(f"a mark takes {mark:.0f} cycles, a value {both - mark:.0f}")


def main():
    program, events = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    passed, failed = 0, 0

    def check(what, ok, detail=""):
        nonlocal passed, failed
        passed, failed = passed + bool(ok), failed + (not ok)
        if not ok:
            print(f"FAIL {what}: {detail[:200]}")

    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "scopes.kitrace")
        run = subprocess.run([program], env={**os.environ, "KINSTR_OPTIONS": f"out={trace}"},
                             capture_output=True, text=True, timeout=120)
        print(run.stdout + run.stderr, end="")
        check("results", run.returncode == 0 and "right" in run.stdout)
        found = launches(program, events, trace)
        second = kitrace.Trace(trace)
        if len(sys.argv) > 3:
            os.replace(trace, sys.argv[3])
    names = [kernel for kernel, _ in found]
    check("launches", names == ["loop"] + 3 * ["ways_out"] + ["straight", "apart", "calls", "costs"], str(names))
    check_loop(check, found[0][1])
    for leave in range(3):
        check_ways_out(check, found[1 + leave][1], leave)
    check_rest(check, dict(found))
    print_costs(dict(found)["costs"][0])
    # The other reader has as many.
    numbers = sum(len(v) for _, warps in found for w in warps for v in w.values.values())
    check("numbers of both readers", numbers == sum(len(r.numbers) for r in second.records), str(numbers))
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
