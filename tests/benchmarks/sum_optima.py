#!/usr/bin/env python3
"""The best that an independent optimiser finds for sums of product terms, with scipy.

    tests/benchmarks/sum_optima.py RUNS.csv --extrinsic workers,batch_size [--terms 1 2 3]
        [--program build/release/perfmodel] [--starts 20]

The same form and box as `perfmodel fit --expression multi --terms K`: a, g, C >= 0 and powers from
-5 to 5. Squared losses: scipy.optimize.least_squares (trust region reflective) on the residuals.
Absolute ones: L-BFGS-B on rounded kinks, then sequential linear programming with HiGHS. From
random starts around the log-linear solution, and, with --program, from the program's own constants.
Prints one line per number of terms and loss: the best cost, that of the program, and their ratio.
What it printed stands in tests/sums/sum_optima_test.cpp.

`--simulate FILE` writes the synthetic runs of that test instead.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import numpy as np
from scipy.optimize import least_squares, linprog, minimize

from measured import read_rows

LOSSES = ["mae", "mape", "mse", "rmsle"]


class Runs:
    """The columns as features of ln(term); the first level of a category is the reference."""

    def __init__(self, path, extrinsic):
        rows = read_rows(path)
        self.target = next(name for name in rows[0] if name.startswith("time"))
        self.time = np.array([float(row[self.target]) for row in rows])
        self.columns, self.powers, features = [], [], [np.ones(len(rows))]
        for name in rows[0]:
            if name == self.target:
                continue
            try:
                values = np.array([float(row[name]) for row in rows])
                self.columns.append((name, None))
                self.powers.append(len(features))
                features.append(np.log(values))
            except ValueError:
                levels = sorted({row[name] for row in rows})
                for level in levels[1:]:
                    self.columns.append((name, level))
                    features.append(np.array([float(row[name] == level) for row in rows]))
        self.extrinsic = extrinsic
        self.features = np.stack(features, axis=1)
        self.centres = self.features.mean(axis=0)
        self.centres[[0] + [j + 1 for j, (_, level) in enumerate(self.columns) if level]] = 0
        self.features = self.features - self.centres


def terms_of(runs, x, terms):
    theta = x[:-1].reshape(terms, -1)
    return np.exp(np.clip(runs.features @ theta.T, -700, 60))


def predict(runs, x, terms):
    return terms_of(runs, x, terms).sum(axis=1) + x[-1]


def loss(name, measured, predicted):
    if name == "mae":
        return np.mean(np.abs(measured - predicted))
    if name == "mape":
        return np.mean(np.abs(measured - predicted) / measured)
    if name == "mse":
        return np.mean((measured - predicted) ** 2)
    return np.sqrt(np.mean(np.log(measured / predicted) ** 2))


def jacobian(runs, x, terms):
    parts = terms_of(runs, x, terms)
    blocks = [runs.features * parts[:, [k]] for k in range(terms)]
    return np.hstack(blocks + [np.ones((len(runs.time), 1))])


def box(runs, terms):
    size = runs.features.shape[1]
    lower, upper = np.full(size, -60.0), np.full(size, 60.0)
    lower[runs.powers], upper[runs.powers] = -5, 5
    scale = 2 * runs.time.max()
    return (np.append(np.tile(lower, terms), 0), np.append(np.tile(upper, terms), scale))


def squared(runs, name, terms, start):
    lower, upper = box(runs, terms)
    unit = np.exp(np.log(runs.time).mean())

    def residuals(x):
        y = predict(runs, x, terms)
        return np.log(y / runs.time) if name == "rmsle" else (y - runs.time) / unit

    def derivatives(x):
        j = jacobian(runs, x, terms)
        return j / predict(runs, x, terms)[:, None] if name == "rmsle" else j / unit

    inside = np.clip(start, lower + 1e-9 * unit, upper - 1e-9)
    return least_squares(residuals, inside, derivatives, bounds=(lower, upper), method="trf",
                         x_scale="jac", ftol=1e-13, xtol=1e-13, gtol=1e-14, max_nfev=400).x


def rounded(runs, name, terms, start):
    lower, upper = box(runs, terms)
    weights = 1 / runs.time if name == "mape" else np.ones_like(runs.time)
    x = np.clip(start, lower, upper)
    for width in (0.3, 0.03, 0.003):
        scale = width * np.mean(np.abs(runs.time - predict(runs, x, terms)))

        def cost(x):
            error = predict(runs, x, terms) - runs.time
            size = np.sqrt(error ** 2 + scale ** 2)
            gradient = jacobian(runs, x, terms).T @ (weights * error / size)
            unit = np.sum(weights * runs.time)
            return np.sum(weights * (size - scale)) / unit, gradient / unit

        x = minimize(cost, x, jac=True, bounds=list(zip(lower, upper)), method="L-BFGS-B",
                     options={"maxiter": 400, "maxfun": 600}).x
    return x


def absolute(runs, name, terms, start):
    """Each step: minimise sum w |r - J d| within a trust region, as a linear program."""
    lower, upper = box(runs, terms)
    weights = 1 / runs.time if name == "mape" else np.ones_like(runs.time)
    x = rounded(runs, name, terms, start)
    rows, size = len(runs.time), len(x)
    best = np.sum(weights * np.abs(runs.time - predict(runs, x, terms)))
    radius = 0.3
    for _ in range(60):
        j = jacobian(runs, x, terms)
        r = runs.time - predict(runs, x, terms)
        unit = runs.time.mean()
        constraints = np.vstack([np.hstack([j, -np.eye(rows)]), np.hstack([-j, -np.eye(rows)])])
        reach = np.append(np.full(size - 1, radius), np.inf)
        bounds = list(zip(np.maximum(lower - x, -reach), np.minimum(upper - x, reach)))
        bounds += [(0, None)] * rows
        step = linprog(np.append(np.zeros(size), weights), A_ub=constraints / unit,
                       b_ub=np.append(r, -r) / unit, bounds=bounds, method="highs")
        if step.x is None:
            break
        trial = np.clip(x + step.x[:size], lower, upper)
        cost = np.sum(weights * np.abs(runs.time - predict(runs, trial, terms)))
        if best - step.fun <= 1e-10 * best:
            break
        if cost < best:
            radius *= 2 if best - cost > 0.75 * (best - step.fun) else 1
            x, best = trial, cost
        else:
            radius *= 0.25
            if radius < 1e-9:
                break
    return x


def of_program(runs, model):
    """The constants of model.json as x."""
    out = []
    for term in model["constants"]["terms"]:
        powers = {**term["p"], **term["q"]}

        def log_factor(name, level):
            return np.log(max(term["levels"][name][level], 1e-26))

        theta = [np.log(max(term["a"], 1e-300))]
        for name, levels in term["levels"].items():
            theta[0] += log_factor(name, min(levels))  # of the reference
        for name, level in runs.columns:
            theta.append(powers[name] if level is None
                         else log_factor(name, level) - log_factor(name, min(term["levels"][name])))
        theta[0] += np.dot(theta[1:], runs.centres[1:])
        out += theta
    return np.append(out, model["constants"]["C"])


def fitted(program, path, extrinsic, name, terms):
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.json"
        subprocess.run([program, "fit", path, "--extrinsic", extrinsic, "--expression", "multi",
                        "--terms", str(terms), "--loss", name, "--quiet", "-o", model],
                       check=True, capture_output=True)
        return json.loads(model.read_text())


def best_of(runs, name, terms, starts, own):
    random = np.random.default_rng(1)
    linear = np.linalg.lstsq(runs.features, np.log(runs.time), rcond=None)[0]
    optimum = np.inf
    for start in range(starts + (own is not None)):
        x = own
        if start < starts:
            theta = np.tile(linear, (terms, 1)) + 0.6 * random.standard_normal((terms, len(linear)))
            theta[:, 0] = linear[0] - np.log(terms)
            x = np.append(theta.ravel(), 0.5 * runs.time.min())
        end = (absolute if name in ("mae", "mape") else squared)(runs, name, terms, x)
        optimum = min(optimum, loss(name, runs.time, predict(runs, end, terms)))
        if x is own and own is not None:
            optimum = min(optimum, loss(name, runs.time, predict(runs, own, terms)))
    return optimum


def simulate(path):
    """160 runs of a sum of three products, with 10 % of noise."""
    random = np.random.default_rng(7)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["size", "depth", "kind", "gpus", "batch", "time_s"])
        for _ in range(160):
            size, depth = random.choice([8, 16, 32, 64, 128]), random.choice([2, 4, 6, 10])
            kind, gpus = random.choice(["fast", "slow", "tiny"]), random.choice([1, 2, 4, 8])
            batch = random.choice([16, 32, 64, 256])
            factor = {"fast": 1, "slow": 2.5, "tiny": 0.3}[kind]
            time = (2e-5 * size ** 1.5 * depth * factor * batch / gpus + 3e-4 * size * gpus ** 0.5
                    + 0.002 * depth * batch ** 0.3 + 0.004) * np.exp(0.1 * random.standard_normal())
            writer.writerow([size, depth, kind, gpus, batch, f"{time:.6g}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="?")
    parser.add_argument("--extrinsic", default="workers,batch_size")
    parser.add_argument("--terms", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--losses", nargs="+", default=LOSSES)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--program")
    parser.add_argument("--simulate")
    arguments = parser.parse_args()
    if arguments.simulate:
        simulate(arguments.simulate)
        return
    runs = Runs(arguments.runs, arguments.extrinsic)
    for terms in arguments.terms:
        for name in arguments.losses:
            own, cost = None, np.nan
            if arguments.program:
                model = fitted(arguments.program, arguments.runs, arguments.extrinsic, name, terms)
                own, cost = of_program(runs, model), model["search"]["cost"]
                own_cost = loss(name, runs.time, predict(runs, own, terms))
                if abs(own_cost / cost - 1) > 1e-9:
                    print(f"the cost of {name}, {terms} terms is not {cost} but {own_cost}")
            best = best_of(runs, name, terms, arguments.starts, own)
            print(f"{terms} terms  {name:5}  best {best:.15g}  program {cost:.15g}  "
                  f"excess {cost / best - 1:.2e}", flush=True)


if __name__ == "__main__":
    main()
