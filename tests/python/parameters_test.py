"""Each parameter changes the model as its option does."""

from support import columns, folder, needs, raises, run_all

needs("numpy")
import numpy as np
from perfmodel import PerfModel

GPUS = np.tile([1.0, 2.0, 4.0, 8.0], 15)
SIZE = np.repeat(np.arange(1.0, 16.0), 4)
NOISE = 1 + 0.1 * np.sin(np.arange(60) ** 2)
X = {"size": SIZE, "gpus": GPUS}
TIME = (2 + 0.5 * SIZE / GPUS) * NOISE


def test_the_default_chooses_the_form():
    chosen = PerfModel().fit(X, TIME)
    assert chosen.model_["expression"] == PerfModel("auto").fit(X, TIME).model_["expression"]
    generic = PerfModel("generic").fit(X, TIME)
    assert chosen.formula_ != generic.formula_
    assert repr(PerfModel("auto")) == "PerfModel()"


def test_a_quantile_is_a_bound():
    model = PerfModel("multi", terms=1, quantile=0.8).fit(X, TIME)
    middle = PerfModel("multi", terms=1).fit(X, TIME)
    assert np.mean(TIME <= model.predict(X)) >= 0.75 > np.mean(TIME <= middle.predict(X))


def test_a_formula_of_the_user():
    model = PerfModel(formula="t = W * size / gpus + C", bounds=["C=2"], coverage="none").fit(X, TIME)
    assert model.model_["target"]["column"] == "t"
    one, two = model.predict({"size": [8, 8], "gpus": [1, 2]})
    assert abs(one - 2 - 2 * (two - 2)) < 1e-9 and abs(one - 6) < 0.5
    quoted = PerfModel(formula="`t = s` = W * `size` / gpus + C", bounds=["C=2"], coverage="none")
    assert quoted.fit(X, TIME).model_["target"]["column"] == "t = s"
    assert np.allclose(quoted.predict(X), model.predict(X))
    raises(ValueError, "expression cannot be combined with formula", lambda: PerfModel("multi", formula="t = W * size").fit(X, TIME))


def test_a_constant_per_level_and_its_bounds():
    kind = np.where(np.arange(60) % 3 == 0, "a", "b")
    time = np.where(kind == "a", 3.0, 7.0) * SIZE / GPUS
    own = {"formula": "t = W * size / gpus", "coverage": "none"}
    model = PerfModel(per=["kind:W"], **own).fit({**X, "kind": kind}, time)
    assert np.allclose(model.predict({**X, "kind": kind}), time)
    bounded = PerfModel(bounds=["W=1:4"], **own).fit(X, 7 * SIZE / GPUS)
    assert np.allclose(bounded.predict(X), 4 * SIZE / GPUS)


def test_failed_runs():
    time = TIME.copy()
    time[[3, 20]] = float("nan")
    kept = ~np.isnan(time)
    of_kept = PerfModel("multi", terms=1).fit({name: each[kept] for name, each in X.items()}, TIME[kept])
    for y in (time, [each if ok else "failed" for each, ok in zip(TIME, kept)],
              [each if ok else None for each, ok in zip(TIME, kept)]):
        model = PerfModel("multi", terms=1, failed="drop").fit(X, y)
        assert model.metrics_ == of_kept.metrics_ and model.metrics_["train"]["rows"] == 58
        assert model.formula_ == of_kept.formula_
    array = np.column_stack(list(X.values()))
    raises(ValueError, "NaN", lambda: PerfModel().fit(array, time))
    state = np.where(kept, "ok", "crashed")
    of_state = PerfModel("multi", terms=1, failed="drop", status="state").fit({**X, "state": state}, TIME)
    assert of_state.metrics_ == of_kept.metrics_


def test_runs_that_were_cut_off():
    own = {"formula": "t = W * size / gpus + C", "coverage": "none"}
    time = 2 + 0.5 * SIZE / GPUS
    cut = [each if each < 5 else "timeout" for each in time]
    censored = PerfModel(failed="censor", limit=5, **own).fit(X, cut)
    assert np.allclose(censored.predict(X), time, rtol=0.01)
    in_column = PerfModel(failed="censor", limit="limit", **own).fit({**X, "limit": np.full(60, 5.0)}, cut)
    assert in_column.formula_ == censored.formula_


