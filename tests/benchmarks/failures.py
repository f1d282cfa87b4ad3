#!/usr/bin/env python3
"""How well fits tell which configurations fail, compared with scikit-learn's random forest, and how
many failing ones `suggest` lists.

    failures.py PERFMODEL CACHE.json ... [--seeds 10] [--share 0.1] [--top 10]
                [--fit="--expression multi --terms 1 --residual process"]

CACHE.json: tuned configurations as in https://github.com/AutoTuningAssociation/benchmark_hub
(cachefiles), whose "time" is a text where a configuration failed. Per file and seed, a random share
of the configurations is fitted by `fit --failed drop`; on all others, the area under the ROC curve
of p_fails is compared with that of RandomForestClassifier(n_estimators=500), and the fastest ones
that `suggest` lists are looked up. Columns of a single value are left out.
"""
import argparse
import csv
import json
import pathlib
import shlex
import subprocess
import tempfile

import numpy
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

parser = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("perfmodel")
parser.add_argument("caches", nargs="+", type=pathlib.Path)
parser.add_argument("--seeds", type=int, default=10)
parser.add_argument("--share", type=float, default=0.1)
parser.add_argument("--top", type=int, default=10)
parser.add_argument("--fit", default="--expression multi --terms 1 --residual process")
options = parser.parse_args()


def run(*arguments):
    return subprocess.run([options.perfmodel, *map(str, arguments), "--quiet"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def read_cache(path):
    """Names of the inputs, their values and the times, which are nan where a run failed."""
    document = json.loads(path.read_text())
    names = document["tune_params_keys"]
    rows = list(document["cache"].values())
    names = [name for name in names if len({row[name] for row in rows}) > 1]
    inputs = numpy.array([[float(row[name]) for name in names] for row in rows])
    times = [row["time"] for row in rows]
    return names, inputs, numpy.array([numpy.nan if isinstance(time, str) else time
                                       for time in times], float)


def write(path, names, inputs, times=None):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "time_ms"] if times is not None else names)
        for row, values in enumerate(inputs):
            cells = [f"{value:g}" for value in values]
            if times is not None:
                cells.append("failed" if numpy.isnan(times[row]) else times[row])
            writer.writerow(cells)


def judged(folder, names, inputs, times, seed):
    """AUC of the program and of the forest, mean p_fails, and the listed ones that fail."""
    fails = numpy.isnan(times)
    order = numpy.random.RandomState(seed).permutation(len(times))
    known, rest = numpy.split(order, [int(options.share * len(times))])
    write(folder / "known.csv", names, inputs[known], times[known])
    write(folder / "rest.csv", names, inputs[rest])
    model = folder / "model.json"
    run("fit", folder / "known.csv", "--failed", "drop", "--target", "time_ms", "--extrinsic",
        "none", "--coverage", "none", *shlex.split(options.fit), "-o", model)
    predicted = csv.DictReader(run("predict", model, folder / "rest.csv").splitlines())
    p = numpy.array([float(row["p_fails"]) for row in predicted])
    listed = csv.DictReader(run("suggest", model, folder / "rest.csv", "--top", options.top,
                                "--format", "csv").splitlines())
    by_inputs = {tuple(values): row for row, values in zip(rest, inputs[rest])}
    failing = sum(fails[by_inputs[tuple(float(row[name]) for name in names)]] for row in listed)
    forest = RandomForestClassifier(n_estimators=500, random_state=seed)
    votes = forest.fit(inputs[known], fails[known]).predict_proba(inputs[rest])[:, 1]
    return (fails[known].sum(), roc_auc_score(fails[rest], p), roc_auc_score(fails[rest], votes),
            p.mean(), fails[rest].mean(), failing)


wins = models = failing = 0
for cache in options.caches:
    data = read_cache(cache)
    for seed in range(options.seeds):
        with tempfile.TemporaryDirectory() as name:
            known, own, forest, p, share, listed = judged(pathlib.Path(name), *data, seed)
        models += 1
        wins += own >= forest
        failing += listed
        print(f"{cache.name}, seed {seed}, {known} known to fail: AUC {own:.4f}, forest "
              f"{forest:.4f}; mean p_fails {p:.4f}, share {share:.4f}; {listed} of {options.top} "
              "listed fail", flush=True)
print(f"AUC not below the forest's: {wins} of {models}; listed ones that fail: {failing} of "
      f"{models * options.top}")
