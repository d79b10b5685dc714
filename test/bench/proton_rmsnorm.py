# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton's Proton costs on an RMSNorm like the sample (proton_worker.py): kernel time by ncu.

    proton_rmsnorm.py [--json FILE] [--rows N,...] [--rounds N]

Needs a GPU, ncu that may read it, and a Python with PyTorch and a Triton that has Proton's
instrumentation backend (3.4 or later). ncu evicts the caches before each launch and leaves the clocks alone.
Proton copies and decodes after each launch, on the host: that is not in these figures.
"outside" is the plain kernel before Proton was started; the ratios are to those that ran beside the kernel
with scopes.
"""
from __future__ import annotations

import argparse
import collections
import csv
import dataclasses
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

from paired import estimate, ratios

HERE = os.path.dirname(os.path.abspath(__file__))
WORKER = os.path.join(HERE, "proton_worker.py")
MODES = {"shared": ("shared", ""), "shared, clock32": ("shared", "clock32")}
ROWS = ("432", "4096")
ROUNDS = 12
WARM_UP = 2
METRIC = "gpu__time_duration.sum"
NANOSECONDS = {"ns": 1, "nsecond": 1, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6}


class Unavailable(Exception):
    """Something that is needed is not here; says what."""


def find_ncu() -> str:
    installed = sorted(glob.glob("/usr/local/cuda*/bin/ncu") + glob.glob("/opt/nvidia/nsight-compute/*/ncu"))
    ncu = shutil.which("ncu") or next(reversed(installed), None)
    if ncu is None:
        raise Unavailable("no ncu")
    return ncu


def check_triton() -> str:
    """The versions; raises Unavailable."""
    script = (
        "import torch, triton, triton.profiler as p, triton.profiler.language as l\n"
        "p.mode.Default, l.enter_scope\n"
        "print('torch', torch.__version__, 'triton', triton.__version__, 'GPU', torch.cuda.is_available())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    if done.returncode != 0:
        raise Unavailable(f"no Triton with Proton's instrumentation: {last_line(done.stderr)}")
    versions = done.stdout.strip()
    if versions.endswith("False"):
        raise Unavailable(f"PyTorch sees no GPU ({versions})")
    return versions


def last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "no message")


def read_times(text: str) -> dict[tuple[str, str], list[float]]:
    """{(kernel, rows): [ns], in the order of the launches} of ncu's CSV."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        raise Unavailable(f"ncu measured nothing: {last_line(text)}")
    times = collections.defaultdict(list)
    for row in csv.DictReader(lines[begin:]):
        if row.get("Metric Name") == METRIC:
            rows = row["Grid Size"].strip("()").split(",")[0].strip()
            value = float(row["Metric Value"].replace(",", ""))
            times[row["Kernel Name"].split("(")[0], rows].append(value * NANOSECONDS[row["Metric Unit"]])
    return times


def run_under_ncu(ncu: str, mode: tuple[str, str], rows: tuple[str, ...], rounds: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "ncu.csv")
        command = [ncu, "--csv", "--log-file", log, "--clock-control", "none", "--cache-control", "all"]
        command += ["--print-units", "base", "--metrics", METRIC, "--kernel-name", "regex:^rmsnorm_"]
        command += [sys.executable, WORKER, *mode, str(rounds), str(WARM_UP), *rows]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        except subprocess.TimeoutExpired as error:
            raise Unavailable("more than 240 s") from error
        text = ""
        if os.path.exists(log):
            with open(log, encoding="utf-8") as file:
                text = file.read()
        if done.returncode != 0:
            raise Unavailable(f"exit status {done.returncode}: {last_line(done.stderr or done.stdout or text)}")
        return text


@dataclasses.dataclass(frozen=True)
class Result:
    mode: str
    rows: str
    outside_us: float
    plain_us: float
    again: dict[str, float]  # the A/A control: median, lower and upper bound of the ratio
    proton: dict[str, float]


def results_of(mode: str, rows: str, times: dict[tuple[str, str], list[float]], rounds: int) -> Result:
    each = WARM_UP + rounds
    plain, again, scopes = (times[f"rmsnorm_{name}", rows] for name in ("plain", "again", "scopes"))
    if len(plain) != 2 * each or len(again) != each or len(scopes) < each:
        raise Unavailable(f"ncu saw {len(plain)}, {len(again)} and {len(scopes)} launches at {rows} rows")
    outside, plain = plain[WARM_UP:each], plain[each + WARM_UP :]
    compare = lambda values: dataclasses.asdict(estimate(ratios(values[WARM_UP:each], plain)))
    microseconds = lambda values: estimate(values).median / 1e3
    return Result(mode, rows, microseconds(outside), microseconds(plain), compare(again), compare(scopes))


def print_result(r: Result) -> None:
    say = lambda e: f"{e['median']:.3f} ({e['lower']:.3f}..{e['upper']:.3f})"
    print(
        f"{r.mode:<18} {r.rows:>6} {r.outside_us:>10.2f} {r.plain_us:>10.2f}  {say(r.again):<22} {say(r.proton)}",
        flush=True,
    )


def measure(rows: tuple[str, ...] = ROWS, rounds: int = ROUNDS) -> dict:
    """Prints each result when it is known; returns them all. Raises Unavailable where there are none."""
    ncu = find_ncu()
    versions = check_triton()
    print(f"proton: {versions}, {ncu}")
    print(f"{'Proton buffer':<18} {'rows':>6} {'outside us':>10} {'plain us':>10}  {'plain again':<22} with scopes")
    results, problems = [], {}
    for mode, arguments in MODES.items():
        try:
            times = read_times(run_under_ncu(ncu, arguments, rows, rounds))
            for r in rows:
                results.append(results_of(mode, r, times, rounds))
                print_result(results[-1])
        except Unavailable as reason:
            problems[mode] = str(reason)
            print(f"{mode:<18} not measured: {reason}", flush=True)
    if not results:
        raise Unavailable("; ".join(problems.values()))
    return {"versions": versions, "results": [dataclasses.asdict(r) for r in results], "problems": problems}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--rows", default=",".join(ROWS), metavar="N,...")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N")
    args = parser.parse_args()
    try:
        result = measure(tuple(args.rows.split(",")), args.rounds)
    except Unavailable as reason:
        print(f"proton_rmsnorm.py: {reason}", file=sys.stderr)
        return 1
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
