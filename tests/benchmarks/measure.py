#!/usr/bin/python3
"""Compares `perfmodel measure` with measuring a whole grid, with random plans, and with a Gaussian
process of scikit-learn that measures where its variance is largest.

    measure.py PERFMODEL TABLE ... [--seeds 10] [--shares 0.05 0.1 ...]
    measure.py --grid kernels.csv        measures measured_kernels.c once, four visits per setting

TABLE: kernels=FILE (as --grid writes it), vidur=FILE, x264=FILE (of shared data). Each is measured
beforehand, so that all strategies meet the same times: a program that is started in place of the
measured one sleeps as long as the recorded run took (in proportion) and prints its time. Each
strategy is charged the recorded seconds.

Per seed a fifth of the settings is set aside, which the space excludes by conditions; models are
judged by their mean absolute percentage error there, against the median of all visits. Printed: the
error of the grid, and means and medians of the errors over the seeds at shares of its seconds.
"""
import argparse
import csv
import itertools
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

import warnings

import numpy as np

warnings.filterwarnings("ignore")

REPLAY = """#!/bin/sh
{ read -r time wall; rest=$(cat); } < "$1"
[ -z "$rest" ] || echo "$rest" > "$1"
sleep "$wall"
echo "step_time: $time s"
"""
MEAN_SLEEP = 0.03
FORM = ["--expression", "multi", "--terms", "1", "--residual", "process"]


class Grid:
    """Settings with the times and seconds of their visits."""

    def __init__(self, columns, extrinsic, rows):
        self.columns, self.extrinsic = columns, extrinsic
        self.visits = {}  # setting -> [(time, seconds)]
        for setting, step, seconds in rows:
            self.visits.setdefault(setting, []).append((step, seconds))
        self.settings = list(self.visits)
        self.scale = MEAN_SLEEP / statistics.mean(v[0][1] for v in self.visits.values())

    def truth(self, setting):
        return statistics.median(step for step, _ in self.visits[setting])


def kernels(path):
    columns = ["kind", "size", "batch", "threads", "precision"]
    with open(path, newline="") as file:
        return Grid(columns, ["threads"], [
            ((row["kind"], int(row["size"]), int(row["batch"]), int(row["threads"]),
              row["precision"]), float(row["step_s"]), float(row["wall_s"]))
            for row in csv.DictReader(file)])


def vidur(path):
    """All-reduce on A100 in DGX machines, 40 sizes."""
    with open(path, newline="") as file:
        rows = [row for row in csv.DictReader(file)
                if row["gpu"] == "a100" and row["topology"] == "dgx" and row["gpus_per_node"] != "1"]
    sizes = sorted({int(row["size"]) for row in rows})
    wanted = {min(sizes, key=lambda size: abs(np.log(size / goal)))
              for goal in np.geomspace(sizes[0], sizes[-1], 40)}
    return Grid(["num_nodes", "gpus_per_node", "size"], ["num_nodes", "gpus_per_node"], [
        ((int(row["num_nodes"]), int(row["gpus_per_node"]), int(row["size"])),
         float(row["time_s"]), float(row["time_s"])) for row in rows if int(row["size"]) in wanted])


