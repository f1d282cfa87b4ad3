#!/usr/bin/env python3
"""How often the runs determine an effect, and how often its interval holds the true ratio.

For each kind of law, --sets tables of 80 random runs with a noise of 3 % are drawn (seeded; the
constants and rows differ from set to set) and fitted with `fit --expression auto`. Each effect in
model.json counts whose true ratio, by the law at the same central run and between the same values,
differs from 1 by more than 10 %. It is determined if its interval excludes 1. The table has the
share of these, the share of intervals that hold the true ratio, and the median of their upper over
their lower ends: of each kind of law, and of each input over all kinds. Of these independent
inputs, 97 % and more should be determined, and 86 to 94 % of the intervals, which are of 90 %,
should hold the truth.

Confounded: two texts never vary apart, since net A was measured on gpu X alone and net B on gpu Y
alone, though both have effects. Of 6, 12, 24 and 56 such runs, the second table has the share of
sets whose interval of each text holds the true ratio, and the share of those in which both do; the
share of these intervals that exclude 1; and their median widths. An effect without an interval
claims nothing: it holds the truth, and its width is infinite. The last columns are of a prediction
of the net of the central run on the other gpu, which no run has: how often it is in range, told to
be not determined, and holding the truth in its interval, and the median width of that. All these
intervals should hold the truth.

    tests/benchmarks/planted_effects.py [--sets 25] [--kinds product ...] [--rows 6 12 24 56]
        [--first-seed 0] [--program build/release/perfmodel] [--vs OTHER_PROGRAM] [--each]
        [-- OPTIONS OF FIT]
"""

import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
from typing import NamedTuple

from measured import write_rows

NOISE = 0.03
ROWS = 80
LEAST = 0.1  # by which a true ratio that counts differs from 1
INPUTS = {"workers": (1, 2, 4, 8, 16), "batch": (8, 16, 32, 64, 128, 256, 512),
          "filters": (16, 32, 64, 128, 256), "activation": ("relu", "selu", "tanh"),
          "optimizer": ("adam", "sgd")}
TYPICAL = {"workers": 4, "batch": 64, "filters": 64, "activation": "relu", "optimizer": "sgd"}
PAIRS = (("A", "X"), ("B", "Y"))


def some(draw, low, high):
    """A number between the two, its logarithm uniform."""
    return math.exp(draw.uniform(math.log(low), math.log(high)))


def levels_of(draw, column, most=2.5):
    """A factor for each level of a text; that of one of them is 1."""
    factors = [1.0] + [some(draw, 1.1, most) for _ in INPUTS[column][1:]]
    draw.shuffle(factors)
    return dict(zip(INPUTS[column], factors))


# Each law draws its constants and returns the time of a configuration.


def product(draw):
    work, p, q = some(draw, 1e-5, 1e-3), draw.uniform(0.3, 1), draw.uniform(0.4, 1.4)
    scaling = draw.uniform(-0.9, 0.5)
    activation, optimizer = levels_of(draw, "activation"), levels_of(draw, "optimizer")
    return lambda x: (work * x["batch"]**p * x["filters"]**q * x["workers"]**scaling
                      * activation[x["activation"]] * optimizer[x["optimizer"]])


def equation_4(draw):
    """Intrinsic inputs add up, a text adds up to as much as the filters at their median."""
    work, p, q = some(draw, 1e-5, 1e-3), draw.uniform(0.3, 1), draw.uniform(0.4, 1.4)
    scaling, constant = draw.uniform(-0.9, 0.5), draw.uniform(0, 0.2)
    activation, optimizer = levels_of(draw, "activation", 2), levels_of(draw, "optimizer", 2)

    def of(x):
        size = x["filters"] / TYPICAL["filters"]
        added = activation[x["activation"]] - 1 + optimizer[x["optimizer"]] - 1
        return (size**q + added) * x["batch"]**p * x["workers"]**scaling
    typical = of(TYPICAL)
    return lambda x: work * (of(x) + constant * typical)


def sum_of_two(draw):
    """Work that is divided among the workers, and a synchronisation that grows with them."""
    work, p, q = some(draw, 1e-5, 1e-3), draw.uniform(0.5, 1), draw.uniform(0.6, 1.4)
    divided, r, grows = draw.uniform(0.6, 1), draw.uniform(0, 1), draw.uniform(0.2, 0.8)
    activation, optimizer = levels_of(draw, "activation"), levels_of(draw, "optimizer")
    share = draw.uniform(0.1, 0.5)  # of the second term in the time of the typical configuration

    def first(x):
        return (x["batch"]**p * x["filters"]**q / x["workers"]**divided
                * activation[x["activation"]] * optimizer[x["optimizer"]])

    def second(x):
        return x["filters"]**r * x["workers"]**grows
    link = share / (1 - share) * first(TYPICAL) / second(TYPICAL)
    return lambda x: work * (first(x) + link * second(x))