def test_an_earlier_model():
    old = PerfModel("multi", terms=1, target="t").fit(X, TIME)
    few = {name: each[[5, 40]] for name, each in X.items()}
    model = PerfModel(prior=old).fit(few, 3 * TIME[[5, 40]])
    assert np.mean(np.abs(model.predict(X) / (3 * TIME) - 1)) < 0.15
    with folder() as there:
        from_file = PerfModel(prior=old.save(there / "old.json")).fit(few, 3 * TIME[[5, 40]])
    assert from_file.model_ == model.model_
    raises(ValueError, "l2 cannot be combined with prior", lambda: PerfModel(prior=old, l2=0.1).fit(few, [1, 2]))


def test_facts_replace_texts():
    device = np.array(["a", "b", "c"])[np.arange(60) % 3]
    speed = {"a": 1.0, "b": 2.0, "c": 4.0}
    time = SIZE / np.array([speed[each] for each in device])
    table = {"device": ["c", "d", "b", "a"], "speed": [4.0, 8.0, 2.0, 1.0]}
    own = {"expression": "multi", "terms": 1, "intrinsic": ["size", "speed"], "coverage": "none"}
    model = PerfModel(facts={"device": table}, **own).fit({"size": SIZE, "device": device}, time)
    assert "device" not in model.formula_ and "speed" in model.formula_
    assert abs(model.predict({"size": [8.0], "device": ["d"]})[0] - 1) < 0.05
    assert model.predict({"size": [8.0], "speed": [8.0]}) == model.predict({"size": [8.0], "device": ["d"]})
    with folder() as there:
        loaded = PerfModel.load(model.save(there / "model.json"))
    assert loaded.predict({"size": [8.0], "device": ["d"]}) == model.predict({"size": [8.0], "device": ["d"]})
    raises(ValueError, 'no facts about "e"', lambda: model.predict({"size": [8.0], "device": ["e"]}))


def test_groups_by_a_column():
    host = np.arange(60) // 20
    model = PerfModel("multi", terms=1, folds="all", group_by="host", ignore=["host"]).fit({**X, "host": host}, TIME)
    assert model.model_["cross_validation"]["folds"] == 3


def test_options_of_the_search():
    # Each of these ends or leads the search elsewhere, as the number of its evaluations tells.
    def evaluations(**options):
        return PerfModel("generic", coverage="none", **options).fit(X, TIME).model_["search"]

    usual = evaluations()
    assert evaluations(starts=1) != usual
    for search in ({"generations": 3}, {"population": 8}, {"strategy": "rand1bin"}, {"tolerance": 0.1}):
        assert evaluations(search=search) != usual, search
    raises(ValueError, "has none of the keys", lambda: evaluations(search={"popsize": 3}))


def test_splits_and_coverage():
    split = {"split": "60:20:20", "coverage": "none"}
    models = [PerfModel("multi", terms=1, split_seed=seed, **split).fit(X, TIME) for seed in (1, 2)]
    assert models[0].metrics_ != models[1].metrics_ and set(models[0].metrics_) == {"train", "validation", "test"}
    boot = {"expression": "multi", "terms": 1, "bootstrap": 20}
    texts = [str(PerfModel(coverage=level, **boot).fit(X, TIME).model_["uncertainty"]) for level in (0.95, 0.5)]
    assert texts[0] != texts[1]


def test_metrics_and_warnings():
    model = PerfModel("generic").fit(*columns(25))
    assert model.metrics_["train"] == model.model_["metrics"]["train"]
    assert model.metrics_["train"]["mape_percent"] >= 0 and set(model.metrics_) == {"train"}
    assert len(model.warnings_) == len(model.model_["warnings"]) > 0
    assert all(isinstance(each, str) and "--" not in each for each in model.warnings_)


def test_spaces():
    model = PerfModel("multi", terms=1).fit(X, TIME)
    whole = model.suggest({"size": [1, 2], "gpus": np.array([1, 2])}, top=4)
    assert len(whole["fastest"]) == 4
    in_full = {"columns": [{"column": "size", "values": [1, 2]}, {"column": "gpus", "values": [1, 2]}]}
    assert model.suggest(in_full, top=4) == whole
    assert [each["configuration"]["size"] for each in model.suggest({"size": 2, "gpus": [1, 2]})["fastest"]] == [2, 2]
    needs("pandas")
    import pandas

    rows = pandas.DataFrame({"size": [1, 2, 15], "gpus": [8, 1, 2]})
    assert model.suggest(rows)["searched"] == 3


run_all([value for name, value in list(globals().items()) if name.startswith("test_")])
