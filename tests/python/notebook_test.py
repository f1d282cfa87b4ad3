"""The notebook of examples runs from top to bottom."""

import os

from support import ROOT, folder, needs

needs("numpy", "pandas", "sklearn", "matplotlib", "nbformat", "nbclient", "ipykernel")
import nbformat
from nbclient import NotebookClient

os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # the kernel warns of what tests do not need
os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
notebook = nbformat.read(str(ROOT / "examples" / "from_runs_to_an_answer.ipynb"), as_version=4)
assert not any(cell.get("outputs") for cell in notebook.cells), "the notebook is stored without outputs"
with folder() as there:
    notebook.cells[-1].source = notebook.cells[-1].source.replace("report.html", str(there / "report.html"))
    NotebookClient(notebook, timeout=200, kernel_name="python3",
                   resources={"metadata": {"path": str(ROOT / "examples")}}).execute()
    assert "</html>" in (there / "report.html").read_text(encoding="utf-8")
outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
texts = [output.get("text", "") + output.get("data", {}).get("text/html", "") for output in outputs]
assert any("mean error of new runs: " in text for text in texts)
assert any("t = " in text for text in texts)  # the formula
assert any("image/png" in output.get("data", {}) for output in outputs)
print("cells:", len(notebook.cells), "outputs:", len(outputs))
