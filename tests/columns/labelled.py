"""Tables with a role for each column, and the evidence that the program finds in them."""
import collections
import csv
import itertools
import json
import subprocess
from dataclasses import dataclass, field

import numpy as np

ROLES = {"input": 0, "follows": 0, "result": 1, "label": 2}
FOLDS = 5
DESIGN = 0.5  # the weight of a table whose labels say "design": true


@dataclass
class Table:
    name: str
    path: str
    source: str
    target: str | None
    other_targets: list
    roles: dict
    weight: float = 1           # DESIGN for runs of a design: they say little of targets and doubt
    first: dict = field(default_factory=dict)   # column -> evidence; no constant columns
    codes: dict = field(default_factory=dict)   # column -> numbers of its cells, equal ones alike

    def labelled(self):
        return [column for column in self.first if self.roles[column] in ROLES]

    def right_targets(self):
        return self.other_targets if self.target is None else [self.target]

    def is_design(self):
        return self.weight < 1

    def inputs(self):
        return sum(role == "input" for role in self.roles.values())


def evidence(tool, tables, requests=None, target=False):
    """A line per table, or one per request: what was told and the odds of the columns."""
    options, odds = [], None
    if requests is not None:
        odds = json.dumps({t.path: r for t, r in zip(tables, requests)}, default=list).encode()
        options = ["--odds", "/dev/stdin"] + ["--target"] * target
    lines = subprocess.run([tool, *options, *(t.path for t in tables)], input=odds,
                           stdout=subprocess.PIPE, check=True).stdout
    return map(json.loads, lines.decode().splitlines())


def cell_codes(path):
    with open(path, newline="", encoding="utf8") as file:
        columns = list(itertools.zip_longest(*filter(None, csv.reader(file)), fillvalue=""))
    codes, counts = {}, collections.Counter()
    for name, *cells in columns:
        counts[name := name.strip()] += 1
        name += f" ({counts[name]})" * (counts[name] > 1)  # as the reader calls it
        codes[name] = np.unique([cell.strip() for cell in cells], return_inverse=True)[1]
    return codes


def load(tool, folder):
    """The labelled tables; those that the tool cannot read are named and left out."""
    with open(f"{folder}/labels.json", encoding="utf8") as file:
        labels = json.load(file)
    tables = [Table(name, f"{folder}/{name}.csv", of["source"].split()[0], of["target"],
                    of["other_targets"], {c: d["role"] for c, d in of["columns"].items()},
                    DESIGN if of.get("design") else 1)
              for name, of in sorted(labels.items())]
    for table, line in zip(tables, evidence(tool, tables)):
        if "error" in line:
            print(f"left out: {line['error']}")
            continue
        table.first, table.codes = line["columns"], cell_codes(table.path)
        for column in set(table.first) - set(table.roles):
            base = column.rpartition(" (")[0]
            if base in table.roles:  # the name stands twice
                table.roles[column] = table.roles[base]
            else:  # the reader names one without a name
                table.roles[column] = table.roles.pop("", "unclear")
                table.codes[column] = table.codes.pop("")
    read = [table for table in tables if table.codes]
    print(f"{len(read)} of {len(tables)} tables")
    return read


def folds(tables, seed):
    """Parts of about as many tables; all tables of a source are in the same one."""
    sizes = collections.Counter(table.source for table in tables)
    names = sorted(sizes)
    np.random.RandomState(seed).shuffle(names)
    parts = [[] for _ in range(FOLDS)]
    for name in sorted(names, key=lambda name: -sizes[name]):
        min(parts, key=len).extend(table for table in tables if table.source == name)
    return parts


def without(parts, part):
    return [table for other in parts if other is not part for table in other]
