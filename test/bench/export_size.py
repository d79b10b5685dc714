#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""export_size.py [TRACE]: bytes and time a span of each export, beside JSON as Triton's Proton writes it.

The latter has the members that Proton gives each span of its Chrome trace (third_party/proton, TraceWriter.cpp),
filled from the CSV file. Its time is Python's. Without TRACE: of the sample's recorded one.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
report = os.path.join(root, "build", "bin", "kinstr-report")
sample = os.path.join(root, "samples", "rmsnorm", "h200-432x5120.kitrace")


def proton_json(rows, path):
    events = [
        {
            "cname": "cq_build_passed",
            "name": r["phase"],
            "cat": r["kernel"],
            "ph": "X",
            "ts": int(r["begin_ns"] or 0) / 1000,
            "dur": (int(r["end_ns"] or 0) - int(r["begin_ns"] or 0)) / 1000,
            "pid": f"{r['kernel']} Core{r['sm']} CTA{r['block']}",
            "tid": f"warp {r['warp']} (line {r['depth']})",
            "args": {
                "Init Time (ns)": 0,
                "Post Final Time (ns)": 0,
                "Finalization Time (ns)": 0,
                "Frequency (MHz)": 1000.0,
                "call_stack": [],
            },
        }
        for r in rows
    ]
    with open(path, "w") as file:
        json.dump({"displayTimeUnit": "ns", "traceEvents": events}, file, separators=(",", ":"))


def gzipped(path):
    total = 0
    process = subprocess.Popen(["gzip", "-c", path], stdout=subprocess.PIPE)
    while block := process.stdout.read(1 << 20):
        total += len(block)
    return total


def main():
    trace = sys.argv[1] if len(sys.argv) > 1 else sample
    with tempfile.TemporaryDirectory() as folder:
        times, files = {}, {".kitrace": trace}
        for option, suffix in (("csv", ".csv"), ("perfetto", ".pftrace"), ("chrome", ".json"), ("sqlite", ".db")):
            files[suffix] = os.path.join(folder, "x" + suffix)
            begin = time.perf_counter()
            subprocess.run([report, trace, f"--{option}", files[suffix]], check=True, stdout=subprocess.DEVNULL)
            times[suffix] = time.perf_counter() - begin
        with open(files[".csv"], newline="") as file:
            rows = list(csv.DictReader(file))
        files["Proton-like .json"] = os.path.join(folder, "proton.json")
        begin = time.perf_counter()
        proton_json(rows, files["Proton-like .json"])
        times["Proton-like .json"] = time.perf_counter() - begin
        print(f"{os.path.basename(trace)}: {len(rows)} spans and marks")
        print(f"{'file':18} {'bytes a span':>12} {'gzipped':>8} {'us a span':>10}")
        for suffix, path in files.items():
            took = f"{1e6 * times[suffix] / len(rows):.2f}" if suffix in times else ""
            print(
                f"{suffix:18} {os.path.getsize(path) / len(rows):12.1f} {gzipped(path) / len(rows):8.1f} {took:>10}"
            )


main()
