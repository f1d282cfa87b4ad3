"""A data frame is read as the CSV file of its cells: by the same rules, with the same warnings."""

import json
import warnings

from support import ROOT, folder, needs, program, raises, run_all

needs("numpy", "pandas")
import numpy as np
import pandas
from perfmodel import PerfModel

FORM = {"expression": "multi", "terms": 1, "coverage": "none"}


def fitted(frame, target="time_s", **parameters):
    """The model of a frame and what its fit warned of."""
    X = frame.drop(columns=target)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = PerfModel(**{**FORM, **parameters}).fit(X, frame[target])
    return model, [str(each.message) for each in told]


def of_program(frame, target="time_s", *options):
    with folder() as there:
        frame.to_csv(there / "runs.csv", index=False)
        out = there / "model.json"
        words = ("--expression", "multi", "--terms", "1", "--coverage", "none", "--target", target)
        program("fit", there / "runs.csv", *words, *options, "--quiet", "-o", out)
        return json.loads(out.read_text())


def is_as_of_program(frame, **parameters):
    model, told = fitted(frame, **parameters)
    expected = of_program(frame)
    assert model.model_["constants"] == expected["constants"], (model.formula_, expected["expression"])
    assert model.model_["metrics"] == expected["metrics"]
    return model, told


def runs(rows=60):
    size = 1000.0 + 100 * (np.arange(rows) % 15)
    gpus = 2.0 ** (np.arange(rows) % 4)
    time = (2 + 0.01 * size / gpus) * (1 + 0.02 * np.sin(np.arange(rows) ** 2))
    return pandas.DataFrame({"size": size, "gpus": gpus, "time_s": time})


def test_runs_out_of_memory():
    frame = pandas.read_csv(ROOT / "data" / "gpt_h100.csv")
    model, told = fitted(frame)
    expected = of_program(frame)
    assert model.model_["constants"] == expected["constants"]
    assert any("runs failed and are left out" in each for each in told), told
    assert model.model_["provenance"]["data"]["rows"] == expected["provenance"]["data"]["rows"]
    predicted = model.predict(frame.drop(columns="time_s"))
    assert np.isfinite(predicted).all() and len(predicted) == len(frame)


def test_failed_runs_blanks_units_and_texts():
    frame = runs()
    failed = frame.assign(time_s=frame["time_s"].where(frame.index % 9 != 4))
    assert "'time_s' is blank in 7" in is_as_of_program(failed)[1][0]
    words = frame["time_s"].astype(object).where(frame.index % 9 != 4, "OOM")
    assert '"OOM"' in is_as_of_program(frame.assign(time_s=words))[1][0]
    gaps = frame.assign(size=frame["size"].where(frame.index != 7))
    assert "have no 'size'" in is_as_of_program(gaps)[1][0]
    is_as_of_program(frame.assign(size=[f"{each:g}MiB" for each in frame["size"]]))
    is_as_of_program(frame.assign(time_s=[f"{1000 * each:.17g} ms" for each in frame["time_s"]]))
    kinds = np.where(frame.index % 3 == 0, "a b", 'c,"d"')
    is_as_of_program(frame.assign(kind=kinds, time_s=frame["time_s"] * np.where(kinds == "a b", 1, 2)))
    raises(ValueError, "failed='drop'", lambda: fitted(failed, failed="refuse"))


def test_texts_of_numbers_are_levels():
    frame = runs()
    frame["generation"] = np.array(["1", "2"])[frame.index % 2]
    model, _ = fitted(frame)
    X = frame.drop(columns="time_s")
    raises(ValueError, "generation", lambda: model.predict(X.assign(generation="3")))


def test_what_is_judged():
    frame = runs()
    model, _ = fitted(frame)
    failed = frame.assign(time_s=frame["time_s"].astype(object).where(frame.index % 9 != 4, "OOM"))
    with folder() as there:
        model.report(there / "report.html", failed.drop(columns="time_s"), failed["time_s"])
        assert (there / "report.html").read_text(encoding="utf-8").startswith("<!")


run_all([value for name, value in list(globals().items()) if name.startswith("test_")])
