#!/usr/bin/env python3
"""How well `fit --expression auto` chooses, beside what it chooses among.

    auto_quality.py RUNS_DIR --program build/release/perfmodel [--cases lenet5 vidur ...]

For each case: the mean test MAPE in percent over random splits (80:20, seeds 1 to --seeds), or of
the far split (fitted to the rows below a limit, evaluated on those above), of `auto`, of one product
with a residual process, of the sum of products that cross-validation chooses without a process, and
of Eq. (4), with the mean CPU seconds of each fit; for a far split also of "as at the largest": what
one product with a process says with the scale at the largest value that was fitted.
Cases whose file is absent are skipped.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np

from compare_black_boxes import BLOOM, JUSTUS, POLLUX, RELEARN, VIDUR
from measured import read_rows, write_rows

AUXILIARY = "aux_min_s,aux_max_s,aux_std_s"
JUSTUS_CONV = ["--extrinsic", "batch_size"]

# name: file, options of fit, (column, largest fitted value) of a far split or None, kept rows
CASES = {
    "lenet5 random": ("lenet5_pytorch_cpu.csv", [], None),
    "lenet5 batch <= 32": ("lenet5_pytorch_cpu.csv", [], ("batch_size", 32)),
    "cifar10 random": ("pollux_t4_cifar10.csv", POLLUX, None),
    "cifar10 gpus <= 8": ("pollux_t4_cifar10.csv", POLLUX, ("num_gpus", 8)),
    "pollux_t4 random": ("pollux_t4.csv", POLLUX, None),
    "pollux_t4 gpus <= 16": ("pollux_t4.csv", POLLUX, ("num_gpus", 16)),
    "justus_dense random": ("justus_dense_v100.csv", JUSTUS, None),
    "vidur random": ("vidur_allreduce.csv", VIDUR, None),
    "vidur size <= 1e8": ("vidur_allreduce.csv", VIDUR, ("size", 1e8)),
    "relearn random": ("relearn_hpc.csv", RELEARN, None),
    "relearn procs <= 256": ("relearn_hpc.csv", RELEARN, ("num_procs", 256)),
    "bloom random": ("bloom_v100.csv", BLOOM, None),
    "justus_conv random": ("justus_conv.csv", JUSTUS_CONV, None),
}

METHODS = {
    "auto": ["--expression", "auto"],
    "product+process": ["--expression", "multi", "--terms", "1", "--residual", "process"],
    "sum": ["--expression", "multi"],
    "sum+process": ["--expression", "multi", "--residual", "process"],
    "Eq. (4)": [],
}


def run(command):
    """Output and CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        print(f"{' '.join(map(str, command))}: {done.stderr.strip()}", file=sys.stderr)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def form_of(model):
    expression, constants = model["expression"], model["constants"]
    terms = f"{len(constants['terms'])} terms" if "terms" in constants else "Eq. (4)"
    return terms + (" + process" if expression["form"] == "process" else "")


def random_error(program, path, options, seed, folder):
    model = folder / "model.json"
    done, cpu = run([program, "fit", path, "--quiet", *options, "--split", "80:20",
                     "--split-seed", str(seed), "-o", model])
    if done.returncode != 0:
        return np.nan, cpu, "failed"
    written = json.loads(model.read_text())
    return written["metrics"]["test"]["mape_percent"], cpu, form_of(written)


def far_error(program, path, options, limit, folder):
    column, largest = limit
    rows = read_rows(path)
    near = [row for row in rows if float(row[column]) <= largest]
    far = [row for row in rows if float(row[column]) > largest]
    write_rows(folder / "near.csv", near)
    write_rows(folder / "far.csv", far)
    model = folder / "model.json"
    done, cpu = run([program, "fit", folder / "near.csv", "--quiet", *options, "-o", model])
    if done.returncode != 0:
        return np.nan, cpu, "failed"
    judged, _ = run([program, "evaluate", model, folder / "far.csv", "--format", "json", "--quiet"])
    if judged.returncode != 0:
        return np.nan, cpu, "failed"
    return (json.loads(judged.stdout)["metrics"]["mape_percent"], cpu,
            form_of(json.loads(model.read_text())))


def as_at_largest(path, options, limit, folder, program):
    """The far rows as predicted by one product with a process with their scale at the limit."""
    column, largest = limit
    near, far = folder / "near.csv", folder / "capped.csv"
    rows = read_rows(path)
    write_rows(near, [row for row in rows if float(row[column]) <= largest])
    top = max(float(row[column]) for row in rows if float(row[column]) <= largest)
    write_rows(far, [row | {column: repr(top)} for row in rows if float(row[column]) > largest])
    model = folder / "capped.json"
    done, _ = run([program, "fit", near, "--quiet", *options, *METHODS["product+process"],
                   "-o", model])
    if done.returncode != 0:
        return np.nan
    judged, _ = run([program, "evaluate", model, far, "--format", "json", "--quiet"])
    return (json.loads(judged.stdout)["metrics"]["mape_percent"] if judged.returncode == 0
            else np.nan)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs_dir", type=pathlib.Path)
    parser.add_argument("--program", default="build/release/perfmodel")
    parser.add_argument("--cases", nargs="*", default=[], help="parts of names; all where none")
    parser.add_argument("--methods", nargs="*", default=list(METHODS), help="some of them")
    parser.add_argument("--seeds", type=int, default=10, help="of random splits")
    parser.add_argument("--fit", nargs="*", default=[], help="further options of fit")
    arguments = parser.parse_args()
    for name, (file, options, limit) in CASES.items():
        path = arguments.runs_dir / file
        if not path.exists() or (arguments.cases
                                 and not any(part in name for part in arguments.cases)):
            continue
        print(name, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            if limit:
                capped = as_at_largest(path, options, limit, folder, arguments.program)
                print(f"  {'as at the largest':16} {capped:6.2f}", flush=True)
            for method in arguments.methods:
                of_method = options + METHODS[method] + arguments.fit
                results = ([far_error(arguments.program, path, of_method, limit, folder)] if limit
                           else [random_error(arguments.program, path, of_method, seed, folder)
                                 for seed in range(1, arguments.seeds + 1)])
                errors, seconds, forms = zip(*results)
                print(f"  {method:16} {np.mean(errors):6.2f}  {np.mean(seconds):7.2f} s  "
                      f"{'; '.join(sorted(set(forms)))}", flush=True)


if __name__ == "__main__":
    main()
