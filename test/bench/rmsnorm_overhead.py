# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traced against untraced time of the RMSNorm sample, all variants in one run.

    rmsnorm_overhead.py build DIR      needs kinstr and nvcc; writes the programs to DIR
    rmsnorm_overhead.py run DIR [-o RESULT.json] [--rounds N]      needs DIR and a GPU

The variants take turns, round after round; each turn is a process that reports the median of its
launches. A ratio is the median over the rounds of (variant / untraced in the same round), with the
5th and 95th percentile of those. "untraced again" is the A/A control.
"""
import argparse
import datetime
import json
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, "..", "..", "samples", "rmsnorm", "rmsnorm.cu")
VARIANTS = [
    # name, program, KINSTR_OPTIONS
    ("untraced", "rmsnorm", None),
    ("untraced again", "rmsnorm", None),
    ("kinstr, shared", "rmsnorm-shared", "out=/dev/null,buffer_mb=8192"),
    ("kinstr, lanes", "rmsnorm-lanes", "out=/dev/null,buffer_mb=8192"),
    ("kinstr, global", "rmsnorm-global", "out=/dev/null,buffer_mb=8192"),
    ("kinstr, shared, blocks=16", "rmsnorm-shared", "out=/dev/null,buffer_mb=8192,blocks=16"),
    ("kinstr, built in, off", "rmsnorm-shared", "out=/dev/null,launches=1000000000"),
    ("article's scheme", "rmsnorm-article", None),
]
ROWS = [432, 4096, 16384]


def build(folder, arch):
    os.makedirs(folder, exist_ok=True)
    nvcc = ["nvcc", "-std=c++17", "-O3", f"-arch={arch}"]
    path = lambda name: os.path.join(folder, name)
    subprocess.run([*nvcc, SAMPLE, "-o", path("rmsnorm")], check=True)
    flags = subprocess.run(["kinstr", "--nvcc-flags"], check=True, capture_output=True, text=True)
    for buffer in ("shared", "lanes", "global"):
        source = path(f"rmsnorm-{buffer}.cu")
        command = ["kinstr", SAMPLE, "-o", source, f"--buffer={buffer}", f"-arch={arch}"]
        subprocess.run(command, check=True)
        program = path(f"rmsnorm-{buffer}")
        subprocess.run([*nvcc, source, *flags.stdout.split(), "-o", program], check=True)
    article = ["-I", os.path.join(HERE, "article")]
    source = path("rmsnorm-shared.cu")
    subprocess.run([*nvcc, *article, source, "-o", path("rmsnorm-article")], check=True)


def microseconds(folder, program, options, rows):
    env = dict(os.environ)
    if options:
        env["KINSTR_OPTIONS"] = options
    command = [os.path.join(folder, program), "--rows", str(rows), "--hidden", "5120"]
    command += ["--warmup", "5", "--repeat", "60", "--check", "off"]
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    return float(re.search(r": ([0-9.]+) us", done.stdout).group(1))


def percentile(values, p):
    values = sorted(values)
    return values[min(len(values) - 1, round(p * (len(values) - 1)))]


def measure(folder, rounds):
    results = []
    for rows in ROWS:
        times = {name: [] for name, _, _ in VARIANTS}
        for _ in range(rounds):
            for name, program, options in VARIANTS:
                times[name].append(microseconds(folder, program, options, rows))
        base = times["untraced"]
        for name, values in times.items():
            ratios = [v / b for v, b in zip(values, base)]
            results.append(
                {
                    "rows": rows,
                    "variant": name,
                    "us": round(statistics.median(values), 2),
                    "ratio": round(statistics.median(ratios), 4),
                    "p5": round(percentile(ratios, 0.05), 4),
                    "p95": round(percentile(ratios, 0.95), 4),
                }
            )
    return results


def machine():
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()[0].split(", ")
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    return {"gpu": gpu, "driver": driver, "date": date}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("action", choices=["build", "run"])
    parser.add_argument("folder")
    parser.add_argument("-o", metavar="RESULT.json")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--arch", default="sm_90")
    args = parser.parse_args()
    if args.action == "build":
        build(args.folder, args.arch)
        return 0
    result = {"machine": machine(), "rounds": args.rounds, "results": measure(args.folder, args.rounds)}
    print("{gpu}, driver {driver}, {date}".format(**result["machine"]))
    print(f"{'rows':>6}  {'variant':<26} {'time [us]':>9}  {'ratio':>6}  p5..p95")
    for r in result["results"]:
        print(f"{r['rows']:>6}  {r['variant']:<26} {r['us']:>9.2f}  {r['ratio']:>6.3f}  {r['p5']:.3f}..{r['p95']:.3f}")
    if args.o:
        with open(args.o, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
