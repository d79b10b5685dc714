# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same_dependencies.py PLAIN OURS: compares two dependency files of one target.

System headers do not count: kinstr's headers include some of their own."""
import os
import re
import sys


def read(path):
    with open(path) as file:
        text = file.read().replace("\\\n", " ")
    rule = text.split("\n")[0]
    target, _, names = rule.partition(" : ")
    names = set(re.findall(r"(?:\\ |\S)+", names))
    return target, {os.path.normpath(name) for name in names if not name.startswith("/usr/")}


plain, ours = map(read, sys.argv[1:])
assert plain[0] == ours[0], (plain[0], ours[0])
only_ours, only_plain = ours[1] - plain[1], plain[1] - ours[1]
headers = {name for name in only_ours if re.search(r"/include/kinstr/[^ ]+$", name)}
print("only ours:", " ".join(sorted(only_ours - headers)) or "none", end="")
print(", and kinstr's headers" if headers else "")
print("only plain:", " ".join(sorted(only_plain)) or "none")
