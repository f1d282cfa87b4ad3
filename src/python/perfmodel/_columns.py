"""Data frames, arrays and dicts as columns of the library."""

from __future__ import annotations

import csv
import io
import sys
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ._library import Column


def _text_column(name: str, values: Any) -> Column:
    """Missing texts are blank."""
    if hasattr(values, "factorize"):
        codes, levels = values.factorize()
        return np.where(codes < 0, len(levels), codes), [*(str(level) for level in levels), ""]
    texts = np.array(["" if _is_missing(value) else str(value) for value in values], dtype=str)
    levels, codes = np.unique(texts, return_inverse=True)
    return codes, [str(level) for level in levels]


def _is_missing(value: Any) -> bool:
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def _is_text(values: Any) -> bool:
    kind = getattr(values.dtype, "kind", "O")
    if kind in "OUSbM":
        return kind != "O" or any(isinstance(value, (str, bool)) for value in values)
    return not isinstance(values.dtype, np.dtype) and not getattr(
        values.dtype, "_is_numeric", False
    )


def numbers_of(name: str, values: Any) -> np.ndarray:
    """Refuses what numpy would convert to numbers of another meaning."""
    kind = getattr(values.dtype, "kind", "")
    if kind == "c":
        raise ValueError("Complex data not supported")
    if kind in ("m", "M"):
        raise ValueError(f"{name}: {values.dtype} has no unit as a number; pass seconds instead, "
                         "such as dt.total_seconds()")
    return np.asarray(values, dtype=np.float64)


def column_of(name: str, values: Any, is_array: bool = False) -> Column:
    """One column. Texts, truth values and dates are texts, everything else must be numbers; of an
    array all finite, as scikit-learn demands."""
    if _is_text(values) and not (is_array and values.dtype.kind == "M"):
        return _text_column(name, values)
    numbers = numbers_of(f"column {name!r}", values)
    if is_array and not np.isfinite(numbers).all():
        raise ValueError(f"column {name!r}: Input contains NaN or infinity")
    return numbers


def names_of(X: Any) -> Optional[List[str]]:
    """The names of the columns; None for an array, and for a frame whose columns are numbered."""
    names = X if isinstance(X, dict) else getattr(X, "columns", ())
    return [*names] if len(names) > 0 and all(isinstance(name, str) for name in names) else None


def has_columns(X: Any) -> bool:
    """Whether X is a data frame or a dict, whose cells are read as those of a CSV file."""
    return isinstance(X, dict) or hasattr(X, "columns")


def _array_columns(X: Any) -> List[Any]:
    if hasattr(X, "toarray"):
        raise TypeError("A sparse matrix was passed, but dense data is required; use X.toarray()")
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: "
            "X.reshape(-1, 1) for one column, X.reshape(1, -1) for one row"
        )
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    return list(array.T)


def columns_of(X: Any) -> Tuple[Dict[str, Column], int]:
    """The columns of X, x0, x1, ... for an array, and the number of rows."""
    names = names_of(X)
    if names is None:
        parts = _array_columns(X)
        names = [f"x{i}" for i in range(len(parts))]
        rows = len(parts[0]) if parts else len(X)
    elif isinstance(X, dict):
        parts = [np.asarray(values) for values in X.values()]
        if any(part.ndim != 1 for part in parts):
            raise ValueError("a dict must hold one list per column")
        rows = len(parts[0]) if parts else 0
    else:
        parts = [X.iloc[:, i] for i in range(len(names))]
        rows = len(X)
    if rows == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape=(0, {len(names)})) while a minimum of 1 is "
            "required."
        )
    if not names:
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required."
        )
    if len(set(names)) < len(names):
        raise ValueError("two columns have the same name")
    if any(len(part) != rows for part in parts):
        raise ValueError("the columns have different lengths")
    is_array = not has_columns(X)
    return {name: column_of(name, part, is_array) for name, part in zip(names, parts)}, rows


def repeated(columns: Dict[str, Column], counts: np.ndarray) -> Dict[str, Column]:
    """Each row as often as `counts` says."""
    return {
        name: np.repeat(column, counts)
        if isinstance(column, np.ndarray)
        else (np.repeat(column[0], counts), column[1])
        for name, column in columns.items()
    }


def _cells(column: Column) -> List[Any]:
    return (column if isinstance(column, np.ndarray) else np.array(column[1])[column[0]]).tolist()


def results_of(y: Any, rows: int) -> Column:
    """The measured times, some of which may say that a run failed, by NaN or a text."""
    array = _one_per_row(y, rows)
    return numbers_of("y", array) if array.dtype.kind not in "OUS" else _text_column("y", array)


def targets_of(y: Any, rows: int) -> np.ndarray:
    """The measured times, one positive number per row."""
    times = numbers_of("y", _one_per_row(y, rows))
    if not np.isfinite(times).all():
        raise ValueError("Input y contains NaN or infinity; failed='drop' leaves out such runs")
    if not (times > 0).all():
        raise ValueError("y holds values that are not positive; times are > 0")
    return times


def _one_per_row(y: Any, rows: int) -> np.ndarray:
    if y is None:
        raise ValueError("PerfModel requires y to be passed, but the target y is None")
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        _warn_of_column()
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead")
    if len(array) != rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[rows, len(array)]}"
        )
    return array


def csv_text(columns: Dict[str, Column]) -> str:
    """The columns as a CSV file; numbers have all digits, and missing ones are blank."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    cells = [["" if _is_missing(cell) else cell for cell in _cells(each)] for each in columns.values()]
    writer.writerows(zip(*cells))
    return out.getvalue()


def _warn_of_column() -> None:
    import warnings

    exceptions = sys.modules.get("sklearn.exceptions")
    category = exceptions.DataConversionWarning if exceptions else UserWarning
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected", category, stacklevel=4
    )
