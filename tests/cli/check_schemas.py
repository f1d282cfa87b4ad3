"""check_schemas.py SCHEMAS DOCUMENT...: holds documents against the JSON schema that they name.

The schemas let later versions add fields. Here nothing may be there that they do not know, so that
no field is forgotten; and of each document, a copy without each required field in turn, and one
with a list for each number, must fail, so that the schemas say something.
"""

import copy
import json
import pathlib
import sys

import jsonschema


def closed(schema):
    """The same with no other fields than those that it names."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {name: closed(value) for name, value in schema.items()}
    if "properties" in out and "type" in out and "additionalProperties" not in out:
        out["additionalProperties"] = False
    return out


def damaged(document):
    """Copies of a document with one error each, in its upper two levels."""
    for name, value in document.items():
        if not name.startswith("predicted_"):  # the rest is open
            without = copy.deepcopy(document)
            del without[name]
            yield f"without {name}", name, without
        for key in value if isinstance(value, dict) else []:
            if isinstance(value[key], (int, float)):
                wrong = copy.deepcopy(document)
                wrong[name][key] = []
                yield f"{name}.{key} a list", None, wrong


def check(path, document, schema):
    """Ends the program with the first thing that is wrong."""
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(closed(schema))
    for error in validator.iter_errors(document):
        sys.exit(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
    for what, required, copy_with_error in damaged(document):
        if required is None or required in schema["required"]:
            if validator.is_valid(copy_with_error):
                sys.exit(f"{path}: {what}, and the schema says nothing")


def main():
    folder, *documents = sys.argv[1:]
    schemas = {file.stem: json.loads(file.read_text()) for file in pathlib.Path(folder).glob("*.json")}
    seen = set()
    for path in documents:
        text = pathlib.Path(path).read_text()
        lines = text.splitlines() if path.endswith(".jsonl") else [text]
        document, *others = map(json.loads, lines)
        kind = document["schema"].removeprefix("perfmodel/")
        seen.add(kind)
        check(path, document, schemas[kind])
        for other in others:  # of JSON lines
            check(path, other, schemas[kind]["$defs"]["line"])
    if set(schemas) != seen:
        sys.exit(f"no document for the schemas {sorted(set(schemas) - seen)}")
    print(f"{len(documents)} documents, {len(seen)} schemas")


main()
