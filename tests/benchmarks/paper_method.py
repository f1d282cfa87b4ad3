#!/usr/bin/env python3
"""`fit --method paper` beside scipy's differential_evolution with its defaults, on the same problem.

    paper_method.py PERFMODEL RUNS.csv [--seeds 20]

The final losses over the seeds as quartiles, and the probabilities of samples at least as different
if both were draws from one distribution (Mann-Whitney's and Kolmogorov-Smirnov's tests). Columns:
workers and batch_size are extrinsic, texts categorical, time_s the target. Needs python3-scipy;
several minutes.
"""
import argparse, csv, json, subprocess
import numpy as np
import scipy
from scipy.optimize import differential_evolution
from scipy.stats import ks_2samp, mannwhitneyu

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("perfmodel")
parser.add_argument("runs")
parser.add_argument("--seeds", type=int, default=20)
options = parser.parse_args()

with open(options.runs, newline="") as file:
    rows = list(csv.DictReader(file))
t = np.array([float(r["time_s"]) for r in rows])
intrinsic, levels, extrinsic = [], [], []
for name in rows[0]:
    if name == "time_s":
        continue
    try:
        logs = np.log([float(r[name]) for r in rows])
        (extrinsic if name in ("workers", "batch_size") else intrinsic).append(logs)
    except ValueError:
        levels += [np.array([float(r[name] == level) for r in rows]) for level in sorted({r[name] for r in rows})]
X, L, E = np.array(intrinsic).T, np.array(levels).T, np.array(extrinsic).T
n, l, m = X.shape[1], L.shape[1], E.shape[1]


def cost(x):
    s = np.exp(X * x[n + l:2 * n + l]) @ x[:n] + L @ x[n:n + l]
    return np.abs(t - s * np.exp(E @ x[2 * n + l:-1]) - x[-1]).mean()


bounds = [(0, 1000)] * (n + l) + [(-5, 5)] * (n + m) + [(0, 1000)]
ours, theirs = [], []
for seed in range(1, options.seeds + 1):
    fit = subprocess.run([options.perfmodel, "fit", options.runs, "--method", "paper", "--quiet", "--seed", str(seed)],
                         check=True, capture_output=True, text=True)
    ours.append(json.loads(fit.stdout)["search"]["cost"])
    theirs.append(differential_evolution(cost, bounds, seed=seed).fun)

print("| program | lowest | quartile | median | quartile | highest |")
print("|---|---|---|---|---|---|")
for name, costs in (("perfmodel fit --method paper", ours), (f"scipy {scipy.__version__}", theirs)):
    print(f"| {name} | " + " | ".join(f"{q:.6g}" for q in np.quantile(costs, [0, 0.25, 0.5, 0.75, 1])) + " |")
print(f"\nMann-Whitney p = {mannwhitneyu(ours, theirs).pvalue:.2f}, Kolmogorov-Smirnov p = {ks_2samp(ours, theirs).pvalue:.2f}")
