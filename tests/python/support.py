"""What the tests share: skips, runs and the program."""

import contextlib
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "data" / "lenet5_test300.csv"
PROGRAM = os.environ["PERFMODEL_PROGRAM"]


def needs(*modules):
    """Ends the test as skipped if a module is missing."""
    import importlib.util

    for module in modules:
        if importlib.util.find_spec(module) is None:
            print("skipped:", module, "is missing")
            sys.exit(77)


def columns(rows=None):
    """The runs as a dict of lists and their times."""
    with open(RUNS, encoding="utf-8") as file:
        lines = list(csv.DictReader(file))[:rows]
    out = {name: [line[name] for line in lines] for name in lines[0]}
    for name, values in out.items():
        with contextlib.suppress(ValueError):
            out[name] = [float(value) for value in values]
    return out, out.pop("time_s")


def program(*words):
    """Runs the program; returns what it prints."""
    return subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True).stdout


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def raises(kind, text, function):
    """Fails unless the function raises the error with the text."""
    try:
        function()
    except kind as error:
        assert text in str(error), f"{error!r} lacks {text!r}"
        return
    raise AssertionError(f"no {kind.__name__} with {text!r}")


def run_all(tests):
    for test in tests:
        test()
        print("passed:", test.__name__)
