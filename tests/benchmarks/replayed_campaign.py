#!/usr/bin/env python3
"""Replays a campaign of measurements: runs that `suggest --next` chooses, beside random ones.

    replayed_campaign.py PERFMODEL [--seeds 10] [--runs RUNS.csv] [--space SPACE.json]
                         [--overhead TIME]
                         [--fit="--expression multi --terms 1 --residual process"]

Per seed 300 runs are set aside to test on and 60 random ones are fitted. Four times 35 more are
added, chosen among the rest of the file: by `suggest`, from the model so far, or at random. Without
--overhead a run costs its iteration and a mean one, with a large one every run costs alike.
Printed: the mean test MAPE and the mean seconds of all iterations that were fitted, by rows.
"""
import argparse
import csv
import json
import pathlib
import random
import shlex
import subprocess
import tempfile

parser = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("perfmodel")
parser.add_argument("--seeds", type=int, default=10)
parser.add_argument("--runs", default="data/lenet5_pytorch_cpu.csv")
parser.add_argument("--space", default="examples/measure/space.json")
parser.add_argument("--target", default="time_s")
parser.add_argument("--fit", default="--expression multi --terms 1 --residual process")
parser.add_argument("--overhead")
parser.add_argument("--test", type=int, default=300)
parser.add_argument("--start", type=int, default=60)
parser.add_argument("--step", type=int, default=35)
parser.add_argument("--steps", type=int, default=4)
options = parser.parse_args()

with open(options.runs, newline="") as file:
    reader = csv.DictReader(file)
    ROWS = list(reader)
    COLUMNS = reader.fieldnames
INPUTS = [column["column"] for column in json.load(open(options.space))["columns"]]


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def run(*arguments):
    return subprocess.run([options.perfmodel, *arguments, "--quiet"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def key(row):
    return tuple(float(row[c]) if row[c][0].isdigit() else row[c] for c in INPUTS)


def chosen(folder, model, known, rest):
    """Positions in `rest` of what suggest would measure next."""
    listed = run("suggest", model, options.space, "--next", str(options.step),
                 "--runs", write(folder / "known.csv", known),
                 "--among", write(folder / "rest.csv", rest), "--format", "csv",
                 *(["--overhead", options.overhead] if options.overhead else []))
    places = {}
    for place, row in enumerate(rest):
        places.setdefault(key(row), []).append(place)
    return [places[key(row)].pop() for row in csv.DictReader(listed.splitlines())]


def campaign(folder, known, rest, test, choose):
    errors, seconds = [], []
    for step in range(options.steps + 1):
        model = str(folder / "model.json")
        run("fit", write(folder / "train.csv", known), "--test", test, "--target", options.target,
            *shlex.split(options.fit), "-o", model)
        errors.append(json.load(open(model))["metrics"]["test"]["mape_percent"])
        seconds.append(sum(float(row[options.target]) for row in known))
        if step < options.steps:
            places = choose(folder, model, known, rest)
            known = known + [rest[place] for place in places]
            rest = [row for place, row in enumerate(rest) if place not in set(places)]
    return errors, seconds


def mean(lists):
    return [sum(column) / len(column) for column in zip(*lists)]


found = {"random": [], "chosen": []}
for seed in range(1, options.seeds + 1):
    rows = random.Random(seed).sample(ROWS, len(ROWS))
    held, known = rows[:options.test], rows[options.test:options.test + options.start]
    rest = rows[options.test + options.start:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        test = write(folder / "test.csv", held)
        first = lambda *_: range(options.step)  # the rest is in random order
        for method, choose in (("random", first), ("chosen", chosen)):
            found[method].append(campaign(folder, known, rest, test, choose))
            errors = " ".join(f"{error:5.1f}" for error in mean([e for e, _ in found[method]]))
            costs = " ".join(f"{cost:6.2f}" for cost in mean([c for _, c in found[method]]))
            print(f"{seed:2} seeds, {method}: MAPE {errors} %   iterations {costs} s", flush=True)
