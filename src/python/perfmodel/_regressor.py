"""The regressor, in the manner of scikit-learn, which it does not need."""

from __future__ import annotations

import ast
import html
import inspect
import json
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _library
from ._columns import column_of, columns_of, csv_text, has_columns, names_of, numbers_of, repeated
from ._columns import results_of, targets_of

_OWN_PARAMETERS = ("expression", "target", "prior", "facts", "search", "verbose", "progress")
_GROUPS = "groups_"


def _not_fitted() -> Exception:
    exceptions = sys.modules.get("sklearn.exceptions")
    kind = exceptions.NotFittedError if exceptions else AttributeError
    return kind("This PerfModel instance is not fitted yet; call fit() first")


def _setting(key: str, value: Any) -> str:
    """A setting of the search in the words of the program."""
    return f"{key.replace('_', '-')}={value}"


def _records(rows: List[dict]) -> Any:
    """A data frame if pandas is installed, else the rows."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


class _ShownProgress:
    """Shows the progress of a fit on standard error, as a bar if tqdm is installed."""

    def __init__(self) -> None:
        self._stage, self._bar = "", None

    def __call__(self, stage: str, done: int, count: int) -> None:
        if stage != self._stage:
            self.close()
            self._stage = stage
            try:
                from tqdm.auto import tqdm
            except ImportError:
                print("perfmodel:", stage, file=sys.stderr, flush=True)
            else:
                self._bar = tqdm(desc=stage, leave=False)
        if self._bar is not None:
            self._bar.total, self._bar.n = count or None, done
            self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None


def _write_space(path: str, space: Any) -> None:
    """A space as `perfmodel plan` reads it: a dict as JSON, a data frame as its rows."""
    if isinstance(space, Mapping):
        text = json.dumps(dict(space), default=lambda values: np.asarray(values).tolist())
        Path(path).write_text(text, encoding="utf-8")
    else:
        Path(path).write_text(csv_text(columns_of(space)[0]), encoding="utf-8")


class PerfModel:
    """Fits a formula for a time to measured runs.

    The parameters are the options of `perfmodel fit`, with the same defaults; None is the default
    of the program. `expression`: "auto" is the formula that predicts best, with a residual
    correction, "multi" a sum of products, "generic" Eq. (4); `formula` and `prior`, a model or its
    file, replace it. `failed`: "drop" leaves out runs whose y is NaN, a text or not > 0, as those of
    data frames without a number are anyway; "refuse" raises for them. `facts`: tables about the texts of columns, {"device": table}, whose columns replace the text.
    `extrinsic`: the columns of scale, such as the number of workers; by default they are inferred
    from the names, and arrays, whose columns are x0, x1, ..., have none.
    `search`: settings of differential evolution, {"population": 8, "generations": 500}.
    `target`: the name of the time in the model, by default that of y, else "time". `verbose`:
    shows the progress of a fit of more than 50 ms, as a bar if tqdm is installed. `progress`:
    called about every 50 ms with the stage, the parts that are done and their number; what it
    raises ends the fit.

    >>> from perfmodel import PerfModel
    >>> PerfModel("generic", l2=0.01).get_params()["l2"]
    0.01
    >>> PerfModel("guess").fit({"a": [1, 2]}, [1, 2])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    perfmodel._library.PerfModelError: expression: 'guess' is not one of 'generic', ...
    """

    _estimator_type = "regressor"

    def __init__(
        self,
        expression: str = "auto",
        *,
        target: Optional[str] = None,
        extrinsic: Optional[Sequence[str]] = None,
        intrinsic: Optional[Sequence[str]] = None,
        categorical: Optional[Sequence[str]] = None,
        ignore: Optional[Sequence[str]] = None,
        derive: Optional[Sequence[str]] = None,
        time_unit: Optional[str] = None,
        keep_totals: bool = False,
        terms: Optional[int] = None,
        signed: bool = False,
        residual: Optional[str] = None,
        formula: Optional[str] = None,
        per: Optional[Sequence[str]] = None,
        failed: Optional[str] = None,
        limit: Union[float, str, None] = None,
        status: Optional[str] = None,
        facts: Optional[Mapping[str, Any]] = None,
        prior: Union["PerfModel", str, "os.PathLike[str]", None] = None,
        loss: Optional[str] = None,
        quantile: Optional[float] = None,
        l1: float = 0.0,
        l2: float = 0.0,
        penalise: Optional[str] = None,
        method: Optional[str] = None,
        seed: int = 1,
        bounds: Optional[Sequence[str]] = None,
        starts: Optional[int] = None,
        search: Optional[Mapping[str, Any]] = None,
        threads: Optional[int] = None,
        repeats: int = 1,
        split: Optional[str] = None,
        split_seed: int = 1,
        bootstrap: Optional[int] = None,
        folds: Union[int, str, None] = None,
        group_by: Optional[str] = None,
        coverage: Union[float, str, None] = None,
        verbose: bool = False,
        progress: Optional[_library.Progress] = None,
    ):
        parameters = dict(locals())
        del parameters["self"]
        self.__dict__.update(parameters)

    # Parameters, as scikit-learn's clone() and searches use them.

    @classmethod
    def _defaults(cls) -> Dict[str, Any]:
        parameters = inspect.signature(cls.__init__).parameters.values()
        return {each.name: each.default for each in parameters if each.name != "self"}

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters of the constructor."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> "PerfModel":
        """Sets parameters of the constructor. Raises ValueError for unknown names."""
        known = self._defaults()
        for name, value in params.items():
            if name not in known:
                import difflib

                near = difflib.get_close_matches(name, known, 1)
                advice = f"; did you mean {near[0]!r}?" if near else ""
                raise ValueError(f"PerfModel has no parameter {name!r}{advice}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = self._defaults()
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not defaults[name] and value != defaults[name]
        ]
        return f"PerfModel({', '.join(changed)})"

    def _more_tags(self) -> Dict[str, Any]:
        return {"requires_positive_X": True, "requires_positive_y": True, "requires_y": True}

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags

        return Tags(
            estimator_type="regressor",
            target_tags=TargetTags(required=True, positive_only=True),
            regressor_tags=RegressorTags(),
            input_tags=InputTags(positive_only=True, string=True),
        )

    # Fit and predictions

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> "PerfModel":
        """Fits the model to runs: X, a data frame, a dict of lists or an array with a row per run;
        y, their times, > 0; `sample_weight`, how often each row counts (0, 1, 2, ...); `groups`, a value per
        row: rows with the same value are held out together. Returns self.

        Raises ValueError for data that cannot be used, KeyboardInterrupt after Ctrl-C.
        """
        columns, rows = columns_of(X)
        if rows < 2:
            raise ValueError("1 sample (n_samples=1) determines no formula; 2 is the minimum")
        names = names_of(X)
        is_path = isinstance(self.prior, (str, os.PathLike))
        prior = self.load(self.prior) if is_path else self.prior
        options = self._options()
        target = self._target(y, prior)
        if target in columns:
            raise ValueError(f"the target {target!r} is also a column of X")
        if self.facts:
            options["facts"] = {
                name: csv_text(columns_of(table)[0]) for name, table in self.facts.items()
            }
        ignored = []
        may_fail = has_columns(X) or self.failed not in (None, "refuse") or self.status is not None
        columns[target] = (results_of if may_fail else targets_of)(y, rows)
        if groups is not None:
            columns[_GROUPS] = column_of(_GROUPS, np.asarray(groups))
            options["group_by"] = _GROUPS
            ignored.append(_GROUPS)
        if prior is None:  # which has the roles of its columns
            options["target"] = target
            if ignored:
                options["ignore"] = [*(self.ignore or []), *ignored]
            if names is None and self.extrinsic is None:
                options["extrinsic"] = []
        if sample_weight is not None:
            counts = self._counts(sample_weight, rows)
            columns, rows = repeated(columns, counts), int(counts.sum())
        with tempfile.TemporaryDirectory() as folder:
            if prior is not None:
                options["prior"] = prior.save(os.path.join(folder, "prior.json"))
            self._model = self._fit(columns, rows, options)
        self._set_names(list(columns_of(X)[0]) if names is None else names, names is not None)
        for sentence in self._model.warnings():
            warnings.warn(sentence, stacklevel=2)
        self._warn_of_results()
        return self

    def _options(self) -> Dict[str, Any]:
        """The options that differ from the program's defaults."""
        defaults = self._defaults()
        options = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.get_params().items()
            if name not in _OWN_PARAMETERS and value != defaults[name]
        }
        if self.search:
            options["search"] = [_setting(*each) for each in self.search.items()]
        if (self.formula is None and self.prior is None) or self.expression != "auto":
            options["expression"] = self.expression
        return options

    def _target(self, y: Any, prior: Optional["PerfModel"]) -> str:
        """The name of the time: that of the earlier model, or of the formula, if there is one."""
        if prior is not None:
            return prior.model_["target"]["column"]
        if self.formula is not None and self.target is None:
            quoted = re.match(r"\s*`((?:[^`]|``)*)`\s*=", self.formula)
            if quoted:
                return quoted[1].replace("``", "`")
            return self.formula.partition("=")[0].strip() or "time"
        return str(self.target or getattr(y, "name", None) or "time")

    def _warn_of_results(self) -> None:
        left_out = self.model_.get("left_out") or []
        results = [each["column"] for each in left_out if each["because"] == "result"]
        if results:
            warnings.warn(
                f"left out as results of the runs: {', '.join(results)}; `intrinsic` or "
                "`categorical` keeps what is an input",
                stacklevel=3,
            )

    def _fit(self, columns: _library.Columns, rows: int, options: Dict[str, Any]) -> Any:
        if not self.verbose:
            return _library.fit(columns, rows, options, self.progress)
        shown = _ShownProgress()

        def report(*state: Any) -> None:
            shown(*state)
            if self.progress is not None:
                self.progress(*state)

        try:
            return _library.fit(columns, rows, options, report)
        finally:
            shown.close()

    @staticmethod
    def _counts(sample_weight: Any, rows: int) -> np.ndarray:
        weights = np.asarray(sample_weight, dtype=np.float64)
        weights = np.full(rows, weights) if weights.ndim == 0 else weights
        if weights.shape != (rows,):
            raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
        if not ((weights >= 0) & (weights == np.round(weights))).all():
            raise ValueError("sample_weight: each weight is a number of runs: 0, 1, 2, ...")
        return weights.astype(np.int64)

    def _set_names(self, names: List[str], are_named: bool) -> None:
        self.n_features_in_ = len(names)
        if are_named:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _fitted(self) -> _library.Model:
        if "_model" not in self.__dict__:
            raise _not_fitted()
        return self._model

    def predict(
        self, X: Any, interval: Optional[float] = None
    ) -> Union[np.ndarray, Tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """The predicted time of each row of X; with `interval=0.9` also the lower and the upper ends
        of intervals that hold 90 % of new times."""
        model = self._fitted()
        columns, rows = columns_of(X)
        expected = getattr(self, "n_features_in_", len(columns))
        if names_of(X) is None and len(columns) != expected:
            raise ValueError(
                f"X has {len(columns)} features, but PerfModel is expecting {expected} features "
                "as input"
            )
        out = model.predict(columns, rows, interval)
        return out[0] if interval is None else out

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R2, the share of the variance of y that the predictions explain."""
        y = numbers_of("y", np.asarray(y))
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        rest = np.sum(weights * (y - self.predict(X)) ** 2)
        return float(1 - rest / np.sum(weights * (y - np.average(y, weights=weights)) ** 2))

    # What the model says

    @property
    def model_(self) -> Dict[str, Any]:
        """The document model.json as a dict."""
        return json.loads(self._fitted().to_json())

    @property
    def metrics_(self) -> Dict[str, Any]:
        """The errors of each part of the runs that there is: MAE, MAPE, R2, ..."""
        return {part: errors for part, errors in self.model_["metrics"].items() if errors}

    @property
    def warnings_(self) -> List[str]:
        """What to know before believing the model, a sentence each."""
        return [_library.with_parameters(each["message"]) for each in self.model_["warnings"]]

    @property
    def formula_(self) -> str:
        """The formula, with three digits."""
        return self.model_["expression"]["formula"]

    @property
    def terms_(self) -> Any:
        """The terms of a sum of products, a row each; of Eq. (4) the columns with their constants."""
        constants = self.model_["constants"]
        return _records(
            constants.get("terms")
            or [*constants["intrinsic"], *constants["categorical"], *constants["extrinsic"]]
        )

    @property
    def effects_(self) -> Any:
        """The effect of each input on the time of the central run, a row each."""
        return _records(self.model_.get("effects") or [])

    def _written(self, command: str, *words: str) -> str:
        """What a command of the program writes about this model."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            model = self.save(os.path.join(folder, "model.json"))
            _library.run(command, model, *words, "--quiet", "-o", out)
            return Path(out).read_text(encoding="utf-8")

    def _answer(self, command: str, *words: str) -> Any:
        return json.loads(self._written(command, *words, "--format", "json"))

    def scaling(self, column: str, **fixed: Any) -> Dict[str, Any]:
        """Speedup and efficiency along a column, as `perfmodel scaling` computes them; further inputs
        may be fixed: scaling("gpus", batch=64)."""
        settings = [f"--set={name}={value}" for name, value in fixed.items()]
        return self._answer("scaling", "--column=" + column, *settings)

    def suggest(self, space: Any, **options: Any) -> Dict[str, Any]:
        """The best configurations of a space, as `perfmodel suggest` finds them; its options are
        arguments: suggest(space, top=3, where="gpus <= 8"). The space is a dict of the value or the
        values of each input, any other document that `perfmodel plan` reads, or a data frame whose
        rows are the configurations."""
        words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "space")
            _write_space(path, space)
            return self._answer("suggest", path, *words)

    def report(self, path: Union[str, "os.PathLike[str]"], X: Any, y: Any) -> None:
        """Writes the page of `perfmodel report`, HTML, about this model, judged on these runs."""
        columns, rows = columns_of(X)
        columns[self.model_["target"]["column"]] = results_of(y, rows)
        with tempfile.TemporaryDirectory() as folder:
            runs = os.path.join(folder, "runs.csv")
            Path(runs).write_text(csv_text(columns), encoding="utf-8")
            model = self.save(os.path.join(folder, "model.json"))
            _library.run("report", model, runs, "--quiet", "-o", os.fspath(path))

    def to_onnx(self, path: Union[str, "os.PathLike[str]", None] = None) -> Any:
        """The model as an ONNX graph, which is also written to a path if there is one. Its inputs
        are called as the columns, each of shape (rows,): numbers are of type double, levels are
        texts. Its output is called as the target; it is NaN for an unknown level.

        Raises ImportError without the package onnx, ValueError for a model that cannot be written
        as one function, which `perfmodel show --as python` also refuses.
        """
        try:
            from ._onnx import model_of
        except ImportError as error:
            raise ImportError("to_onnx() needs the package onnx (Debian: python3-onnx)") from error
        source = self._written("show", "--as", "python")
        parameters = re.findall(r"^def predict\((.*)\):$", source, re.M)[0].split(", ")
        renamed = dict(re.findall(r'^# (\w+): (".*")$', source, re.M))
        columns = [
            ast.literal_eval(renamed[each]) if each in renamed else each for each in parameters
        ]
        out = model_of(source, columns, self.model_["target"]["column"])
        if path is not None:
            Path(path).write_bytes(out.SerializeToString())
        return out

    def _repr_html_(self) -> str:
        if "_model" not in self.__dict__:
            return f"<code>{html.escape(repr(self))}</code>"
        model = self.model_
        rows = "".join(
            f"<tr><td>{part}</td><td>{m['rows']}</td><td>{m['mape_percent']:.3g} %</td></tr>"
            for part, m in model["metrics"].items()
            if m
        )
        return (
            f"<p><code>{html.escape(model['expression']['formula'])}</code></p>"
            f"<table><tr><th>runs</th><th>rows</th><th>mean error</th></tr>{rows}</table>"
        )

    # Files and copies

    def save(self, path: Union[str, "os.PathLike[str]"]) -> str:
        """Writes model.json, which the program reads. Returns the path."""
        Path(path).write_text(self._fitted().to_json(), encoding="utf-8")
        return os.fspath(path)

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> "PerfModel":
        """Reads a model.json of this class or of the program."""
        out = cls()
        out._model = _library.Model.from_json(Path(path).read_text(encoding="utf-8"))
        return out

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        if "_model" in state:
            state["_model"] = state["_model"].to_json()
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_model" in state:
            self._model = _library.Model.from_json(state["_model"])


_library.PARAMETERS.update(PerfModel._defaults())
