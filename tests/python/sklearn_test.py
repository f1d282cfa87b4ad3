"""Searches, pipelines and clones of scikit-learn."""

import contextlib
import unittest
import warnings

from support import columns, needs, raises, run_all

needs("numpy", "pandas", "sklearn")
import numpy as np
import pandas
from perfmodel import PerfModel
from sklearn.base import clone, is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator


def runs():
    X, y = columns(200)
    return pandas.DataFrame(X), np.array(y)


def test_clone():
    model = PerfModel(l2=0.1, extrinsic=["workers"])
    assert clone(model).get_params() == model.get_params() and is_regressor(model)
    raises(NotFittedError, "not fitted", lambda: model.predict(runs()[0]))


def test_cross_validation():
    X, y = runs()
    model = PerfModel("multi", terms=1, coverage="none")
    folds = KFold(3)
    expected = [model.fit(X.iloc[a], y[a]).score(X.iloc[b], y[b]) for a, b in folds.split(X)]
    assert np.allclose(cross_val_score(model, X, y, cv=folds), expected)


def test_search():
    X, y = runs()
    search = GridSearchCV(PerfModel("generic", coverage="none"), {"l2": [0.0, 1e6]}, cv=3, n_jobs=2).fit(X, y)
    scores = [cross_val_score(PerfModel("generic", coverage="none", l2=l2), X, y, cv=3).mean() for l2 in (0.0, 1e6)]
    assert scores[0] != scores[1] and np.allclose(search.cv_results_["mean_test_score"], scores)
    assert search.best_params_ == {"l2": [0.0, 1e6][int(np.argmax(scores))]}
    assert search.best_estimator_.predict(X).shape == y.shape


def test_pipeline():
    X, y = runs()
    pipeline = Pipeline([("drop", FunctionTransformer(lambda frame: frame.drop(columns="dropout"))),
                         ("model", PerfModel(coverage="none"))]).fit(X, y)
    direct = PerfModel(coverage="none").fit(X.drop(columns="dropout"), y)
    assert np.array_equal(pipeline.predict(X), direct.predict(X))


def test_one_name_replaces_another_regressor():
    X, y = runs()
    X = X[["filters", "workers", "batch_size"]]
    for regressor in (GradientBoostingRegressor, PerfModel):
        scores = cross_val_score(regressor(), X, y, cv=3, scoring="neg_mean_absolute_error")
        assert scores.shape == (3,) and (scores < 0).all()
        search = GridSearchCV(Pipeline([("model", regressor())]), {}, cv=2).fit(X, y)
        assert search.best_estimator_.predict(X).shape == y.shape


def test_targets_in_other_units():
    X, y = runs()
    inner = PerfModel("multi", terms=1, coverage="none")
    model = TransformedTargetRegressor(inner, func=lambda s: 1000 * s, inverse_func=lambda ms: ms / 1000)
    model.fit(X, y)
    assert np.allclose(1000 * model.predict(X), model.regressor_.predict(X))
    assert np.allclose(model.regressor_.predict(X), clone(inner).fit(X, 1000 * y).predict(X))
    assert np.allclose(model.predict(X), clone(inner).fit(X, y).predict(X), rtol=1e-3)


def test_all_checks_of_estimators():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks = list(check_estimator(PerfModel("generic", coverage="none", threads=1), generate_only=True))
        assert len(checks) > 30
        for estimator, check in checks:
            with contextlib.suppress(unittest.SkipTest):
                check(estimator)


run_all([value for name, value in list(globals().items()) if name.startswith("test_")])
