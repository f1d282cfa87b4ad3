#!/usr/bin/env python3
"""Training steps of a small network with PyTorch, for `perfmodel measure --worker`.

    perfmodel measure space.json --worker -o model.json -- python3 worker.py

with space.json as {"width": [256, 512, 1024], "layers": [2, 4, 8], "batch": [16, 64, 256]}. PyTorch
is loaded once; then each line of standard input is a configuration, and each line of standard
output the median time of its steps.
"""
import json
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("this example needs PyTorch: pip install torch")

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
WARM_UP, STEPS = 3, 10


def step_time(width, layers, batch):
    """The median time of a training step, in seconds."""
    network = torch.nn.Sequential(*[module for _ in range(layers)
                                    for module in (torch.nn.Linear(width, width), torch.nn.ReLU())])
    network.to(DEVICE)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    data = torch.randn(batch, width, device=DEVICE)
    times = []
    for _ in range(WARM_UP + STEPS):
        begin = time.perf_counter()
        optimizer.zero_grad()
        network(data).square().mean().backward()
        optimizer.step()
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[WARM_UP:])


for line in sys.stdin:
    run = json.loads(line)
    try:
        answer = {"time": step_time(run["width"], run["layers"], run["batch"])}
    except RuntimeError as error:  # out of memory
        answer = {"failed": str(error).splitlines()[0]}
    print(json.dumps(answer), flush=True)
