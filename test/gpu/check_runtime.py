# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the runtime's options do on a GPU, seen in the trace.

    check_runtime.py SHAPES GRAPH          the rewritten programs
Closes with "N passed, N failed".
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import kitrace


def run(folder, command, options=""):
    path = os.path.join(folder, "x.kitrace")
    if os.path.exists(path):
        os.remove(path)
    env = dict(os.environ, KINSTR_OPTIONS=f"out={path},{options}".rstrip(","))
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr}"
    trace = kitrace.Trace(path) if os.path.exists(path) else None
    return trace, done.stderr


def grids(trace):
    return {r.anchor.grid_id for r in trace.records if r.anchor}


def shapes(program, launches, streams, blocks=50):
    return [program, "straight", str(blocks), "1", "1", "96", "1", "1", str(launches), str(streams)]


def check_window(folder, program, streams):
    trace, _ = run(folder, shapes(program, 40, streams), "launches=3:2")
    assert len(grids(trace)) == 2, f"{len(grids(trace))} launches recorded"
    assert len(trace.meta["launches"]) == 2
    assert len([r for r in trace.records if r.anchor]) == 2 * 50, "a launch is incomplete"
    assert trace.meta["totals"]["dropped_records"] == 0


def check_window_to_the_end(folder, program, streams):
    trace, _ = run(folder, shapes(program, 40, streams), "launches=30")
    assert len(grids(trace)) == 10, f"{len(grids(trace))} launches recorded"
    assert len([r for r in trace.records if r.anchor]) == 10 * 50, "a launch is incomplete"


def check_overflow(folder, program):
    """Recorded + dropped is what was there: 4 events a warp, 3 warps a block."""
    trace, stderr = run(folder, shapes(program, 200, 2, blocks=2000), "buffer_mb=1")
    totals = trace.meta["totals"]
    assert totals["dropped_records"] > 0 and "dropped" in stderr
    assert totals["records"] + totals["dropped_records"] == 200 * 2000 * 3, totals
    assert totals["events"] + totals["dropped_events"] == 200 * 2000 * 3 * 4, totals
    assert totals["records"] == len(trace.records)
    assert totals["dropped_records"] == sum(d["records"] for d in trace.meta["dropped"])


def check_samples(folder, program):
    """Which warps recorded is known exactly; nothing else is missing, and nothing dropped."""
    trace, _ = run(folder, shapes(program, 3, 1, blocks=100), "blocks=7,warps=1:1")
    warps = {(r.block, r.warp) for r in trace.records}
    # The last of a block's three warps carries the anchor.
    assert warps == {(b, w) for b in range(0, 100, 7) for w in (1, 2)}, sorted(warps)
    assert len(grids(trace)) == 3
    assert trace.meta["totals"]["dropped_records"] == 0
    assert trace.meta["sampling"] == {"blocks": {"every": 7}, "warps": {"first": 1, "count": 1}}
    trace, _ = run(folder, shapes(program, 3, 1, blocks=500), "blocks=100:50,sms=0:8")
    blocks = {r.block for r in trace.records}
    assert blocks and blocks <= set(range(100, 150)), sorted(blocks)
    assert {r.sm for r in trace.records} <= set(range(8))


def check_grow(folder, program):
    """Launches queued at once are more than the first arena holds."""
    trace, stderr = run(folder, shapes(program, 200, 2, blocks=2000), "buffer_mb=8,overflow=grow")
    totals = trace.meta["totals"]
    expected = 200 * 2000 * 3
    print(f"    grow: {totals['records']} of {expected} records kept")
    assert totals["records"] + totals["dropped_records"] == expected, totals
    assert totals["records"] == len(trace.records) > expected * 0.9, stderr
    assert totals["events"] + totals["dropped_events"] == expected * 4, totals


