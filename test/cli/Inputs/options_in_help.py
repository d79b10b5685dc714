"""options_in_help.py OPTIONS.td HELP: names the options with a help text that --help does not show."""

import re
import sys

with open(sys.argv[1]) as table, open(sys.argv[2]) as text:
    declared, shown = table.read(), text.read()
found = re.findall(r'def \w+ : \w+<\["(-+)"\], "([\w=-]*)"[^;]*?HelpText<', declared)
assert len(found) >= 6, found
print("missing:", ", ".join(p + n for p, n in found if f"  {p}{n}" not in shown) or "none")
