# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel became: registers and spills from ptxas's output, instructions from nvdisasm's."""
from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess

ENTRY = re.compile(r"Compiling entry function '(\S+)'")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
SECTION = re.compile(r"\s*\.text\.(\S+):")
LABEL = re.compile(r"\s*(\.L_\w+):")
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?\s*([A-Z][A-Z0-9_.]*)(.*)")
TARGET = re.compile(r"\((\.L_\w+)\)")

CLASSES = {
    "global_loads": ("LDG", "LDGSTS", "UBLKCP"),
    "shared_loads": ("LDS", "LDSM"),
    "local": ("LDL", "STL"),
    "mma": ("HMMA", "HGMMA"),
}


def from_ptxas(text: str, kernel: str) -> dict[str, int]:
    """Of `nvcc -Xptxas -v`, for the entry whose symbol contains `kernel`."""
    found: dict[str, int] = {}
    inside = False
    for line in text.splitlines():
        if match := ENTRY.search(line):
            inside = kernel in match.group(1)
        elif inside and (match := SPILLS.search(line)):
            found["spill_bytes"] = int(match.group(1)) + int(match.group(2))
        elif inside and (match := REGISTERS.search(line)):
            found["registers"] = int(match.group(1))
    return found


def from_sass(text: str, kernel: str) -> dict[str, int]:
    """Of `nvdisasm -c`. `backward`: branches to a place further up. Loops have one, and so has each
    piece of code that was moved out of the way."""
    counts = {"instructions": 0, "backward": 0, **{name: 0 for name in CLASSES}}
    inside, labels, label_in_front = False, set(), None
    for line in text.splitlines():
        if match := SECTION.match(line):
            inside, labels = kernel in match.group(1), set()
        elif inside and (match := LABEL.match(line)):
            label_in_front = match.group(1)
            labels.add(label_in_front)
        elif inside and (match := INSTRUCTION.match(line)):
            opcode = match.group(1).split(".")[0]
            count_instruction(counts, opcode)
            target = TARGET.search(match.group(2)) if opcode == "BRA" else None
            # Not the endless loop behind the end of a kernel.
            if target and target.group(1) in labels and target.group(1) != label_in_front:
                counts["backward"] += 1
            label_in_front = None
    return counts if counts["instructions"] else {}


def count_instruction(counts: dict[str, int], opcode: str) -> None:
    counts["instructions"] += opcode != "NOP"
    for name, opcodes in CLASSES.items():
        counts[name] += opcode in opcodes


def find_nvdisasm(kinstr: str) -> str | None:
    """On PATH, or where test/deps.sh puts one: in kinstr's build folder."""
    program = os.path.realpath(shutil.which(kinstr) or kinstr)
    environment = os.path.join(os.path.dirname(os.path.dirname(program)), "cuda-env")
    installed = glob.glob(os.path.join(environment, "lib", "*", "site-packages", "nvidia", "*", "bin", "nvdisasm"))
    return shutil.which("nvdisasm") or next(iter(installed), None)


def disassemble(nvdisasm: str, cubin: str) -> str:
    return subprocess.run([nvdisasm, "-c", cubin], check=True, capture_output=True, text=True).stdout
