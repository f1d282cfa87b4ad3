#!/usr/bin/env python3
"""Measures the training time per iteration of LeNet-5 for every configuration of a plan.

    perfmodel plan data/paper/table2.json -n 100 -o plan.csv
    python3 examples/measure/measure.py plan.csv runs.csv

Every configuration is visited several times, each pass in a new random order, so that slow drifts of
the machine do not pass for effects of a configuration. A visit is warm-up iterations, which are
dropped, and timed ones, each synchronised on the device; its result is their median. Each visit is
appended to VISITS.csv as soon as it is done and safe on disk: an interrupted campaign, started
again, goes on where it was. At the end RUNS.csv has one row per configuration: the median of its
visits, and their spread.

Workers are processes of this machine that average their gradients with one all-reduce per
iteration: over NCCL with a GPU each, else over gloo with a thread each. `batch_size` is the batch of
all workers together. Inputs are random tensors: reading files plays no part.
"""
import argparse
import csv
import os
import queue
import random
import statistics
import sys
import time

SHAPES = {"mnist": (1, 28), "fashion_mnist": (1, 28), "cifar10": (3, 32)}
COLUMNS = ["kernel_size", "pool_size", "activation", "optimizer", "dataset", "filters",
           "learning_rate", "padding", "stride", "dropout", "batch_size"]


def make_network(nn, torch, c):
    """LeNet-5 with the configuration's layers; raises where an image would shrink to nothing."""
    channels, edge = SHAPES[c["dataset"]]
    activation = {"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid}[c["activation"]]
    kernel, pool, filters = int(c["kernel_size"]), int(c["pool_size"]), int(c["filters"])
    padding = kernel // 2 if c["padding"] == "same" else 0
    convolutions = nn.Sequential(
        nn.Conv2d(channels, filters, kernel, int(c["stride"]), padding), activation(),
        nn.MaxPool2d(pool, ceil_mode=True),
        nn.Conv2d(filters, 2 * filters, kernel, 1, padding), activation(),
        nn.MaxPool2d(pool, ceil_mode=True), nn.Flatten())
    with torch.no_grad():
        width = convolutions(torch.zeros(1, channels, edge, edge)).shape[1]
    return nn.Sequential(convolutions, nn.Linear(width, 120), activation(), nn.Linear(120, 84),
                         activation(), nn.Dropout(float(c["dropout"])), nn.Linear(84, 10))


def visit(c, workers, warm_up, timed, distributed):
    """Seconds of each timed iteration, on this worker."""
    import torch
    from torch import nn
    device = torch.device(f"cuda:{distributed.get_rank() if distributed else 0}"
                          if torch.cuda.is_available() else "cpu")
    torch.manual_seed(1)
    network = make_network(nn, torch, c).to(device)
    optimizer = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}[c["optimizer"]](
        network.parameters(), lr=float(c["learning_rate"]))
    channels, edge = SHAPES[c["dataset"]]
    batch = max(1, int(c["batch_size"]) // workers)
    images = torch.randn(batch, channels, edge, edge, device=device)
    labels = torch.randint(0, 10, (batch,), device=device)
    loss_function = nn.CrossEntropyLoss()
    parameters = list(network.parameters())

    def synchronise():
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        if distributed:
            distributed.barrier()

    seconds = []
    for iteration in range(warm_up + timed):
        synchronise()
        start = time.perf_counter()
        optimizer.zero_grad()
        loss_function(network(images), labels).backward()
        if distributed:
            flat = torch.cat([p.grad.reshape(-1) for p in parameters])
            distributed.all_reduce(flat)
            flat /= workers
            offset = 0
            for p in parameters:
                p.grad.copy_(flat[offset:offset + p.numel()].view_as(p))
                offset += p.numel()
        optimizer.step()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        if iteration >= warm_up:
            seconds.append(time.perf_counter() - start)
    return seconds


def worker(rank, workers, port, visits, options, results):
    """A process that does all visits with this number of workers, in their order."""
    import torch
    torch.set_num_threads(1)
    distributed = None
    if workers > 1:
        import torch.distributed as distributed
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo", rank=rank,
                                       world_size=workers)
    for index, c in visits:
        try:
            seconds = statistics.median(
                visit(c, workers, options.warm_up, options.iterations, distributed))
        except RuntimeError as error:  # the same on all workers: a network that cannot be
            seconds = str(error).splitlines()[0]
        if rank == 0:
            results.put((index, seconds))
    if distributed:
        distributed.destroy_process_group()


def free_port():
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def read_rows(path):
    """All complete rows; a last line that an interruption cut off is dropped from the file."""
    if not os.path.exists(path):
        return []
    with open(path, "rb+") as f:
        data = f.read()
        if data and not data.endswith(b"\n"):
            f.truncate(data.rfind(b"\n") + 1)
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


