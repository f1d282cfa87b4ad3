#!/usr/bin/env python3
"""Time to a good fit of Eq. (4), beside scipy and pagmo2 in the same scaled coordinates.

    search_engine.py PERFMODEL RUNS.csv BEST_KNOWN_MAE [--seeds 20] [--peer-seeds 3] [--pagmo PROGRAM]

perfmodel is timed as a whole process (read, fit, write) on one thread: with its defaults, whose four
starts make sure of the optimum, and with a single one, as its peers search once. Those are timed from
the first evaluation until their cost is within 0.1 % of the best known. All times are CPU seconds.
Columns: workers and batch_size are extrinsic, texts categorical, time_s the target. Needs
python3-scipy; without it only perfmodel runs.
"""
import argparse, json, math, os, statistics, subprocess, tempfile, time

from measured import cost_of, read_rows

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("perfmodel")
parser.add_argument("runs")
parser.add_argument("best", type=float, help="best known mean absolute error, in the unit of the target")
parser.add_argument("--seeds", type=int, default=20)
parser.add_argument("--peer-seeds", type=int, default=3)
parser.add_argument("--pagmo")
options = parser.parse_args()
goal = 1.001 * options.best


def row(name, times, costs, evaluations):
    within = sum(c <= goal for c in costs)
    exact = sum(c <= (1 + 2e-6) * options.best for c in costs)
    print(f"| {name} | {len(times)} | {statistics.median(times):.3f} | {within}/{len(costs)} | {exact}/{len(costs)} "
          f"| {statistics.median(evaluations):.0f} |", flush=True)
    return statistics.median(times)


print("| program | seeds | median CPU seconds | within 0.1 % | within 2e-6 | evaluations |")
print("|---|---|---|---|---|---|", flush=True)


def measure(name, *arguments):
    times, costs, evaluations = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, options.seeds + 1):
            model = os.path.join(folder, "model.json")
            cost = cost_of([options.perfmodel, "fit", options.runs, "--quiet", "--threads", "1", "--seed", str(seed),
                            "-o", model, *arguments])
            times.append(cost.cpu)
            search = json.load(open(model))["search"]
            costs.append(search["cost"])
            evaluations.append(search["evaluations"])
    return row(name, times, costs, evaluations)


ratios = []
ours = measure("perfmodel fit")
once = measure("perfmodel fit --starts 1", "--starts", "1")

rows = read_rows(options.runs)
extrinsic_names = ["workers", "batch_size"]
intrinsic, levels, extrinsic = [], [], []
target = [float(r["time_s"]) for r in rows]
for name in rows[0]:
    if name == "time_s":
        continue
    try:
        logs = [math.log(float(r[name])) for r in rows]
        mean = sum(logs) / len(logs)
        (extrinsic if name in extrinsic_names else intrinsic).append([x - mean for x in logs])
    except ValueError:
        for level in sorted({r[name] for r in rows}):
            levels.append([float(r[name] == level) for r in rows])

if options.pagmo:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as table:
        print(len(rows), len(intrinsic), len(levels), len(extrinsic), file=table)
        for values in zip(*intrinsic, *levels, *extrinsic, target):
            print(*(repr(v) for v in values), file=table)
        table.flush()
        results = [subprocess.run([options.pagmo, table.name, repr(goal), str(seed)], check=True, capture_output=True,
                                  text=True).stdout.split() for seed in range(1, options.peer_seeds + 1)]
    pagmo = row("pagmo2 de, best/1/bin", *([float(r[k]) for r in results] for k in range(3)))
    ratios.append(f"pagmo2 / perfmodel: {pagmo / ours:.0f}, with one start {pagmo / once:.0f}")

try:
    import numpy as np
    import scipy
    from scipy.optimize import differential_evolution
except ImportError:
    print("\n" + "\n\n".join(ratios + ["python3-scipy is not installed: no figures for it"]))
    raise SystemExit(0)

X, L, E, t = np.array(intrinsic).T, np.array(levels).T, np.array(extrinsic).T, np.array(target)
n, l, m = X.shape[1], L.shape[1], E.shape[1]


def cost(x):
    a = np.exp(x[:n + l])
    s = np.exp(X * x[n + l:2 * n + l]) @ a[:n] + L @ a[n:]
    return np.abs(t - s * np.exp(E @ x[2 * n + l:-1]) - math.exp(x[-1])).mean()


low, high = math.log(1e-4 * np.median(t)), math.log(2 * t.max())
bounds = [(low, high)] * (n + l) + [(-5, 5)] * (n + m) + [(low, high)]
times, costs, evaluations = [], [], []
for seed in range(1, options.peer_seeds + 1):
    begin = time.process_time()
    result = differential_evolution(cost, bounds, seed=seed, maxiter=100000, tol=0, polish=False,
                                    callback=lambda x, convergence: cost(x) <= goal)
    times.append(time.process_time() - begin)
    costs.append(result.fun)
    evaluations.append(result.nfev)
scipy_time = row(f"scipy {scipy.__version__} differential_evolution", times, costs, evaluations)
ratios.append(f"scipy / perfmodel: {scipy_time / ours:.0f}, with one start {scipy_time / once:.0f}")
print("\n" + "\n\n".join(ratios))
