"""Backends that run a model: onnxruntime on the CPU, torch on other devices and for models without a graph."""

import ctypes
import functools
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from asr_punct.checkpoint import CONFIG, ONNX, ONNX_INT8, TOKENIZER, WEIGHTS, ModelInfo, verified_file
from asr_punct.errors import ArgumentError, MissingExtraError, ModelError, first_line
from asr_punct.features import Features, WindowProbabilities
from asr_punct.inference.options import Graph

_GRAPHS: dict[Graph, str] = {"fp32": ONNX, "int8": ONNX_INT8}
THREADS_VARIABLE = "OMP_NUM_THREADS"
MARKS_OUTPUT, CLASSES_OUTPUT, CASES_OUTPUT = "marks", "classes", "cases"
"""Names of an ONNX graph's outputs: probabilities of marks or of classes, and of cases."""
_THREADS_OF_CORE = 4
"""Maximum number of threads for each core of the machine."""
_FLUSH_TO_ZERO = 0x8040
"""Bits FTZ and DAZ of the MXCSR register: denormal results and operands become 0."""
_REGISTER = slice(28, 32)
"""Bytes of MXCSR in the `fenv_t` of glibc on x86-64."""
_CAN_FLUSH = sys.platform == "linux" and platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"


class Backend(Protocol):
    """Runs a model."""

    @property
    def runtime(self) -> str:
        """`onnxruntime` or `torch`."""

    @property
    def batch_tokens(self) -> int:
        """Number of tokens in a batch, padding included, that is computed fastest."""

    def probabilities(self, features: Features) -> WindowProbabilities:
        """Return the probabilities of a batch; those at padding are meaningless."""


class OnnxBackend:
    """Runs a model's graph, given as a path or its content, with onnxruntime.

    Raises ModelError if onnxruntime cannot run it.
    """

    runtime = "onnxruntime"
    batch_tokens = 512  # larger batches do not fit into the processor's cache

    def __init__(self, graph: Path | bytes, threads: int = 0) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        if not _has_vnni():  # elsewhere int8 products overflow; with AMX the option would halve the speed
            options.add_session_config_entry("session.x64quantprecision", "1")
        count = thread_count(threads)
        # onnxruntime itself chooses best if there is a thread for each core of the machine
        options.intra_op_num_threads = 0 if count == os.cpu_count() and not _fixed_threads(threads) else count
        options.log_severity_level = 3
        options.enable_mem_reuse = False  # reuse is a fifth slower (cache misses) and needs more memory
        if _CAN_FLUSH:  # elsewhere the option would also change the calling thread, and nothing would change it back
            options.add_session_config_entry("session.set_denormal_as_zero", "1")
        content = graph if isinstance(graph, bytes) else str(graph)
        self._place = "graph" if isinstance(graph, bytes) else graph
        try:
            with _flush_denormals():  # restores the calling thread's mode afterwards
                self._session = onnxruntime.InferenceSession(
                    content,
                    options,
                    providers=["CPUExecutionProvider"],
                    disabled_optimizers=["SkipLayerNormFusion"],  # the fused operator is slower than its parts
                )
        except Exception as error:  # onnxruntime's errors share no base class
            raise ModelError(self._place, first_line(error), "a graph that onnxruntime runs") from None
        self._inputs = [item.name for item in self._session.get_inputs()]
        widths = {item.name: item.shape[-1] for item in self._session.get_outputs() if item.shape}
        self._outputs = [CLASSES_OUTPUT if CLASSES_OUTPUT in widths else MARKS_OUTPUT, CASES_OUTPUT]
        self._widths = [widths.get(name) for name in self._outputs]

    def check_widths(self, labels: int, cases: int) -> None:
        """Raise ModelError if the graph has another number of labels or cases; a graph need not name them."""
        for name, found, expected in zip(self._outputs, self._widths, (labels, cases), strict=True):
            if isinstance(found, int) and found != expected:
                raise ModelError(self._place, f"{found} {name}", f"{expected}, as in {CONFIG}")

    def probabilities(self, features: Features) -> WindowProbabilities:
        """Return the probabilities of a batch; those at padding are meaningless.

        Raises ModelError if the graph does not fit the sizes of the model's configuration or the ids of its tokenizer.
        """
        inputs = features.inputs()
        try:
            with _flush_denormals():
                labels, cases = self._session.run(self._outputs, {name: inputs[name] for name in self._inputs})
        except Exception as error:  # onnxruntime's errors share no base class
            raise ModelError(self._place, first_line(error), f"a graph for {CONFIG} and {TOKENIZER}") from None
        return WindowProbabilities(labels, cases)


