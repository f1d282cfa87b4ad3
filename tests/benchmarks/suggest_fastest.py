#!/usr/bin/env python3
"""Runs needed to find the fastest configuration of a measured table: `suggest --goal fastest`,
`--goal accuracy`, random choice, and expected improvement with scikit-learn's Gaussian process.

    suggest_fastest.py PERFMODEL RUNS.csv [--target PERF] [--seeds 10] [--start 10] [--most 100]
                       [--within 0.02] [--fit="--expression multi --terms 1 --residual process"]
                       [--methods fastest,accuracy,random,sklearn]

Per seed some random runs are known at first. Each method then chooses one further row at a time
among the rest, all at the same cost (accuracy: ten at a time), until a known row is within 2 % of
the lowest target. Equal configurations are one row, with their median. The peer: logarithms of the
target, standardised inputs (texts one-hot), a Matern kernel with one length per input plus white
noise, three restarts, the lowest posterior mean of a known row as the best so far.
Printed: the runs needed, by seed, and their mean; a campaign that did not succeed counts as --most.
"""
import argparse
import csv
import json
import pathlib
import random
import shlex
import statistics
import subprocess
import tempfile
import warnings

parser = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("perfmodel")
parser.add_argument("runs")
parser.add_argument("--target", default="PERF")
parser.add_argument("--seeds", type=int, default=10)
parser.add_argument("--start", type=int, default=10)
parser.add_argument("--most", type=int, default=100)
parser.add_argument("--within", type=float, default=0.02)
parser.add_argument("--fit", default="--expression multi --terms 1 --residual process")
parser.add_argument("--methods", default="fastest,accuracy,random,sklearn")
options = parser.parse_args()


def configurations():
    """Inputs and target of each configuration; columns of one value are left out."""
    with open(options.runs, newline="") as file:
        rows = list(csv.DictReader(file))
    inputs = [c for c in rows[0] if c != options.target and len({row[c] for row in rows}) > 1]
    times = {}
    for row in rows:
        times.setdefault(tuple(row[c] for c in inputs), []).append(float(row[options.target]))
    out = [(key, statistics.median(t)) for key, t in times.items()]
    return inputs, [(key, time) for key, time in out if time > 0]


INPUTS, ROWS = configurations()
BEST = min(time for _, time in ROWS)


def run(*arguments):
    return subprocess.run([options.perfmodel, *arguments, "--quiet"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*INPUTS, "time_s"])
        writer.writerows([*ROWS[row][0], ROWS[row][1]] for row in rows)
    return str(path)


def space_of(path):
    columns = []
    for c, name in enumerate(INPUTS):
        texts = sorted({key[c] for key, _ in ROWS})
        try:
            columns.append({"column": name, "values": sorted({float(text) for text in texts})})
        except ValueError:
            columns.append({"column": name, "values": texts})
    path.write_text(json.dumps({"schema": "perfmodel/space", "schema_version": 1,
                                "columns": columns}))
    return str(path)


def comparable(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


def by_program(goal, count):
    def choose(folder, known, rest, seed):
        runs = write(folder / "known.csv", known)
        run("fit", runs, "--target", "time_s", "--intrinsic", ",".join(INPUTS), "--extrinsic",
            "none", *shlex.split(options.fit), "-o", str(folder / "model.json"))
        listed = run("suggest", str(folder / "model.json"), space_of(folder / "space.json"),
                     "--next", str(count), "--goal", goal, "--runs", runs, "--among",
                     write(folder / "rest.csv", rest), "--overhead", "1e12", "--format", "csv")
        rows = {tuple(map(comparable, ROWS[row][0])): row for row in rest}
        return [rows[tuple(comparable(row[c]) for c in INPUTS)]
                for row in csv.DictReader(listed.splitlines())]
    return choose


def by_sklearn():
    import numpy
    from scipy.stats import norm
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
    columns = []
    for c in range(len(INPUTS)):
        cells = [comparable(key[c]) for key, _ in ROWS]
        if all(isinstance(cell, float) for cell in cells):
            columns.append(cells)
        else:
            columns += [[float(cell == level) for cell in cells] for level in set(cells)]
    x = numpy.array(columns).T
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    y = numpy.log([time for _, time in ROWS])

    def choose(folder, known, rest, seed):
        mean, spread = y[known].mean(), y[known].std()
        kernel = (ConstantKernel(1.0, (1e-3, 1e3)) *
                  Matern(numpy.ones(x.shape[1]), (1e-2, 1e3), nu=2.5) +
                  WhiteKernel(1e-2, (1e-6, 1.0)))
        process = GaussianProcessRegressor(kernel, n_restarts_optimizer=3, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            process.fit(x[known], (y[known] - mean) / spread)
        best = process.predict(x[known]).min()
        means, deviations = process.predict(x[rest], return_std=True)
        noise = process.kernel_.k2.noise_level
        deviations = numpy.sqrt(numpy.maximum(deviations ** 2 - noise, 1e-18))
        z = (best - means) / deviations
        return [rest[int(numpy.argmax(deviations * (norm.pdf(z) + z * norm.cdf(z))))]]
    return choose


def campaign(choose, seed):
    order = random.Random(seed).sample(range(len(ROWS)), len(ROWS))
    known, rest = order[:options.start], order[options.start:]
    at = 0
    with tempfile.TemporaryDirectory() as name:
        while at < options.most:
            if at == len(known):
                chosen = choose(pathlib.Path(name), known, rest, seed)
                known = known + chosen
                rest = [row for row in rest if row not in set(chosen)]
            if ROWS[known[at]][1] <= (1 + options.within) * BEST:
                return at + 1
            at += 1
    return options.most


METHODS = {"fastest": lambda: by_program("fastest", 1),
           "accuracy": lambda: by_program("accuracy", 10),
           "random": lambda: lambda folder, known, rest, seed: rest[:1], "sklearn": by_sklearn}
within = sum(time <= (1 + options.within) * BEST for _, time in ROWS)
print(f"{len(ROWS)} configurations, {within} of them within {100 * options.within:g} % of the best")
for method in options.methods.split(","):
    choose = METHODS[method]()
    found = []
    for seed in range(1, options.seeds + 1):
        found.append(campaign(choose, seed))
        print(f"{method}: {' '.join(map(str, found))}  mean {statistics.mean(found):.1f}",
              flush=True)
