"""validate.py SCHEMA FILE...: whether each JSON file is as the schema says."""

import json
import sys

import jsonschema

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
for path in sys.argv[2:]:
    with open(path) as file:
        jsonschema.Draft202012Validator(schema).validate(json.load(file))
    print("valid")
