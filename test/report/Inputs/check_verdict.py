"""Checks verdicts against the published schema and their bound, and prints what a test looks at.

    check_verdict.py SCHEMA VERDICT...
"""
import json
import sys

import jsonschema

MOST_BYTES = 4096

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)

for path in sys.argv[2:]:
    with open(path, "rb") as file:
        data = file.read()
    assert len(data) <= MOST_BYTES, f"{path}: {len(data)} bytes"
    assert data.endswith(b"}\n") and data.count(b"\n") == 1, path
    verdict = json.loads(data.decode("utf-8"), parse_constant=lambda name: sys.exit(f"{path}: {name}"))
    jsonschema.validate(verdict, schema)
    kernels = verdict["kernels"]
    print(
        "ok",
        "kernels", len(kernels), "omitted", verdict["omitted"]["kernels"],
        "phases", [len(k["phases"]) for k in kernels], "omitted", [k["omitted"]["phases"] for k in kernels],
        "findings", [len(k["findings"]) for k in kernels], "omitted", [k["omitted"]["findings"] for k in kernels],
        "confidence", [k["confidence"] for k in kernels],
    )
