"""Calls of libperfmodel.so, whose C interface is include/perfmodel.h."""

from __future__ import annotations

import ctypes
import json
import os
import re
import threading
from pathlib import Path
from typing import Any, Callable, List, Mapping, Optional, Sequence, Set, Tuple, Union

import numpy as np

#: A column: numbers, or codes with the texts that they stand for.
Column = Union[np.ndarray, Tuple[np.ndarray, Sequence[str]]]
Columns = Mapping[str, Column]
Progress = Callable[[str, int, int], Any]

_PROGRESS = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t
)
_DOUBLES = ctypes.POINTER(ctypes.c_double)
_CANCELLED = 130


class PerfModelError(ValueError):
    """An error of the library; its text says what to correct."""


def _opened() -> ctypes.CDLL:
    beside = Path(__file__).with_name("libperfmodel.so")
    path = os.environ.get("PERFMODEL_LIBRARY", str(beside))
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"the library of perfmodel cannot be loaded ({error}). It is compiled by `pip install"
            " ./src/python` in the project's folder (docs/python.md); of another build,"
            " PERFMODEL_LIBRARY names libperfmodel.so") from error


def _load() -> ctypes.CDLL:
    library = _opened()
    pointer, text, status = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    size = ctypes.c_size_t
    for name, result, *arguments in (
        ("version", text),
        ("last_error", text),
        ("last_status", status),
        ("table_new", pointer, size),
        ("table_add_numbers", status, pointer, text, _DOUBLES),
        ("table_add_texts", status, pointer, text, ctypes.POINTER(ctypes.c_uint32),
         ctypes.POINTER(text), size),
        ("table_free", None, pointer),
        ("fit", pointer, pointer, text, _PROGRESS, pointer),
        ("model_from_json", pointer, text),
        ("model_to_json", pointer, pointer),
        ("model_warnings", text, pointer),
        ("model_free", None, pointer),
        ("text_free", None, pointer),
        ("predict", status, pointer, pointer, ctypes.c_double, _DOUBLES, _DOUBLES, _DOUBLES),
        ("run", status, status, ctypes.POINTER(text)),
    ):
        function = getattr(library, "perfmodel_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_lib = _load()


def version() -> dict:
    """Version, compiler and instruction sets of the library."""
    return json.loads(_lib.perfmodel_version())


#: The names of the parameters of fits.
PARAMETERS: Set[str] = set()
#: An option with the word after it, which is its value after an advice to give it, and before ":".
_OPTION = re.compile(
    r"(\b(?:[Pp]ass|add|instead of) )?--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)"
    r"(?: ('[^']*'|(?!--|(?:and|for|if|in|instead|of|or|to|too)\b)[^\s;)]*[^\s;,:.)]))?"
)
#: What is a value elsewhere: a text in quotes, numbers, COL, and the words that options know.
_VALUE = re.compile(
    r"'.*'|-?[0-9][0-9.e:+-]*|[A-Z]{2,}|all|auto|censor|drop|generic|huber|mae|mape|mse|multi|none|"
    r"paper|process|refuse|rmsle"
)


def with_parameters(message: str, known: Optional[Set[str]] = PARAMETERS) -> str:
    """The message with parameters in place of options, of all if none are known: group_by for
    --group-by, failed='drop' for --failed drop."""
    advised_end = -2

    def parameter(option: "re.Match[str]") -> str:
        nonlocal advised_end
        advice, flag, value = option.groups()
        name = flag.replace("-", "_")
        if known is not None and name not in known:
            return option[0]
        is_advised = advice is not None or option.start() == advised_end + 1
        out, rest = (advice or "") + name, "" if value is None else " " + value
        is_stated = is_advised or re.match(":| contradicts", message[option.end() :])
        if value is None or not (is_stated or _VALUE.fullmatch(value)):
            return out + rest
        advised_end = option.end() if is_advised else -2
        is_plain = value[0] == "'" or value.isupper() or re.fullmatch(r"[0-9.e+-]+", value)
        return f"{out}={value if is_plain else repr(value)}"

    return _OPTION.sub(parameter, message)


def _error(known: Optional[Set[str]] = PARAMETERS) -> PerfModelError:
    message = _lib.perfmodel_last_error().decode("utf-8", "replace")
    return PerfModelError(with_parameters(message, known))


def _check(status: int) -> None:
    if status != 0:
        raise _error()


class _Table:
    """A table of the library that is freed at the end of a with block."""

    def __init__(self, columns: Columns, rows: int):
        self._pointer = _lib.perfmodel_table_new(rows)
        if not self._pointer:
            raise _error()
        for name, column in columns.items():
            self._add(name.encode(), column)

    def _add(self, name: bytes, column: Column) -> None:
        if isinstance(column, np.ndarray):
            numbers = np.ascontiguousarray(column, dtype=np.float64)
            data = numbers.ctypes.data_as(_DOUBLES)
            _check(_lib.perfmodel_table_add_numbers(self._pointer, name, data))
            return
        codes = np.ascontiguousarray(column[0], dtype=np.uint32)
        levels = (ctypes.c_char_p * len(column[1]))(*(level.encode() for level in column[1]))
        data = codes.ctypes.data_as(ctypes.POINTER(ctypes.c_uint32))
        _check(_lib.perfmodel_table_add_texts(self._pointer, name, data, levels, len(levels)))

    def __enter__(self) -> int:
        return self._pointer

    def __exit__(self, *_: Any) -> None:
        _lib.perfmodel_table_free(self._pointer)


class Model:
    """A fitted model of the library."""

    def __init__(self, pointer: Optional[int]):
        self._pointer = pointer
        if not pointer:
            raise _error()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            _lib.perfmodel_model_free(self._pointer)

    @classmethod
    def from_json(cls, text: str) -> "Model":
        return cls(_lib.perfmodel_model_from_json(text.encode()))

    def to_json(self) -> str:
        text = _lib.perfmodel_model_to_json(self._pointer)
        if not text:
            raise _error()
        try:
            return ctypes.string_at(text).decode()
        finally:
            _lib.perfmodel_text_free(text)

    def warnings(self) -> List[str]:
        """What the fit warned of about the runs, with parameters in place of options."""
        text = _lib.perfmodel_model_warnings(self._pointer).decode("utf-8", "replace")
        return [with_parameters(each) for each in text.splitlines()]

    def predict(
        self, columns: Columns, rows: int, interval: Optional[float] = None
    ) -> Tuple[np.ndarray, ...]:
        """The times, and with an interval its lower and upper ends."""
        out = [np.empty(rows) for _ in range(1 if interval is None else 3)]
        pointers = [each.ctypes.data_as(_DOUBLES) for each in out] + [None, None]
        with _Table(columns, rows) as table:
            _check(_lib.perfmodel_predict(self._pointer, table, interval or 0.0, *pointers[:3]))
        return tuple(out)


def fit(
    columns: Columns, rows: int, options: Mapping[str, Any], progress: Optional[Progress] = None
) -> Model:
    """Fits a model. In the main thread Ctrl-C cancels the fit and raises KeyboardInterrupt.

    The library runs in a thread of its own while this one waits: a signal that arrives within a
    callback of ctypes could be lost.
    """
    results: list = []
    failures: list = []
    cancelled, finished = threading.Event(), threading.Event()

    @_PROGRESS
    def report(_user: Any, stage: bytes, done: int, count: int) -> int:
        try:
            if progress is not None and not cancelled.is_set():
                progress(stage.decode(), done, count)
        except BaseException as error:  # raised again by fit()
            failures.append(error)
            cancelled.set()
        return int(cancelled.is_set())

    def work() -> None:
        try:
            with _Table(columns, rows) as table:
                text = json.dumps(dict(options), allow_nan=False).encode()
                model = _lib.perfmodel_fit(table, text, report, None)
                if not model and _lib.perfmodel_last_status() == _CANCELLED and failures:
                    return
                results.append(Model(model))
        except BaseException as error:
            failures.append(error)
        finally:
            finished.set()

    threading.Thread(target=work, name="perfmodel fit", daemon=True).start()
    try:
        while not finished.wait(0.05):  # join() takes an interrupted thread for an ended one
            pass
    except BaseException:
        cancelled.set()
        finished.wait()
        raise
    if failures:
        raise failures[0]
    return results[0]


def run(*words: str) -> None:
    """Runs a command of the program: run("show", "model.json", "-o", "formula.txt")."""
    arguments = [b"perfmodel", *(os.fsencode(word) for word in words)]
    status = _lib.perfmodel_run(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments))
    if status == _CANCELLED:
        raise KeyboardInterrupt
    if status != 0:
        raise _error(known=None)
