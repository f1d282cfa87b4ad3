#!/usr/bin/env python3
"""Success rates of differential evolution on test functions, ours beside scipy's.

    test_functions.py PERFMODEL_TEST_FUNCTIONS

Both search with best1bin, deferred updating, five members per coordinate, F from [0.5, 1), CR 0.7
and 40 d + 200 generations, seeds 1 to 51; a success is a cost below 1e-6. The last column is the
probability of rates at least as different if both searches were the same (Fisher's exact test).
Needs python3-scipy; a quarter of an hour.
"""
import subprocess, sys
import numpy as np
from scipy.optimize import differential_evolution
from scipy.stats import fisher_exact

SHIFT = 1.25


def weights(condition, d):
    return condition ** (np.arange(d) / (d - 1))[:, None]


# Each takes one point per column.
FUNCTIONS = {
    "sphere": (-5, 5, lambda x: ((x - SHIFT) ** 2).sum(0)),
    "ellipsoid": (-5, 5, lambda x: (weights(1e6, len(x)) * (x - SHIFT) ** 2).sum(0)),
    "Rosenbrock": (-5, 10, lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(0)),
    "Rastrigin": (-5, 5, lambda x: ((x - SHIFT) ** 2 + 10 * (1 - np.cos(2 * np.pi * (x - SHIFT)))).sum(0)),
    "step-ellipsoid": (-5, 5, lambda x: (weights(100, len(x)) * np.floor(x - SHIFT + 0.5) ** 2).sum(0)),
    "sharp ridge": (-5, 5, lambda x: (x[0] - SHIFT) ** 2 + 100 * np.sqrt(((x[1:] - SHIFT) ** 2).sum(0))),
}

print("| function | coordinates | perfmodel | scipy | p |")
print("|---|---|---|---|---|", flush=True)
for line in subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout.split("\n"):
    if not line:
        continue
    name, d, ours, runs = line.split(",")
    d, ours, runs = int(d), int(ours), int(runs)
    low, high, function = FUNCTIONS[name]
    theirs = 0
    for seed in range(1, runs + 1):
        result = differential_evolution(function, [(low, high)] * d, seed=seed, popsize=5, maxiter=40 * d + 200, tol=1e-10,
                                        atol=1e-9, polish=False, updating="deferred", vectorized=True)
        theirs += result.fun < 1e-6
    p = fisher_exact([[ours, runs - ours], [theirs, runs - theirs]])[1]
    print(f"| {name} | {d} | {ours}/{runs} | {theirs}/{runs} | {p:.2f} |", flush=True)
