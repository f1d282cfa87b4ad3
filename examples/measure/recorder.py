"""Records the times of your own training loop as rows of a runs.csv that perfmodel reads.

    from recorder import Recorder

    recorder = Recorder("runs.csv", model="resnet50", workers=4, batch_size=64, warm_up=5)
    for images, labels in loader:
        with recorder:
            train_step(images, labels)
    recorder.close()          # appends one row: the configuration and the median time_s

The time on a GPU is only right after a synchronisation: pass synchronise=torch.cuda.synchronize.
Rows of one file must have the same columns; run the loop once per configuration.
"""
import csv
import os
import statistics
import time


class Recorder:
    def __init__(self, path, warm_up=5, synchronise=lambda: None, **configuration):
        self.path, self.warm_up, self.synchronise = path, warm_up, synchronise
        self.configuration, self.seconds = configuration, []

    def __enter__(self):
        self.synchronise()
        self.start = time.perf_counter()

    def __exit__(self, *error):
        self.synchronise()
        self.seconds.append(time.perf_counter() - self.start)

    def close(self):
        timed = self.seconds[self.warm_up:]
        if not timed:
            raise ValueError(f"no iteration after the {self.warm_up} of the warm-up")
        is_new = not os.path.exists(self.path) or os.path.getsize(self.path) == 0
        with open(self.path, "a", newline="") as f:
            writer = csv.writer(f)
            if is_new:
                writer.writerow(list(self.configuration) + ["time_s"])
            writer.writerow(list(self.configuration.values()) + [f"{statistics.median(timed):.6g}"])
            f.flush()
            os.fsync(f.fileno())
