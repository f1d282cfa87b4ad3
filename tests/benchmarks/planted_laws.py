#!/usr/bin/env python3
"""How far predictions beyond the runs are off, and how often their intervals hold the truth.

For each of ten laws of how a time grows with a scale, --sets files of 20 to 200 runs are drawn
(seeded; constants, rows, measured values of the scale and a noise of 0 to 5 % differ from set to
set), fitted with `fit --expression auto --coverage 0.9`, and asked at 2, 4 and 8 times the largest
measured scale, where the law says the time without noise. Of each law: the error of a set is the
largest factor between prediction and truth, of which the median and the worst set are told; the
share of far times in their intervals; how many of the sets whose error is above 2 warn of it; and
the share of measured effects of the inputs (doublings of the scale apart from the rest) whose
intervals hold the ratio of the true times.

    tests/benchmarks/planted_laws.py [--sets 30] [--laws nodes usl ...] [--first-seed 0]
        [--program build/release/perfmodel] [--vs OTHER_PROGRAM] [-- OPTIONS OF FIT]
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
import sys
import tempfile

ROUNDING = 1e-5
BATCHES = (8, 16, 32, 64, 128)
WIDTHS = (256, 512, 1024, 2048)
SCALES = ((1, 2, 4, 8, 16), (1, 2, 4, 8, 16), (1, 2, 4, 8, 16, 32), (1, 2, 3, 4, 6, 8, 12, 16))


def some(draw, low, high):
    """A number between the two, its logarithm uniform."""
    return math.exp(draw.uniform(math.log(low), math.log(high)))


# Each law draws its constants and returns t(batch, width, scale).


def nodes_of_8(draw):
    work, link, floor = some(draw, 3e-7, 1e-6), some(draw, 5e-3, 2e-2), some(draw, 2e-3, 5e-3)

    def time(b, h, n):
        nodes = math.ceil(n / 8)
        return work * b * h + link * (1 - 1 / nodes) * h / 1024 + floor
    return time


def pipeline(draw):
    work, floor, micro = some(draw, 5e-7, 2e-6), some(draw, 1e-3, 4e-3), draw.choice((4, 8, 16))
    return lambda b, h, n: work * b * h * (micro + n - 1) / (micro * n) + floor


def usl(draw):
    work, wait, cross = some(draw, 5e-7, 2e-6), some(draw, 0.01, 0.2), some(draw, 1e-3, 2e-2)
    return lambda b, h, n: work * b * h * (1 + wait * (n - 1) + cross * n * (n - 1)) / n


def log_tree(draw):
    work, hop = some(draw, 3e-7, 1e-6), some(draw, 1e-6, 1e-5)
    return lambda b, h, n: work * b * h + hop * h * math.log2(n) + 1e-3


def ring_and_log(draw):
    work, link, hop = some(draw, 3e-7, 1e-6), some(draw, 5e-6, 3e-5), some(draw, 5e-4, 4e-3)
    return lambda b, h, n: work * b * h + link * h * (1 - 1 / n) + hop * math.log2(n) + 1e-3


def larger_of_two(draw):
    work, link, floor = some(draw, 3e-7, 1e-6), some(draw, 1e-5, 5e-5), some(draw, 5e-4, 2e-3)
    return lambda b, h, n: max(work * b * h, link * h * (1 - 1 / n)) + floor


def amdahl(draw):
    work, serial = some(draw, 5e-7, 2e-6), draw.uniform(0.02, 0.3)
    return lambda b, h, n: work * b * h * (serial + (1 - serial) / n) + 1e-3


def sum_of_products(draw):
    work, link = some(draw, 3e-7, 1e-6), some(draw, 1e-7, 4e-7)
    power, floor = draw.uniform(0.3, 0.8), some(draw, 1e-3, 4e-3)
    return lambda b, h, n: work * b * h + link * h**1.5 * n**power + floor


def equation_4(draw):
    of_batch, of_width = some(draw, 1e-4, 5e-4), some(draw, 1e-5, 5e-5)
    p, q, scaling = draw.uniform(0.5, 1), draw.uniform(0.6, 1.2), draw.uniform(-0.8, 0.6)
    return lambda b, h, n: (of_batch * b**p + of_width * h**q) * n**scaling + 2e-3


def ring(draw):
    work, link = some(draw, 3e-7, 1e-6), some(draw, 5e-6, 5e-5)
    return lambda b, h, n: work * b * h + link * h * (1 - 1 / n) + 1e-3


LAWS = {"nodes of 8": nodes_of_8, "pipeline": pipeline, "USL": usl, "log2 tree": log_tree,
        "compute + ring + log2": ring_and_log, "max of two": larger_of_two, "Amdahl": amdahl,
        "sums": sum_of_products, "Eq. (4)": equation_4, "ring": ring}


def drawn_set(law, seed):
    """The runs, the configurations asked, and their true times."""
    draw = random.Random(f"{law} {seed}")
    time = LAWS[law](draw)
    rows = draw.choice((20, 40, 80, 140, 200))
    noise = draw.choice((0, 0.01, 0.02, 0.03, 0.05))
    scales = draw.choice(SCALES)
    runs = [(b, h, n, time(b, h, n) * math.exp(draw.gauss(0, noise)))
            for b, h, n in ((draw.choice(BATCHES), draw.choice(WIDTHS), draw.choice(scales))
                            for _ in range(rows))]
    largest = max(n for _, _, n, _ in runs)
    asked = [(b, h, factor * largest) for b in (16, 64) for h in (512, 2048) for factor in (2, 4, 8)]
    return runs, asked, [time(*row) for row in asked], time


def write(path, header, rows):
    path.write_text("\n".join([header] + [",".join(map(repr, row)) for row in rows]) + "\n")


def judge(program, law, seed, options, folder):
    runs, asked, truth, time = drawn_set(law, seed)
    write(folder / "runs.csv", "batch,width,gpus,time_s", runs)
    write(folder / "asked.csv", "batch,width,gpus", asked)
    model = folder / "model.json"
    subprocess.run([program, "fit", folder / "runs.csv", "--extrinsic", "gpus", "--quiet", "-o", model,
                    *options], check=True, stderr=subprocess.DEVNULL)
    done = subprocess.run([program, "predict", model, folder / "asked.csv"], check=True,
                          capture_output=True, text=True)
    factors, held = [], 0
    for row, true in zip(csv.DictReader(io.StringIO(done.stdout)), truth):
        factors.append(math.exp(abs(math.log(float(row["predicted_time_s"]) / true))))
        held += float(row.get("lower", "nan")) <= true <= float(row.get("upper", "nan"))
    found = json.loads(model.read_text())
    warned = any(w["kind"] == "steep_growth" for w in found["warnings"])
    effects = [(effect["column"] == "gpus", holds(effect, found["central_run"]["configuration"], time))
               for effect in found["effects"] if effect["measured"] and "low" in effect]
    return max(factors), held / len(truth), warned, effects


def holds(effect, central, time):
    """Whether the interval of an effect holds the ratio of the true times at its two values.

    Without noise a law can be found exactly, but for the rounding of numbers: so much is allowed.
    """
    before, after = (time(*({**central, effect["column"]: effect[end]}[column]
                            for column in ("batch", "width", "gpus"))) for end in ("from", "to"))
    return effect["low"] * (1 - ROUNDING) <= after / before <= effect["high"] * (1 + ROUNDING)


def share(held):
    return f"{100 * statistics.mean(held):6.1f} %" if held else f"{'-':>8}"


def row_of(judged):
    errors = [error for error, *_ in judged]
    off = [warned for error, _, warned, _ in judged if error > 2]
    effects = [effect for *_, of_set in judged for effect in of_set]
    return (f"{statistics.median(errors):9.3g} {max(errors):9.3g}"
            f" {share([held for _, held, *_ in judged])}"
            f" {sum(off):3d} of {len(off):2d}"
            f" {share([held for scale, held in effects if scale])}"
            f" {share([held for scale, held in effects if not scale])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=30)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--laws", nargs="+", choices=LAWS, default=list(LAWS))
    parser.add_argument("--program", default="build/release/perfmodel")
    parser.add_argument("--vs", help="another program, judged on the same sets")
    parser.add_argument("--each", action="store_true", help="also a line for each set")
    own, options = sys.argv[1:], ["--expression", "auto", "--coverage", "0.9"]
    if "--" in own:
        options = own[own.index("--") + 1:]
        own = own[:own.index("--")]
    arguments = parser.parse_args(own)
    programs = [arguments.program] + ([arguments.vs] if arguments.vs else [])
    print(f"{'law':22} {'program':>8} {'median':>9} {'worst':>9} {'in 90 %':>8} {'warned':>9}"
          f" {'doubling':>8} {'effects':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for law in arguments.laws:
            for number, program in enumerate(programs):
                judged = []
                for seed in range(arguments.first_seed, arguments.first_seed + arguments.sets):
                    judged.append(judge(program, law, seed, options, pathlib.Path(folder)))
                    if arguments.each:
                        error, held, warned, _ = judged[-1]
                        print(f"  {law} {seed}: {error:.3g} {100 * held:.0f} %"
                              f"{' warned' if warned else ''}", flush=True)
                print(f"{law:22} {'this' if number == 0 else 'other':>8} {row_of(judged)}", flush=True)


if __name__ == "__main__":
    main()
