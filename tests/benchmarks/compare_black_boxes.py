#!/usr/bin/env python3
"""Compares `perfmodel fit` with scikit-learn's random forest, gradient boosting and SVR.

    compare_black_boxes.py --program build/release/perfmodel --data DIR [CASE ...]
    compare_black_boxes.py --file RUNS.csv --random 0.8 --far num_gpus:8 --terms 1 2 3 4 \\
        --fit-options="--target step_s --extrinsic num_gpus,batch --ignore host"

Each case is a CSV file of DIR and a way to split it; a file that is absent is skipped. With --file,
that file is judged instead, on every split named: --random TRAIN[:TEST] takes shares or numbers of
rows, --far COLUMN:LIMIT[:TRAIN] trains up to the limit (on at most so many random rows) and tests
beyond it. All methods see the same rows. scikit-learn's work on ln(time), with the logarithms of
the numeric columns and one-hot categories. Printed: mean MAPE over the test rows in percent, over
the splits, the wall time of `auto`, and with --terms, how far it is from the best of the fixed
forms (Eq. (4) and each number of terms) and from the best black box.
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from measured import read_rows, write_rows

POLLUX = ["--extrinsic",
          "num_nodes,num_gpus,max_gpus_per_node,global_batch",
          "--ignore", "sweep,aux_layout,aux_sync_s"]
VIDUR = ["--extrinsic", "num_gpus,num_nodes,gpus_per_node", "--ignore",
         "aux_mean_s,aux_std_s"]
JUSTUS = ["--extrinsic", "batch_size", "--ignore", "aux_min_s,aux_max_s,aux_std_s"]
RELEARN = ["--extrinsic", "num_procs", "--ignore", "repetition"]
BLOOM = ["--extrinsic", "num_nodes,num_gpus,dp,tp,pp,micro_batch,global_batch", "--ignore",
         "aux_tflops"]


def random_split(train, test=None):
    """Rows for training and testing: numbers of rows, or a share of them."""
    def split(rows, seed):
        order = np.random.default_rng(seed).permutation(len(rows))
        first, more = (int(part * len(rows)) if part is not None and part <= 1 else part
                       for part in (train, test))
        last = len(rows) if test is None else first + more
        return order[:first], order[first:last]
    return split


def far_split(column, limit, most=None):
    """Trains up to the limit, tests beyond it; at most so many training rows."""
    def split(rows, seed):
        near = [i for i, row in enumerate(rows) if float(row[column]) <= limit]
        far = [i for i, row in enumerate(rows) if float(row[column]) > limit]
        if most is not None:
            near = list(np.random.default_rng(seed).permutation(near)[:most])
        return np.array(near), np.array(far)
    return split


# name: file, options of fit, split, number of splits
CASES = {
    "lenet5 random": ("lenet5_pytorch_cpu.csv", [], random_split(900, 300), 10),
    "lenet5 batch <= 32": ("lenet5_pytorch_cpu.csv", [], far_split("batch_size", 32), 1),
    "cifar10 random": ("pollux_t4_cifar10.csv", POLLUX, random_split(0.8), 10),
    "cifar10 gpus <= 8": ("pollux_t4_cifar10.csv", POLLUX, far_split("num_gpus", 8), 1),
    "pollux random": ("pollux_t4.csv", POLLUX, random_split(0.6), 1),
    "pollux gpus <= 16": ("pollux_t4.csv", POLLUX, far_split("num_gpus", 16), 1),
    "justus dense v100": ("justus_dense_v100.csv", JUSTUS, random_split(3000, 5000), 3),
    "vidur size <= 1e8": ("vidur_allreduce.csv", VIDUR, far_split("size", 1e8), 1),
    "vidur random": ("vidur_allreduce.csv", VIDUR, random_split(0.2), 1),
    "relearn random": ("relearn_hpc.csv", RELEARN, random_split(0.8), 10),
    "relearn procs <= 256": ("relearn_hpc.csv", RELEARN, far_split("num_procs", 256), 1),
    "bloom random": ("bloom_v100.csv", BLOOM, random_split(0.8), 10),
}


def option(options, name, default=""):
    """The columns that an option of fit names."""
    text = options[options.index(name) + 1] if name in options else default
    return [column for column in text.split(",") if column]


def as_numbers(cells):
    try:
        return np.array([float(cell) for cell in cells])
    except ValueError:
        return None


def features(rows, target, ignored, categorical):
    """Logarithms of positive numeric columns, numbers of others, one-hot categories."""
    columns = []
    for name in rows[0]:
        if name == target or name in ignored:
            continue
        cells = [row[name] for row in rows]
        numbers = None if name in categorical else as_numbers(cells)
        if numbers is None:
            columns += [np.array([float(cell == level) for cell in cells])
                        for level in sorted(set(cells))]
        else:
            columns.append(np.log(numbers) if (numbers > 0).all() else numbers)
    return np.column_stack(columns)


def mape(measured, predicted):
    return 100 * float(np.mean(np.abs(predicted - measured) / measured))


BLACK_BOXES = ["RF", "GBM", "SVR"]


def black_boxes(x, t, train, test):
    methods = {
        "RF": RandomForestRegressor(random_state=0),
        "GBM": GradientBoostingRegressor(random_state=0, n_estimators=500, max_depth=5),
        "SVR": make_pipeline(StandardScaler(), SVR(C=10)),
    }
    out = {}
    for name, method in methods.items():
        method.fit(x[train], np.log(t[train]))
        out[name] = mape(t[test], np.exp(method.predict(x[test])))
    return out


def fitted(program, options, folder, test_rows):
    start = time.perf_counter()
    run = subprocess.run([program, "fit", folder / "train.csv", "--test", folder / "test.csv",
                          "--quiet", *options], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        print(f"fit {' '.join(options)}: {run.stderr.splitlines()[0]}", file=sys.stderr)
        return float("nan"), time.perf_counter() - start, "failed"
    model = json.loads(run.stdout)
    if model["metrics"]["test"]["rows"] != test_rows:  # levels that the training rows have not
        print(f"fit {' '.join(options)}: {run.stderr.splitlines()[0]}", file=sys.stderr)
        return float("nan"), time.perf_counter() - start, "failed"
    form = model["expression"]["form"]
    if form == "multi":
        constants = model["constants"]
        form = f"K={len(constants['terms'])}" + (" C" if constants["C"] else "")
        form += "".join(f" per {column['column']}" for column in constants["categorical"]
                        if all(sum(factor != 0 for factor in
                                   term["levels"][column["column"]].values()) == 1
                               for term in constants["terms"]))
        form += " regimes" if constants["regimes"] else ""
        form += " log" if any(any(term["log2_powers"].values())
                              for term in constants["terms"]) else ""
    return model["metrics"]["test"]["mape_percent"], time.perf_counter() - start, form


def distance(results):
    """How many times the errors of the best fixed form and of the best black box `auto` has."""
    means = {method: np.mean(values) for method, values in results.items()}
    auto = means.pop("auto")
    boxes = [means.pop(method) for method in BLACK_BOXES if method in means]
    text = f"  auto / best fixed {auto / np.nanmin(list(means.values())):.2f}"
    return text + (f", / best black box {auto / min(boxes):.2f}" if boxes else "")


def run_case(name, path, options, split, splits, arguments):
    if not path.exists():
        print(f"{name}: {path} is absent", file=sys.stderr)
        return
    rows = read_rows(path)
    target = option(options, "--target", "time_s")[0]
    t = np.array([float(row[target]) for row in rows])
    x = features(rows, target, option(options, "--ignore"), option(options, "--categorical"))
    methods = {"Eq. (4)": [], "auto": ["--expression", "multi"]}
    for terms in arguments.terms:
        methods[f"K={terms}"] = ["--expression", "multi", "--terms", terms]
    results, seconds, forms = {}, [], []
    for seed in range(min(splits, arguments.splits)):
        train, test = split(rows, seed)
        if not arguments.no_black_boxes:
            for method, value in black_boxes(x, t, train, test).items():
                results.setdefault(method, []).append(value)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            write_rows(folder / "train.csv", [rows[i] for i in train])
            write_rows(folder / "test.csv", [rows[i] for i in test])
            for method, extra in methods.items():
                value, wall, form = fitted(arguments.program, options + extra + arguments.fit,
                                           folder, len(test))
                results.setdefault(method, []).append(value)
                if method == "auto":
                    seconds.append(wall)
                    forms.append(form)
    text = "  ".join(f"{method} {np.mean(values):5.1f}" for method, values in results.items())
    text += distance(results) if arguments.terms else ""
    print(f"{name:22} {text}  {np.mean(seconds):5.1f} s  {'; '.join(sorted(set(forms)))}",
          flush=True)


def cases_of_file(arguments):
    """Yields name, path, options of fit, split and number of splits of each split of --file."""
    path = pathlib.Path(arguments.file)
    options = shlex.split(arguments.fit_options)
    if arguments.random:
        parts = [float(part) if "." in part else int(part) for part in arguments.random.split(":")]
        yield f"{path.stem} random", path, options, random_split(*parts), arguments.splits
    if arguments.far:
        column, limit, *most = arguments.far.split(":")
        split = far_split(column, float(limit), *map(int, most))
        yield (f"{path.stem} {column} <= {limit}", path, options, split,
               arguments.splits if most else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="parts of names of cases; all where none is given")
    parser.add_argument("--program", default="build/release/perfmodel")
    parser.add_argument("--data", default="data")
    parser.add_argument("--terms", nargs="*", default=[], help="also with these numbers of terms")
    parser.add_argument("--splits", type=int, default=10, help="at most, per case")
    parser.add_argument("--no-black-boxes", action="store_true")
    parser.add_argument("--fit", nargs="*", default=[], help="further options of fit, as --fit=...")
    parser.add_argument("--file", help="judge this file instead of the cases")
    parser.add_argument("--fit-options", default="", help="options of fit for that file")
    parser.add_argument("--random", metavar="TRAIN[:TEST]", help="random split of that file")
    parser.add_argument("--far", metavar="COLUMN:LIMIT[:TRAIN]",
                        help="train below, test above a limit of a column of that file")
    arguments = parser.parse_args()
    if arguments.file and not (arguments.random or arguments.far):
        parser.error("--file needs --random or --far")
    if arguments.file:
        for case in cases_of_file(arguments):
            run_case(*case, arguments)
        return
    for name, (file, options, split, splits) in CASES.items():
        if not arguments.cases or any(part in name for part in arguments.cases):
            run_case(name, pathlib.Path(arguments.data) / file, options, split, splits, arguments)


if __name__ == "__main__":
    main()
