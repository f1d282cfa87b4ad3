#!/usr/bin/env python3
"""Bootstrap intervals of the scaling powers from D-optimal plans, beside those from random plans.

    d_optimal_intervals.py PERFMODEL [--campaigns 10] [--model MODEL.json] [--space SPACE.json]
                           [-n 200] [--noise 5%] [--loss mae]

For each campaign a random and a D-optimal plan of n configurations are simulated from the model
with the same noise level and seed, both are fitted with --bootstrap 200, and the widths of the 95 %
intervals of each q are compared.
"""
import argparse, json, os, subprocess, tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("perfmodel")
parser.add_argument("--campaigns", type=int, default=10)
parser.add_argument("--model", default="data/paper/table3_pytorch.json")
parser.add_argument("--space", default="data/paper/table2.json")
parser.add_argument("-n", type=int, default=200)
parser.add_argument("--noise", default="5%")
parser.add_argument("--loss", default="mae")
options = parser.parse_args()


def run(*arguments):
    subprocess.run([options.perfmodel, *arguments, "--quiet"], check=True, stderr=subprocess.DEVNULL)


def widths(folder, method, seed):
    plan, runs, model = (os.path.join(folder, name) for name in ("plan.csv", "runs.csv", "model.json"))
    informed = ["--model", options.model] if method == "d-optimal" else []
    run("plan", options.space, "-n", str(options.n), "--method", method, "--seed", str(seed), *informed, "-o", plan)
    run("simulate", options.model, plan, "--noise", options.noise, "--seed", str(seed), "-o", runs)
    run("fit", runs, "--loss", options.loss, "--bootstrap", "200", "-o", model)
    intervals = json.load(open(model))["uncertainty"]["constants"]
    return {i["name"]: i["high"] - i["low"] for i in intervals if i["name"].startswith("q[")}


smaller = {}
print("| campaign | width from the D-optimal plan / from the random plan |")
print("|---|---|")
with tempfile.TemporaryDirectory() as folder:
    for seed in range(1, options.campaigns + 1):
        random, optimal = widths(folder, "random", seed), widths(folder, "d-optimal", seed)
        print(f"| {seed} | " + ", ".join(f"{name} {optimal[name] / random[name]:.2f}" for name in random) + " |", flush=True)
        for name in random:
            smaller[name] = smaller.get(name, 0) + (optimal[name] < random[name])
print()
for name, count in smaller.items():
    print(f"{name}: the D-optimal plan has the smaller interval in {count} of {options.campaigns} campaigns")
