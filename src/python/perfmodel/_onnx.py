"""Models as ONNX graphs: the code of `perfmodel show --as python`, run on tensors of a graph."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence, Set

import numpy as np
from onnx import TensorProto, checker, defs, helper, numpy_helper

#: Functions of NumPy whose operator of ONNX has another name than theirs.
_OPERATORS = {
    "divide": "Div", "float_power": "Pow", "minimum": "Min", "maximum": "Max", "rint": "Round",
    "arcsin": "Asin", "arccos": "Acos", "arctan": "Atan", "arcsinh": "Asinh", "arccosh": "Acosh",
    "arctanh": "Atanh",
}


class _Graph:
    """Nodes and constants; inputs that are looked up in a table of texts are texts."""

    def __init__(self) -> None:
        self.nodes: List[Any] = []
        self.constants: List[Any] = []
        self.texts: Set[str] = set()

    def _new_name(self) -> str:
        return f"perfmodel/{len(self.nodes) + len(self.constants)}"

    def constant(self, value: Any) -> "_Tensor":
        array = np.asarray(value)
        array = array.astype(np.float64) if array.dtype.kind in "iuf" else array
        return self.initial(array)

    def initial(self, array: np.ndarray) -> "_Tensor":
        name = self._new_name()
        self.constants.append(numpy_helper.from_array(array, name))
        return _Tensor(self, name, array.dtype == bool)

    def add(self, operator: str, *operands: Any, truth: bool = False, **attributes: Any) -> Any:
        """The result of an operator; numbers among the operands become constants."""
        tensors = [each if isinstance(each, _Tensor) else self.constant(each) for each in operands]
        name = self._new_name()
        inputs = [each.name for each in tensors]
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return _Tensor(self, name, truth)

    def number(self, value: Any) -> Any:
        """A tensor as numbers: a text is read, and a truth value becomes 0 or 1."""
        if not isinstance(value, _Tensor):
            return np.float64(value)
        return self.add("Cast", value, to=TensorProto.DOUBLE)

    def looked_up(self, table: Dict[Any, float], at: Any) -> Any:
        """The value of each element in a table; NaN if it is not there."""
        if not all(isinstance(key, str) for key in table):
            out: Any = np.nan
            for key, value in table.items():
                out = self.add("Where", at == key, value, out)
            return out
        self.texts.add(at.name)
        places = self.add("LabelEncoder", at, domain="ai.onnx.ml", keys_strings=list(table),
                          values_int64s=list(range(len(table))), default_int64=len(table))
        return self.add("Gather", [*table.values(), np.nan], places)


class _Tensor:
    """A tensor of a graph, with the operators of NumPy's arrays."""

    __array_ufunc__ = None  # arrays at the left leave the operation to this class

    def __init__(self, graph: _Graph, name: str, truth: bool = False):
        self.graph, self.name, self.truth = graph, name, truth

    def column(self) -> Any:
        return self.graph.add("Unsqueeze", self, self.graph.initial(np.array([1])))

    def __neg__(self) -> Any:
        return self.graph.add("Neg", self)

    def __ne__(self, other: Any) -> Any:
        return self.graph.add("Not", self == other, truth=True)


def _operation(operator: str, truth: bool, reverse: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: _Tensor, other: Any) -> Any:
        operands = [self, other]
        if operator not in ("And", "Or"):
            operands = [self.graph.number(each) if getattr(each, "truth", False) else each
                        for each in operands]
        return self.graph.add(operator, *(operands[::-1] if reverse else operands), truth=truth)

    return method


for _name, _operator in {"add": "Add", "sub": "Sub", "mul": "Mul", "truediv": "Div",
                         "pow": "Pow", "and": "And", "or": "Or"}.items():
    _truth = _name in ("and", "or")
    setattr(_Tensor, f"__{_name}__", _operation(_operator, _truth))
    setattr(_Tensor, f"__r{_name}__", _operation(_operator, _truth, reverse=True))
for _name, _operator in {"lt": "Less", "gt": "Greater", "le": "LessOrEqual",
                         "ge": "GreaterOrEqual", "eq": "Equal"}.items():
    setattr(_Tensor, f"__{_name}__", _operation(_operator, truth=True))


class _Functions:
    """What the code calls `np`: NumPy for numbers, operators of ONNX for tensors."""

    def __init__(self, graph: _Graph):
        self.graph = graph
        self.float64 = graph.number

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def function(*operands: Any) -> Any:
            if not any(isinstance(each, _Tensor) for each in operands):
                return getattr(np, name)(*operands)
            operator = _OPERATORS.get(name, name.capitalize())
            if not defs.has(operator):
                raise ValueError(f"the formula has {name}(), for which ONNX has no operator")
            return self.graph.add(operator, *operands)

        return function

    def errstate(self, **_: Any) -> Callable[[Any], Any]:
        return lambda function: function

    def vectorize(self, getter: Any, _types: Any) -> Callable[[Any], Any]:
        return lambda at: self.graph.looked_up(getter.__self__, at)

    def log2(self, value: Any) -> Any:
        return self.log(value) / np.log(2)

    def log10(self, value: Any) -> Any:
        return self.log(value) / np.log(10)

    def log1p(self, value: Any) -> Any:
        return self.log(1.0 + value)


def _process(functions: _Functions, code: Dict[str, Any]) -> Callable[[Any, Any], Any]:
    """The residual correction: all rows by all known configurations at once."""

    def predict_process(numbers: Sequence[Any], levels: Sequence[Any]) -> Any:
        known, correlation = code["process_known"], 1.0
        columns = code["process_columns"].reshape(-1, 4)
        for x, (centre, scale, inverse, share), places in zip(numbers, columns, known.T[1:]):
            place = functions.rint((x - centre) / scale * 2.0**30) / 2.0**30
            a = functions.abs(place.column() - places) * (np.sqrt(5.0) * inverse)
            curve = (1.0 + a + a * a / 3.0) * functions.exp(-a)
            correlation = correlation * (share + (1.0 - share) * curve)
        positions_of = known.T[1 + len(numbers) :]
        for x, rate, positions in zip(levels, code["process_rates"], positions_of):
            equal = x.column() == positions
            correlation = correlation * functions.where(equal, 1.0, np.exp(-rate))
        axes = functions.graph.initial(np.array([1]))
        z = functions.graph.add("ReduceSum", correlation * known[:, 0], axes, keepdims=0)
        return z - code["process_centre"]

    return predict_process


def model_of(source: str, columns: Sequence[str], output: str) -> Any:
    """The ModelProto of the function predict() in `source`, whose parameters are `columns`."""
    graph = _Graph()
    functions = _Functions(graph)
    code: Dict[str, Any] = {"np": functions}
    exec(source.replace("import numpy as np\n", "", 1), code)
    code["predict_process"] = _process(functions, code)
    inputs = [_Tensor(graph, column) for column in columns]
    shape = graph.add("Shape", inputs[0])
    graph.add("Expand", code["predict"](*inputs), shape)
    graph.nodes[-1].output[0] = output
    describe = helper.make_tensor_value_info
    made = helper.make_graph(
        graph.nodes,
        "perfmodel",
        [describe(name, TensorProto.STRING if name in graph.texts else TensorProto.DOUBLE, ["rows"])
         for name in columns],
        [describe(output, TensorProto.DOUBLE, ["rows"])],
        graph.constants,
    )
    versions = [helper.make_opsetid(*each) for each in (("", 13), ("ai.onnx.ml", 2))]
    out = helper.make_model(made, opset_imports=versions, ir_version=7, producer_name="perfmodel")
    checker.check_model(out)
    return out
