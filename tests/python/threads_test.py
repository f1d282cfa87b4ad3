"""Fits of several threads at once give the models of one; the import is fast."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from support import columns, needs, run_all

needs("numpy")
from perfmodel import PerfModel


def test_threads():
    X, y = columns(100)

    def fit(seed):
        return PerfModel(seed=seed, coverage="none", threads=1).fit(X, y).model_

    expected = [fit(seed) for seed in range(1, 5)] * 2
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(fit, [1, 2, 3, 4] * 2)) == expected


def test_import_is_fast():
    def seconds(module):
        start = time.monotonic()
        subprocess.run([sys.executable, "-c", "import " + module], check=True)
        return time.monotonic() - start

    extra = min(seconds("perfmodel") for _ in range(3)) - min(seconds("numpy") for _ in range(3))
    print("import beyond numpy:", round(1000 * extra), "ms")
    assert extra < 0.5


run_all([value for name, value in list(globals().items()) if name.startswith("test_")])