def check_ring(folder, program):
    """The last launch is there, the first is not, and every record is counted."""
    trace, stderr = run(folder, shapes(program, 200, 2, blocks=2000), "buffer_mb=16,overflow=ring")
    totals = trace.meta["totals"]
    expected = 200 * 2000 * 3
    kept = sorted({r.grid_low for r in trace.records})
    print(f"    ring: {totals['records']} of {expected} records kept, of {len(kept)} launches")
    assert totals["records"] + totals["dropped_records"] == expected, totals
    assert totals["events"] + totals["dropped_events"] == expected * 4, totals
    assert totals["dropped_records"] > 0 and len(kept) < 200, stderr
    # Kept launches follow one another, without the first: the ids of a context's launches go up by
    # one, but for those of the runtime's own kernel.
    by_grid = {r.anchor.grid_id: r.anchor.time_start for r in trace.records if r.anchor}
    ids = sorted(by_grid)
    assert ids[-1] - ids[0] < len(ids) + 20, (ids[0], ids[-1], len(ids))
    per_launch = [len([r for r in trace.records if r.grid_low == g]) for g in kept[1:]]
    assert per_launch.count(2000 * 3) >= len(per_launch) - 2, per_launch


def check_host_arena(folder, program):
    trace, _ = run(folder, shapes(program, 40, 2), "arena=host")
    totals = trace.meta["totals"]
    assert totals["records"] == 40 * 50 * 3 and totals["dropped_records"] == 0, totals


def check_mark_costs(folder, program):
    trace, _ = run(folder, shapes(program, 1, 1))
    device = trace.meta["devices"][0]
    print(f"    calibration: {device.get('calibration_us')} us, {device.get('mark_costs')}")
    costs = {(c["buffer"], c["layout"]): c["cycles"] for c in device["mark_costs"]}
    assert len(costs) >= 4 and all(5 < c < 500 for c in costs.values()), costs
    assert device["calibration_us"] < 2000


def check_grid_ids(folder, program):
    """One launch after the other from one thread: identities grow with the order of the calls."""
    trace, _ = run(folder, shapes(program, 20, 2))
    by_grid = {r.anchor.grid_id: r.anchor.time_start for r in trace.records if r.anchor and r.block == 0}
    assert len(by_grid) == 20
    ids = sorted(by_grid)
    assert all(b == a + 1 for a, b in zip(ids, ids[1:])), ids
    evens, odds = ids[0::2], ids[1::2]
    for stream in (evens, odds):
        times = [by_grid[i] for i in stream]
        assert times == sorted(times), "launches of one stream are out of order"


def check_graph(folder, program):
    trace, stderr = run(folder, [program])
    # A node keeps its %gridid: two nodes of three blocks, replayed five times.
    assert len(grids(trace)) == 2, f"{len(grids(trace))} launches recorded; {stderr}"
    assert len([r for r in trace.records if r.anchor]) == 30
    assert all(launch["captured"] for launch in trace.meta["launches"])


def check_unwritable(folder, program):
    env = dict(os.environ, KINSTR_OPTIONS="out=/no/such/folder/x.kitrace")
    done = subprocess.run(shapes(program, 1, 1), env=env, capture_output=True, text=True)
    assert done.returncode == 0, "the program's exit status changed"
    assert "cannot write" in done.stderr, done.stderr


def main():
    shapes_program, graph_program = map(os.path.abspath, sys.argv[1:3])
    checks = [
        ("window, one stream", lambda f: check_window(f, shapes_program, 1)),
        ("window, two streams", lambda f: check_window(f, shapes_program, 2)),
        ("window to the end, three streams", lambda f: check_window_to_the_end(f, shapes_program, 3)),
        ("overflow", lambda f: check_overflow(f, shapes_program)),
        ("samples", lambda f: check_samples(f, shapes_program)),
        ("overflow=grow", lambda f: check_grow(f, shapes_program)),
        ("overflow=ring", lambda f: check_ring(f, shapes_program)),
        ("arena=host", lambda f: check_host_arena(f, shapes_program)),
        ("mark costs", lambda f: check_mark_costs(f, shapes_program)),
        ("grid ids", lambda f: check_grid_ids(f, shapes_program)),
        ("first launch in a capture, replays", lambda f: check_graph(f, graph_program)),
        ("unwritable trace", lambda f: check_unwritable(f, shapes_program)),
    ]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, check in checks:
            try:
                check(folder)
            except AssertionError as error:
                failed += 1
                print(f"FAILED {name}: {error}")
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
