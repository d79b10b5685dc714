# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What reading a large trace costs: time and peak memory of one pass over its spans, and of the table.

    report_scale.py [--events N]... [--layout slots|stream]... [--grid BLOCKS] [--calls] [--rounds N] [--table]
                    [--dir DIR] [-o RESULT.json]

Writes traces with kinstr-mkscale into DIR (the current one if not given), one after another, and removes
each when it is measured: a thousand million events of the layout slots are 5.7 GB, of stream 9.6 GB.
"sums" is kitrace-events --sums: reading, checking, placing, the time axis, and every span decoded and
added up. "table" is kinstr-report, with --table. Blocks of a launch are --grid, so that the fewer there are the
more launches the trace has; with --calls the host's table has a row for each. A figure is the median over the rounds. "cpu" is user and
system time, which other work on the machine disturbs less than "wall"; the memory is the largest resident set.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LAYOUTS = ("slots", "stream")

# A process of its own for each command: RUSAGE_CHILDREN has the maximum over all children so far.
WATCH = """
import json, resource, subprocess, sys, time
begin = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
wall = time.perf_counter() - begin
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"wall_s": wall, "cpu_s": used.ru_utime + used.ru_stime, "peak_mib": used.ru_maxrss / 1024}))
sys.exit(code)
"""


def cost(command):
    done = subprocess.run([sys.executable, "-c", WATCH, *command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"report_scale.py: failed: {' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def median_cost(command, rounds):
    runs = [cost(command) for _ in range(rounds)]
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def measure(tools, layout, events, options):
    path = os.path.join(options.dir, f"scale-{layout}-{events}.kitrace")
    try:
        subprocess.run([tools["mkscale"], f"--layout={layout}", f"--events={events}", f"--grid={options.grid}",
                        *(["--calls"] if options.calls else []), path], check=True)
        row = {"layout": layout, "events": events, "grid": options.grid, "calls": options.calls,
               "file_bytes": os.path.getsize(path)}
        row["sums"] = median_cost([tools["events"], "--sums", path], options.rounds)
        if options.table:
            row["table"] = median_cost([tools["report"], path], options.rounds)
        return row
    finally:
        if os.path.exists(path):
            os.remove(path)


def print_row(row):
    for what in ("sums", "table"):
        if what in row:
            used = row[what]
            print(f"{row['layout']:7} {row['events']:>11} {row['file_bytes'] / 2**20:9.0f} {what:6}"
                  f" {used['wall_s']:8.2f} {used['cpu_s']:8.2f} {used['peak_mib']:9.0f}"
                  f" {1e9 * used['cpu_s'] / row['events']:9.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--events", type=int, action="append", help="default: 10 and 100 million")
    parser.add_argument("--layout", choices=LAYOUTS, action="append", help="default: both")
    parser.add_argument("--grid", type=int, default=16384)
    parser.add_argument("--calls", action="store_true", help="list each launch in the tables")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--table", action="store_true", help="measure kinstr-report as well")
    parser.add_argument("--dir", default=".", help="where the traces are written")
    parser.add_argument("--bin", default=os.path.join(HERE, "..", "..", "build", "bin"), help="where the programs are")
    parser.add_argument("-o", dest="output", help="write the figures to this file as JSON")
    options = parser.parse_args()
    tools = {name: os.path.join(options.bin, program)
             for name, program in (("mkscale", "kinstr-mkscale"), ("events", "kitrace-events"),
                                   ("report", "kinstr-report"))}
    print(f"{'layout':7} {'events':>11} {'MiB':>9} {'what':6} {'wall s':>8} {'cpu s':>8} {'peak MiB':>9} {'ns/event':>9}")
    rows = []
    for layout in options.layout or LAYOUTS:
        for events in options.events or (10_000_000, 100_000_000):
            rows.append(measure(tools, layout, events, options))
            print_row(rows[-1])
    if options.output:
        with open(options.output, "w", encoding="utf-8") as out:
            json.dump({"machine": platform.processor() or platform.machine(), "cpus": os.cpu_count(),
                       "rounds": options.rounds, "rows": rows}, out, indent=2)


if __name__ == "__main__":
    main()