def text_by_regime(draw):
    """A product whose last text has other factors with several workers, or with large batches."""
    work, p, q = some(draw, 1e-5, 1e-3), draw.uniform(0.3, 1), draw.uniform(0.4, 1.4)
    scaling = draw.uniform(-0.9, 0.5)
    activation = levels_of(draw, "activation")
    below, above = levels_of(draw, "optimizer"), levels_of(draw, "optimizer")
    column, limit = draw.choice((("workers", 1), ("batch", 64)))
    return lambda x: (work * x["batch"]**p * x["filters"]**q * x["workers"]**scaling
                      * activation[x["activation"]]
                      * (above if x[column] > limit else below)[x["optimizer"]])


KINDS = {"product": product, "eq4": equation_4, "sum": sum_of_two, "regime": text_by_regime}
NAMES = {"product": "product", "eq4": "Eq. (4)", "sum": "sum of two", "regime": "text by regime"}


def measured_runs(draw, time, configurations):
    return [{**x, "time_s": time(x) * math.exp(draw.gauss(0, NOISE))} for x in configurations]


def drawn_set(kind, seed):
    """The runs, and their law."""
    draw = random.Random(f"{kind} {seed}")
    time = KINDS[kind](draw)
    return measured_runs(draw, time, [{name: draw.choice(values) for name, values in INPUTS.items()}
                                      for _ in range(ROWS)]), time


def confounded_set(rows, seed):
    """The first runs of those of this seed, and their law. The texts may outweigh each other."""
    draw = random.Random(f"confounded {seed}")
    work, p, scaling = some(draw, 1e-5, 1e-3), draw.uniform(0.3, 1), draw.uniform(-0.9, 0.5)
    net = {"A": 1, "B": some(draw, 1.3, 3)**draw.choice((-1, 1))}
    gpu = {"X": 1, "Y": some(draw, 1.3, 3)**draw.choice((-1, 1))}

    def time(x):
        return work * x["batch"]**p * x["workers"]**scaling * net[x["net"]] * gpu[x["gpu"]]
    runs = []
    for number in range(rows):
        x = {name: draw.choice(INPUTS[name]) for name in ("workers", "batch")}
        x["net"], x["gpu"] = PAIRS[number % 2]
        runs += measured_runs(draw, time, [x])
    return runs, time


class Judged(NamedTuple):
    """An interval beside the truth; from 0 to infinity where none was told."""
    column: str
    truth: float
    low: float
    high: float

    @property
    def exists(self):
        return self.high < math.inf

    @property
    def determined(self):
        return self.low > 1 or self.high < 1

    @property
    def holds(self):
        return self.low <= self.truth <= self.high

    @property
    def width(self):
        return self.high / self.low if self.low > 0 else math.inf


class Pair(NamedTuple):
    """What the program says of a pair that was not measured."""
    in_range: bool
    undetermined: bool
    interval: Judged


def fitted(program, runs, options, folder):
    write_rows(folder / "runs.csv", runs)
    subprocess.run([program, "fit", folder / "runs.csv", "--quiet", "-o", folder / "model.json",
                    *options], check=True, stderr=subprocess.DEVNULL)
    return json.loads((folder / "model.json").read_text())


def judged_effect(model, time, column, values):
    """The effect of an input; of one that the model does not list, between its extreme values."""
    central = model["central_run"]["configuration"]
    effect = next((effect for effect in model["effects"] if effect["column"] == column), None)
    if effect is None:
        times = [time({**central, column: value}) for value in values]
        return Judged(column, max(times) / min(times), 0, math.inf)
    before, after = (time({**central, column: effect[end]}) for end in ("from", "to"))
    return Judged(column, after / before, effect.get("low", 0), effect.get("high", math.inf))


def judge(program, kind, seed, options, folder):
    runs, time = drawn_set(kind, seed)
    model = fitted(program, runs, options, folder)
    effects = [judged_effect(model, time, column, values) for column, values in INPUTS.items()]
    return [effect for effect in effects if abs(effect.truth - 1) > LEAST]


