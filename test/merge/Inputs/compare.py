"""compare.py ALL PART...: whether a merged trace has the records of its parts, by an independent reader."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools"))
from kitrace import Trace


def named(trace, first_device=0):
    """Records with names for numbers."""
    modules = [m["file"] for m in trace.meta["modules"]]
    for r in trace.records:
        anchor = r.anchor and r.anchor._replace(module=modules[r.anchor.module])
        callees = None if r.callee_module is None else modules[r.callee_module]
        yield r._replace(device=r.device + first_device, anchor=anchor, callee_module=callees)


merged, parts = Trace(sys.argv[1]), [Trace(path) for path in sys.argv[2:]]
expected, device = [], 0
for part in parts:
    expected += named(part, device)
    device += len(part.meta["devices"])
assert merged.ended
assert list(named(merged)) == expected
assert len(merged.meta["devices"]) == device
print(f"{len(expected)} records as before, {len(merged.meta['modules'])} modules")
