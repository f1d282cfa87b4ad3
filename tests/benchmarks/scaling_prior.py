#!/usr/bin/env python3
"""Learns the prior of the process that knows how run times scale (src/engine/gp/scaling_process.cpp).

    scaling_prior.py [--target time_s] [--ignore host,date] RUNS.csv|FOLDER|SERIES.json ...

A CSV file is a table of runs, a folder the CSV files in it, a JSON file a list of short series,
[{"x": [1, 2, 4], "t": [9.1, 5.2, 3.4]}, ...]. Of a table, at most --rows runs are drawn.

The prior probabilities of the levels of each hyper-parameter are those of maximum marginal
likelihood of all tables, by expectation maximisation with half a table added to each level.

The figures in the program were learnt by maximum marginal likelihood from public tables and short
series of run times, which others own and the repository lacks; other tables give other figures.
"""
import argparse, csv, itertools, json, pathlib

import numpy as np

# As in the program. Variances of a slope d ln t / d ln x and of its drift per unit of ln x; standard
# deviations of levels, of what columns do together, and of the noise.
GRID = dict(slope=(0.15, 0.4, 1), drift=(0.01, 0.06, 0.3), level=(0.1, 0.4, 1.2), together=(0.03, 0.12, 0.4, 1),
            noise=(0.005, 0.02, 0.07, 0.2))
LEVEL_VARIANCE, SLOPE_VARIANCE, LEAST_NOISE = 4.0, 0.01, 1e-9


def number_of(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return float("nan")


def columns_of(columns):
    """ln x of the numbers, with median 0, and the texts, of columns that vary."""
    numbers, texts = [], []
    for cells in columns:
        values = np.array([number_of(cell) for cell in cells])
        if len(set(cells)) < 2 or (values == 0).all():
            continue
        if not (np.isfinite(values) & (values >= 0)).all():
            texts.append(np.array(cells))
        else:
            least = values[values > 0].min() / 2  # what a 0 counts as
            values = np.log(np.where(values > 0, values, least))
            numbers.append(values - np.median(values))
    return numbers, texts


def drawn(rows, most, random):
    return rows if len(rows) <= most else [rows[i] for i in random.choice(len(rows), most, replace=False)]


def tables_of(path, options, random):
    """Numbers, texts, times and weight of each table of a path."""
    if path.is_dir():
        for each in sorted(path.glob("*.csv")):
            yield from tables_of(each, options, random)
    elif path.suffix == ".json":
        for series in json.loads(path.read_text()):
            rows = drawn(list(zip(series["x"], series["t"])), options.rows, random)
            yield *columns_of([[x for x, _ in rows]]), [t for _, t in rows], 1
    else:
        with open(path, newline="") as file:
            timed = [row for row in csv.DictReader(file) if number_of(row.get(options.target)) > 0]
        rows = drawn(timed, options.rows, random)
        names = [name for name in (rows or [{}])[0] if name not in (options.target, *options.ignore.split(","))]
        columns = columns_of([[row[name] for row in rows] for name in names])
        yield *columns, [float(row[options.target]) for row in rows], options.weight


def kernels_of(numbers, texts, rows):
    """Covariances of variance 1: slopes, drifts, levels, all columns together, differing slopes."""
    products, equal = [np.outer(u, u) for u in numbers], [(t[:, None] == t).astype(float) for t in texts]
    zero, drift, together = np.zeros((rows, rows)), np.zeros((rows, rows)), np.ones((rows, rows))
    for u, product in zip(numbers, products):
        near, far = np.minimum.outer(abs(u), abs(u)), np.maximum.outer(abs(u), abs(u))
        drift += np.where(product > 0, near**2 * (far / 2 - near / 6), 0)
        together *= np.exp(-np.abs(np.subtract.outer(u, u)) / 2)
    together *= np.prod([zero + 1, *((1 + same) / 2 for same in equal)], axis=0)
    pairs = [a * b / 2 for a, b in itertools.combinations(products, 2)] + [a * b for a in products for b in equal]
    return np.array([sum(products, zero), drift, sum(equal, zero), together, sum(pairs, zero)])


def evidence_of(numbers, texts, times):
    """ln of the marginal likelihood by setting, an array with an axis per hyper-parameter."""
    y = np.log(times) - np.median(np.log(times))
    slope, drift, level, together, noise = (axis.ravel() for axis in np.meshgrid(*GRID.values(), indexing="ij"))
    variances = np.stack([slope, drift, level**2, together**2, np.full_like(slope, SLOPE_VARIANCE)], axis=1)
    covariances = LEVEL_VARIANCE + np.tensordot(variances, kernels_of(numbers, texts, len(y)), 1)
    factors = np.linalg.cholesky(covariances + (noise**2 + LEAST_NOISE)[:, None, None] * np.eye(len(y)))
    z = np.linalg.solve(factors, np.tile(y[:, None], (len(slope), 1, 1)))[..., 0]
    evidence = -0.5 * (z**2).sum(1) - np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(1)
    return evidence.reshape([len(values) for values in GRID.values()])


def learnt(evidences, weights, rounds=60):
    """Prior probabilities of the levels of each hyper-parameter, by expectation maximisation."""
    axes = range(len(GRID))
    prior = [np.full(len(values), 1 / len(values)) for values in GRID.values()]
    for _ in range(rounds):
        logarithm = sum(np.log(p).reshape([-1 if k == j else 1 for k in axes]) for j, p in enumerate(prior))
        counts = np.zeros(evidences[0].shape)
        for evidence, weight in zip(evidences, weights):
            posterior = np.exp(evidence + logarithm - (evidence + logarithm).max())
            counts += weight * posterior / posterior.sum()
        totals = (counts.sum(axis=tuple(k for k in axes if k != j)) + 0.5 for j in axes)
        prior = [total / total.sum() for total in totals]
    return prior


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--target", default="time_s")
    parser.add_argument("--ignore", default="", help="columns that are no inputs")
    parser.add_argument("--rows", type=int, default=60, help="of a table, drawn at random")
    parser.add_argument("--weight", type=float, default=1, help="of a table in CSV; a series has 1")
    options = parser.parse_args()

    random = np.random.default_rng(1)
    tables = [table for path in options.paths for table in tables_of(path, options, random)
              if len(table[2]) > 1 and (table[0] or table[1])]
    tables or parser.error("no table has two runs and an input that varies")
    evidences = [evidence_of(*table[:3]) for table in tables]
    for (name, values), probabilities in zip(GRID.items(), learnt(evidences, [table[3] for table in tables])):
        print(f"{name:9}" + "".join(f"  {value:g}: {p:.2f}" for value, p in zip(values, probabilities)))


if __name__ == "__main__":
    main()