@contextmanager
def _flush_denormals() -> Iterator[None]:
    """Treat denormals as zero in this thread, on Linux on x86-64: in attention weights they are common, and slow."""
    if not _CAN_FLUSH:
        yield
        return
    library = ctypes.CDLL("libm.so.6")
    before = ctypes.create_string_buffer(32)
    library.fegetenv(before)
    changed = bytearray(before.raw)
    register = int.from_bytes(changed[_REGISTER], "little") | _FLUSH_TO_ZERO
    changed[_REGISTER] = register.to_bytes(4, "little")
    library.fesetenv(bytes(changed))
    try:
        yield
    finally:
        library.fesetenv(before)


@functools.cache
def _has_vnni() -> bool:
    """Return whether int8 products cannot overflow because the processor has VNNI; False without /proc/cpuinfo."""
    try:
        flags = Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return False
    return not {"avx512_vnni", "avx_vnni"}.isdisjoint(flags)


def core_count() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count(threads: int = 0) -> int:
    """Return `threads`; if it is 0, OMP_NUM_THREADS (the first number of a list), or if that is not set, `core_count`.

    onnxruntime itself ignores the variable and `taskset`. Raises ArgumentError for more than four threads for each
    core: to start very many takes hours, and nothing can interrupt it.
    """
    return _fixed_threads(threads) or core_count()


def _fixed_threads(threads: int) -> int:
    variable = os.environ.get(THREADS_VARIABLE, "").partition(",")[0].strip()
    count = threads or (int(variable) if variable.isdecimal() else 0)
    most = _THREADS_OF_CORE * (os.cpu_count() or 1)
    if count > most:
        expected = f"at most {most}, {_THREADS_OF_CORE} for each core"
        raise ArgumentError("threads" if threads else THREADS_VARIABLE, str(count), expected)
    return count


def open_backend(
    directory: Path, info: ModelInfo, device: str | None = None, threads: int = 0, graph: Graph | None = None
) -> Backend:
    """Open a model directory: its graph on the CPU, torch on other devices or where there is no graph.

    `device` is a torch device (`cpu`, `cuda`, `cuda:1`, `mps`), by default the CPU; see `thread_count` for `threads`.
    By default `graph` is fp32, or int8 if that is the only one.

    Raises ModelError if a file is missing or altered, or there is no such graph; ArgumentError for too many threads or
    a device where the model cannot run; MissingExtraError if torch is needed and not installed.
    """
    thread_count(threads)  # refuses too many, for torch as well
    on_cpu = device in (None, "cpu")
    if graph and not on_cpu:
        raise ArgumentError("device", repr(device), f"cpu, where the {graph} graph runs")
    if graph and _GRAPHS[graph] not in info.files:
        raise ModelError(directory / _GRAPHS[graph], "no such file", "a graph, which asr-punct export writes")
    if not on_cpu and WEIGHTS not in info.files:
        why = f"{directory.name} is a graph alone, which runs on the CPU"
        other = "a model that asr-punct train wrote runs on a GPU"
        raise ArgumentError("device", repr(device), f"cpu: {why}; {other}")
    name = _GRAPHS[graph] if graph else next((name for name in _GRAPHS.values() if name in info.files), None)
    if name and on_cpu:
        return OnnxBackend(verified_file(directory, info, name), threads)
    weights = verified_file(directory, info, WEIGHTS)
    try:
        from asr_punct.model.torch_backend import TorchBackend
    except ModuleNotFoundError as error:
        needs_torch = "a model without a graph" if on_cpu else f"the device {device}"
        raise MissingExtraError(needs_torch, "train", str(error.name)) from None
    return TorchBackend.load(weights, info, device or "cpu", threads)