def x264(path):
    """Encoding with all combinations of nine options."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    flags = [name for name in rows[0] if name.startswith("no_")]

    def choice(row, prefix):
        return next(int(name[len(prefix):]) for name in row
                    if name.startswith(prefix) and row[name] == "1")

    return Grid(flags + ["lookahead", "ref"], [], [
        (tuple(int(row[flag]) for flag in flags) +
         (choice(row, "rc_lookahead_"), choice(row, "ref_")),
         float(row["PERF"]), float(row["PERF"])) for row in rows])


def measure_grid(path):
    """Visits all settings of measured_kernels.c four times, in random order."""
    folder = pathlib.Path(__file__).parent
    settings = list(itertools.product(["matmul", "stencil", "activation", "transpose"],
                                      [64, 96, 128, 192, 256, 384], [1, 4, 16], [1, 2],
                                      ["float", "double"]))
    with tempfile.TemporaryDirectory() as name:
        program = name + "/kernels"
        subprocess.run(["gcc", "-O2", "-march=native", "-pthread",
                        str(folder / "measured_kernels.c"), "-lm", "-o", program], check=True)
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow("kind size batch threads precision visit step_s wall_s".split())
            for visit in range(1, 5):
                random.Random(visit).shuffle(settings)
                for setting in settings:
                    start = time.monotonic()
                    output = subprocess.run([program, *map(str, setting)], check=True,
                                            capture_output=True, text=True).stdout
                    writer.writerow([*setting, visit, output.split()[1],
                                     f"{time.monotonic() - start:.6f}"])


def literal(value):
    return f"'{value}'" if isinstance(value, str) else str(value)


def write_rows(path, grid, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(grid.columns + ["time_s"])
        writer.writerows([*setting, step] for setting, step in rows)
    return str(path)


class Seed:
    """The settings set aside, and those that may be measured."""

    def __init__(self, grid, seed, program, folder):
        self.grid, self.program, self.folder = grid, program, folder
        shuffled = random.Random(seed).sample(grid.settings, len(grid.settings))
        self.held = shuffled[:len(shuffled) // 5]
        self.open = shuffled[len(shuffled) // 5:]
        self.seconds = sum(grid.visits[setting][0][1] for setting in self.open)
        self.test = write_rows(folder / "test.csv", grid,
                               [(setting, grid.truth(setting)) for setting in self.held])

    def space(self):
        columns = []
        for c, name in enumerate(self.grid.columns):
            values = sorted({setting[c] for setting in self.grid.settings})
            columns.append({"column": name, "values": values})
        where = [" || ".join(f"{name} != {literal(value)}"
                             for name, value in zip(self.grid.columns, setting))
                 for setting in self.held]
        space = {"schema": "perfmodel/space", "schema_version": 1, "columns": columns,
                 "where": where}
        if self.grid.extrinsic:
            space["extrinsic"] = self.grid.extrinsic
        path = self.folder / "space.json"
        path.write_text(json.dumps(space))
        return str(path)

    def error(self, rows):
        """Of `fit` on these (setting, time)."""
        model = self.folder / "model.json"
        runs = write_rows(self.folder / "some.csv", self.grid, rows)
        scales = ",".join(self.grid.extrinsic) or "none"
        result = subprocess.run(
            [self.program, "fit", runs, *FORM, "--target", "time_s", "--extrinsic",
             scales, "--test", self.test, "--quiet", "-o", str(model)],
            stderr=subprocess.PIPE, text=True)
        if result.returncode:
            return float("nan")  # too few rows
        return json.loads(model.read_text())["metrics"]["test"]["mape_percent"]

    def measured(self, *options):
        """The runs of `perfmodel measure` on the replayed program, in order: (setting, visit)."""
        replay = self.folder / "replay"
        replay.mkdir()
        for setting in self.open:
            (replay / "_".join(map(str, setting))).write_text("".join(
                f"{step} {seconds * self.grid.scale:.6f}\n"
                for step, seconds in self.grid.visits[setting]))
        script = self.folder / "replay.sh"
        script.write_text(REPLAY)
        script.chmod(0o755)
        runs = self.folder / "runs.csv"
        key = "_".join("{" + name + "}" for name in self.grid.columns)
        subprocess.run([self.program, "measure", self.space(), "--runs", str(runs),
                        "--time-from", "step_time: {}", "-o", "/dev/null", *options, "--",
                        str(script), f"{replay}/{key}"], check=True,
                       stderr=open(self.folder / "measure.log", "w"))
        visits = {}
        out = []
        by_text = {tuple(map(str, setting)): setting for setting in self.open}
        with open(runs, newline="") as file:
            for row in csv.DictReader(file):
                setting = by_text[tuple(row[name] for name in self.grid.columns)]
                out.append((setting, visits.setdefault(setting, 0)))
                visits[setting] += 1
        return out


def features(grid):
    """Numbers as logarithms (or as they are, with a 0), texts as indicators, all scaled."""
    out = []
    for c in range(len(grid.columns)):
        values = [setting[c] for setting in grid.settings]
        if isinstance(values[0], str):
            out += [[float(value == level) for value in values] for level in sorted(set(values))]
        else:
            out.append([np.log(value) if min(values) > 0 else float(value) for value in values])
    out = np.array(out).T
    return dict(zip(grid.settings, (out - out.mean(0)) / out.std(0)))


class Process:
    """The third strategy: fits ln t, measures where the variance is largest."""

    def __init__(self, seed, first):
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
        self.seed, self.x = seed, features(seed.grid)
        size = len(next(iter(self.x.values())))
        self.model = GaussianProcessRegressor(
            ConstantKernel(1.0) * Matern(np.ones(size), (1e-2, 1e3), nu=2.5) +
            WhiteKernel(1e-2, (1e-6, 1)), normalize_y=True, random_state=0)
        self.rows = list(first)
        self.fit()

    def fit(self):
        visits = self.seed.grid.visits
        self.model.fit([self.x[setting] for setting in self.rows],
                       [np.log(visits[setting][0][0]) for setting in self.rows])

    def extend(self, count):
        rest = [setting for setting in self.seed.open if setting not in set(self.rows)]
        _, deviation = self.model.predict([self.x[setting] for setting in rest], return_std=True)
        self.rows += [rest[i] for i in np.argsort(-deviation)[:count]]
        self.fit()

    def error(self):
        predicted = np.exp(self.model.predict([self.x[setting] for setting in self.seed.held]))
        truth = np.array([self.seed.grid.truth(setting) for setting in self.seed.held])
        return 100 * np.mean(np.abs(predicted / truth - 1))


def prefix(rows, grid, most):
    """The longest beginning of (setting, visit) that costs at most these seconds."""
    spent, out = 0.0, []
    for setting, visit in rows:
        step, seconds = grid.visits[setting][min(visit, len(grid.visits[setting]) - 1)]
        spent += seconds
        if spent > most:
            break
        out.append((setting, step))
    return out


def process_errors(seed, shares):
    """Errors at the last fit that the seconds allow."""
    visits = seed.grid.visits
    process = Process(seed, seed.open[:15])
    out = [float("nan")] * len(shares)
    while True:
        spent = sum(visits[setting][0][1] for setting in process.rows) / seed.seconds
        if spent > shares[-1] or len(process.rows) == len(seed.open):
            return out
        error = process.error()
        out = [error if spent <= share else old for share, old in zip(shares, out)]
        process.extend(max(1, len(process.rows) // 4))


def run_seed(grid, seed, options):
    with tempfile.TemporaryDirectory() as name:
        part = Seed(grid, seed, options.perfmodel, pathlib.Path(name))
        shares = options.shares
        everything = [(setting, 0) for setting in part.open]
        out = {"grid": [part.error([(s, grid.visits[s][0][0]) for s, _ in everything])]}
        own = part.measured("--until", "error<0.001%", "--seed", str(seed))
        for method, rows in (("random", everything), ("measure", own)):
            out[method] = [part.error(prefix(rows, grid, share * part.seconds))
                           for share in shares]
        out["process"] = process_errors(part, shares)
        return out


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("perfmodel", nargs="?")
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--grid")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--shares", type=float, nargs="+",
                        default=[0.05, 0.1, 0.15, 0.2, 0.25, 0.33, 0.5, 0.67, 0.8, 1])
    options = parser.parse_args()
    if options.grid:
        measure_grid(options.grid)
        return
    for table in options.tables:
        kind, path = table.split("=", 1)
        grid = {"kernels": kernels, "vidur": vidur, "x264": x264}[kind](path)
        print(f"{kind}: {len(grid.settings)} settings; shares of the grid's seconds:",
              *(f"{share:6.2f}" for share in options.shares))
        found = {}
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            for method, errors in run_seed(grid, seed, options).items():
                found.setdefault(method, []).append(errors)
            for method, errors in found.items():
                for name, figure in (("mean", np.nanmean), ("median", np.nanmedian)):
                    print(f"{len(errors):3} seeds, {method:8} {name:6}:",
                          *(f"{figure(column):6.2f}" for column in zip(*errors)), flush=True)


main()
