"""The memory of a process does not grow with its fits: memory_test.py [FITS]."""

import sys
from pathlib import Path

from support import needs, run_all

needs("numpy")
import numpy as np
from perfmodel import PerfModel

FITS = int(sys.argv[1]) if len(sys.argv) > 1 else 400


def resident():
    """Megabytes that the process holds."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


def test_fits_leave_nothing_behind():
    gpus = np.tile([1.0, 2.0, 4.0, 8.0], 8)
    batch = np.repeat(np.arange(1.0, 9.0), 4) * 16
    X = {"batch": batch, "gpus": gpus, "kind": ["plain", "wide"] * 16}
    model = PerfModel("multi", terms=1, extrinsic=["gpus"], coverage="none", threads=1)
    sizes = []
    for fit in range(FITS):
        model.fit(X, 0.3 * batch / gpus + 2).predict(X)
        assert model.formula_
        if fit % (FITS // 4) == FITS // 4 - 1:
            sizes.append(resident())
    print("MB after each quarter of", FITS, "fits:", [round(size, 1) for size in sizes])
    assert sizes[-1] - sizes[0] < 3


run_all([value for name, value in list(globals().items()) if name.startswith("test_")])
