# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a rewritten shapes2.cu, and constants.cu, and counts the events of every warp.

    check_shapes2.py SHAPES2 CONSTANTS [PREFIX...]     PREFIX: a command to run the programs under, such as
                                                       compute-sanitizer --tool memcheck --error-exitcode 1
    check_shapes2.py SHAPES2 CONSTANTS --sanitizer TOOL --control SHAPES2 CONSTANTS
                                                       the same under compute-sanitizer --tool TOOL; it fails
                                                       where the tool finds what it does not find in the
                                                       control, the programs built with -DKINSTR_OFF
Closes with "N passed, N failed". What this machine has not got is skipped, and why is said.
"""
import collections
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import kitrace
import sanitizer

SKIPPED = 77  # exit status of shapes2


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
    """Each context's launches are there, also those of the one that was destroyed. Contexts count grids
    each for themselves, so warps are told apart by their context."""
    assert [(d["index"], d["context"]) for d in run.trace.meta["devices"]] == [(0, 0), (0, 1), (0, 2)]
    launches = {0: 3 + 5, 1: 4, 2: 2}
    listed = collections.Counter(l["device"] for l in run.trace.meta["launches"])
    assert dict(listed) == launches, f"launches in the table, by context: {dict(listed)}"
    warps = collections.Counter()
    for r in run.trace.records:
        assert [site for site, _ in r.events] == [0, 1, kitrace.EXIT], r
        warps[r.device, r.grid_low] += 1
    grids = collections.Counter(device for device, _ in warps)
    assert dict(grids) == launches, f"launches recorded, by context: {dict(grids)}; {run.stderr}"
    assert set(warps.values()) == {10 * 2}, f"warps by context and launch: {dict(warps)}"


def check_devices(run):
    """Every SM of both devices has blocks, under its own device."""
    devices = run.trace.meta["devices"]
    assert [d["index"] for d in devices] == [0, 1], devices
    for position, device in enumerate(devices):
        records = [r for r in run.trace.records if r.device == position]
        assert all([site for site, _ in r.events] == [0, 1, kitrace.EXIT] for r in records)
        blocks = [r for r in records if r.anchor]
        assert len(blocks) == 5 * 8 * device["sm_count"], f"device {position}: {len(blocks)} blocks"
        sms = {r.sm for r in blocks}
        assert sms == set(range(device["sm_count"])), f"device {position}: {len(sms)} SMs"
    listed = collections.Counter(l["device"] for l in run.trace.meta["launches"])
    assert dict(listed) == {0: 5, 1: 5}, f"launches in the table, by device: {dict(listed)}"


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


class Skipped(Exception):
    """Not on this machine."""


def run(command, folder):
    """The trace, and the finished run."""
    path = os.path.join(folder, "shapes2.kitrace")
    env = dict(os.environ, KINSTR_OPTIONS=f"out={path}")
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
    if done.returncode == SKIPPED:
        raise Skipped(done.stdout.strip())
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    try:
        trace = kitrace.Trace(path)
    finally:
        os.remove(path)
    assert trace.ended and not trace.meta["totals"]["dropped_records"], "cut short, or records dropped"
    return Run(trace, done.stderr), done


def compare_with_control(options, name, done):
    """The control has the programs in the same order."""
    program = os.path.abspath(options.control[name == "constants"])
    new = sanitizer.compare(name, sanitizer.of_run(done), sanitizer.control(options.sanitizer, [program, name]))
    assert not new, "\n    ".join(["not in the control:", *new])


CHECKS = {
    "cluster": check_cluster, "cooperative": check_cooperative, "persistent": check_persistent,
    "contexts": check_contexts, "threads": check_threads, "files": check_files, "devices": check_devices,
    "constants": check_constants,
}  # fmt: skip


def main():
    options, rest = sanitizer.arguments(sys.argv[1:])
    (shapes2, constants), prefix = map(os.path.abspath, rest[:2]), rest[2:]
    if options.sanitizer:
        prefix = sanitizer.prefix(options.sanitizer)
    failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, check in CHECKS.items():
            try:
                trace, done = run(prefix + [constants if name == "constants" else shapes2, name], folder)
                check(trace)
                if options.sanitizer:
                    compare_with_control(options, name, done)
            except Skipped as reason:
                skipped += 1
                print(f"SKIPPED {name}: {reason}")
            except (AssertionError, KeyError, OSError, subprocess.TimeoutExpired, sanitizer.NoAnswer) as error:
                failed += 1
                print(f"FAILED {name}: {type(error).__name__}: {error}")
    print(f"{len(CHECKS) - failed - skipped} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
