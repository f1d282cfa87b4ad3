"""What fit --share-form does to the errors of groups: shared_form.py PERFMODEL [FIRST [LAST]]

Kernels t = a gpus^q batch^p + c with 5 % noise, a quarter each with 5, 12, 40 and 100 rows. Their
powers are alike (normal, standard deviation 0.1), each its own (uniform, over more than 1), or alike
but for every third kernel, which is t = a batch^p + b gpus^0.6. Forms of their own and --share-form predict 60 further runs without noise
of each kernel. By rows: the geometric mean over kernels and seeds FIRST to LAST of the ratio of the
two MAPE, the smallest and the largest of one seed, and how many kernels have the shared form.
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

SIZES = (5, 12, 40, 100)
KERNELS = 32
NOISE = 0.05
POPULATIONS = {
    "alike": lambda k: "alike",
    "with powers of their own": lambda k: "own",
    "alike but for a third": lambda k: "other form" if k % 3 == 2 else "alike",
}


def kernel_of(draw, kind):
    q, p = (draw.uniform(-1, 0.5), draw.uniform(0.2, 1.2)) if kind == "own" else (draw.gauss(-0.7, 0.1), draw.gauss(0.8, 0.1))
    a, other = 10 ** draw.uniform(-4, -1), 2 ** draw.gauss(0, 0.7)
    if kind == "other form":
        return lambda gpus, batch: a * (batch**p + 3 * other * gpus**0.6)
    return lambda gpus, batch: a * (gpus**q * batch**p + other)


def runs_of(draw, kernels, sizes, noise):
    for number, kernel in enumerate(kernels):
        for _ in range(sizes[number]):
            gpus, batch = 2 ** draw.randint(0, 5), 2 ** draw.randint(3, 8)
            yield f"k{number:02d}", gpus, batch, f"{kernel(gpus, batch) * draw.lognormvariate(0, noise):.6g}"


def write(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("kernel", "gpus", "batch_size", "time_s"), *rows])


def judged(program, directory, flags):
    """MAPE by kernel, and those that have the shared form."""
    run = lambda *words: subprocess.run([program, *words], cwd=directory, check=True, capture_output=True, text=True).stdout
    run("fit", "runs.csv", "--by", "kernel", "--expression", "auto", "-o", "all.jsonl", *flags)
    with open(os.path.join(directory, "all.jsonl")) as file:
        lines = [json.loads(line) for line in file][1:]
    shared = {line["key"]["kernel"] for line in lines
              if line.get("model") and line["model"]["search"].get("sharing", {}).get("form") == "shared"}
    text = run("evaluate", "all.jsonl", "test.csv", "--format", "json")
    return {model["key"]["kernel"]: model["metrics"]["mape_percent"] for model in json.loads(text)["models"]}, shared


def compared(program, kind_of, seed):
    """(rows, MAPE of own forms, of --share-form, whether the form is shared) of each kernel."""
    draw = random.Random(seed)
    kernels = [kernel_of(draw, kind_of(k)) for k in range(KERNELS)]
    sizes = [SIZES[k % len(SIZES)] for k in range(KERNELS)]
    with tempfile.TemporaryDirectory() as directory:
        write(os.path.join(directory, "runs.csv"), runs_of(draw, kernels, sizes, NOISE))
        write(os.path.join(directory, "test.csv"), runs_of(draw, kernels, [60] * KERNELS, 0))
        own, _ = judged(program, directory, [])
        mine, shared = judged(program, directory, ["--share-form"])
    names = [f"k{k:02d}" for k in range(KERNELS)]
    return [(sizes[k], own[name], mine[name], name in shared) for k, name in enumerate(names) if name in own]


def main(program, first=0, last=1):
    program = os.path.abspath(program)
    for population, kind_of in POPULATIONS.items():
        seeds = [compared(program, kind_of, seed) for seed in range(int(first), int(last) + 1)]
        print(f"kernels {population}", flush=True)
        for size in SIZES:
            logs = [[math.log(mine / own) for rows, own, mine, _ in seed if rows == size] for seed in seeds]
            means = [math.exp(statistics.mean(seed)) for seed in logs]
            kernels = [kernel for seed in seeds for kernel in seed if kernel[0] == size]
            print(f"  {size:3d} rows: {math.exp(statistics.mean(sum(logs, []))):.3f} x ({min(means):.2f} to {max(means):.2f})"
                  f"  median MAPE {statistics.median(k[1] for k in kernels):.2f} -> {statistics.median(k[2] for k in kernels):.2f} %"
                  f"  shared by {sum(k[3] for k in kernels)} of {len(kernels)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
