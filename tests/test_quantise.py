"""int8 graphs."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

ort = pytest.importorskip("onnxruntime")
pytest.importorskip("torch")

from asr_punct.training.quantise import quantise  # noqa: E402


class Window:
    """Inputs of a graph."""

    def __init__(self, values):
        self.values = values

    def inputs(self):
        return {"values": self.values}


def test_a_channel_of_large_values_does_not_cost_the_others_their_precision(tmp_path):
    rng = np.random.default_rng(1)
    sizes = np.array([100, *[1] * 31], dtype=np.float32)
    values = rng.uniform(-1, 1, (1, 50, 32)).astype(np.float32) * sizes
    weights = rng.uniform(-1, 1, (32, 8)).astype(np.float32) / sizes[:, None]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["values", "weights"], ["products"], name="product")],
        "one product",
        [helper.make_tensor_value_info("values", TensorProto.FLOAT, [1, 50, 32])],
        [helper.make_tensor_value_info("products", TensorProto.FLOAT, [1, 50, 8])],
        [numpy_helper.from_array(weights, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, tmp_path / "fp32.onnx")
    quantise(tmp_path / "fp32.onnx", tmp_path / "int8.onnx", [Window(values)])
    session = ort.InferenceSession(tmp_path / "int8.onnx", providers=["CPUExecutionProvider"])
    [products] = session.run(None, {"values": values})
    assert np.abs(products - values @ weights).max() < 1
