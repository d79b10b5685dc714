#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""interrupt.py FOLDER COMMAND...: sends SIGINT while the command is writing a file into FOLDER.

Exits with 0 if it ended for that, with 130 as shells do, and left nothing in the folder.
"""
import os
import signal
import subprocess
import sys

folder, command = sys.argv[1], sys.argv[2:]
for attempt in range(20):  # it may be done before the signal arrives
    os.makedirs(folder, exist_ok=True)
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # jobs in the background ignore it
    )
    while process.poll() is None and not any(n.endswith(".tmp") for n in os.listdir(folder)):
        pass
    process.send_signal(signal.SIGINT)
    if process.wait() == 128 + signal.SIGINT:
        left = os.listdir(folder)
        sys.exit(f"left: {left}" if left else 0)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
sys.exit("the command was never interrupted")
