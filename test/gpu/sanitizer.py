# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compute-sanitizer on a traced program and on a control, the same one built with -DKINSTR_OFF.

What a tool says of the control is about the kernels. Only what it says of the traced program besides is
about kinstr.
"""
import argparse
import collections
import re
import subprocess


def arguments(argv):
    """--sanitizer TOOL and --control PROGRAM... of a check's command line, and what is left of it."""
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    parser.add_argument("--sanitizer", metavar="TOOL")
    parser.add_argument("--control", nargs="+", metavar="PROGRAM", default=[])
    known, rest = parser.parse_known_args(argv)
    if (known.sanitizer is None) != (not known.control):
        parser.error("--sanitizer TOOL and --control PROGRAM... go together")
    return known, rest


def prefix(tool):
    return ["compute-sanitizer", "--tool", tool]


def findings(output):
    """{finding: how often}. One begins on a line with a single space behind the '=========', and goes on
    while lines are indented. What differs from run to run (addresses, threads, counts) is left out."""
    found = collections.Counter()
    blocks = []
    for line in output.splitlines():
        match = re.match(r"=========( *)(.*)", line)
        if not match or not match[2]:
            continue
        if len(match[1]) > 1:
            if blocks:
                blocks[-1].append(match[2])
        elif not re.search(r"SUMMARY|^COMPUTE-SANITIZER|^Target application returned", match[2]):
            blocks.append([match[2]])
    for head, *rest in blocks:
        # Where it is: the first frame, and the other access of a race.
        where = [text for text in rest if re.match(r"(at|and) ", text)][:2]
        found[_same(" / ".join([head, *where]))] += 1
    return found


def _same(text):
    text = re.sub(r"\+?0x[0-9a-fA-F]+", "", text)
    text = re.sub(r"\(\d+,\d+,\d+\)|\[\d+ hazards?\]", "", text)
    return re.sub(r"\s+", " ", text).strip()


class NoAnswer(Exception):
    """The tool did not run to its end."""


def of_run(done):
    """findings() of a finished run."""
    output = done.stdout + done.stderr
    if "SUMMARY" not in output:
        raise NoAnswer(f"no summary of the tool: {output.strip()[-500:]}")
    return findings(output)


def control(tool, command, env=None):
    """findings() of the program that is not traced."""
    return of_run(
        subprocess.run(prefix(tool) + command, env=env, capture_output=True, text=True, timeout=600)
    )


def compare(name, traced, untraced):
    """Prints both. Returns what only the traced program has."""
    print(f"{name}: {sum(traced.values())} findings, {sum(untraced.values())} in the control")
    for finding in sorted(traced | untraced):
        print(f"    traced {traced[finding]:4}, control {untraced[finding]:4}: {finding}")
    return sorted(set(traced) - set(untraced))
