#!/usr/bin/env python3
"""How the time of a whole `perfmodel fit` grows with rows and columns, and how fast CSVs are read.

    scaling.py PERFMODEL [--most-rows 1000000]

Runs are drawn from t = (sum_i 1e-4 x_i^1) * workers^-0.8 + 1e-3 with 5 % of noise. `replicated`
columns have ten values each, `random` ones differ from row to row. Reading is the time of
`evaluate` with a fitted model, which reads every cell and predicts every row. All are CPU seconds
on one thread.
"""
import argparse, json, math, os, random, tempfile

from measured import cost_of


def write_runs(path, rows, columns, replicated):
    draw = random.Random(rows + columns)
    with open(path, "w") as file:
        file.write(",".join(f"x{i}" for i in range(columns)) + ",workers,time_s\n")
        for _ in range(rows):
            x = [draw.randint(1, 10) if replicated else round(draw.uniform(1, 10), 6) for _ in range(columns)]
            workers = draw.choice((1, 2, 4, 8))
            seconds = (1e-4 * sum(x) * workers**-0.8 + 1e-3) * math.exp(draw.gauss(0, 0.05))
            file.write(",".join(map(str, x)) + f",{workers},{seconds:.6g}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("perfmodel")
    parser.add_argument("--most-rows", type=int, default=1000000)
    options = parser.parse_args()

    def seconds(*arguments):
        return cost_of([options.perfmodel, *arguments], {"OMP_NUM_THREADS": "1"}).cpu

    print("| rows | columns | kind | fit [s] | evaluations | evaluate [s] | MB/s |")
    print("|---|---|---|---|---|---|---|")
    sizes = [10**k for k in range(3, 7) if 10**k <= options.most_rows]
    cases = [(rows, 4) for rows in sizes] + [(10000, columns) for columns in (2, 8, 16)]
    with tempfile.TemporaryDirectory() as folder:
        runs, model = os.path.join(folder, "runs.csv"), os.path.join(folder, "model.json")
        for rows, columns in cases:
            for replicated in (True, False):
                write_runs(runs, rows, columns, replicated)
                fit = seconds("fit", runs, "--quiet", "-o", model)
                evaluate = seconds("evaluate", model, runs)
                evaluations = json.load(open(model))["search"]["evaluations"]
                print(f"| {rows} | {columns + 1} | {'replicated' if replicated else 'random'} | {fit:.2f} | {evaluations} "
                      f"| {evaluate:.2f} | {os.path.getsize(runs) / evaluate / 1e6:.0f} |", flush=True)


if __name__ == "__main__":
    main()
