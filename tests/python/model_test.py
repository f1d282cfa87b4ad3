"""Models and predictions are those of the program."""

import copy
import json
import pickle
import re

from support import RUNS, columns, folder, needs, program, run_all

needs("numpy")
import numpy as np
from perfmodel import PerfModel

SETTINGS = (("--expression", "auto"), ("--expression", "multi"), ("--l2", "0.001", "--loss", "mape", "--seed", "3"))
PARAMETERS = ({}, {"expression": "multi"}, {"expression": "generic", "l2": 0.001, "loss": "mape", "seed": 3})


def without_data(text):
    """The text of a model without provenance.data, whose file and digest differ."""
    out, count = re.subn(r'"data": \{.*?"sha256": [^\n]*\n', "", text, flags=re.S)
    assert count == 1
    return out


def test_models_are_those_of_the_program():
    X, y = columns()
    for words, parameters in zip(SETTINGS, PARAMETERS):
        with folder() as there:
            program("fit", RUNS, "--target", "time_s", "--quiet", "-o", there / "model.json", *words)
            ours = PerfModel(target="time_s", **parameters).fit(X, y)
            ours.save(there / "ours.json")
            expected = (there / "model.json").read_text()
            assert without_data(expected) == without_data((there / "ours.json").read_text())
            assert PerfModel.load(there / "model.json").model_ == json.loads(expected)


def test_predictions_are_those_of_the_program():
    X, y = columns()
    with folder() as there:
        model = PerfModel("multi", target="time_s").fit(X, y)
        model.save(there / "model.json")
        program("predict", there / "model.json", RUNS, "--coverage", "0.8", "--quiet", "-o", there / "out.csv")
        rows = [line.split(",") for line in (there / "out.csv").read_text().splitlines()]
        expected = np.array([row[-4:-1] for row in rows[1:]], dtype=float)
        assert rows[0][-4:-1] == ["predicted_time_s", "lower", "upper"]
        assert np.array_equal(np.column_stack(model.predict(X, interval=0.8)), expected)
        assert np.array_equal(model.predict(X), expected[:, 0])
        residual = np.array(y) - expected[:, 0]
        r2 = 1 - np.sum(residual**2) / np.sum((np.array(y) - np.mean(y)) ** 2)
        assert abs(model.score(X, y) - r2) < 1e-12


def test_copies_are_equal():
    X, y = columns()
    model = PerfModel(seed=2).fit(X, y)
    for each in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert each.model_ == model.model_ and each.get_params() == model.get_params()
        assert np.array_equal(each.predict(X), model.predict(X))


def test_weights_count_rows():
    X, y = columns(60)
    weights = [i % 3 for i in range(len(y))]
    repeated = {name: np.repeat(np.array(values), weights) for name, values in X.items()}
    once = PerfModel(coverage="none").fit(X, y, sample_weight=weights)
    many = PerfModel(coverage="none").fit(repeated, np.repeat(y, weights))
    assert once.model_["metrics"]["train"]["rows"] == sum(weights)
    assert once.formula_ == many.formula_


def test_groups_are_held_out_together():
    X, y = columns()
    groups = ["abc"[i % 3] for i in range(len(y))]
    model = PerfModel(folds="all").fit(X, y, groups=groups)
    assert model.model_["cross_validation"]["folds"] == 3
    assert model.model_["cross_validation"]["group_by"] == "groups_"
    assert model.n_features_in_ == len(X)


def test_arrays_and_frames():
    X, y = columns()
    numbers = np.array([X["filters"], X["workers"], X["batch_size"]]).T
    model = PerfModel("multi", terms=1).fit(numbers, y)
    assert set(model.model_["central_run"]["configuration"]) == {"x0", "x1", "x2"}
    assert model.n_features_in_ == 3 and not hasattr(model, "feature_names_in_")
    needs("pandas")
    import pandas

    frame = pandas.DataFrame(X)
    frame["dataset"] = frame["dataset"].astype("category")
    of_frame = PerfModel().fit(frame, pandas.Series(y, name="time_s"))
    assert of_frame.model_ == PerfModel(target="time_s").fit(X, y).model_
    assert list(of_frame.feature_names_in_) == list(X)
    assert list(of_frame.effects_["column"])
    assert len(PerfModel("generic", coverage="none").fit(frame, y).terms_) > 5


def test_answers():
    X, y = columns()
    model = PerfModel("multi", target="time_s").fit(X, y)
    best = model.suggest({name: sorted(set(values))[:2] for name, values in X.items()}, top=3)
    assert best["schema"] == "perfmodel/suggestions" and len(best["fastest"]) == 3
    scaling = model.scaling("workers")
    assert scaling["schema"] == "perfmodel/scaling"
    with folder() as there:
        model.save(there / "model.json")
        assert json.loads(program("scaling", there / "model.json", "--column", "workers", "--format", "json", "--quiet"))["rows"] == scaling["rows"]
        model.report(there / "page.html", X, y)
        assert "</html>" in (there / "page.html").read_text()
    assert model.formula_ in model._repr_html_().replace("&#x27;", "'")


run_all([value for name, value in list(globals().items()) if name.startswith("test_")])
