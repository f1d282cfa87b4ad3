#!/usr/bin/env python3
"""Formulas of the user: how many seeds find the known answer, beside scipy and lmfit.

    own_formula.py PROGRAM [--chinchilla svg_extracted_data.csv] [--seeds 20]

Three kinds of problems, all from ranges alone:

  NIST       the 26 files of data/nist, ranges around both of NIST's starts; found: 6 digits of each
             constant (and how many have 9)
  roofline   t = max(flops / F, bytes / B) + C with 2 % noise, no ranges; found: within 1 % of the
             best cost of any seed, with F and B within 5 % of the planted ones
  Chinchilla L = E + A / N^alpha + B / D^beta by Huber's loss of ln(L), 0.001, on the points that
             Besiroglu et al. 2024 took from the figure (data/svg_extracted_data.csv of
             github.com/epoch-research/analyzing-chinchilla), without the 5 largest losses

scipy's curve_fit (trf) and lmfit's least_squares get the same ranges and no start: curve_fit begins
in the middle of the box, lmfit with a uniform random point of it per seed, and lmfit's
differential_evolution with the seed.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
warnings.filterwarnings("ignore")


def read_nist(path):
    lines = path.read_text().splitlines()
    constants = []
    for line in lines:
        found = re.fullmatch(r"\s*(b\d)\s*=\s*(\S+)\s+(\S+)\s+(\S+)\s+\S+\s*", line)
        if found:
            constants.append([float(found[k]) for k in (2, 3, 4)])
    begin = max(i for i, line in enumerate(lines) if line.startswith("Data:"))
    rows = [[float(x) for x in line.split()] for line in lines[begin + 1:] if line.strip()]
    first = next(i for i, line in enumerate(lines) if re.match(r"\s*(y|log\[y\])\s*=", line))
    text = lines[first]
    while not re.search(r"\+\s*e\s*$", text):
        first += 1
        text += lines[first]
    logarithm = "log[y]" in text
    formula = re.sub(r"\s*\+\s*e\s*$", "", text.split("=", 1)[1])
    return constants, rows, formula.replace("[", "(").replace("]", ")"), logarithm


def for_numpy(formula):
    for word in ("arctan", "exp", "cos", "sin", "pi"):
        formula = formula.replace(word, "np." + word)
    return formula


def fitted_digits(program, path, seed, folder):
    """The least number of matching digits of the constants. Columns must not be negative and the
    target is above 0: what is not, is moved or mirrored, which the formula undoes."""
    constants, rows, formula, logarithm = read_nist(path)
    formula = formula.replace("**", "^").replace("arctan", "atan").replace("pi", "_pi")
    columns = [list(column) for column in zip(*rows)]
    names = ["y"] + (["x"] if len(columns) == 2 else [f"x{k}" for k in range(1, len(columns))])
    for name, column in zip(names[1:], columns[1:]):
        if min(column) < 0:
            shift = math.ceil(-min(column))
            column[:] = [value + shift for value in column]
            formula = re.sub(rf"\b{name}\b", f"({name} - {shift})", formula)
    if max(columns[0]) < 0:
        columns[0] = [-value for value in columns[0]]
        formula = f"-({formula})"
    if logarithm:
        formula = f"exp({formula})"
    runs = pathlib.Path(folder) / "nist.csv"
    with open(runs, "w", newline="") as file:
        csv.writer(file).writerows([names, *zip(*columns)])
    bounds = [f"b{k}={low!r}:{high!r}"
              for k, (low, high) in enumerate(bounds_around(constants, 10), 1)]
    values, _ = fitted(program, runs, [
        "--target", "y", "--formula", f"y = {formula.strip()}", "--loss",
        "rmsle" if logarithm else "mse", "--seed", str(seed), "--bounds", *bounds], folder)
    values = [values[f"b{k}"] for k in range(1, len(constants) + 1)]
    # Terms can be interchanged: Lanczos's stand by their rates, Gauss's two peaks by their places.
    if path.stem.startswith("Lanczos"):
        values = [x for rate, size in sorted(zip(values[1::2], values[::2])) for x in (size, rate)]
    if path.stem.startswith("Gauss") and values[6] < values[3]:
        values[2:5], values[5:8] = values[5:8], values[2:5]
    return min(15 if value == certified else -math.log10(abs(value / certified - 1))
               for value, (_, _, certified) in zip(values, constants))


def bounds_around(constants, reach):
    out = []
    for start, other, _ in constants:
        low, high = sorted((abs(start), abs(other)))
        out.append((low / reach, high * reach) if start > 0 else (-high * reach, -low / reach))
    return out


def peers(residual, bounds, certified, seed, lanczos):
    """Names of the peers that found the certified constants to 6 digits."""
    import lmfit
    import numpy as np
    import scipy.optimize

    def found(values):
        if lanczos:  # interchangeable terms
            pairs = sorted(zip(values[1::2], values[::2]))
            values = [x for rate, size in pairs for x in (size, rate)]
        return all(abs(v - c) <= 1e-6 * abs(c) for v, c in zip(values, certified))

    out = []
    low, high = zip(*bounds)
    middle = [(a + b) / 2 for a, b in bounds]
    if seed == 1:
        try:
            # curve_fit with bounds and no p0 is this call.
            result = scipy.optimize.least_squares(residual, middle, bounds=(low, high))
            if found(result.x):
                out.append("curve_fit")
        except ValueError:
            pass
    parameters = lmfit.Parameters()
    draw = random.Random(seed)
    for k, (a, b) in enumerate(bounds):
        parameters.add(f"b{k + 1}", value=draw.uniform(a, b), min=a, max=b)

    def of_parameters(p):
        values = residual([p[f"b{k + 1}"].value for k in range(len(bounds))])
        return np.nan_to_num(values, nan=1e100, posinf=1e100, neginf=-1e100)

    for method, options in (("least_squares", {}), ("differential_evolution", {"seed": seed})):
        try:
            result = lmfit.minimize(of_parameters, parameters, method=method, **options)
            if found([result.params[f"b{k + 1}"].value for k in range(len(bounds))]):
                out.append("lmfit " + method)
        except Exception:  # a peer that fails has not found it
            pass
    return out


def nist(program, seeds, peer_seeds, folder):
    print(f"{'NIST':10} {'6 digits':>9} {'9 digits':>9} {'least':>6} {'s/fit':>6}   peers (found/seeds)")
    totals = [0, 0]
    for path in sorted((ROOT / "data/nist").glob("*.dat")):
        six = nine = 0
        least = 15.0
        begin = time.time()
        for seed in range(1, seeds + 1):
            digits = fitted_digits(program, path, seed, folder)
            least = min(least, digits)
            six += digits >= 6
            nine += digits >= 9
        seconds = (time.time() - begin) / seeds
        counts = {}
        if peer_seeds:
            import numpy as np
            constants, rows, formula, logarithm = read_nist(path)
            data = np.array(rows).T
            y = np.log(data[0]) if logarithm else data[0]
            names = {"np": np, **({"x": data[1]} if len(data) == 2
                                  else {"x1": data[1], "x2": data[2]})}

            def residual(b):
                values = {f"b{k + 1}": v for k, v in enumerate(b)}
                return eval(for_numpy(formula), names | values) - y  # NIST's own text

            bounds = bounds_around(constants, 10)
            for seed in range(1, peer_seeds + 1):
                for name in peers(residual, bounds, [c[2] for c in constants], seed,
                                  path.stem.startswith("Lanczos")):
                    counts[name] = counts.get(name, 0) + 1
        totals[0] += six == seeds
        totals[1] += nine == seeds
        print(f"{path.stem:10} {six:6}/{seeds} {nine:6}/{seeds} {least:6.1f} {seconds:6.2f}   "
              + ", ".join(f"{name} {count}/{1 if name == 'curve_fit' else peer_seeds}"
                          for name, count in counts.items()), flush=True)
    print(f"all seeds found: {totals[0]} of 26 to 6 digits, {totals[1]} to 9")


def fitted(program, runs, arguments, folder):
    model = pathlib.Path(folder) / "model.json"
    subprocess.run([program, "fit", str(runs), *arguments, "-o", str(model), "--quiet"], check=True,
                   capture_output=True)
    document = json.loads(model.read_text())
    values = {c["constant"]: c["value"] for c in document["constants"]["values"]}
    return values, document["search"]["cost"]


def roofline(program, seeds, folder):
    draw = random.Random(7)
    runs = pathlib.Path(folder) / "roofline.csv"
    with open(runs, "w") as file:
        file.write("flops,bytes,t\n")
        for _ in range(60):
            flops, size = 10 ** draw.uniform(8, 13), 10 ** draw.uniform(6, 11)
            t = (max(flops / 3e12, size / 4e11) + 2e-4) * math.exp(draw.gauss(0, 0.02))
            file.write(f"{flops},{size},{t}\n")
    results = [fitted(program, runs, ["--formula", "t = max(flops / F, bytes / B) + C", "--loss",
                                      "mape", "--seed", str(seed)], folder)
               for seed in range(1, seeds + 1)]
    best = min(cost for _, cost in results)
    hits = sum(cost <= 1.01 * best and abs(v["F"] / 3e12 - 1) < 0.05 and abs(v["B"] / 4e11 - 1) < 0.05
               for v, cost in results)
    print(f"roofline: {hits} of {seeds} seeds")


def chinchilla(program, seeds, path, folder):
    rows = [(float(r["Model Size"]), float(r["Training FLOP"]), float(r["loss"]))
            for r in csv.DictReader(open(path)) if r["loss"]]
    rows = sorted(rows, key=lambda row: row[2])[:-5]
    runs = pathlib.Path(folder) / "chinchilla.csv"
    with open(runs, "w") as file:
        file.write("N,D,loss\n")
        for size, flop, loss in rows:
            file.write(f"{size!r},{flop / (6 * size)!r},{loss!r}\n")
    begin = time.time()
    results = [fitted(program, runs, ["--formula", "loss = E + A / N^alpha + B / D^beta", "--loss",
                                      "huber", "--seed", str(seed)], folder)
               for seed in range(1, seeds + 1)]
    seconds = (time.time() - begin) / seeds
    best = min(results, key=lambda result: result[1])
    hits = sum(cost <= best[1] * (1 + 1e-6) for _, cost in results)
    print(f"Chinchilla: {hits} of {seeds} seeds, {seconds:.1f} s each; "
          + ", ".join(f"{name} {value:.6g}" for name, value in best[0].items())
          + f"; Huber's sum {best[1] * len(rows) * 1000:.7g} e-3")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--chinchilla")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--peer-seeds", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        roofline(arguments.program, arguments.seeds, folder)
        if arguments.chinchilla:
            chinchilla(arguments.program, arguments.seeds, arguments.chinchilla, folder)
        nist(arguments.program, arguments.seeds, arguments.peer_seeds, folder)


if __name__ == "__main__":
    sys.exit(main())
