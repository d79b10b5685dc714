# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a rewritten exits.cu, kernel by kernel, and counts the events of every warp.

    check_exits.py PROGRAM [PREFIX...]      PREFIX: a command to run the program under, such as
                                            compute-sanitizer --tool memcheck --error-exitcode 1
    check_exits.py PROGRAM --sanitizer TOOL --control PROGRAM
                                            the same under compute-sanitizer --tool TOOL; it fails where the
                                            tool finds what it does not find in the control, the program
                                            built with -DKINSTR_OFF
Closes with "N passed, N failed".
"""
import collections
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import kitrace
import sanitizer

BLOCKS, WARPS, TILES = 40, 8, 24  # exits.cu


def expected(kernel, warp):
    """{phase or "exit": (least, most)} for one warp: how often depends on how its lanes group."""
    once = (1, 1)
    tiles = (TILES, TILES)
    if kernel == "lane_by_lane":
        return {"turn": (32, 32 * 33 // 2), "exit": (1, 32)}
    if kernel == "warps_leave":
        rest = {} if warp % 2 == 1 else {"work": once, "barrier": once, "last": once}
        return {"first": once, **rest, "exit": once}
    if kernel == "lanes_leave":
        return {"first": (1, 32), "work": (1, 16), "barrier": (1, 16), "last": (1, 16), "exit": (1, 32)}
    if kernel == "branches":
        return {"before": (1, 32), "odd": (1, 16), "third": (1, 8), "even": (1, 16), "zero": (1, 8),
                "one": (1, 8), "others": (1, 16), "after": (1, 32), "exit": (1, 32)}
    if kernel == "named_barriers":
        names = ("wait_free", "fill", "say_full") if warp < 4 else ("wait_full", "empty", "say_free")
        return {**{name: tiles for name in names}, "exit": once}
    if kernel == "set_registers":
        if warp < 4:
            return {"produce": once, "fill": tiles, "exit": once}
        return {"consume": once, "wait_full": tiles, "empty": tiles, "exit": once}
    return {"first": (1, 32), "second": (1, 32), "exit": (1, 32)}  # quits


KERNELS = ["lane_by_lane", "warps_leave", "lanes_leave", "branches", "named_barriers", "set_registers", "quits"]


def check(trace, kernel):
    """Returns what is wrong, or None."""
    anchors = [r for r in trace.records if r.anchor]
    if not trace.ended or trace.meta["totals"]["dropped_records"]:
        return "no end section, or records dropped"
    if sorted(r.block for r in anchors) != list(range(BLOCKS)):
        twice = [(r.block, r.warp, r.anchor) for r in anchors if [a.block for a in anchors].count(r.block) > 1]
        return f"anchors of {len({r.block for r in anchors})} blocks, of some twice: {twice[:4]}"
    tables = trace.meta["modules"][anchors[0].anchor.module]["kernels"][anchors[0].anchor.kernel]
    if tables["name"] != kernel:
        return f"the anchors are of {tables['name']}"
    name = lambda site: "exit" if site == kitrace.EXIT else tables["sites"][site]["name"]
    seen = {key[1:]: events for key, events in trace.warps().items()}
    for block in range(BLOCKS):
        for warp in range(WARPS):
            counts = collections.Counter(name(site) for site, _ in seen.get((block, warp), []))
            want = expected(kernel, warp)
            if kernel == "quits" and warp == 3:  # leaves no end, and perhaps nothing
                if set(counts) - {"first"}:
                    return f"block {block}: the warp that quits left {dict(counts)}"
                continue
            if set(counts) != set(want):
                return f"block {block}, warp {warp}: {dict(counts)}, expected {want}"
            for phase, (least, most) in want.items():
                if not least <= counts[phase] <= most:
                    return f"block {block}, warp {warp}: {counts[phase]} times {phase}, expected {want[phase]}"
    return None


def run(program, prefix, options, kernel, folder):
    """Returns what is wrong, or None."""
    path = os.path.join(folder, "exits.kitrace")
    env = dict(os.environ, KINSTR_OPTIONS=f"out={path}")
    done = subprocess.run(prefix + [program, kernel], env=env, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        return f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    try:
        wrong = check(kitrace.Trace(path), kernel)
    finally:
        os.remove(path)
    if options.sanitizer and not wrong:
        control = sanitizer.control(options.sanitizer, [os.path.abspath(options.control[0]), kernel])
        new = sanitizer.compare(kernel, sanitizer.of_run(done), control)
        wrong = "\n    ".join(["not in the control:", *new]) if new else None
    return wrong


def main():
    options, rest = sanitizer.arguments(sys.argv[1:])
    program, prefix = os.path.abspath(rest[0]), rest[1:]
    if options.sanitizer:
        prefix = sanitizer.prefix(options.sanitizer)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for kernel in KERNELS:
            try:
                wrong = run(program, prefix, options, kernel, folder)
            except (AssertionError, OSError, sanitizer.NoAnswer, subprocess.TimeoutExpired) as error:
                wrong = f"{type(error).__name__}: {error}"
            if wrong:
                failed += 1
                print(f"FAILED {kernel}: {wrong}")
    print(f"{len(KERNELS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
