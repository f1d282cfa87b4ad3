"""Performance models of measured runs: a readable formula, its errors, predictions with intervals.

>>> import numpy as np, perfmodel
>>> gpus = np.tile([1.0, 2.0, 4.0, 8.0], 8)
>>> batch = np.repeat(np.arange(1.0, 9.0), 4) * 16
>>> runs = {"batch": batch, "gpus": gpus}
>>> model = perfmodel.PerfModel(extrinsic=["gpus"]).fit(runs, 0.3 * batch / gpus + 2)
>>> model.predict({"batch": [64], "gpus": [4]}).round(2)
array([6.8])
"""

from __future__ import annotations

from ._library import PerfModelError, run, version
from ._regressor import PerfModel

__version__ = version()["version"]
__all__ = ["PerfModel", "PerfModelError", "run", "version"]
