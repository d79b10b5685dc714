# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a rewritten shapes2.cu, and constants.cu, and counts the events of every warp.

    check_shapes2.py SHAPES2 CONSTANTS [PREFIX...]     PREFIX: a command to run the programs under, such as
                                                       compute-sanitizer --tool memcheck --error-exitcode 1
Closes with "N passed, N failed".
"""
import collections
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import kitrace


class Run:
    """A trace with names in the place of numbers."""

    def __init__(self, trace, stderr):
        self.trace, self.stderr = trace, stderr
        self.anchors = [r for r in trace.records if r.anchor]
        self.kernel_of = {r.anchor.grid_id & 0xFFFF: self._table(r.anchor) for r in self.anchors}

    def _table(self, anchor):
        return self.trace.meta["modules"][anchor.module]["kernels"][anchor.kernel]

    def grids(self):
        return {r.anchor.grid_id for r in self.anchors}

    def counts(self):
        """{(kernel, grid, block, warp): {phase or "exit": how often}}"""
        out = {}
        for (grid, block, warp), events in self.trace.warps().items():
            table = self.kernel_of[grid]
            name = lambda site: "exit" if site == kitrace.EXIT else table["sites"][site]["name"]
            out[table["name"], grid, block, warp] = collections.Counter(name(site) for site, _ in events)
        return out

    def callees(self):
        """{(kernel, phase): how often}"""
        out = collections.Counter()
        for (grid, _, _), events in self.trace.callees().items():
            out.update((self.kernel_of[grid]["name"], site.site) for site, _ in events if site.kind == "phase")
        return out


def the_same_everywhere(run, warps, want):
    counts = run.counts()
    assert len(counts) == warps, f"{len(counts)} warps, expected {warps}"
    for key, seen in counts.items():
        assert dict(seen) == want, f"{key}: {dict(seen)}, expected {want}"


def check_cluster(run):
    the_same_everywhere(run, 64 * 3, dict.fromkeys(("put", "meet", "sum", "part", "store", "exit"), 1))
    assert {r.anchor.cluster for r in run.anchors} == {(4, 1, 1)}, "the anchors know no cluster"


def check_cooperative(run):
    blocks = len(run.anchors)
    assert blocks > 1
    the_same_everywhere(run, blocks * 2, {"add": 5, "meet": 5, "exit": 1})


def check_persistent(run):
    """Which block got which tile is not known, but together they got them all."""
    counts = run.counts()
    assert len(counts) == 2 * len(run.anchors) > 2
    tiles = collections.Counter()
    for (_, _, _, warp), seen in counts.items():
        assert seen["fetch"] and seen["exit"], dict(seen)
        tiles[warp] += seen["tile"]
    for warp in (0, 1):
        assert 5000 <= tiles[warp] <= 5000 * 32, f"{tiles[warp]} tiles in the warps {warp}"


def check_contexts(run):
    """The first context's launches are there, and the second's are, or it is said that they are not."""
    grids = len(run.grids())
    assert grids >= 8, f"{grids} launches recorded of the first context's 8"
    for key, seen in run.counts().items():
        assert set(seen) == {"add", "again", "exit"}, f"{key}: {dict(seen)}"
    anchors = len(run.anchors)
    assert anchors in (80, 120), f"{anchors} blocks recorded"
    assert anchors == 120 or "context" in run.stderr, "the second context is not recorded, and nothing says so"


def check_threads(run):
    assert len(run.grids()) == 400, f"{len(run.grids())} launches recorded"
    the_same_everywhere(run, 400 * 3 * 2, {"add": 1, "again": 1, "exit": 1})
    assert len(run.trace.meta["launches"]) == 400, f"{len(run.trace.meta['launches'])} launches in the table"


def check_files(run):
    counts = run.counts()
    assert len(counts) == 2 * 20 * 2, f"{len(counts)} warps"
    for (kernel, *_), seen in counts.items():
        want = {"across_files": {"before": 1, "call": 1, "exit": 1}, "other_kernel": {"other": 1, "exit": 1}}
        assert dict(seen) == want[kernel], f"{kernel}: {dict(seen)}"
    want = {(k, p): 40 for k in ("across_files", "other_kernel") for p in ("triple", "plus")}
    assert dict(run.callees()) == want, dict(run.callees())


def check_constants(run):
    turns = 0
    for (kernel, *_), seen in run.counts().items():
        if kernel == "lookup":
            assert dict(seen) == {"look": 1, "store": 1, "exit": 1}, dict(seen)
        else:
            assert seen["turn"] >= 16 and seen["exit"], dict(seen)
            turns += 1
    assert turns == 32 and len(run.counts()) == 32 + 256 * 2


def run(command, folder):
    path = os.path.join(folder, "shapes2.kitrace")
    env = dict(os.environ, KINSTR_OPTIONS=f"out={path}")
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    try:
        trace = kitrace.Trace(path)
    finally:
        os.remove(path)
    assert trace.ended and not trace.meta["totals"]["dropped_records"], "cut short, or records dropped"
    return Run(trace, done.stderr)


def main():
    (shapes2, constants), prefix = map(os.path.abspath, sys.argv[1:3]), sys.argv[3:]
    checks = [(name, [shapes2, name], check) for name, check in (
        ("cluster", check_cluster), ("cooperative", check_cooperative), ("persistent", check_persistent),
        ("contexts", check_contexts), ("threads", check_threads), ("files", check_files))]
    checks.append(("constants", [constants], check_constants))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, command, check in checks:
            try:
                check(run(prefix + command, folder))
            except (AssertionError, KeyError, OSError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILED {name}: {type(error).__name__}: {error}")
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
