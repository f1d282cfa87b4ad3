"""The examples of the docstrings and of docs/python.md run."""

import doctest
import sys

from support import ROOT, needs

needs("numpy", "pandas", "sklearn", "matplotlib")
import os

import perfmodel
import perfmodel._regressor

os.chdir(ROOT)
os.environ["MPLBACKEND"] = "Agg"
failed = tried = 0
for module in (perfmodel, perfmodel._regressor):
    result = doctest.testmod(module)
    failed, tried = failed + result.failed, tried + result.attempted
page = ROOT / "docs" / "python.md"
if page.exists():
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    failed, tried = failed + result.failed, tried + result.attempted
assert tried > 5
sys.exit(failed > 0)
