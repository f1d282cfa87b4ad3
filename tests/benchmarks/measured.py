"""What processes cost, and files of runs; for the other scripts."""
import csv
import os
import subprocess
import time
from typing import NamedTuple


class Cost(NamedTuple):
    cpu: float  # seconds of the process and of those that it has waited for
    wall: float  # seconds
    megabytes: float  # largest resident memory


def cost_of(command, environment=None):
    """Runs a command, whose output is dropped, to its end. Raises CalledProcessError if it fails."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, **(environment or {})})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - begin, usage.ru_maxrss / 1024)


def read_rows(path):
    """The rows of a CSV by the names of its columns."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_rows(path, rows):
    """Writes rows, all with the columns of the first."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
