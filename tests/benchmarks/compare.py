#!/usr/bin/env python3
"""Whether a program has become slower: CPU times of two builds in pairs.

    compare.py OLD NEW [--quick] [--only CASE ...] [--pairs N]

Old and new run in turn, in random order, on one thread. Printed as a Markdown table: the median CPU
seconds of each, the median ratio, and the interval between two order statistics of the ratios that
contains the true median with a probability of at least 95 % (the inversion of the sign test). Exit
code 1 if a case has become slower by more than 5 % and its interval is above 1.
"""
import argparse
import math
import pathlib
import random
import statistics
import sys
import tempfile

import many_levels_and_columns
from many_groups import write_groups
from measured import cost_of
from scaling import write_runs

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
LARGEST_LOSS = 0.05
CONFIDENCE = 0.95

# Name, what is measured, how often it runs per measurement, arguments. OUT is replaced.
CASES = [
    ("start", "start of the process, `--version`", 10, ["--version"]),
    ("fit", "`fit` of 900 LeNet-5 runs", 4, ["fit", "lenet5.csv"]),
    ("auto", "`fit --expression auto` of the same", 1, ["fit", "lenet5.csv", "--expression", "auto"]),
    ("rows", "`fit` of 175,000 rows", 1, ["fit", "rows.csv"]),
    ("predict", "`predict` of 100,000 rows", 4, ["predict", "rows.json", "predicted.csv"]),
    ("report", "`report` of a model of `auto`", 4, ["report", "auto.json", "lenet5.csv"]),
    ("groups", "`fit --by`, 3000 groups of 12 rows", 1, ["fit", "groups.csv", "--by", "kernel"]),
    ("wide", "`fit --expression auto` of 1280 rows, 49 columns", 1,
     ["fit", "wide.csv", "--expression", "auto"]),
    ("levels", "`fit --expression auto` of 3000 rows with 100 levels", 1,
     ["fit", "levels.csv", "--expression", "auto"]),
]


def median_interval(values, confidence=CONFIDENCE):
    """The order statistics that enclose the median with at least this probability."""
    ordered, count = sorted(values), len(values)
    below, left_out = 0.0, 0
    while (below := below + math.comb(count, left_out) / 2**count) <= (1 - confidence) / 2:
        left_out += 1
    if left_out == 0:
        raise ValueError(f"{count} values are too few for an interval")
    return ordered[left_out - 1], ordered[count - left_out]


def is_loss(ratios):
    return statistics.median(ratios) > 1 + LARGEST_LOSS and median_interval(ratios)[0] > 1


def write_inputs(folder, program, cases):
    """The files of these cases; models are fitted by `program`."""
    (folder / "lenet5.csv").write_bytes((DATA / "lenet5_train900.csv").read_bytes())
    if cases & {"rows", "predict"}:
        write_runs(folder / "rows.csv", 175000, 4, replicated=False)
        lines = (folder / "rows.csv").read_text().splitlines(keepends=True)
        (folder / "predicted.csv").write_text("".join(lines[:100001]))
    if "predict" in cases:
        fit = [program, "fit", folder / "rows.csv", "--coverage", "none", "-o", folder / "rows.json"]
        cost_of(fit)
    if "report" in cases:
        fit = [program, "fit", folder / "lenet5.csv", "--expression", "auto", "-o", folder / "auto.json"]
        cost_of(fit)
    if "groups" in cases:
        with open(folder / "groups.csv", "w", encoding="utf-8") as file:
            write_groups(file, 3000, 12)
    if "wide" in cases:
        many_levels_and_columns.numbers(folder / "wide.csv", 1280, 48, 1, planted=True)
    if "levels" in cases:
        many_levels_and_columns.levels(folder / "levels.csv", 3000, 100)


def pair_of(programs, arguments, times, folder, order):
    """Mean CPU seconds of a run of either program, which run in turn."""
    output = [] if arguments == ["--version"] else ["--output", folder / "out"]
    words = [folder / word if (folder / word).exists() else word for word in arguments]
    seconds = [0.0, 0.0]
    for _ in range(times):
        for which in order.sample((0, 1), 2):
            command = [programs[which], *words, *output]
            seconds[which] += cost_of(command, {"OMP_NUM_THREADS": "1"}).cpu / times
    return seconds


def main(words):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="6 pairs")
    parser.add_argument("--pairs", type=int, help="15 if not given; at least 6")
    parser.add_argument("--only", nargs="+", metavar="CASE", choices=[case[0] for case in CASES],
                        help="some of " + ", ".join(case[0] for case in CASES))
    options = parser.parse_args(words)
    programs = [options.old.resolve(), options.new.resolve()]
    pairs = options.pairs or (6 if options.quick else 15)
    median_interval(range(pairs))  # enough pairs
    order = random.Random(1)
    chosen = [case for case in CASES if not options.only or case[0] in options.only]
    lost = []
    print("| | old [s] | new [s] | new / old | 95 % interval |")
    print("|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_inputs(folder, programs[0], {case[0] for case in chosen})
        for case, title, times, arguments in chosen:
            measured = [pair_of(programs, arguments, times, folder, order) for _ in range(pairs)]
            old, new = map(statistics.median, zip(*measured))
            ratios = [after / before for before, after in measured]
            low, high = median_interval(ratios)
            print(f"| {title} | {old:.3g} | {new:.3g} | {statistics.median(ratios):.3f} "
                  f"| {low:.3f} .. {high:.3f} |", flush=True)
            if is_loss(ratios):
                lost.append(case)
    if lost:
        print(f"slower by more than {100 * LARGEST_LOSS:.0f} %: {', '.join(lost)}", file=sys.stderr)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
