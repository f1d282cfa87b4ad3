#!/usr/bin/env python3
"""Which rules of the choice of forms (`fit --expression auto`) earn their place.

    ablation.py PROGRAM FOLDER RESULTS RULES [--without A,B] [--sizes 40] [--part choosing|stating]

PROGRAM is built with -DPERFMODEL_ABLATION=ON. FOLDER has tables NAME.csv whose last column is the time, and perhaps
NAME.options with options of `fit`, one a line. RESULTS, a file of JSON lines, grows while it runs; a run that was stopped
goes on there. For each rule and source it prints ln(error without the rule / with it), where the error is the mean
|ln(predicted / measured)| of held-out rows: random ones, and beyond those with the largest fifth of the values of one
numeric column, which takes turns. --without leaves rules out throughout, on both sides of the comparison.
"""
import argparse
import csv
import hashlib
import json
import math
import os
import random
import statistics
import subprocess
import tempfile

MOST_TEST_ROWS = 100
NO_TIME = 3.0  # |ln| of a time that is refused or not finite, and the largest that is counted


def seeded(*words):
    text = "/".join(map(str, words))
    return random.Random(hashlib.sha256(text.encode()).hexdigest())


def is_stating(name):
    """Whether a source is of the third that only states the result."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 3 == 0


def number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def table(path):
    with open(path, newline="") as file:
        head, *rows = csv.reader(file)
    rows = [row for row in rows if len(row) == len(head) and 0 < number(row[-1]) < math.inf]
    return head, rows


def varied_numbers(head, rows):
    """Numeric columns with at least five values."""
    columns = range(len(head) - 1)
    return [c for c in columns
            if not any(math.isnan(number(row[c])) for row in rows) and len({row[c] for row in rows}) >= 5]


def cut(name, head, rows, kind, size, draw):
    """(training rows, test rows) or None."""
    rows = seeded(name, kind, size, draw).sample(rows, len(rows))
    if kind == "random":
        size = min(size, len(rows) * 2 // 3)
        train, test = rows[:size], rows[size:]
    else:
        columns = varied_numbers(head, rows)
        if not columns:
            return None
        column = columns[draw % len(columns)]
        border = sorted(number(row[column]) for row in rows)[len(rows) * 4 // 5]
        train = [row for row in rows if number(row[column]) < border][:size]
        test = [row for row in rows if number(row[column]) >= border]
    texts = [c for c in range(len(head) - 1) if any(math.isnan(number(row[c])) for row in rows)]
    known = {c: {row[c] for row in train} for c in texts}
    test = [row for row in test if all(row[c] in known[c] for c in texts)][:MOST_TEST_ROWS]
    return (train, test) if len(train) >= 15 and len(test) >= 5 else None


def write(path, head, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def error_of(program, case, rules, options):
    """Mean |ln| error of the test rows."""
    head, train, test = case
    environment = dict(os.environ, OMP_NUM_THREADS="1", PERFMODEL_ABLATE=",".join(rules))
    with tempfile.TemporaryDirectory() as folder:
        runs, new, model = (os.path.join(folder, name) for name in ("runs.csv", "new.csv", "model.json"))
        write(runs, head, train)
        write(new, head, test)
        call = [program, "fit", runs, "--target", head[-1], "--expression", "auto", "--quiet", "-o", model, *options]
        try:
            subprocess.run(call, env=environment, capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            return NO_TIME
        if not os.path.exists(model):
            return NO_TIME
        out = subprocess.run([program, "predict", model, new, "--quiet"], env=environment, capture_output=True, text=True)
    predicted = [number(row[f"predicted_{head[-1]}"] or "nan") for row in csv.DictReader(out.stdout.splitlines())]
    predicted += [math.nan] * (len(test) - len(predicted))
    errors = [abs(math.log(p / number(row[-1]))) if 0 < p < math.inf else NO_TIME for p, row in zip(predicted, test)]
    return statistics.fmean(min(error, NO_TIME) for error in errors)


def cases(folder, part, sizes, draws):
    for file in sorted(os.listdir(folder)):
        name = file.removesuffix(".csv")
        if name == file or is_stating(name) != (part == "stating"):
            continue
        head, rows = table(os.path.join(folder, file))
        own = os.path.join(folder, name + ".options")
        options = open(own).read().split("\n") if os.path.exists(own) else []
        for kind in ("random", "beyond"):
            for size in sizes:
                for draw in range(draws):
                    split = cut(name, head, rows, kind, size, draw)
                    if split:
                        yield name, kind, size, draw, (head, *split), [option for option in options if option]


class Results:
    """Errors by program, source, cut and rules left out, kept in a file."""

    def __init__(self, path, program):
        self.path = path
        with open(program, "rb") as file:
            self.binary = file.read()
        self.program = hashlib.sha256(self.binary).hexdigest()[:12]
        self.known = {}
        if os.path.exists(path):
            with open(path) as file:
                for line in file:
                    key, error = json.loads(line)
                    self.known[tuple(key)] = error

    def get(self, key, measure):
        key = (self.program, *key)
        if key not in self.known:
            self.known[key] = measure()
            with open(self.path, "a") as file:
                file.write(json.dumps([key, self.known[key]]) + "\n")
        return self.known[key]


def jackknife(values):
    """Mean over sources and its standard error."""
    if len(values) < 2:
        return (values[0] if values else 0.0), 0.0
    others = [(sum(values) - value) / (len(values) - 1) for value in values]
    return statistics.fmean(values), math.sqrt((len(values) - 1) * statistics.pvariance(others))


def report(rule, gains):
    """One line: at random and beyond, percent gained by the rule, and the sources whose errors it changes."""
    out, changed = f"{rule:28}", {}
    for kind in ("random", "beyond"):
        means = [statistics.fmean(own) for own in gains[kind].values()]
        mean, error = jackknife(means)
        out += f" {100 * mean:7.2f} +- {100 * error:5.2f}"
        for name, own in gains[kind].items():
            if any(abs(gain) > 1e-9 for gain in own):
                changed.setdefault(name, []).append(f"{kind[0]}{100 * statistics.fmean(own):+.1f}")
    print(out, f"{len(changed):3}", "; ".join(f"{name} {' '.join(own)}" for name, own in changed.items()), flush=True)


def main():
    parser = argparse.ArgumentParser()
    for positional in ("program", "folder", "results", "rules"):
        parser.add_argument(positional)
    parser.add_argument("--without", default="")
    parser.add_argument("--sizes", default="40")
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--part", choices=("choosing", "stating"), default="choosing")
    given = parser.parse_args()
    results = Results(given.results, given.program)
    always = [rule for rule in given.without.split(",") if rule]
    sizes = [int(size) for size in given.sizes.split(",")]
    # A name that the program does not have would look like a rule that changes nothing.
    for rule in always + given.rules.replace("+", ",").split(","):
        if rule.encode() + b"\0" not in results.binary or b"PERFMODEL_ABLATE\0" not in results.binary:
            parser.error(f"{given.program} has no rule '{rule}', or was built without -DPERFMODEL_ABLATION=ON")
    all_cases = list(cases(given.folder, given.part, sizes, given.draws))
    print(f"{'rule':28} {'random %':>16} {'beyond %':>16} sources changed")
    for group in [rule for rule in given.rules.split(",") if rule]:
        gains = {"random": {}, "beyond": {}}
        for name, kind, size, draw, case, options in all_cases:
            errors = []
            for left_out in (always + group.split("+"), always):
                key = (name, kind, size, draw, ",".join(sorted(left_out)))
                errors.append(results.get(key, lambda: error_of(given.program, case, left_out, options)))
            gains[kind].setdefault(name, []).append(math.log((1e-4 + errors[0]) / (1e-4 + errors[1])))
        report(group, gains)


if __name__ == "__main__":
    main()
