# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The trace after a hang or trap, with KINSTR_OPTIONS=arena=host.

    check_hang.py GLOBAL SHARED            hang.cu, rewritten with either buffer
Closes with "N passed, N failed".
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import kitrace

BLOCKS, WARPS = 6, 4
LOAD, WAIT, FALL = 0, 1, 2


def run(folder, program, mode, options="arena=host", send=None):
    """Returns the trace (None: there is no file), the exit status and what was said."""
    path = os.path.join(folder, "x.kitrace")
    if os.path.exists(path):
        os.remove(path)
    env = dict(os.environ, KINSTR_OPTIONS=f"out={path},{options}")
    process = subprocess.Popen(
        [program, mode], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begun\n", process.stderr.read()
    began = time.monotonic()
    if send is not None:
        process.send_signal(send)
    try:
        stderr = process.communicate(timeout=60)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError("the program did not end: " + process.communicate()[1])
    print(f"    {mode} {send}: ended after {time.monotonic() - began:.2f} s, status {process.returncode}")
    trace = kitrace.Trace(path) if os.path.exists(path) else None
    return trace, process.returncode, stderr


def events_of_hang(trace):
    """{(block, warp): its events} of the kernel that does not end."""
    grids = sorted({r.grid_low for r in trace.records})
    assert len(grids) == 2, f"{len(grids)} launches recorded"
    return {w[1:]: events for w, events in trace.warps().items() if w[0] == grids[1]}


def last_sites(trace):
    """{(block, warp): site of its last event}, likewise."""
    return {w: max(e, key=lambda e: e[1])[0] for w, e in events_of_hang(trace).items() if e}


def check_complete(trace, stderr, mode):
    falls = mode != "deadlock"
    assert trace is not None and trace.ended, "no trace: " + stderr
    first = min(r.grid_low for r in trace.records)
    whole = [w for w in trace.warps().items() if w[0][0] == first]
    assert len(whole) == 2 * WARPS, f"the launch before: {len(whole)} warps"
    assert all([site for site, _ in events] == [0, kitrace.EXIT] for _, events in whole)
    expected = {(b, w): WAIT if falls or b == 1 else kitrace.EXIT for b in range(BLOCKS) for w in range(WARPS)}
    if falls:
        expected[1, 0] = FALL
    last = last_sites(trace)
    # An illegal store is reported late: the warp may have left meanwhile.
    late = {(1, 0)} if mode == "illegal" and last.get((1, 0)) == kitrace.EXIT else set()
    wrong = {w: (last.get(w), site) for w, site in expected.items() if last.get(w) != site and w not in late}
    events = events_of_hang(trace)
    assert not wrong, "\n".join(
        [f"{len(wrong)} warps; {stderr}"]
        + [f"  (block, warp) {w}: last {a}, expected {b}; events {events.get(w)}" for w, (a, b) in wrong.items()]
    )


def check_signal(folder, program, number):
    trace, status, stderr = run(folder, program, "deadlock", send=number)
    assert status == -number, f"exit status {status}: {stderr}"
    check_complete(trace, stderr, "deadlock")


def check_error(folder, program, mode, expected_status):
    trace, status, stderr = run(folder, program, mode)
    assert status == expected_status, f"exit status {status}: {stderr}"
    check_complete(trace, stderr, mode)


def check_shared(folder, program):
    """What is kept in shared memory is lost, and that was said at the start."""
    trace, status, stderr = run(folder, program, "deadlock", send=signal.SIGTERM)
    assert status == -signal.SIGTERM and trace.ended
    assert "a hang or trap loses" in stderr, stderr
    last = last_sites(trace)
    assert sorted({block for block, _ in last}) == [b for b in range(BLOCKS) if b != 1], last
    assert set(last.values()) == {kitrace.EXIT}, last


def check_device(folder, program):
    """Without arena=host signals are the program's alone."""
    trace, status, stderr = run(folder, program, "deadlock", "arena=device", send=signal.SIGTERM)
    assert status == -signal.SIGTERM and trace is None and "signal" not in stderr, stderr


def check_ring(folder, program):
    trace, status, stderr = run(
        folder, program, "deadlock", "arena=host,overflow=ring", send=signal.SIGINT
    )
    assert status == -signal.SIGINT
    check_complete(trace, stderr, "deadlock")


def main():
    in_global, in_shared = map(os.path.abspath, sys.argv[1:3])
    checks = [
        ("SIGINT during a deadlock", lambda f: check_signal(f, in_global, signal.SIGINT)),
        ("SIGTERM during a deadlock", lambda f: check_signal(f, in_global, signal.SIGTERM)),
        ("trap", lambda f: check_error(f, in_global, "trap", 3)),
        ("illegal access", lambda f: check_error(f, in_global, "illegal", 3)),
        ("trap, then abort", lambda f: check_error(f, in_global, "abort", -signal.SIGABRT)),
        ("shared", lambda f: check_shared(f, in_shared)),
        ("arena on the device", lambda f: check_device(f, in_global)),
        ("ring on the host", lambda f: check_ring(f, in_global)),
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
