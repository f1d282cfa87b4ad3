#!/usr/bin/env python3
"""CPU time, memory and cost of fits of many levels and of many numeric columns.

    many_levels_and_columns.py PERFMODEL [OTHER_PERFMODEL]

A second program is measured side by side on the same files.
"""

import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from measured import cost_of


def levels(path, rows, count, seed=1):
    """a level + 0.3 x^0.6 + 0.6 y^0.8, scaled by workers^-0.7, plus 0.2; 10 % noise"""
    draw = random.Random(seed)
    coefficients = [draw.uniform(0.5, 5) for _ in range(count)]
    with open(path, "w") as out:
        out.write("host,x,y,workers,time_s\n")
        for row in range(rows):
            level = row if row < count else draw.randrange(count)
            x, y = (draw.choice([1, 2, 4, 8, 16, 32]) for _ in range(2))
            workers = draw.choice([1, 2, 4, 8])
            time_s = (coefficients[level] + 0.3 * x**0.6 + 0.6 * y**0.8) * workers**-0.7 + 0.2
            out.write(f"h{level},{x},{y},{workers},{time_s * math.exp(draw.gauss(0, 0.1)):.6g}\n")


def two_columns_of_levels(path, rows, count, seed=1):
    """two levels + 0.3 x^0.6, scaled by workers^-0.7, plus 0.2; 10 % noise"""
    draw = random.Random(seed)
    hosts, models = ([draw.uniform(0.5, 5) for _ in range(count)] for _ in range(2))
    with open(path, "w") as out:
        out.write("host,model,x,workers,time_s\n")
        for row in range(rows):
            host = row if row < count else draw.randrange(count)
            model = row * 7 % count if row < count else draw.randrange(count)
            x, workers = draw.choice([1, 2, 4, 8, 16, 32]), draw.choice([1, 2, 4, 8])
            time_s = (hosts[host] + models[model] + 0.3 * x**0.6) * workers**-0.7 + 0.2
            out.write(f"h{host},m{model},{x},{workers},{time_s * math.exp(draw.gauss(0, 0.1)):.6g}\n")


def numbers(path, rows, count, seed, planted):
    """random numbers, or times of four of the columns"""
    draw = random.Random(seed)
    with open(path, "w") as out:
        out.write(",".join(f"c{i}" for i in range(count)) + ",workers,time_s\n")
        for _ in range(rows):
            values = [math.exp(draw.uniform(0, 4)) if planted else draw.random() for _ in range(count)]
            workers = draw.choice([1, 2, 4, 8])
            time_s = draw.random()
            if planted:
                terms = 0.5 * values[0]**0.8 + 2 * values[3]**-0.5 + 0.05 * values[7]**1.3
                time_s = (terms * workers**-0.6 + 0.3) * math.exp(draw.gauss(0, 0.1))
            out.write(",".join(f"{v:.6g}" for v in values) + f",{workers},{time_s:.6g}\n")


def measure(program, path, *options):
    cost = cost_of([program, "fit", path, "--quiet", "-o", path + ".json", *options])
    loss = json.load(open(path + ".json"))["search"]["cost"]
    return f"{cost.wall:7.2f} s wall {cost.cpu:7.2f} s CPU {cost.megabytes:6.0f} MB  cost {loss:.9g}"


def seconds_to_stop(program, path, after, *options):
    process = subprocess.Popen([program, "fit", path, "-o", os.devnull, *options],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    begin = time.time()
    process.send_signal(signal.SIGTERM)
    process.wait()
    return f"{time.time() - begin:.2f} s to stop"


def main():
    programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for rows, count in ((1000, 200), (6000, 2000)):
            path = os.path.join(folder, "levels.csv")
            levels(path, rows, count)
            for loss in ("mae", "mape", "mse", "rmsle"):
                for program in programs:
                    print(f"{count} levels {loss:5}", measure(program, path, "--loss", loss), program)
            print(f"{count} levels, SIGTERM", seconds_to_stop(programs[0], path, 0.2))
        for count in (200, 1000):
            path = os.path.join(folder, "two.csv")
            two_columns_of_levels(path, 3000, count)
            for loss in ("mae", "mape", "mse", "rmsle"):
                for program in programs:
                    print(f"2 x {count} levels {loss:5}", measure(program, path, "--loss", loss), program)
        for count in (100, 300):
            path = os.path.join(folder, "levels.csv")
            levels(path, 3000, count)
            for program in programs:
                print(f"{count} levels auto", measure(program, path, "--expression", "auto"), program)
        for planted in (False, True):
            for seed in (1, 2, 3):
                path = os.path.join(folder, "numbers.csv")
                numbers(path, 300, 40, seed, planted)
                for program in programs:
                    print(f"40 columns{' planted' if planted else ''} {seed}", measure(program, path),
                          program)


if __name__ == "__main__":
    main()
