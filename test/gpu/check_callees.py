# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a rewritten callees.cu and looks for what its functions left in the trace.

    check_callees.py PROGRAM KINSTR-REPORT     Closes with "N passed, N failed".
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import kitrace

# For each launch, in order: kernel, and how often each phase was passed in all.
WARPS = 5 * 3
CALLS, REPLAYS = 1000, 20
EXPECTED = [
    ("all", {"kernel": WARPS, "recursion": WARPS, "store": WARPS, "outer": WARPS, "twice": 2 * WARPS,
             "plus": 2 * WARPS, "lambda": WARPS, "scale": WARPS, "prologue": WARPS,
             "iterate": 4 * WARPS, "fib": 9 * WARPS}),
    # One group of lanes a warp.
    ("apart", {"odd": 2}),
    # Rows of two warps: the second and the fourth.
    ("warps", {"twice": 4, "plus": 4}),
    # Rows of half a warp: half of each of the two warps.
    ("warps", {"twice": 2, "plus": 2}),
    ("stand_in", {"first": 2, "second": 2, "twice": 2, "plus": 2}),
    ("many", {"half": CALLS * 2, "other": CALLS * 2}),
] + REPLAYS * [("replayed", {"before": 2, "half": 2 * 2, "other": 2 * 2})]


def check_reservations(check, trace):
    """A warp reserves for its events, not for its calls."""
    kernels = {r.anchor.grid_id & 0xFFFF: trace.meta["modules"][r.anchor.module]["kernels"][r.anchor.kernel]["name"]
               for r in trace.records if r.anchor}
    records = [r for r in trace.records if r.callee_module is not None and kernels[r.grid_low] == "many"]
    for warp in range(2):
        of_warp = [r for r in records if r.warp == warp]
        events = sum(len(r.events) for r in of_warp)
        check(f"events of warp {warp}", events == 3 * CALLS, str(events))
        # One pause a call, and one for each chunk. The last place of a chunk may be left.
        pauses = [p for r in of_warp for p in r.pauses]
        check(f"pauses of warp {warp}", CALLS <= len(pauses) <= CALLS + len(of_warp), str(len(pauses)))
        check(f"events behind the pauses of warp {warp}", all(end for _, end in pauses))
        written = events + len(pauses)
        check(f"records of warp {warp}", written / 62 <= len(of_warp) <= written / 61 + 4, str(len(of_warp)))


def check_waits(check, trace):
    """Where a call waits for the recorder is in no phase of the function."""
    kernels = {r.anchor.grid_id & 0xFFFF: trace.meta["modules"][r.anchor.module]["kernels"][r.anchor.kernel]["name"]
               for r in trace.records if r.anchor}
    for (grid_low, _, warp), events in trace.callees().items():
        if kernels[grid_low] != "many":
            continue
        ends = {b: a for r in trace.records if (r.grid_low, r.warp) == (grid_low, warp) for a, b in r.pauses if b}
        lengths = {"half": [], "other": []}
        for (callee, begin), (_, end) in zip(events, events[1:]):
            if callee.site in lengths:
                lengths[callee.site].append(ends.get(end, end) - begin)
        medians = {name: statistics.median(found) for name, found in lengths.items()}
        waits = statistics.median(b - a for b, a in ends.items())
        print(f"many, warp {warp}: a call waits for {waits:.0f} cycles; its phases take {medians}")
        check(f"phases of warp {warp} hold no wait", max(medians.values()) <= waits / 2, f"{medians}, {waits}")


def tables(report):
    """(kernel, {phase: count}, share sum) of each launch in the report's text."""
    found = []
    for line in report.splitlines():
        if m := re.match(r"launch \d+: ([^ <(]+)", line):
            found.append((m.group(1), {}, []))
        elif found and (m := re.match(r"  (\S+) +(?:L[\d,L]+) +(\d+) +([\d.]+)$", line)):
            found[-1][1][m.group(1)] = int(m.group(2))
            found[-1][2].append(float(m.group(3)))
    return found


def main():
    program, reporter = os.path.abspath(sys.argv[1]), sys.argv[2]
    passed, failed = 0, 0

    def check(what, ok, detail=""):
        nonlocal passed, failed
        passed, failed = passed + ok, failed + (not ok)
        if not ok:
            print(f"FAIL {what}: {detail}")

    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "callees.kitrace")
        run = subprocess.run([program], env={**os.environ, "KINSTR_OPTIONS": f"out={trace}"},
                             capture_output=True, text=True, timeout=120)
        print(run.stdout + run.stderr, end="")
        check("results", run.returncode == 0 and "right" in run.stdout)
        check_reservations(check, kitrace.Trace(trace))
        check_waits(check, kitrace.Trace(trace))
        report = subprocess.run([reporter, "--all-launches", "--columns=phase,line,count,share", trace], capture_output=True, text=True,
                                timeout=60)
        check("report", report.returncode == 0, report.stderr)
        for word in ("not placed", "unknown:", "dropped:", "incomplete"):
            check(f"no '{word}' in the report", word not in report.stdout)
        found = tables(report.stdout)
    check("launches", [t[0] for t in found] == [e[0] for e in EXPECTED], str([t[0] for t in found]))
    for (kernel, counts), (_, seen, shares) in zip(EXPECTED, found):
        for phase, count in counts.items():
            check(f"{kernel}: {phase}", seen.get(phase) == count, f"{seen.get(phase)} for {count}")
        check(f"{kernel}: no other phase", set(seen) == set(counts), str(set(seen) - set(counts)))
        check(f"{kernel}: shares", sum(shares) <= 100.5, str(sum(shares)))
    print(report.stdout)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
