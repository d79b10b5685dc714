# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a rewritten shapes.cu on many launch shapes and checks each trace, event by event.

    check_shapes.py PROGRAM [PREFIX...]     PREFIX: a command to run the program under, such as
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

ITERATIONS = 50
BLOCKS = [(1, 1, 1), (31, 1, 1), (33, 1, 1), (96, 1, 1), (1024, 1, 1), (5, 7, 3), (16, 16, 2)]
KERNELS = ["straight", "early_blocks", "looped", "early_lanes", "branchy"]


def cases(quick):
    for kernel in KERNELS:
        for block in [(33, 1, 1), (128, 1, 1)] if quick else BLOCKS:
            yield kernel, (7, 1, 1), block, 1, 1
        yield kernel, (5, 3, 2), (64, 1, 1), 1, 1
        yield kernel, (300, 1, 1), (96, 1, 1), 40, 2
    yield "mixed", (20, 1, 1), (96, 1, 1), 25, 1
    yield "mixed", (20, 1, 1), (65, 1, 1), 24, 3
    if not quick:
        yield "straight", (70000, 1, 1), (32, 1, 1), 1, 1
        yield "straight", (3, 200, 110), (32, 1, 1), 1, 1


def lanes(block, warp):
    return min(32, block[0] * block[1] * block[2] - 32 * warp)


def expected_sites(kernel, grid, block, index, warp):
    """{site: how often} for one warp; a pair (least, most) where lanes decide how they group."""
    n = lanes(block, warp)
    exit_once = {kitrace.EXIT: (1, 1)}
    if kernel == "straight":
        return {0: (1, 1), 1: (1, 1), 2: (1, 1), **exit_once}
    if kernel == "early_blocks":
        leaves = index % grid[0] % 2 == 1
        return {0: (1, 1), **({} if leaves else {1: (1, 1)}), **exit_once}
    if kernel == "looped":
        return {0: (ITERATIONS,) * 2, 1: (ITERATIONS,) * 2, **exit_once}
    if kernel == "early_lanes":
        out = {0: (1, n), kitrace.EXIT: (1, n)}
        if n > 1:
            out[1] = (1, n)
        if n > 2:
            out[2] = (1, n)
        return out
    out = {0: (1, n), kitrace.EXIT: (1, n), 2: (ITERATIONS, ITERATIONS * n)}
    if n > 16:
        out[1] = (ITERATIONS, ITERATIONS * n)
    return out


def check(trace, kernel, grid, block, launches):
    """Returns what is wrong, or None."""
    blocks = grid[0] * grid[1] * grid[2]
    warps = (block[0] * block[1] * block[2] + 31) // 32
    anchors = [r for r in trace.records if r.anchor]
    grids = collections.Counter(r.anchor.grid_id for r in anchors)
    if not trace.ended or trace.meta["totals"]["dropped_records"]:
        return "no end section, or records dropped"
    if len(grids) != launches or set(grids.values()) != {blocks}:
        return f"{len(grids)} launches with {sorted(set(grids.values()))} blocks"
    for r in anchors:
        a = r.anchor
        if a.grid != grid or a.block != block:
            return f"anchor says grid {a.grid}, block {a.block}"
        if a.time_end < a.time_start or a.clock_end <= a.clock_start:
            return "an anchor ends before it starts"
    if len(trace.meta["launches"]) != launches:
        return f"{len(trace.meta['launches'])} launches in the host's table"
    kernel_of = {r.anchor.grid_id & 0xFFFF: KERNELS[r.anchor.kernel] for r in anchors}
    seen = trace.warps()
    if len(seen) != launches * blocks * warps:
        return f"{len(seen)} warps, expected {launches * blocks * warps}"
    for (grid_low, index, warp), events in seen.items():
        counts = collections.Counter(site for site, _ in events)
        want = expected_sites(kernel_of[grid_low], grid, block, index, warp)
        if set(counts) != set(want):
            return f"block {index}, warp {warp}: sites {sorted(counts)}, expected {sorted(want)}"
        for site, (least, most) in want.items():
            if not least <= counts[site] <= most:
                return f"block {index}, warp {warp}, site {site}: {counts[site]} events"
    return None


def run(program, prefix, case, folder):
    kernel, grid, block, launches, streams = case
    path = os.path.join(folder, "shapes.kitrace")
    command = prefix + [program, kernel, *map(str, grid), *map(str, block), str(launches), str(streams)]
    env = dict(os.environ, KINSTR_OPTIONS=f"out={path}")
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    try:
        return check(kitrace.Trace(path), kernel, grid, block, launches)
    finally:
        os.remove(path)


def main():
    program, prefix = sys.argv[1], sys.argv[2:]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(quick=bool(prefix)):
            wrong = run(os.path.abspath(program), prefix, case, folder)
            if wrong:
                failed += 1
                print("FAILED", *case, ":", wrong)
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
