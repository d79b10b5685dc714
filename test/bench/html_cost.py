#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""html_cost.py BUILD [SPANS ...]: what the page costs, for traces of so many spans (default: a million, ten millions).

Prints how long kinstr-report takes to write it, its size, how long a browser takes to open it, both one's memory, and how
long frames take (test/html/check_smooth.py).
"""
import os
import subprocess
import sys
import tempfile
import time

PHASES = [("load", 900, 400), ("barrier", 100, 0), ("reduce", 200, 60), ("barrier", 100, 0), ("wait", 200, 500),
          ("compute", 700, 100), ("store", 500, 300), ("tail", 50, 0)]  # fmt: skip
WARPS = 20


def describe(spans):
    lines = ["gpu NVIDIA_H200 sms=132 step=32 clock_khz=1980000 program=bench", "kernel pipeline line=1"]
    for i, (name, cycles, jitter) in enumerate(PHASES):
        sync = " sync=1" if name == "barrier" else ""
        lines.append(f"phase {name} line={i + 2} cycles={cycles} jitter={jitter}{sync}")
    lines.append(f"launch grid={spans // (WARPS * len(PHASES))} block={32 * WARPS} per_sm=3 ghz=1.755")
    return "\n".join(lines) + "\n"


def main(build, *numbers):
    bin_ = os.path.join(build, "bin")
    smooth = os.path.join(os.path.dirname(__file__), "..", "html", "check_smooth.py")
    for spans in map(int, numbers or (1000000, 10000000)):
        with tempfile.TemporaryDirectory() as folder:
            text, trace, html = (os.path.join(folder, "t" + e) for e in (".txt", ".kitrace", ".html"))
            with open(text, "w") as file:
                file.write(describe(spans))
            subprocess.run([os.path.join(bin_, "mktrace"), text, "-o", trace], check=True)
            began = time.time()
            report = subprocess.Popen([os.path.join(bin_, "kinstr-report"), trace, "--html", html], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(report.pid, 0)
            assert status == 0
            print(f"{spans} spans: trace {os.path.getsize(trace) / 1e6:.1f} MB; table and page written in {time.time() - began:.1f} s"
                  f" ({usage.ru_utime + usage.ru_stime:.1f} s of CPU), {usage.ru_maxrss / 1024:.0f} MiB", flush=True)  # fmt: skip
            subprocess.run([sys.executable, smooth, html, "--print"], check=True)


main(*sys.argv[1:])
