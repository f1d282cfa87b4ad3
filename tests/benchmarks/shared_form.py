"""How much one form for all groups helps those of few rows: shared_form.py PERFMODEL [SEEDS]

Kernels with the form t = a gpus^q batch^p + c, whose constants scatter about common ones (own: not
at all alike), with 5 % noise: a third each has 5, 12 and 100 rows. Every kernel's own form, and the
shared one, predict 60 further runs without noise of each; prints the median over the kernels of the
MAPE, by rows, and the share of kernels that the shared form predicts better.
"""
import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

SIZES = (5, 12, 100)
KERNELS = 36


def kernel_of(draw, alike):
    q, p = (draw.gauss(-0.7, 0.1), draw.gauss(0.8, 0.1)) if alike else (draw.uniform(-1, 0.5), draw.uniform(0.2, 1.2))
    a = 10 ** draw.uniform(-4, -1)
    return {"a": a, "q": q, "p": p, "c": a * 2 ** draw.gauss(0, 0.7)}


def time_of(kernel, gpus, batch):
    return kernel["a"] * gpus ** kernel["q"] * batch ** kernel["p"] + kernel["c"]


def write(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("kernel", "gpus", "batch_size", "time_s"), *rows])


def runs_of(draw, kernels, sizes, noise):
    for number, kernel in enumerate(kernels):
        for _ in range(sizes[number]):
            gpus, batch = 2 ** draw.randint(0, 5), 2 ** draw.randint(3, 8)
            time = time_of(kernel, gpus, batch) * draw.lognormvariate(0, noise)
            yield f"k{number:02d}", gpus, batch, f"{time:.6g}"


def errors(program, directory, flags):
    """MAPE by kernel; a kernel that no model was fitted to has none."""
    run = lambda *words: subprocess.run([program, *words], cwd=directory, check=True, capture_output=True, text=True)
    run("fit", "runs.csv", "--by", "kernel", "-o", "all.jsonl", *flags)
    text = run("evaluate", "all.jsonl", "test.csv", "--format", "json").stdout
    out = {}
    for line in json.loads(text)["models"]:
        out[line["key"]["kernel"]] = line["metrics"]["mape_percent"]
    return out


def main(program, seeds):
    program = os.path.abspath(program)
    for alike in (True, False):
        found = {size: ([], []) for size in SIZES}
        for seed in range(seeds):
            draw = random.Random(seed)
            kernels = [kernel_of(draw, alike) for _ in range(KERNELS)]
            sizes = [SIZES[k % len(SIZES)] for k in range(KERNELS)]
            with tempfile.TemporaryDirectory() as directory:
                write(os.path.join(directory, "runs.csv"), runs_of(draw, kernels, sizes, 0.05))
                write(os.path.join(directory, "test.csv"), runs_of(draw, kernels, [60] * KERNELS, 0))
                own = errors(program, directory, ["--expression", "auto"])
                shared = errors(program, directory, ["--expression", "auto", "--share-form"])
            for number, size in enumerate(sizes):
                name = f"k{number:02d}"
                if name in own and name in shared:
                    found[size][0].append(own[name])
                    found[size][1].append(shared[name])
        print("powers alike" if alike else "powers of their own")
        for size, (own, shared) in found.items():
            better = sum(s < o for o, s in zip(own, shared)) / max(1, len(own))
            print(f"  {size:3d} rows, {len(own)} kernels: own {statistics.median(own):6.2f} %  "
                  f"shared {statistics.median(shared):6.2f} %  better {100 * better:.0f} %  "
                  f"geometric mean of the ratio {math.exp(statistics.mean(math.log(s / o) for o, s in zip(own, shared))):.3f}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2)
