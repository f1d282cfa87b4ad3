#!/usr/bin/env python3
"""Bounds of new runs: which share stays below them, and how much too large they are.

Each file is split five times at random, four fifths of the rows to fit and one to judge. Bounds are
fitted by `perfmodel fit --quantile` and by two estimators of scikit-learn: gradient boosting with
the quantile loss, and linear quantile regression, of ln(target) in the logarithms of numeric
columns; both with one-hot levels. Per file, over all splits: the share of the rows that were not
fitted at or below their bound, and over-allocation, the sum of the bounds over that of the measured
values. A bound that covers less is smaller, so the last columns judge both at one coverage: all
bounds of perfmodel are multiplied by the factor that gives them the coverage of the peer on the
judged rows.

    tests/benchmarks/bounds.py FILE.csv[:TARGET] ... [--quantile 0.95] [--splits 5]
        [--program build/release/perfmodel] [-- OPTIONS OF FIT]

The target is the last column if none is named. Text columns are levels. Needs python3-sklearn.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import QuantileRegressor

from measured import read_rows, write_rows

PEERS = ("boosting", "linear")


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


class Features:
    """Numeric columns, or their logarithms if all are positive, and one-hot levels."""

    def __init__(self, rows, target, logarithmic):
        self.logarithmic = logarithmic
        names = [name for name in rows[0] if name != target]
        self.numeric = [n for n in names if all(is_number(row[n]) for row in rows)]
        self.levels = {n: sorted({row[n] for row in rows}) for n in names if n not in self.numeric}
        self.positive = {n: all(float(row[n]) > 0 for row in rows) for n in self.numeric}

    def __call__(self, rows):
        columns = []
        for name in self.numeric:
            values = np.array([float(row[name]) for row in rows])
            columns.append(np.log(values) if self.logarithmic and self.positive[name] else values)
        for name, levels in self.levels.items():
            columns += [[float(row[name] == level) for row in rows] for level in levels[1:]]
        return np.array(columns).T


def bounds_of_peers(rows, train, test, target, quantile):
    measured = np.array([float(row[target]) for row in train])
    raw, logs = Features(rows, target, False), Features(rows, target, True)
    boosting = GradientBoostingRegressor(loss="quantile", alpha=quantile, random_state=0)
    boosting.fit(raw(train), measured)
    x = logs(train)
    centre, scale = x.mean(axis=0), np.where(x.std(axis=0) > 0, x.std(axis=0), 1)
    linear = QuantileRegressor(quantile=quantile, alpha=0, solver="highs")
    linear.fit((x - centre) / scale, np.log(measured))
    return {"boosting": boosting.predict(raw(test)),
            "linear": np.exp(linear.predict((logs(test) - centre) / scale))}


def bounds_of_perfmodel(arguments, train, test, target, folder):
    write_rows(folder / "train.csv", train)
    write_rows(folder / "test.csv", test)
    subprocess.run([arguments.program, "fit", folder / "train.csv", "--target", target, "--quantile",
                    str(arguments.quantile), "-o", folder / "model.json", "--quiet",
                    *arguments.options], check=True, stderr=subprocess.PIPE)
    subprocess.run([arguments.program, "predict", folder / "model.json", folder / "test.csv", "-o",
                    folder / "predicted.csv", "--quiet"], check=True, stderr=subprocess.PIPE)
    form = json.loads((folder / "model.json").read_text())["expression"]["form"]
    return np.array([float(row["predicted_" + target])
                     for row in read_rows(folder / "predicted.csv")]), form


def coverage(measured, bounds):
    return float(np.mean(measured <= bounds))


def over_allocation(measured, bounds):
    return float(bounds.sum() / measured.sum())


def at_coverage_of(measured, bounds, wanted):
    """Over-allocation where the bounds are multiplied so that as many rows stay below."""
    ratios = np.sort(measured / bounds)
    count = round(wanted * len(ratios))
    factor = ratios[count - 1] if count > 0 else ratios[0]
    return factor * over_allocation(measured, bounds)


def judge(path, target, arguments, folder):
    rows = read_rows(path)
    target = target or list(rows[0])[-1]
    measured, bounds, forms = [], {name: [] for name in ("perfmodel", *PEERS)}, []
    for seed in range(arguments.splits):
        shuffled = random.Random(seed).sample(rows, len(rows))
        test, train = shuffled[:len(rows) // 5], shuffled[len(rows) // 5:]
        measured.append([float(row[target]) for row in test])
        own, form = bounds_of_perfmodel(arguments, train, test, target, folder)
        forms.append(form)
        bounds["perfmodel"].append(own)
        for name, values in bounds_of_peers(rows, train, test, target, arguments.quantile).items():
            bounds[name].append(values)
    return np.concatenate(measured), {n: np.concatenate(b) for n, b in bounds.items()}, forms


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE.csv[:TARGET]")
    parser.add_argument("--quantile", type=float, default=0.95)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--program", default="build/release/perfmodel")
    own, _, options = " ".join(sys.argv[1:]).partition(" -- ")
    arguments = parser.parse_args(own.split())
    arguments.options = options.split()
    covered = {name: [] for name in ("perfmodel", *PEERS)}
    lower, lower_at_coverage = {n: 0 for n in PEERS}, {n: 0 for n in PEERS}
    print(f"{'file':16} {'rows':>5}  " + "".join(f"{name:>16}" for name in covered) +
          "   at the coverage of boosting, linear   form")
    for file in arguments.files:
        path, _, target = file.partition(":")
        with tempfile.TemporaryDirectory() as folder:
            measured, bounds, forms = judge(path, target, arguments, pathlib.Path(folder))
        own = over_allocation(measured, bounds["perfmodel"])
        line = f"{pathlib.Path(path).stem:16} {len(measured):5}  "
        for name, values in bounds.items():
            covered[name].append(measured <= values)
            line += f"{100 * coverage(measured, values):8.1f} %{over_allocation(measured, values):6.3f}"
        for name in PEERS:
            of_peer = over_allocation(measured, bounds[name])
            equal = at_coverage_of(measured, bounds["perfmodel"], coverage(measured, bounds[name]))
            lower[name] += own < of_peer
            lower_at_coverage[name] += equal < of_peer
            line += f"   {equal:.3f} / {of_peer:.3f}"
        print(line, "  ", ",".join(sorted(set(forms))), flush=True)
    print("pooled coverage: " +
          ", ".join(f"{name} {100 * np.concatenate(c).mean():.1f} %" for name, c in covered.items()) +
          "; mean over files: " +
          ", ".join(f"{name} {100 * np.mean([x.mean() for x in c]):.1f} %"
                    for name, c in covered.items()))
    for name in PEERS:
        print(f"over-allocation below that of {name}: {lower[name]} of {len(arguments.files)} files; "
              f"at its coverage: {lower_at_coverage[name]}")


if __name__ == "__main__":
    main()
