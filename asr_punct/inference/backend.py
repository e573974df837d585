"""What computes a model's scores: onnxruntime, or torch where there is no graph or another device is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from asr_punct.checkpoint import ONNX, ONNX_INT8, WEIGHTS, ModelInfo, checked_file, has_file
from asr_punct.decode import FloatArray
from asr_punct.errors import AsrPunctError, MissingExtraError, ModelError, first_line
from asr_punct.features import Features

_GRAPHS = {"fp32": ONNX, "int8": ONNX_INT8}
MARKS_OUTPUT, CLASSES_OUTPUT, CASES_OUTPUT = "marks", "classes", "cases"
"""Names of a graph's outputs: probabilities of marks or those of classes, and those of cases."""


@dataclass(frozen=True)
class WindowScores:
    """Probabilities of a batch of windows, or of the words of one, without the first dimension.

    Attributes:
        labels: of marks or of classes, whatever the model decides. *Shape:* (batch, words, labels) or (words, labels).
        cases: *Shape:* (batch, words, cases) or (words, cases).
    """

    labels: FloatArray
    cases: FloatArray


class Backend(Protocol):
    """Computes scores of windows."""

    @property
    def runtime(self) -> str:
        """What runs the model: `onnxruntime` or `torch`."""

    def scores(self, features: Features) -> WindowScores:
        """Scores of a batch; what stands at padded words means nothing."""


class OnnxBackend:
    """A model's graph in onnxruntime.

    Args:
        graph: its file, or the content of it.
        threads: threads of one batch; 0 for as many as there are cores.
    """

    runtime = "onnxruntime"

    def __init__(self, graph: Path | bytes, threads: int = 0) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                graph if isinstance(graph, bytes) else str(graph), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's errors share no base class
            place = "graph" if isinstance(graph, bytes) else graph
            raise ModelError(place, first_line(error), "a graph that onnxruntime runs") from None
        self._inputs = [item.name for item in self._session.get_inputs()]
        given = {item.name for item in self._session.get_outputs()}
        self._outputs = [CLASSES_OUTPUT if CLASSES_OUTPUT in given else MARKS_OUTPUT, CASES_OUTPUT]

    def scores(self, features: Features) -> WindowScores:
        """Scores of a batch; what stands at padded words means nothing."""
        inputs = features.inputs()
        labels, cases = self._session.run(self._outputs, {name: inputs[name] for name in self._inputs})
        return WindowScores(labels, cases)


def open_backend(
    directory: Path,
    info: ModelInfo,
    device: str | None = None,
    threads: int = 0,
    graph: Literal["fp32", "int8"] | None = None,
) -> Backend:
    """The backend for a model directory: its graph on the CPU, torch for other devices or where there is no graph.

    Args:
        directory: the model directory.
        info: its information.
        device: where scores are computed; the CPU by default.
        threads: threads on the CPU; 0 for as many as there are cores.
        graph: the graph to run; by default fp32, or int8 where there is no other.

    Raises:
        ModelError: a file is missing or altered, or there is no such graph.
        AsrPunctError: a graph is asked for on another device than the CPU, or a device that torch cannot use.
        MissingExtraError: torch is needed and not installed.
    """
    on_cpu = device in (None, "cpu")
    if graph and not on_cpu:
        raise AsrPunctError(f"--device: found {device!r}, expected cpu, where the {graph} graph runs")
    if graph and not has_file(info, _GRAPHS[graph]):
        raise ModelError(directory / _GRAPHS[graph], "no such file", "a graph (asr-punct export --int8 writes both)")
    if not on_cpu and not has_file(info, WEIGHTS):
        why = f"{directory.name} is a graph alone, which runs on the CPU; what asr-punct train makes runs on a GPU"
        raise AsrPunctError(f"--device: found {device!r}, expected cpu: {why}")
    name = _GRAPHS[graph] if graph else next((name for name in _GRAPHS.values() if has_file(info, name)), None)
    if name and on_cpu:
        return OnnxBackend(checked_file(directory, info, name), threads)
    weights = checked_file(directory, info, WEIGHTS)
    try:
        from asr_punct.inference.torch_backend import TorchBackend
    except ModuleNotFoundError as error:
        what = "a model without a graph" if on_cpu else f"--device {device}"
        raise MissingExtraError(what, "train", str(error.name)) from None
    return TorchBackend.load(weights, info, device or "cpu", threads)
