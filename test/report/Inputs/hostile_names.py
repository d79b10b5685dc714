"""Prints a description for mktrace: many kernels and phases, whose names are as bad as names can be.

    hostile_names.py KERNELS PHASES
"""
import json
import sys

kernels, phases = (int(argument) for argument in sys.argv[1:])
letters = ["\x01\x1b[31m\x7f", "\U0001f525", '"\\/', "</script>", "é\u0085\u2028", "x"]


def name(number):
    text = letters[number % len(letters)]
    return f"{number}" + text * (10000 // len(text.encode()))


print("gpu sms=4 step=32")
for kernel in range(kernels):
    print(f"kernel k{kernel} line=1")
    for phase in range(phases):
        print(f"phase p{phase} line={phase + 2} cycles={300 + 7 * phase} jitter=3000")
for kernel in range(kernels):
    print(f"launch kernel={kernel} grid=24 block=128 per_sm=2 at={kernel * 1000000}")
module = {
    "abi": 3,
    "file": name(4),
    "kernels": [
        {
            "name": name(kernel),
            "line": 1,
            "buffer": "shared",
            "layout": "slots",
            "flow": "uniform",
            "sites": [
                {"kind": "phase", "name": name(kernel + phase), "line": phase + 2, "drain": "none"}
                for phase in range(phases)
            ],
        }
        for kernel in range(kernels)
    ],
    "launches": [{"line": 200 + kernel, "kernel": kernel} for kernel in range(kernels)],
}
print("meta modules=" + json.dumps([module], separators=(",", ":")).replace(" ", "\\u0020"))
print("meta program=" + json.dumps(name(1)))
