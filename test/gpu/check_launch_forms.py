# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs rewritten copies of launch_forms.cu and looks for each launch in their traces.

    check_launch_forms.py FOLDER     holds what build-launch-forms.sh puts there
Closes with "N passed, N failed".
"""
import collections
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import kitrace

# program, what it launches, KINSTR_OPTIONS
RUNS = [
    (program, what, "attach=load" if what == "library" else "")
    for program in ("launch_forms", "launch_forms_streams", "launch_forms_rdc")
    for what in ("all", "capture", "driver", "library", "errors")
    # Linked device code registers too late for attach=load (docs/limitations.md).
    if (program, what) != ("launch_forms_rdc", "library")
] + [("launch_forms_rdc", "nested-device", "")]

Launch = collections.namedtuple("Launch", "kernel line grid block")


def dim3(text):
    return tuple(map(int, text.split("x")))


def expected(output):
    for line in output.splitlines():
        if line.startswith("launch "):
            kernel, at, grid, block = line[len("launch ") :].rsplit(" ", 3)
            yield Launch(kernel, int(at), dim3(grid), dim3(block))


def host_rows(meta):
    """The launch table as Launch: the kernel by its function, "-" for one without annotations."""
    for row in meta["launches"]:
        module = meta["modules"][row["module"]]
        line = module["launches"][row["site"]]["line"] if row["site"] >= 0 else 0
        kernel = "?"
        if row["function"] >= 0:
            function = meta["functions"][row["function"]]
            kernels = meta["modules"][function["module"]]["kernels"]
            kernel = kernels[function["kernel"]]["name"] if function["kernel"] >= 0 else "-"
            if function["registers"] <= 0 or not function["name"] or row["blocks_per_sm"] <= 0:
                kernel += " without attributes"
        yield Launch(kernel, line, tuple(row["grid"]), tuple(row["block"]))


def device_launches(trace):
    """{(kernel, grid, block): number of blocks}"""
    blocks = collections.Counter()
    for r in trace.records:
        if r.anchor:
            a = r.anchor
            name = trace.meta["modules"][a.module]["kernels"][a.kernel]["name"]
            blocks[name, a.grid, a.block] += 1
    return blocks


def check(trace, launches):
    """Yields what is wrong."""
    if not trace.ended or trace.meta["totals"]["dropped_records"]:
        yield "no end section, or records dropped"
    if not launches:
        yield "the program launched nothing"
    rows = collections.Counter(host_rows(trace.meta))
    blocks = device_launches(trace)
    for l in launches:
        wanted = 0 if l.line < 0 else 1
        if wanted and rows[l] != 1:
            near = [r for r in rows if r.grid == l.grid and r.block == l.block]
            yield f"{l}: {rows[l]} rows in the host's table; of that shape: {near}"
        count = l.grid[0] * l.grid[1] * l.grid[2]
        if l.kernel != "-" and blocks[l.kernel, l.grid, l.block] != count:
            yield f"{l}: {blocks[l.kernel, l.grid, l.block]} blocks on the device"


def run(program, what, options, folder):
    path = os.path.join(folder, "forms.kitrace")
    env = dict(os.environ, KINSTR_OPTIONS=f"out={path},{options}")
    done = subprocess.run([program, what], env=env, capture_output=True, text=True)
    if done.returncode != 0:
        return [f"exit status {done.returncode}\n{done.stdout}{done.stderr}"]
    try:
        return list(check(kitrace.Trace(path), list(expected(done.stdout))))
    finally:
        os.remove(path)


def main():
    build = sys.argv[1]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for program, what, options in RUNS:
            wrong = run(os.path.abspath(os.path.join(build, program)), what, options, folder)
            passed += not wrong
            failed += bool(wrong)
            for text in wrong:
                print("FAILED", program, what, ":", text)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
