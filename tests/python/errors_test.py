"""Errors say what to correct; Ctrl-C and progress callbacks end a fit at once."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
import time

from support import columns, needs, raises, run_all

needs("numpy")
from perfmodel import PerfModel


def test_errors_of_data():
    X, y = columns(60)
    raises(ValueError, "did you mean 'workers'", lambda: PerfModel(extrinsic=["worker"]).fit(X, y))
    raises(ValueError, "needs a measured time > 0", lambda: PerfModel().fit(X, [-1.0] * 60))
    numbers = [[each] for each in X["filters"]]
    raises(ValueError, "positive", lambda: PerfModel().fit(numbers, [-1.0] * 60))
    raises(ValueError, "inconsistent", lambda: PerfModel().fit(X, y[1:]))
    raises(ValueError, "NaN", lambda: PerfModel().fit([[1], [float("nan")]], [1, 2]))
    raises(ValueError, "failed='drop'", lambda: PerfModel().fit(numbers, [float("nan"), *y[1:]]))
    raises(ValueError, "failed='drop'", lambda: PerfModel(failed="refuse").fit(X, [float("nan"), *y[1:]]))
    raises(ValueError, "different lengths", lambda: PerfModel().fit({"a": [1], "b": [1, 2]}, [1]))
    raises(ValueError, "also a column", lambda: PerfModel(target="filters").fit(X, y))
    raises(ValueError, "number of runs", lambda: PerfModel().fit(X, y, sample_weight=[0.5] * 60))
    raises(AttributeError, "not fitted", lambda: PerfModel().predict(X))


def test_missing_library():
    code = "import perfmodel"
    lacking = {**os.environ, "PERFMODEL_LIBRARY": "/none/libperfmodel.so",
               "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "-c", code], env=lacking, capture_output=True, text=True)
    assert said.returncode != 0, said
    assert "ImportError: the library of perfmodel cannot be loaded" in said.stderr, said.stderr
    assert "pip install ./src/python" in said.stderr and "PERFMODEL_LIBRARY" in said.stderr, said.stderr


def test_times_with_types():
    import numpy as np

    X, y = columns(60)
    spans = np.array(y) * np.timedelta64(10**9, "ns")
    advice = "pass seconds instead"
    raises(ValueError, advice, lambda: PerfModel().fit(X, spans))
    raises(ValueError, advice, lambda: PerfModel().fit({**X, "wait": spans}, y))
    raises(ValueError, advice, lambda: PerfModel().fit(X, y).score(X, spans))
    dated = PerfModel(coverage="none").fit({**X, "at": np.datetime64("2026-01-01") + spans}, y)
    assert dated.formula_ == PerfModel(coverage="none").fit(X, y).formula_


def test_results_in_X():
    import warnings

    X, y = columns(60)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = PerfModel(coverage="none").fit({**X, "peak_mb": [9000 + i * 137 % 4001 for i in range(60)]}, y)
    assert ["peak_mb" in str(each.message) for each in told] == [True], told
    assert "peak_mb" not in model.formula_


def test_errors_of_options():
    X, y = columns(60)
    raises(ValueError, "expression: 'guess' is not one of", lambda: PerfModel("guess").fit(X, y))
    raises(ValueError, "terms=2 cannot be combined with expression='auto'", lambda: PerfModel(terms=2).fit(X, y))
    raises(ValueError, "add residual='none'", lambda: PerfModel(repeats=2).fit(X, y))
    raises(ValueError, "did you mean 'extrinsic'", lambda: PerfModel().set_params(extrnsic=["a"]))
    raises(ValueError, "loss: 'best'", lambda: PerfModel(loss="best").fit(X, y))
    raises(ValueError, "l1: '-1'", lambda: PerfModel(l1=-1).fit(X, y))


def test_advice_names_parameters():
    from perfmodel._library import with_parameters

    for message, expected in (
        ("remove the rows, or pass --failed drop to leave", "remove the rows, or pass failed='drop' to leave"),
        ("--time-unit s contradicts the cells", "time_unit='s' contradicts the cells"),
        ("pass --target t --ignore host.", "pass target='t' ignore='host'."),
        ("--signed and --l1 have no place there", "signed and l1 have no place there"),
        ("--quantile 0.95 needs --loss mae", "quantile=0.95 needs loss='mae'"),
        ("--limit 2h: it is no number", "limit='2h': it is no number"),
        ("pass --limit COL, or fit --by host", "pass limit=COL, or fit --by host"),
        ("the fit says --folds or --bounds", "the fit says folds or bounds"),
    ):
        assert with_parameters(message) == expected, with_parameters(message)


def test_errors_of_predictions():
    X, y = columns(60)
    model = PerfModel(coverage="none").fit(X, y)
    raises(ValueError, "no prediction intervals", lambda: model.predict(X, interval=0.9))
    del X["filters"]
    raises(ValueError, "filters", lambda: model.predict(X))


def long_fit(**parameters):
    X, y = columns()
    PerfModel(bootstrap=5000, **parameters).fit(X, y)


def test_interrupts():
    at = []

    def interrupt():
        time.sleep(1)
        at.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    raises(KeyboardInterrupt, "", long_fit)
    seconds = time.monotonic() - at[0]
    print("interrupted after", round(seconds, 3), "s")
    assert seconds < 1.5  # 0.3 s on an idle machine


def test_progress():
    calls = []

    def progress(stage, done, count):
        calls.append((stage, done, count))
        if len(calls) == 3:
            raise ZeroDivisionError("enough")

    raises(ZeroDivisionError, "enough", lambda: long_fit(progress=progress))
    assert len(calls) == 3 and isinstance(calls[0][0], str)


def test_verbose_shows_stages():
    X, y = columns()

    def shown():
        with contextlib.redirect_stderr(io.StringIO()) as text:
            PerfModel(verbose=True).fit(X, y)
        return text.getvalue()

    try:
        import tqdm.auto  # noqa: F401
    except ImportError:
        print("tqdm is missing: only stages without a bar were tested")
    else:
        assert "choosing the form: " in shown() and "it/s" in shown()
    sys.modules["tqdm.auto"] = None
    assert "perfmodel: choosing the form\n" in shown()


run_all([value for name, value in list(globals().items()) if name.startswith("test_")])
