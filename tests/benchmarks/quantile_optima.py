#!/usr/bin/env python3
"""Holds the optima of `fit --quantile` with fixed powers against independent solvers.

With the powers held by --bounds, Eq. (4) is linear in its other constants, and the optimum of the
pinball loss that of a linear problem, which SciPy's HiGHS solves. For constants that are all
positive at the optimum, scikit-learn's QuantileRegressor solves it, too. Prints the largest relative
difference of the costs and exits with 1 if it exceeds 1e-9.

    tests/benchmarks/quantile_optima.py [PERFMODEL]

Needs python3-scipy and python3-sklearn. Not part of the test suite, which needs neither.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy.optimize import linprog
from sklearn.linear_model import QuantileRegressor

from measured import write_rows

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "build/release/perfmodel"
POWERS = (1.0, 0.5)


def runs(rng, rows, planted):
    """t = a x + b sqrt(z) + C with noise whose size follows t; `planted`: all constants positive."""
    x, z = rng.uniform(1, 100, rows), rng.uniform(1, 100, rows)
    time = (3 * x + (5 * np.sqrt(z) if planted else 0) + (40 if planted else 0))
    return x, z, time * np.exp(rng.normal(0, 0.3, rows))


def fitted_cost(folder, x, z, time, quantile, relative):
    write_rows(folder / "runs.csv",
               [{"x": repr(a), "z": repr(b), "time_s": repr(t)}
                for a, b, t in zip(map(float, x), map(float, z), map(float, time))])
    subprocess.run([PROGRAM, "fit", folder / "runs.csv", "--target", "time_s", "--intrinsic", "x,z",
                    "--extrinsic", "none", "--quantile", str(quantile), "--loss",
                    "mape" if relative else "mae", "--starts", "1", "--quiet", "-o",
                    folder / "model.json"] +
                   [option for name, p in zip("xz", POWERS)
                    for option in ("--bounds", f"p.{name}={p}:{p}")],
                   check=True, stderr=subprocess.DEVNULL)
    search = json.loads((folder / "model.json").read_text())["search"]
    return search["cost"], search["gap"]


def linear_program(features, time, weights, quantile):
    """The mean of twice the pinball loss at the optimum over constants >= 0."""
    rows, columns = features.shape
    cost = np.concatenate([np.zeros(columns), 2 * quantile * weights, 2 * (1 - quantile) * weights])
    equal = np.hstack([features, np.eye(rows), -np.eye(rows)])
    return linprog(cost, A_eq=equal, b_eq=time, bounds=(0, None), method="highs").fun / rows


def regressor(features, time, weights, quantile):
    model = QuantileRegressor(quantile=quantile, alpha=0, solver="highs")
    model.fit(features[:, :-1], time, sample_weight=weights)
    error = time - model.predict(features[:, :-1])
    assert min(*model.coef_, model.intercept_) > 0
    return float(np.mean(weights * (np.abs(error) + (2 * quantile - 1) * error)))


def main():
    worst, worst_gap = 0.0, 0.0
    rng = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as folder:
        for rows in (40, 150, 600):
            for quantile in (0.1, 0.5, 0.9, 0.97):
                for planted in (True, False):
                    for relative in (False, True):
                        x, z, time = runs(rng, rows, planted)
                        features = np.column_stack([x ** POWERS[0], z ** POWERS[1], np.ones(rows)])
                        weights = 1 / time if relative else np.ones(rows)
                        cost, gap = fitted_cost(pathlib.Path(folder), x, z, time, quantile, relative)
                        peers = [linear_program(features, time, weights, quantile)]
                        if planted and 0.1 < quantile < 0.95 and rows > 40:
                            peers.append(regressor(features, time, weights, quantile))
                        worst = max(worst, *(abs(cost - peer) / peer for peer in peers))
                        worst_gap = max(worst_gap, gap)
    print(f"largest relative difference of costs {worst:.2g}, largest certified gap {worst_gap:.2g}")
    sys.exit(worst > 1e-9)


if __name__ == "__main__":
    main()
