"""The wheel is installed, fits and predicts in an empty environment: wheel_test.py WHEEL."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

CODE = """
import numpy as np
import perfmodel
gpus, batch = np.tile([1.0, 2, 4, 8], 8), np.repeat(np.arange(1.0, 9), 4) * 16
times = 0.3 * batch / gpus + 2
model = perfmodel.PerfModel(extrinsic=["gpus"]).fit({"batch": batch, "gpus": gpus}, times)
time, lower, upper = model.predict({"batch": [64], "gpus": [4]}, interval=0.9)
assert abs(time[0] - 6.8) < 0.01 and lower[0] <= time[0] <= upper[0], (time, lower, upper)
print(perfmodel.__version__, perfmodel.__file__)
"""

wheel = Path(sys.argv[1]).resolve()
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = str(Path(folder) / "bin" / "python")
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps",
                    "--no-index", str(wheel)], check=True)
    site = next(Path(folder).glob("lib/python*/site-packages"))
    (site / "numpy").symlink_to(Path(numpy.__file__).parent)
    out = subprocess.run([python, "-I", "-c", CODE], cwd=folder, check=True, capture_output=True, text=True)
    assert str(site) in out.stdout, out.stdout
    print("installed and used:", out.stdout.strip())