def judge_confounded(program, rows, seed, options, folder):
    """The effect of each text, and what is predicted of the central net on the other gpu."""
    runs, time = confounded_set(rows, seed)
    model = fitted(program, runs, options, folder)
    net, gpu = (judged_effect(model, time, column, values)
                for column, values in (("net", "AB"), ("gpu", "XY")))
    central = model["central_run"]["configuration"]
    asked = {**central, "gpu": "Y" if central["gpu"] == "X" else "X"}
    done = subprocess.run([program, "predict", folder / "model.json", "--format", "json", "--set",
                           *(f"{name}={value}" for name, value in asked.items())],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    told = json.loads(done.stdout)
    interval = Judged("time", time(asked), told.get("lower", 0), told.get("upper", math.inf))
    return net, gpu, Pair(told["in_range"], not told.get("determined", True), interval)


def share(held):
    held = list(held)
    return f"{100 * statistics.mean(held):6.1f} %" if held else f"{'-':>8}"


def width(intervals):
    widths = [interval.width for interval in intervals]
    return f"{statistics.median(widths):7.4g}" if widths else f"{'-':>7}"


def row_of(effects):
    told = [effect for effect in effects if effect.exists]
    return (f"{len(effects):8d} {share(effect.determined for effect in effects):>11}"
            f" {share(effect.holds for effect in told)} {width(told)}")


def row_of_confounded(judged):
    nets, gpus, pairs = zip(*judged)
    return (f"{share(net.holds for net in nets)} {width(nets)} {share(gpu.holds for gpu in gpus)}"
            f" {width(gpus)} {share(net.holds and gpu.holds for net, gpu, _ in judged)}"
            f" {share(effect.determined for effect in nets + gpus):>10}"
            f" {share(pair.in_range for pair in pairs):>9}"
            f" {share(pair.undetermined for pair in pairs):>13}"
            f" {share(pair.interval.holds for pair in pairs)}"
            f" {width(pair.interval for pair in pairs)}")


def print_each(name, seed, intervals):
    """Those that miss the truth or do not exclude 1."""
    for interval in intervals:
        if not interval.holds or not interval.determined:
            print(f"  {name} {seed}: {interval.column} {interval.low:.4g} .. {interval.high:.4g},"
                  f" truth {interval.truth:.4g}", flush=True)


def print_effects(arguments, programs, seeds, options, folder):
    print(f"{'law or input':15} {'program':>8} {'effects':>8} {'determined':>11} {'holds':>8}"
          f" {'width':>7}")
    found = {name: [] for name in programs}
    for kind in arguments.kinds:
        for name, program in programs.items():
            of_kind = []
            for seed in seeds:
                of_kind += (effects := judge(program, kind, seed, options, folder))
                if arguments.each:
                    print_each(NAMES[kind], seed, effects)
            print(f"{NAMES[kind]:15} {name:>8} {row_of(of_kind)}", flush=True)
            found[name] += of_kind
    for column in [*INPUTS, "all"]:
        for name, effects in found.items():
            some_of = [effect for effect in effects if column in (effect.column, "all")]
            print(f"{column:15} {name:>8} {row_of(some_of)}", flush=True)


def print_confounded(arguments, programs, seeds, options, folder):
    print(f"\n{'confounded runs':15} {'program':>8} {'net':>8} {'width':>7} {'gpu':>8} {'width':>7}"
          f" {'both':>8} {'exclude 1':>10} {'in range':>9} {'undetermined':>13} {'holds':>8}"
          f" {'width':>7}")
    for rows in arguments.rows:
        for name, program in programs.items():
            judged = []
            for seed in seeds:
                judged.append(judge_confounded(program, rows, seed, options, folder))
                if arguments.each:
                    print_each(f"{rows} runs", seed, judged[-1][:2])
            print(f"{rows:15d} {name:>8} {row_of_confounded(judged)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=25)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--rows", nargs="*", type=int, default=[6, 12, 24, 56],
                        help="of the confounded sets")
    parser.add_argument("--program", default="build/release/perfmodel")
    parser.add_argument("--vs", help="another program, judged on the same sets")
    parser.add_argument("--each", action="store_true",
                        help="also a line for each interval that misses the truth or holds 1")
    own, options = sys.argv[1:], ["--expression", "auto"]
    if "--" in own:
        options = own[own.index("--") + 1:]
        own = own[:own.index("--")]
    arguments = parser.parse_args(own)
    programs = {"this": arguments.program}
    if arguments.vs:
        programs["other"] = arguments.vs
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.sets)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        print_effects(arguments, programs, seeds, options, folder)
        print_confounded(arguments, programs, seeds, options, folder)


if __name__ == "__main__":
    main()