class Appender:
    """Rows that are on disk when `append` returns."""

    def __init__(self, path, columns):
        self.file = open(path, "a", newline="")
        self.writer = csv.writer(self.file)
        if self.file.tell() == 0:
            self.writer.writerow(columns)

    def append(self, row):
        self.writer.writerow(row)
        self.file.flush()
        os.fsync(self.file.fileno())


def run_group(context, group, workers, plan, options):
    """The results of one group of configurations with equally many workers, as they come in."""
    results = context.Queue()
    port = free_port()
    visits = [(index, plan[index]) for index in group]
    processes = [context.Process(target=worker, args=(rank, workers, port, visits, options, results))
                 for rank in range(workers)]
    for process in processes:
        process.start()
    for _ in group:
        while True:
            try:
                yield results.get(timeout=5)
                break
            except queue.Empty:
                if any(process.exitcode for process in processes):
                    for process in processes:
                        process.terminate()
                    sys.exit("a worker failed; start again to go on where the campaign was")
    for process in processes:
        process.join()


def measure(plan, workers_column, visits_path, options):
    import torch.multiprocessing as mp
    context = mp.get_context("spawn")
    columns = list(plan[0])
    done = {}
    for row in read_rows(visits_path):
        done.setdefault(tuple(row[c] for c in columns), set()).add(int(row["visit"]))
    appender = Appender(visits_path, columns + ["visit", "time_s"])
    for number in range(1, options.visits + 1):
        order = random.Random(options.seed * 1000003 + number)
        left = [i for i, c in enumerate(plan) if number not in done.get(tuple(c.values()), set())]
        order.shuffle(left)
        # Starting processes takes seconds: neighbours with equally many workers share them.
        groups = []
        for start in range(0, len(left), 100):
            part = left[start:start + 100]
            by_workers = {}
            for i in part:
                by_workers.setdefault(int(plan[i].get(workers_column) or 1), []).append(i)
            groups += order.sample(sorted(by_workers.items()), len(by_workers))
        for workers, group in groups:
            for index, seconds in run_group(context, group, workers, plan, options):
                if isinstance(seconds, str):
                    print(f"left out: {plan[index]}: {seconds}", file=sys.stderr)
                    seconds = ""
                else:
                    seconds = f"{seconds:.6g}"
                appender.append(list(plan[index].values()) + [number, seconds])
        print(f"visit {number} of {options.visits} done", file=sys.stderr)


def summarise(plan, visits_path, runs_path):
    """One row per configuration: median of the visits, and half the distance of their quartiles."""
    times = {}
    columns = list(plan[0])
    for row in read_rows(visits_path):
        if row["time_s"]:
            times.setdefault(tuple(row[c] for c in columns), []).append(float(row["time_s"]))
    temporary = runs_path + ".part"
    with open(temporary, "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(columns + ["time_s", "spread_s", "visits"])
        for c in plan:
            values = sorted(times.get(tuple(c.values()), []))
            if values:
                quartiles = statistics.quantiles(values, n=4) if len(values) > 1 else [0, 0, 0]
                writer.writerow(list(c.values()) + [f"{statistics.median(values):.6g}",
                                                    f"{(quartiles[2] - quartiles[0]) / 2:.3g}",
                                                    len(values)])
        f.flush()
        os.fsync(f.fileno())
    os.replace(temporary, runs_path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("plan", help="CSV that perfmodel plan wrote")
    parser.add_argument("runs", help="CSV to write: a row per configuration")
    parser.add_argument("--visits-file", help="CSV of single visits (default: RUNS with _visits)")
    parser.add_argument("--visits", type=int, default=5, help="per configuration (default: 5)")
    parser.add_argument("--warm-up", type=int, default=2, help="iterations dropped (default: 2)")
    parser.add_argument("--iterations", type=int, default=10, help="timed per visit (default: 10)")
    parser.add_argument("--seed", type=int, default=1, help="of the orders (default: 1)")
    options = parser.parse_args()
    with open(options.plan, newline="") as f:
        plan = list(csv.DictReader(f))
    if not plan:
        sys.exit(f"{options.plan}: no configuration")
    missing = [c for c in COLUMNS if c not in plan[0]]
    if missing:
        sys.exit(f"{options.plan}: no column {', '.join(missing)}")
    workers_column = "workers" if "workers" in plan[0] else "gpus"
    visits_path = options.visits_file or os.path.splitext(options.runs)[0] + "_visits.csv"
    measure(plan, workers_column, visits_path, options)
    summarise(plan, visits_path, options.runs)


if __name__ == "__main__":
    main()
