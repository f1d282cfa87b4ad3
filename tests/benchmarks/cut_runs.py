#!/usr/bin/env python3
"""What runs that were cut off at a limit tell a fit, and what dropping them costs.

Each of --sets files has 120 to 200 runs of a planted law, (a k^p + b f^r) gpus^q batch^s or one
product of these columns, with 10 % of log-normal noise and, in 4 % of the runs, 1.3 to 2 times the
time. Limits are drawn log-uniform so that 30 % of the runs are cut off: "requested" ones from 0.97
times the time of the law on, as those of users who know about how long a run takes, "independent"
ones from the time on that 20 % of the runs stay below. Of each way to fit: the share of all planted
powers within two standard errors (of --bootstrap) of the fitted ones, the mean size of their errors
times ln of the measured range (how far a time at one end is off relative to the other), the mean of
ln(predicted / true time) of fresh configurations, and the share of fresh runs, none of them cut off,
in their 95 % intervals. "all" are the runs as if there had been no limit.

    tests/benchmarks/cut_runs.py [--sets 20] [--samples 100] [--ways mae-censor auto-drop ...]
        [--limits requested|independent] [--first-seed 0] [--program build/release/perfmodel]
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

from measured import write_rows

VALUES = {"k": (1, 2, 3, 5, 7, 9), "f": (8, 16, 32, 64, 128), "gpus": (1, 2, 4, 8, 16),
          "batch": (8, 16, 32, 64, 128)}
FITS = {"mae": [], "rmsle": ["--loss", "rmsle"], "auto": ["--expression", "auto"]}
WAYS = [f"{fit}-{kind}" for fit in FITS for kind in ("all", "drop", "censor")]


def planted(seed):
    """The law and its powers by the names of model.json."""
    draw = random.Random(seed)
    p, r = draw.uniform(0.8, 2.5), draw.uniform(0.6, 1.6)
    q, s = draw.uniform(-1, -0.5), draw.uniform(0.5, 1)
    # Both terms matter: they are alike in the middle of the ranges.
    a, b = 1 / 4 ** p, 1 / 32 ** r
    scales = {"q[gpus]": q, "q[batch]": s}
    if seed % 4 == 3:
        def law(row):
            return a * row["k"] ** p * row["gpus"] ** q * row["batch"] ** s
        return law, {"p[k]": p, **scales}, ("k",)

    def law(row):
        return ((a * row["k"] ** p + b * row["f"] ** r) * row["gpus"] ** q * row["batch"] ** s)
    return law, {"p[k]": p, "p[f]": r, **scales}, ("k", "f")


def some_runs(draw, law, columns, count):
    rows = []
    for _ in range(count):
        row = {name: draw.choice(VALUES[name]) for name in (*columns, "gpus", "batch")}
        slower = draw.uniform(1.3, 2) if draw.random() < 0.04 else 1
        row["time_s"] = law(row) * slower * math.exp(draw.gauss(0, 0.1))
        rows.append(row)
    return rows


def with_limits(draw, rows, law, kind, share=0.3):
    """Rows of which this share is cut off, with their limits."""
    times = sorted(row["time_s"] for row in rows)
    lowest = [0.97 * law(row) if kind == "requested" else times[len(times) // 5] for row in rows]
    places = [draw.random() for _ in rows]

    def limits(width):
        return [low * math.exp(place * width) for low, place in zip(lowest, places)]

    near, far = 0, 20
    for _ in range(60):
        width = (near + far) / 2
        cut = sum(row["time_s"] >= limit for row, limit in zip(rows, limits(width)))
        near, far = (width, far) if cut > share * len(rows) else (near, width)
    return [{**row, "time_s": min(row["time_s"], limit), "limit_s": limit}
            for row, limit in zip(rows, limits(far))]


def runs_for(kind, rows, cut):
    if kind == "all":
        return rows, []
    if kind == "censor":
        return cut, ["--failed", "censor", "--limit", "limit_s"]
    kept = [{name: row[name] for name in rows[0]} for row in cut if row["time_s"] < row["limit_s"]]
    return kept, []


def fitted_powers(model):
    """Powers by name, with their standard errors."""
    values = {f"q[{name}]": power for name, power in model["scaling_powers"].items()}
    values |= {f"p[{column['column']}]": column["p"]
               for column in model["constants"].get("intrinsic", []) if "p" in column}
    known = model["uncertainty"]
    intervals = known["constants"] if known else []
    intervals = intervals + [{**power, "name": f"q[{power['name']}]"}
                             for power in (known or {}).get("scaling_powers", [])]
    return {interval["name"]: (values[interval["name"]],
                               (interval["high"] - interval["low"]) / (2 * 1.96))
            for interval in intervals if interval["name"] in values}


def judge(program, way, limits, seed, samples, folder):
    fit, kind = way.split("-")
    law, powers, columns = planted(seed)
    draw = random.Random(1000 + seed)
    rows = some_runs(draw, law, columns, draw.randint(120, 200))
    rows, options = runs_for(kind, rows, with_limits(draw, rows, law, limits))
    write_rows(folder / "runs.csv", rows)
    fresh = some_runs(draw, law, columns, 400)
    write_rows(folder / "fresh.csv", fresh)
    if samples:
        options += ["--bootstrap", str(samples)]
    model = folder / "model.json"
    subprocess.run([program, "fit", folder / "runs.csv", "--extrinsic", "gpus,batch", "--coverage",
                    "0.95", "-o", model, "--quiet", *FITS[fit], *options], check=True)
    answer = subprocess.run([program, "evaluate", model, folder / "fresh.csv", "--format", "json",
                             "--quiet"], check=True, stdout=subprocess.PIPE)
    said = subprocess.run([program, "predict", model, folder / "fresh.csv", "--quiet", "--format",
                           "csv"], check=True, stdout=subprocess.PIPE, text=True).stdout
    bias = statistics.mean(math.log(float(row["predicted_time_s"]) / law(run))
                           for row, run in zip(csv.DictReader(io.StringIO(said)), fresh))
    found = fitted_powers(json.loads(model.read_text()))
    ranges = {name[2:-1]: math.log(VALUES[name[2:-1]][-1] / VALUES[name[2:-1]][0])
              for name in powers}
    off = {name: (found[name][0] - power, found[name][1], ranges[name[2:-1]])
           for name, power in powers.items() if name in found}
    return off, bias, json.loads(answer.stdout)["prediction_intervals"]["coverage"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--ways", nargs="*", default=WAYS, choices=WAYS)
    parser.add_argument("--limits", default="requested", choices=["requested", "independent"])
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--program", default="build/release/perfmodel")
    arguments = parser.parse_args()
    print(f"{'way':14} {'powers':>6} {'within 2 s.e.':>14} {'off':>6} {'bias':>7} {'covered':>8}"
          f" {'worst':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for way in arguments.ways:
            seeds = range(arguments.first_seed, arguments.first_seed + arguments.sets)
            results = [judge(arguments.program, way, arguments.limits, seed, arguments.samples,
                             pathlib.Path(folder)) for seed in seeds]
            powers = [power for off, _, _ in results for power in off.values()]
            within = [abs(error) <= 2 * deviation for error, deviation, _ in powers]
            covered = [share for _, _, share in results]
            print(f"{way:14} {len(powers):6}", end="")
            if powers:
                off = statistics.mean(abs(error) * range_ for error, _, range_ in powers)
                print(f" {statistics.mean(within):14.1%} {off:6.3f}", end="")
            else:
                print(f" {'-':>14} {'-':>6}", end="")
            print(f" {statistics.mean(bias for _, bias, _ in results):7.3f}"
                  f" {statistics.mean(covered):8.1%} {min(covered):7.1%}", flush=True)


if __name__ == "__main__":
    main()
