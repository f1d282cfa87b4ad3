#!/usr/bin/env python3
"""Holds the black boxes of `perfmodel compare` against scikit-learn's with equal settings.

    tests/benchmarks/black_boxes.py [PERFMODEL [TRAIN.csv TEST.csv]]

Fits both to the same rows (by default data/lenet5_train900.csv and data/lenet5_test300.csv) with
the same features: numeric columns and one-hot levels. Prints the MAPE on the test rows of both and
exits with 1 where they differ by more than 10 % (relative). A forest is random: scikit-learn's is
averaged over ten seeds, perfmodel's over five.

Needs python3-sklearn. Not part of the test suite, which needs neither Python nor scikit-learn.
"""

import json
import math
import pathlib
import subprocess
import sys

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from measured import read_rows

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = "time_s"
LEVELS = ("activation", "optimizer", "dataset", "padding")


def features(rows, levels, log=False):
    numeric = [name for name in rows[0] if name != TARGET and name not in LEVELS]
    columns = [[float(row[name]) for row in rows] for name in numeric]
    matrix = np.array(columns).T
    if log:
        matrix = np.log(matrix)
    one_hot = [[float(row[name] == level) for row in rows] for name in LEVELS for level in levels[name]]
    return np.hstack([matrix, np.array(one_hot).T])


def mape(times, predicted):
    return 100 * float(np.mean(np.abs(times - predicted) / times))


def scikit_learn(train, test):
    levels = {name: sorted({row[name] for row in train}) for name in LEVELS}
    time = np.array([float(row[TARGET]) for row in train])
    test_time = np.array([float(row[TARGET]) for row in test])
    scores = {}

    x, test_x = features(train, levels), features(test, levels)
    forests = [RandomForestRegressor(random_state=seed).fit(x, np.log(time)) for seed in range(10)]
    scores["random forest"] = float(
        np.mean([mape(test_time, np.exp(f.predict(test_x))) for f in forests]))

    boosting = GradientBoostingRegressor(n_estimators=500, max_depth=5, random_state=0)
    boosting.fit(x, np.log(time))
    scores["gradient boosting"] = mape(test_time, np.exp(boosting.predict(test_x)))

    scaler = StandardScaler().fit(x)
    svr = SVR().fit(scaler.transform(x), time)
    scores["SVR"] = mape(test_time, svr.predict(scaler.transform(test_x)))

    x, test_x = features(train, levels, log=True), features(test, levels, log=True)
    scaler = StandardScaler().fit(x)
    logs = np.log(time)
    svr = SVR().fit(scaler.transform(x), (logs - logs.mean()) / logs.std())
    predicted = np.exp(logs.mean() + logs.std() * svr.predict(scaler.transform(test_x)))
    scores["SVR of log time"] = mape(test_time, predicted)
    return scores


def perfmodel(program, train, test):
    seeds = range(1, 6)
    scores = {}
    for seed in seeds:
        command = [program, "compare", train, "--test", test, "--seed", str(seed)]
        command += ["--search", "generations=1", "--starts", "1", "--terms", "1"]  # only the black boxes count
        command += ["--quiet", "--format", "json"]
        document = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        for model in document["models"]:
            share = model["metrics"]["test"]["mape_percent"] / len(seeds)
            scores[model["name"]] = scores.get(model["name"], 0) + share
    return scores


def main():
    arguments = sys.argv[1:]
    program = arguments[0] if arguments else str(ROOT / "build/release/perfmodel")
    train, test = arguments[1:3] or (
        str(ROOT / "data/lenet5_train900.csv"), str(ROOT / "data/lenet5_test300.csv"))
    ours = perfmodel(program, train, test)
    theirs = scikit_learn(read_rows(train), read_rows(test))
    worst = 0.0
    print(f"{'MAPE on the test rows':24}{'perfmodel':>12}{'scikit-learn':>14}{'difference':>12}")
    for name, expected in theirs.items():
        difference = ours.get(name, math.nan) / expected - 1
        worst = max(worst, abs(difference)) if not math.isnan(difference) else math.inf
        print(f"{name:24}{ours.get(name, math.nan):10.2f} %{expected:12.2f} %{100 * difference:10.1f} %")
    sys.exit(0 if worst <= 0.1 else 1)


if __name__ == "__main__":
    main()
