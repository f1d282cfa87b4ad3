#!/usr/bin/env python3
"""How often the bootstrap intervals of `fit --bootstrap` hold the planted constants.

Plants a model with three categorical columns (or, with --expression multi, a sum of two products),
simulates many sets of runs from it, fits each with --bootstrap, and counts per constant the sets in
which it was called identified and, of these, those whose interval holds the truth. Exit code 1 where
a constant that was identified in every set is held in fewer than 90 % of them.

    bootstrap_coverage.py BINARY [--sets 100] [--rows 240] [--samples 200] [--noise 10%] [--loss mae]
        [--expression multi]
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

LEVELS = {
    "activation": {"relu": 0.10, "sigmoid": 0.45, "tanh": 0.25},
    "dataset": {"cifar10": 0.60, "mnist": 0.20},
    "optimizer": {"adam": 0.40, "lamb": 0.80, "sgd": 0.15},
}
NUMERIC = {"filters": (0.004, 1.3, [4, 8, 16, 32, 64]), "kernel_size": (0.05, 1.8, [2, 3, 4, 5])}
SCALES = {"workers": (-0.7, [1, 2, 4, 8]), "batch_size": (0.6, [8, 16, 32, 64, 128])}
INTERCEPT = 0.3

# A sum of two products: the computing, which scales, and the communicating, which does not.
PRODUCTS = [
    {"a": 2e-4, "p": {"filters": 1.5, "kernel_size": 0.8}, "q": {"workers": -1, "batch_size": 1},
     "levels": {"activation": {"relu": 1, "sigmoid": 1.5, "tanh": 1.25}}},
    {"a": 0.1, "p": {"filters": 0.3, "kernel_size": 0}, "q": {"workers": 0.5, "batch_size": 0},
     "levels": {"activation": {"relu": 1, "sigmoid": 1, "tanh": 1}}},
]
SUM_INTERCEPT = 0.05


def generic_constants():
    return {
        "intrinsic": [{"column": c, "a": a, "p": p, "range": [min(v), max(v)]}
                      for c, (a, p, v) in NUMERIC.items()],
        "categorical": [{"column": c, "levels": [{"level": l, "a": a} for l, a in v.items()]}
                        for c, v in LEVELS.items()],
        "extrinsic": [{"column": c, "q": q, "range": [min(v), max(v)]}
                      for c, (q, v) in SCALES.items()],
        "C": INTERCEPT}


def multi_constants():
    terms = [{**term, "regime_factors": [],
              "log2_powers": dict.fromkeys(term["q"], 0)} for term in PRODUCTS]
    return {
        "intrinsic": [{"column": c, "range": [min(v), max(v)]} for c, (_, _, v) in NUMERIC.items()],
        "categorical": [{"column": "activation", "levels": sorted(LEVELS["activation"])}],
        "extrinsic": [{"column": c, "range": [min(v), max(v)]} for c, (_, v) in SCALES.items()],
        "regimes": [], "terms": terms, "C": SUM_INTERCEPT}


AT = {"filters": 16, "kernel_size": 3, "activation": "relu", "workers": 2, "batch_size": 32}


def truth(expression):
    """As model.json."""
    is_multi = expression == "multi"
    return {
        "schema": "perfmodel/model", "schema_version": 1,
        "expression": {"form": expression},
        "target": {"column": "time_s", "unit": "s"},
        "constants": multi_constants() if is_multi else generic_constants(),
        "scaling_powers": {c: local_power(c, AT) if is_multi else q for c, (q, _) in SCALES.items()},
        "scaling_powers_at": AT if is_multi else {**AT, "dataset": "mnist", "optimizer": "sgd"},
        "metrics": {"train": None, "validation": None, "test": None},
        "repeats": None, "search": None, "warnings": [],
        "provenance": {"tool": "", "data": {"file": "", "rows": 0, "sha256": "", "notices": []}}}


def local_power(column, at):
    """d ln t / d ln column of the sum of products at a configuration."""
    times = []
    for term in PRODUCTS:
        time = term["a"] * term["levels"]["activation"][at["activation"]]
        for name, power in {**term["p"], **term["q"]}.items():
            time *= at[name] ** power
        times.append(time)
    slope = sum(time * term["q"][column] for time, term in zip(times, PRODUCTS))
    return slope / (sum(times) + SUM_INTERCEPT)


def true_values_of_sum():
    out = {"C": SUM_INTERCEPT}
    for k, term in enumerate(PRODUCTS, 1):
        out[f"a[{k}]"] = term["a"]
        out.update({f"p[{k},{c}]": p for c, p in term["p"].items()})
        out.update({f"q[{k},{c}]": q for c, q in term["q"].items()})
        out.update({f"g[{k},activation={l}]": g for l, g in term["levels"]["activation"].items()
                    if l != "relu"})
    out.update({f"scaling with {c}": None for c in SCALES})  # see scaling_items
    return out


def scaling_items(model):
    """Intervals of the local scaling powers, each with its truth."""
    for item in model["uncertainty"].get("scaling_powers", []):
        yield {**item, "name": f"scaling with {item['name']}",
               "truth": local_power(item["name"], model["scaling_powers_at"])}


def true_values(expression):
    if expression == "multi":
        return true_values_of_sum()
    out = {"C": INTERCEPT}
    for column, (a, p, _) in NUMERIC.items():
        out[f"a[{column}]"], out[f"p[{column}]"] = a, p
    for column, (q, _) in SCALES.items():
        out[f"q[{column}]"] = q
    for column, levels in LEVELS.items():
        reference = min(levels)
        for level, a in levels.items():
            out[f"a[{column}={level}]"] = a
            if level != reference:
                out[f"{column}={level} - {reference}"] = a - levels[reference]
    return out


def configurations(rows, seed, expression):
    rng = random.Random(seed)
    choices = {c: v for c, (_, _, v) in NUMERIC.items()}
    choices.update({c: sorted(v) for c, v in LEVELS.items() if expression == "generic"
                    or c == "activation"})
    choices.update({c: v for c, (_, v) in SCALES.items()})
    lines = [",".join(choices)]
    for _ in range(rows):
        lines.append(",".join(str(rng.choice(values)) for values in choices.values()))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--rows", type=int, default=240)
    parser.add_argument("--samples", default="200")
    parser.add_argument("--noise", default="10%")
    parser.add_argument("--loss", default="mae")
    parser.add_argument("--expression", choices=["generic", "multi"], default="generic")
    parser.add_argument("--threads", default="2")
    arguments = parser.parse_args()
    values = true_values(arguments.expression)
    form = ["--expression", "multi", "--terms", "2"] if arguments.expression == "multi" else []
    identified = dict.fromkeys(values, 0)
    held = dict.fromkeys(values, 0)
    widths = dict.fromkeys(values, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "truth.json").write_text(json.dumps(truth(arguments.expression)))

        def run(*command):
            return subprocess.run([arguments.binary, *map(str, command)], check=True,
                                  capture_output=True, text=True, cwd=folder).stdout

        for seed in range(1, arguments.sets + 1):
            (folder / "configs.csv").write_text(configurations(arguments.rows, seed, arguments.expression))
            run("simulate", "truth.json", "configs.csv", "--noise", arguments.noise,
                "--seed", seed, "-o", "runs.csv")
            model = json.loads(run("fit", "runs.csv", "--quiet", *form, "--loss", arguments.loss,
                                   "--bootstrap", arguments.samples,
                                   "--threads", arguments.threads))
            uncertainty = model["uncertainty"]
            for item in (uncertainty["constants"] + uncertainty["level_differences"]
                         + list(scaling_items(model))):
                name = item["name"]
                if name in values and item["identified"]:
                    identified[name] += 1
                    held[name] += item["low"] <= item.get("truth", values[name]) <= item["high"]
                    widths[name] += item["high"] - item["low"]
    failed = False
    print(f"{'constant':32} {'truth':>8} {'identified':>10} {'held':>6} {'mean width':>10}")
    for name, value in values.items():
        n = identified[name]
        share = f"{100 * held[name] / n:.0f} %" if n else "-"
        width = f"{widths[name] / n:.4g}" if n else "-"
        shown = "local" if value is None else f"{value:.4g}"
        print(f"{name:32} {shown:>8} {n:10} {share:>6} {width:>10}")
        failed = failed or (n == arguments.sets and held[name] < 0.9 * n)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
