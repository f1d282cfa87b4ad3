"""Five runs on a new machine: an earlier model adapted to them (fit --prior), against that model times
one factor, and against a fit to the five runs alone.

    python3 new_machine.py PERFMODEL TABLE.csv ... [--machine COL] [--target COL] [--runs 5] [--seeds 10]

Each table has runs of several machines. Of their names in alphabetical order, the first is the old
machine and the last is the new one. Prints the mean |ln(predicted / measured)| over the other runs of
the new machine, as the median over random choices of the five runs, and for five runs chosen by suggest
--next instead (chosen).
"""

import argparse
import csv
import io
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile


def run(*command, **kwargs):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **kwargs)


def write(path, names, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([row[name] for name in names] for row in rows)


class Judge:
    def __init__(self, arguments, work, names, rest):
        self.arguments, self.work, self.names, self.rest = arguments, work, names, rest
        write(work / "rest.csv", names, rest)

    def predictions(self, model):
        out = run(self.arguments.perfmodel, "predict", model, self.work / "rest.csv", "--quiet").stdout
        rows = list(csv.DictReader(io.StringIO(out)))
        column = next(name for name in rows[0] if name.startswith("predicted"))
        return [float(row[column]) for row in rows]

    def error(self, predicted, factor=1):
        target = self.arguments.target
        distances = [
            abs(math.log(p * factor / float(row[target]))) if p > 0 else math.inf
            for p, row in zip(predicted, self.rest)
        ]
        return statistics.fmean(distances)


def chosen_runs(arguments, work, names, new):
    """The runs that suggest proposes, given the configurations of all."""
    inputs = [name for name in names if name != arguments.target]
    write(work / "choices.csv", inputs, new)
    out = run(arguments.perfmodel, "suggest", work / "old.json", work / "choices.csv", "--next", arguments.runs,
              "--format", "csv", "--quiet").stdout

    def value(text):
        try:
            return float(text)
        except ValueError:
            return text

    wanted = [{name: value(row[name]) for name in inputs if name in row} for row in csv.DictReader(io.StringIO(out))]
    return [next(row for row in new if all(value(row[name]) == each[name] for name in each)) for each in wanted]


def error_of_chosen(arguments, work, names, new):
    few = chosen_runs(arguments, work, names, new)
    write(work / "few.csv", names, few)
    run(arguments.perfmodel, "fit", work / "few.csv", "--quiet", "--prior", work / "old.json", "-o",
        work / "chosen.json")
    judge = Judge(arguments, work, names, [row for row in new if row not in few])
    return judge.error(judge.predictions(work / "chosen.json"))


def judge_once(arguments, work, names, new, seed):
    few = random.Random(seed).sample(new, arguments.runs)
    rest = [row for row in new if row not in few]
    judge = Judge(arguments, work, names, rest)
    write(work / "few.csv", names, few)
    fit = [arguments.perfmodel, "fit", work / "few.csv", "--quiet"]
    old = work / "old.json"
    errors = {}
    run(*fit, "--prior", old, "-o", work / "adapted.json")
    errors["prior"] = judge.error(judge.predictions(work / "adapted.json"))
    few_judge = Judge(arguments, work, names, few)
    ratios = [math.log(float(row[arguments.target]) / p) for p, row in zip(few_judge.predictions(old), few)]
    judge = Judge(arguments, work, names, rest)
    errors["scaled"] = judge.error(judge.predictions(old), math.exp(statistics.fmean(ratios)))
    try:
        run(*fit, "--target", arguments.target, "--expression", "multi", "--terms", "1", "-o", work / "alone.json")
        errors["alone"] = judge.error(judge.predictions(work / "alone.json"))
    except subprocess.CalledProcessError:
        typical = math.exp(statistics.fmean(math.log(float(row[arguments.target])) for row in few))
        errors["alone"] = judge.error([typical] * len(rest))
    model = json.loads((work / "adapted.json").read_text())
    return errors, model["search"]["prior"]


def judge_table(arguments, path, work):
    rows = list(csv.DictReader(open(path, newline="")))
    machines = sorted({row[arguments.machine] for row in rows})
    names = [name for name in rows[0] if name != arguments.machine]
    of = {name: [row for row in rows if row[arguments.machine] == name] for name in machines}
    old, new = machines[0], machines[-1]
    write(work / "old.csv", names, of[old])
    run(arguments.perfmodel, "fit", work / "old.csv", "--target", arguments.target, "--expression", "auto", "--quiet",
        "-o", work / "old.json")
    errors, facts = zip(*(judge_once(arguments, work, names, of[new], seed) for seed in range(arguments.seeds)))
    medians = {kind: statistics.median(error[kind] for error in errors) for kind in errors[0]}
    medians["chosen"] = error_of_chosen(arguments, work, names, of[new])
    won = medians["prior"] < min(medians["scaled"], medians["alone"])
    freedom = statistics.median(max(item["freedom"] for item in fact["freedoms"]) for fact in facts)
    print(f"{pathlib.Path(path).stem:16} {old[:22]:22} {new[:22]:22} " +
          " ".join(f"{medians[kind]:8.3f}" for kind in ("prior", "scaled", "alone", "chosen")) +
          f" {freedom:8.2f} {'below both' if won else ''}", flush=True)
    return won


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("perfmodel")
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--machine", default="machine")
    parser.add_argument("--target", default="time_ms")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    print(f"{'table':16} {'old':22} {'new':22}    prior   scaled    alone   chosen  freedom")
    with tempfile.TemporaryDirectory() as folder:
        won = [judge_table(arguments, path, pathlib.Path(folder)) for path in arguments.tables]
    print(f"below both in {sum(won)} of {len(won)}")


main()
