"""ONNX graphs compute what predict does."""

import importlib.util
import sys

from support import columns, folder, needs, raises, run_all

needs("numpy", "onnx")
import numpy as np
import onnx
from onnx import numpy_helper
from perfmodel import PerfModel

OPERATORS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power,
    "Neg": np.negative, "Less": np.less, "Greater": np.greater, "LessOrEqual": np.less_equal,
    "GreaterOrEqual": np.greater_equal, "Equal": np.equal, "Not": np.logical_not,
    "And": np.logical_and, "Or": np.logical_or, "Where": np.where, "Min": np.minimum,
    "Max": np.maximum, "Abs": np.abs, "Sign": np.sign, "Floor": np.floor, "Ceil": np.ceil,
    "Sqrt": np.sqrt, "Exp": np.exp, "Log": np.log, "Round": np.rint, "Tanh": np.tanh,
    "Shape": lambda x: np.array(x.shape), "Expand": np.broadcast_to,
    "Unsqueeze": lambda x, axes: np.expand_dims(x, tuple(axes)),
    "Gather": lambda values, places: values[places],
}


def evaluated(model, inputs):
    """An evaluator of the operators in use, after their specification."""
    values = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    for each in model.graph.input:
        is_text = each.type.tensor_type.elem_type == onnx.TensorProto.STRING
        values[each.name] = np.asarray(inputs[each.name], dtype=object if is_text else np.float64)
    for node in model.graph.node:
        operands = [values[name] for name in node.input]
        attributes = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
        if node.op_type == "Cast":
            assert attributes["to"] == onnx.TensorProto.DOUBLE
            value = operands[0].astype(np.float64)
        elif node.op_type == "LabelEncoder":
            keys = [key.decode() for key in attributes["keys_strings"]]
            table = dict(zip(keys, attributes["values_int64s"]))
            value = np.array([table.get(each, attributes["default_int64"]) for each in operands[0]])
        elif node.op_type == "ReduceSum":
            value = operands[0].sum(axis=tuple(operands[1]), keepdims=bool(attributes["keepdims"]))
        else:
            with np.errstate(all="ignore"):
                value = OPERATORS[node.op_type](*operands)
        values[node.output[0]] = value
    return values[model.graph.output[0].name]


def runtime(model, inputs):
    """ONNX Runtime where it is installed."""
    import onnxruntime

    session = onnxruntime.InferenceSession(model.SerializeToString())
    typed = {}
    for name in (each.name for each in session.get_inputs()):
        is_text = isinstance(inputs[name][0], str)
        typed[name] = np.array(inputs[name], dtype=object if is_text else np.float64)
    return session.run(None, typed)[0]


EVALUATORS = [evaluated]
if importlib.util.find_spec("onnxruntime"):
    EVALUATORS.append(runtime)
else:
    print("onnxruntime is missing: only the evaluator of this test is used")


def check(model, X, tolerance=1e-12):
    graph = model.to_onnx()
    for evaluator in EVALUATORS:
        times = evaluator(graph, X)
        expected = model.predict(X)
        assert times.shape == expected.shape
        assert np.allclose(times, expected, rtol=tolerance, atol=0), np.abs(times / expected - 1).max()
    return graph


def test_formulas():
    X, y = columns()
    for parameters in ({}, {"expression": "generic"}, {"expression": "multi"}, {"expression": "multi", "signed": True}):
        graph = check(PerfModel(target="time_s", coverage="none", **parameters).fit(X, y), X)
        assert [each.name for each in graph.graph.output] == ["time_s"]
        assert {each.name for each in graph.graph.input} <= set(X)


def test_processes():
    X, y = columns(150)
    for expression in ("generic", "multi"):
        model = PerfModel(expression, residual="process", coverage="none").fit(X, y)
        check(model, X, 1e-8)


def test_derived_columns_and_names():
    random = np.random.default_rng(1)
    m, gpus = random.uniform(1, 50, 80), np.tile([1.0, 2.0, 4.0, 8.0], 20)
    X = {"m": m, "größe": m[::-1] + 3, "gpus": gpus,
         'a "level"': ["x", "y", "it's", "z z"] * 10 + ["y", "x", "z z", "it's"] * 10}
    y = (0.2 * np.ceil(m / 8) + 0.01 * X["größe"] + 1) / gpus + 0.3
    formula = "min(ceil(m / 8), 1 / abs(rint(m) - 9)) + (m > 3 && !(gpus == 2) || m < 2 ? log2(m + 1) : tanh(gpus)) - -m^2"
    model = PerfModel("generic", derive=[f"work = {formula}"], extrinsic=["gpus"], coverage="none").fit(X, y)
    graph = check(model, X)
    assert {"LessOrEqual", "Where", "And", "Or", "Not"} - {each.op_type for each in graph.graph.node} == {"LessOrEqual"}
    unknown = {**X, 'a "level"': ["none"] * 80}
    assert np.isnan(evaluated(graph, unknown)).all()


def test_a_constant_formula():
    X = {"batch": [1.0, 2.0, 3.0, 4.0] * 5, "gpus": [1.0, 2.0] * 10}
    model = PerfModel("multi", terms=1, coverage="none").fit(X, np.full(20, 2.0))
    check(model, X, 1e-9)


def test_files_and_refusals():
    X, y = columns(60)
    model = PerfModel(coverage="none").fit(X, y)
    with folder() as there:
        graph = model.to_onnx(there / "model.onnx")
        assert onnx.load(str(there / "model.onnx")) == graph
    derived = PerfModel("generic", coverage="none", derive=["angle = atan2(filters, batch_size) + 1"])
    raises(ValueError, "arctan2", derived.fit(X, y).to_onnx)
    modules = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "onnx" or name == "perfmodel._onnx"}
    sys.modules["onnx"] = None
    raises(ImportError, "python3-onnx", model.to_onnx)
    sys.modules.update(modules)


run_all([value for name, value in list(globals().items()) if name.startswith("test_")])
