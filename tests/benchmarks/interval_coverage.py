#!/usr/bin/env python3
"""How often prediction intervals cover rows that no fit has seen.

For each file of runs and each of 50 seeds, a fifth of the rows is put aside. The others are fitted
twice: with a validation part (split conformal) and without one (cross-conformal, 10 folds). The
table says which share of the rows put aside lies in the intervals, over all seeds.

    tests/benchmarks/interval_coverage.py data/lenet5_pytorch_cpu.csv [MORE.csv ...]
        [--coverage 0.9] [--seeds 50] [--program build/release/perfmodel] [-- OPTIONS OF FIT]
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile


def measure(program, training, test, folder, options, coverage):
    model = folder / "model.json"
    subprocess.run(
        [program, "fit", training, "--coverage", str(coverage), "-o", model, "--quiet", *options],
        check=True, stderr=subprocess.DEVNULL)
    answer = subprocess.run(
        [program, "evaluate", model, test, "--format", "json", "--quiet"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    evaluation = json.loads(answer.stdout)
    return (100 * evaluation["prediction_intervals"]["coverage"],
            evaluation["prediction_intervals"]["mean_width"])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--coverage", type=float, default=0.9)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--program", default="build/release/perfmodel")
    own, fit_options = sys.argv[1:], []
    if "--" in own:
        fit_options = own[own.index("--") + 1:]
        own = own[:own.index("--")]
    arguments = parser.parse_args(own)

    methods = {"split conformal": ["--split", "75:25:0"], "cross-conformal": []}
    print(f"{'runs':28} {'method':16} {'covered':>9} {'sd':>7} {'lowest':>8} {'mean width':>11}")
    for runs in arguments.runs:
        header, *lines = pathlib.Path(runs).read_text().splitlines()
        lines = [line for line in lines if line.strip()]
        found = {method: [] for method in methods}
        for seed in range(1, arguments.seeds + 1):
            shuffled = random.Random(seed).sample(lines, len(lines))
            fifth = len(lines) // 5
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                test, training = folder / "test.csv", folder / "training.csv"
                test.write_text("\n".join([header, *shuffled[:fifth]]) + "\n")
                training.write_text("\n".join([header, *shuffled[fifth:]]) + "\n")
                for method, options in methods.items():
                    found[method].append(measure(arguments.program, training, test, folder,
                                                 [*options, *fit_options], arguments.coverage))
        for method, results in found.items():
            covered = [result[0] for result in results]
            width = statistics.mean(result[1] for result in results)
            print(f"{pathlib.Path(runs).name:28} {method:16} {statistics.mean(covered):7.2f} % "
                  f"{statistics.stdev(covered):7.2f} {min(covered):6.1f} % {width:11.4g}",
                  flush=True)


if __name__ == "__main__":
    main()
