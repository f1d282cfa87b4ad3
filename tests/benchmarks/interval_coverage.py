#!/usr/bin/env python3
"""How often prediction intervals cover rows that no fit has seen.

For each file of runs and each of 50 seeds, a fifth of the rows is put aside. The others are fitted
twice: with a validation part (split conformal) and without one (cross-conformal, ten refits). The
table says which share of the rows put aside lies in the intervals, over all seeds, and how wide
these are, in percent of the mean measured time; of models with a residual process also for rows
that have runs near and for the others. `--far 'batch_size<=32'` puts the other rows aside instead,
once.

    tests/benchmarks/interval_coverage.py data/lenet5_pytorch_cpu.csv [MORE.csv ...]
        [--coverage 0.9] [--seeds 50] [--far 'COL<=VALUE'] [--program build/release/perfmodel]
        [-- OPTIONS OF FIT]
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from measured import read_rows


def measure(program, training, test, folder, options, coverage):
    model = folder / "model.json"
    subprocess.run(
        [program, "fit", training, "--coverage", str(coverage), "-o", model, "--quiet", *options],
        check=True, stderr=subprocess.DEVNULL)
    answer = subprocess.run(
        [program, "evaluate", model, test, "--format", "json", "--quiet"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    intervals = json.loads(answer.stdout)["prediction_intervals"]
    rows = read_rows(test)
    target = json.loads(model.read_text())["target"]["column"]
    typical = statistics.mean(float(row[target]) for row in rows)
    parts = [dict(intervals, rows=len(rows)), intervals.get("near"), intervals.get("far")]
    return [(part["rows"], part["coverage"], part["mean_width"] / typical)
            if part and part["rows"] else None for part in parts]


def split_at_random(header, lines, seed):
    shuffled = random.Random(seed).sample(lines, len(lines))
    return shuffled[:len(lines) // 5], shuffled[len(lines) // 5:]


def split_far(header, lines, condition):
    """The rows put aside, and those that the condition keeps."""
    column, limit = condition.split("<=")
    place = header.split(",").index(column)
    kept = [line for line in lines if float(line.split(",")[place]) <= float(limit)]
    return [line for line in lines if line not in set(kept)], kept


def mean_of(results, part, figure):
    """Over the seeds, each row counting once; nothing where no seed has such rows."""
    some = [result[part] for result in results if result[part]]
    rows = sum(result[0] for result in some)
    return sum(result[0] * result[figure] for result in some) / rows if rows else None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--coverage", type=float, default=0.9)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--far", help="'COL<=VALUE': judge on the rows beyond, once")
    parser.add_argument("--program", default="build/release/perfmodel")
    own, fit_options = sys.argv[1:], []
    if "--" in own:
        fit_options = own[own.index("--") + 1:]
        own = own[:own.index("--")]
    arguments = parser.parse_args(own)

    methods = {"split conformal": ["--split", "75:25:0"], "cross-conformal": []}
    print(f"{'runs':28} {'method':16} {'covered':>9} {'sd':>6} {'lowest':>8} {'width':>8}"
          f"   near: covered  width   far: covered  width")
    for runs in arguments.runs:
        header, *lines = pathlib.Path(runs).read_text().splitlines()
        lines = [line for line in lines if line.strip()]
        if arguments.far:
            splits = [split_far(header, lines, arguments.far)]
        else:
            splits = [split_at_random(header, lines, seed)
                      for seed in range(1, arguments.seeds + 1)]
        found = {method: [] for method in methods}
        for aside, others in splits:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                test, training = folder / "test.csv", folder / "training.csv"
                test.write_text("\n".join([header, *aside]) + "\n")
                training.write_text("\n".join([header, *others]) + "\n")
                for method, options in methods.items():
                    found[method].append(measure(arguments.program, training, test, folder,
                                                 [*options, *fit_options], arguments.coverage))
        for method, results in found.items():
            covered = [100 * result[0][1] for result in results]
            spread = statistics.stdev(covered) if len(covered) > 1 else 0
            line = (f"{pathlib.Path(runs).name:28} {method:16} {statistics.mean(covered):7.2f} % "
                    f"{spread:6.2f} {min(covered):6.1f} % {100 * mean_of(results, 0, 2):6.1f} %")
            for part in (1, 2):
                share = mean_of(results, part, 1)
                line += (" " * 21 if share is None else
                         f"      {100 * share:7.2f} % {100 * mean_of(results, part, 2):5.0f} %")
            print(line, flush=True)


if __name__ == "__main__":
    main()
