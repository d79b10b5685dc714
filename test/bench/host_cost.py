# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tracing costs the host: time of a launch call, and how fast a full arena becomes a file.

    host_cost.py build DIR                          needs kinstr and nvcc; writes the programs to DIR
    host_cost.py run DIR [-o RESULT.json] [--rounds N]      needs DIR and a GPU

Variants take turns. Launches: the median over the rounds of each variant's median ns for a launch
call; the difference to "untraced" is what kinstr adds. Drain: bytes of the file by the time that
kinstr_flush() takes, the emptying of the arena included.
"""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "host_cost.cu")
LAUNCHES = 100000
VARIANTS = [
    # name, program, KINSTR_OPTIONS, streams
    ("untraced", "untraced", "", 1),
    ("untraced again", "untraced", "", 1),
    ("traced", "traced", "", 1),
    ("traced, four streams", "traced", "", 4),
    ("not selected", "traced", "launches=1000000000", 1),
    ("blocks=16", "traced", "blocks=16", 1),
    ("overflow=grow", "traced", "overflow=grow", 1),
    ("overflow=ring", "traced", "overflow=ring,buffer_mb=16", 1),
    ("arena=host", "traced", "arena=host", 1),
]
TARGET_NS, TARGET_GB = 20000, 1.0


def build(folder, arch, kinstr="kinstr"):
    os.makedirs(folder, exist_ok=True)
    path = lambda name: os.path.join(folder, name)
    nvcc = ["nvcc", "-std=c++17", "-O3", f"-arch={arch}"]
    flags = subprocess.run([kinstr, "--nvcc-flags"], check=True, capture_output=True, text=True)
    flags = flags.stdout.split()
    include = [f for f in flags if f.startswith("-I")]
    command = [kinstr, SOURCE, "-o", path("traced.cu"), f"-arch={arch}", *include]
    subprocess.run(command, check=True)
    subprocess.run([*nvcc, path("traced.cu"), *flags, "-o", path("traced")], check=True)
    subprocess.run([*nvcc, "-DKINSTR_OFF", SOURCE, "-o", path("untraced")], check=True)


def run_program(folder, program, options, *arguments):
    env = dict(os.environ, KINSTR_OPTIONS=options)
    done = subprocess.run(
        [os.path.join(folder, program), *arguments], env=env, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{program} {options}: exit status {done.returncode}: {done.stderr}")
    return done.stdout.split(), done.stderr


def measure_launches(folder, rounds):
    taken = {name: [] for name, *_ in VARIANTS}
    for _ in range(rounds):
        for name, program, options, streams in VARIANTS:
            options = ",".join(filter(None, ["out=/dev/null", options]))
            words, _ = run_program(folder, program, options, "launches", str(LAUNCHES), str(streams))
            taken[name].append([float(w) for w in words])
    return {
        name: [statistics.median(row[i] for row in rows) for i in range(3)]
        for name, rows in taken.items()
    }


def measure_drain(folder, rounds):
    rates = {}
    for where in (folder, "/dev/shm"):
        path = os.path.join(where, "drain.kitrace")
        for _ in range(rounds):
            words, stderr = run_program(folder, "traced", f"out={path}", "drain")
            assert words[0] == "0", stderr
            rates.setdefault(where, []).append(os.path.getsize(path) / float(words[1]) / 1e9)
        size = os.path.getsize(path)
        os.remove(path)
    return {where: (statistics.median(r), min(r), max(r)) for where, r in rates.items()}, size


def machine():
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu = subprocess.run(query, capture_output=True, text=True).stdout.strip().split("\n")[0]
    return {"gpu": gpu, "cores": os.cpu_count(), "date": datetime.date.today().isoformat()}


def run(folder, rounds):
    """Measures and prints; returns what was measured."""
    result = {"launches": LAUNCHES}
    calls = result["launch_ns"] = measure_launches(folder, rounds)
    base = calls["untraced"][0]
    print(f"{'host time of a launch [ns]':28} {'median':>8} {'p95':>8} {'worst':>8} {'added':>8}")
    for name, (median, p95, worst) in calls.items():
        print(f"{name:28} {median:8.0f} {p95:8.0f} {worst:8.0f} {median - base:8.0f}")
    rates, size = measure_drain(folder, rounds)
    result["drain_gb_per_s"], result["drain_bytes"] = rates, size
    print(f"drain of {size / 1e6:.0f} MB [GB/s]       median      min      max")
    for where, (median, least, most) in rates.items():
        print(f"{where:28} {median:8.2f} {least:8.2f} {most:8.2f}")
    met = calls["traced"][0] <= TARGET_NS and max(r[0] for r in rates.values()) >= TARGET_GB
    result["verdict"] = "met" if met else "missed"
    print(f"targets (20 us a launch, 1 GB/s): {result['verdict']}", flush=True)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=["build", "run"])
    parser.add_argument("folder")
    parser.add_argument("-o", "--output")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.action == "build":
        return build(options.folder, options.arch)

    about = machine()
    print(about)
    result = {"machine": about, **run(options.folder, options.rounds)}
    if options.output:
        with open(options.output, "w") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
