#!/usr/bin/env python3
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sql_documented.py DATABASE MARKDOWN: every table and view has a section, every column is in it, and
nothing else has a section of its own.
"""
import re
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
with open(sys.argv[2]) as file:
    parts = re.split(r"^### `(\w+)`$", file.read(), flags=re.MULTILINE)
sections = dict(zip(parts[1::2], parts[2::2]))
names = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")}
wrong = [f"{name}: no section" for name in names - set(sections)]
wrong += [f"{name}: no such table" for name in set(sections) - names]
for name in names & set(sections):
    # In the first column of its table.
    cells = " ".join(re.findall(r"^\|(.*?)\|", sections[name], flags=re.MULTILINE))
    documented = set(re.findall(r"`(\w+)`", cells))
    columns = {row[1] for row in db.execute(f"PRAGMA table_info('{name}')")}
    wrong += [f"{name}.{column}" for column in columns ^ documented]
sys.exit("; ".join(sorted(wrong)) or 0)
