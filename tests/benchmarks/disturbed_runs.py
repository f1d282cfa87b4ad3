#!/usr/bin/env python3
"""How much runs that were disturbed while they were measured cost a model: a share of the training
runs is made 3 to 10 times as long, and undisturbed test runs are predicted.

usage: disturbed_runs.py build/release/perfmodel [--train FILE --test FILE --target time_s]"""

import argparse
import json
import pathlib
import random
import subprocess
import tempfile

from measured import read_rows, write_rows

DATA = pathlib.Path(__file__).parents[2] / "data"
METHODS = {
    "Eq. (4)": [],
    "sum": ["--expression", "multi"],
    "product with a process": ["--expression", "multi", "--terms", "1", "--residual", "process"],
    "auto": ["--expression", "auto"],
}


def disturbed(rows, target, share, seed):
    numbers = random.Random(seed)
    out = []
    for row in rows:
        row = dict(row)
        if numbers.random() < share:
            row[target] = repr(float(row[target]) * numbers.uniform(3, 10))
        out.append(row)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--train", default=DATA / "lenet5_train900.csv")
    parser.add_argument("--test", default=DATA / "lenet5_test300.csv")
    parser.add_argument("--target", default="time_s")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rows = read_rows(arguments.train)
    shares = [0, 0.01, 0.03, 0.1]
    print(f"{'test MAPE, disturbed:':24}" + "".join(f"{100 * share:7.0f} %" for share in shares))
    with tempfile.TemporaryDirectory() as folder:
        runs = pathlib.Path(folder) / "runs.csv"
        for name, flags in METHODS.items():
            errors = []
            for share in shares:
                write_rows(runs, disturbed(rows, arguments.target, share, arguments.seed))
                done = subprocess.run(
                    [arguments.program, "fit", runs, "--test", arguments.test, "--target",
                     arguments.target, "--quiet", *flags],
                    capture_output=True, text=True, check=True)
                errors.append(json.loads(done.stdout)["metrics"]["test"]["mape_percent"])
            print(f"{name:24}" + "".join(f"{error:9.2f}" for error in errors), flush=True)


if __name__ == "__main__":
    main()
