# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says how a cubin reads the SM's clock, kernel by kernel, from nvdisasm's output.

    clock_reads.py FILE.sass     one line a kernel: NAME: N CS2R, N S2UR, N S2R

CS2R reads the clock into a register of the lane, in order with the code around it. S2UR and S2R are
slower and complete out of order: what they read is not the time of the place where they stand.
"""
import collections
import re
import sys

KERNEL = re.compile(r"\.text\.(\S+?):?$")
READ = re.compile(r"(?<![A-Z0-9])(CS2R|S2UR|S2R)(?:\.\w+)? +U?R\d+, *SR_CLOCK")


def clock_reads(lines):
    """{kernel: Counter of the instructions that read the clock}."""
    found, kernel = {}, None
    for line in lines:
        if line.startswith(".text.") and (match := KERNEL.match(line.strip())):
            kernel = found.setdefault(match.group(1), collections.Counter())
        elif match := READ.search(line):
            kernel[match.group(1)] += 1
    return found


def main():
    with open(sys.argv[1]) as file:
        found = clock_reads(file)
    for kernel, reads in sorted(found.items()):
        print(f"{kernel}: " + ", ".join(f"{reads[i]} {i}" for i in ("CS2R", "S2UR", "S2R")))


if __name__ == "__main__":
    main()
