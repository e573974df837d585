"""Export a trained model to ONNX graphs in fp32 and int8, and compare them with torch."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from asr_punct import progress
from asr_punct.checkpoint import (
    ONNX,
    ONNX_INT8,
    TOKENIZER,
    WEIGHTS,
    ModelInfo,
    load_tokenizer,
    read_info,
    verified_file,
    write_info,
)
from asr_punct.errors import ArgumentError, ModelError, Setting
from asr_punct.features import BOUNDARIES, INPUTS, TURN_BOUNDARIES, Features, WordInput, collate
from asr_punct.inference.backend import CASES_OUTPUT, CLASSES_OUTPUT, MARKS_OUTPUT, Backend, OnnxBackend
from asr_punct.inference.windows import plan_windows
from asr_punct.logs import log_level
from asr_punct.model.tagger import Tagger
from asr_punct.model.torch_backend import TorchBackend
from asr_punct.model.weights import load_tagger
from asr_punct.partial import unfinished
from asr_punct.pauses import UNKNOWN_PAUSE
from asr_punct.training.mapped import StoredCorpus
from asr_punct.training.quantise import quantise

log = logging.getLogger(__name__)
_QUANTISATION_SEEDS = range(100, 104)
_TEXT_WINDOWS, _TEXT_STEP = 1024, 8
"""Of the first 1,024 windows of a corpus every eighth is used: in turn to fit the scales of int8 values and to compare
the graphs."""
_COMPARED: tuple[tuple[int, ...], ...] = (), (), (1,), (2,), (1, 2)
"""Numbers of words of the random windows on which graphs are compared; (): random numbers."""
_TOLERANCE = 1e-4
"""Maximum difference of a probability between the fp32 graph and torch."""
_INT8_TOLERANCE, _INT8_EQUAL = 0.005, 0.98
"""Maximum mean difference and minimum share of equal decisions of the int8 and fp32 graphs. Small models have 0.0001 to
0.001 and more than 99.7 %; a graph with constant outputs has 0.01 or more."""
_MIN_WORDS = 8
"""The maximum length of a graph's windows is at least this: the exporter makes dimensions with a tiny maximum fixed."""
_EXAMPLE = (2, 5, 11)
"""Words of each window that the exporter traces: few, because it unrolls recurrent layers. The largest number n is such
that neither n nor n + 1 is a power of two; the exporter would make such a size fixed in the products of a CRF."""


class _ProbabilityModel(nn.Module):
    """The model with the probabilities of labels, (batch, words, labels), and of cases, (batch, words, cases)."""

    def __init__(self, model: Tagger) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, pauses: Tensor, boundaries: Tensor
    ) -> tuple[Tensor, Tensor]:
        output = self.model(input_ids, attention_mask, word_index, pauses, boundaries)
        return output.label_probabilities, output.case_logits.softmax(dim=-1)


def export(directory: Path, int8: bool = False, text: Path | None = None) -> float:
    """Write `model.onnx`, and with `int8` also `model.int8.onnx`, to a model directory.

    The scales of int8 values are fitted to `text`, a TSV corpus; without one to random words, which is less exact.
    Return the maximum absolute difference of a probability between the fp32 graph and torch, on random windows. Raises
    AsrPunctError if the directory is damaged or has no weights, its POS tagger is flair's or its context lstm, a graph
    differs too much, or the text has no words or is not needed. The directory is then unchanged.
    """
    if text and not int8:
        raise ArgumentError("text", repr(str(text)), "none without an int8 graph", Setting("int8"))
    info = read_info(directory)
    if WEIGHTS not in info.files:
        raise ModelError(directory, "a model that ships as a graph", "a directory of asr-punct train")
    if info.model.pos.tagger == "flair":
        raise ModelError(directory, "the POS tagger flair, which cannot be exported", "own or none")
    if info.model.context.kind == "lstm":  # torch's exporter fixes the length of a GRU's sequences
        raise ModelError(directory, "the context lstm, which cannot be exported", "another kind")
    verified_file(directory, info, TOKENIZER)
    windows = _text_windows(directory, info, text) if text else []
    model = load_tagger(verified_file(directory, info, WEIGHTS), info).fold()
    with unfinished(directory / ONNX) as new:
        with progress.step("writing the graph"):
            _write_graph(_ProbabilityModel(model).eval(), info, new)
        graph = OnnxBackend(new)
        with progress.step("running the graph"):
            random = [random_features(info, seed, counts) for seed, counts in enumerate(_COMPARED, start=1)]
            difference, _, _ = _compare(graph, TorchBackend(model), random)
        if not difference <= _TOLERANCE:
            raise ModelError(directory, f"graph and torch {difference:.1e} apart", f"{_TOLERANCE} at most")
        if int8:
            with progress.step("writing the int8 graph"):
                if windows:
                    first, second = windows[::2], windows[1::2] or windows
                else:
                    first, second = [random_features(info, seed) for seed in _QUANTISATION_SEEDS], random
                with unfinished(directory / ONNX_INT8) as new_int8:
                    # only pretrained encoders benefit from scales of channels
                    quantise(new, new_int8, first if info.model.encoder.name else [])
                    _, mean, equal = _compare(OnnxBackend(new_int8), graph, second)
                    _check_int8(directory, mean, equal)
    write_info(directory, info)
    return difference


def _check_int8(directory: Path, mean: float, equal: float) -> None:
    difference = f"{mean:.1e} apart on average, {100 * equal:.2f}% of decisions equal"
    if not (mean <= _INT8_TOLERANCE and equal >= _INT8_EQUAL):
        expected = f"{_INT8_TOLERANCE} at most and {100 * _INT8_EQUAL:.0f}% or more"
        raise ModelError(directory, f"int8 and fp32 graphs {difference}", expected)
    log.info("%s: int8 and fp32 graphs are %s", directory, difference)


def _write_graph(model: nn.Module, info: ModelInfo, path: Path) -> None:
    max_words = _max_words(info)
    example = random_features(info, 0, [min(count, max_words) for count in _EXAMPLE])
    arguments = tuple(torch.from_numpy(array) for array in example.inputs().values())
    batch = torch.export.Dim("batch")
    tokens = torch.export.Dim("tokens", max=info.max_tokens)
    words = torch.export.Dim("words", max=max(_MIN_WORDS, info.model.window.words))
    shapes = {name: {0: batch, 1: tokens if name in INPUTS[:2] else words} for name in INPUTS}
    quiet = log_level("torch.onnx", logging.ERROR)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), quiet:
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            arguments,
            path,
            input_names=list(INPUTS),
            output_names=[CLASSES_OUTPUT if info.model.heads.kind == "classes" else MARKS_OUTPUT, CASES_OUTPUT],
            dynamic_shapes=shapes,
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    _tidy(path)


def _tidy(path: Path) -> None:
    """Delete the exporter's notes, which name files of this machine, and make the sizes of the outputs variable.

    The exporter fixes the length of a recurrent layer's output to that of the example.
    """
    graph = onnx.load(path)
    body = graph.graph
    _skip_nan_checks(body)
    for part in (graph, body, *body.node, *body.value_info, *body.initializer, *body.input, *body.output):
        part.ClearField("doc_string")
        part.ClearField("metadata_props")
    for output in body.output:
        for size, name in zip(output.type.tensor_type.shape.dim, ("batch", "words"), strict=False):
            size.dim_param = name
    onnx.save(graph, path)


def _skip_nan_checks(body: onnx.GraphProto) -> None:
    """Replace each `Where(IsNaN(x), 0, x)` of attention by x, for speed: only windows without tokens give NaN."""
    checks = {node.output[0]: node for node in body.node if node.op_type == "IsNaN"}
    values = {}
    for node in list(body.node):
        check = checks.get(node.input[0]) if node.op_type == "Where" else None
        if check is not None and check.input[0] == node.input[2]:
            values[node.output[0]] = node.input[2]
            body.node.remove(check)
            body.node.remove(node)
    for node in body.node:
        for index, name in enumerate(node.input):
            node.input[index] = values.get(name, name)


def _compare(found: Backend, expected: Backend, windows: Iterable[Features]) -> tuple[float, float, float]:
    """Return the maximum and mean difference of the probabilities of two models, and the share of equal decisions.

    Decisions are marks or classes above 0.5, and cases.
    """
    differences, equal = [], []
    for features in windows:
        is_word = features.word_index > 0
        first, second = found.probabilities(features), expected.probabilities(features)
        for a, b in ((first.labels, second.labels), (first.cases, second.cases)):
            differences.append(np.abs(a - b)[is_word].ravel())
        equal.append(((first.labels > 0.5) == (second.labels > 0.5))[is_word].ravel())
        equal.append((first.cases.argmax(axis=-1) == second.cases.argmax(axis=-1))[is_word])
    difference = np.concatenate(differences)
    return float(difference.max()), float(difference.mean()), float(np.concatenate(equal).mean())


def _text_windows(directory: Path, info: ModelInfo, text: Path) -> list[Features]:
    """Return the windows of a TSV corpus on which int8 graphs are fitted and compared, one window in each batch."""
    tokenizer = load_tokenizer(directory, info)
    windows = plan_windows(StoredCorpus.open(text).encode(tokenizer).inputs(), info.model.window, info.max_tokens)
    return [collate([window.words], *tokenizer.special) for window in islice(windows, 0, _TEXT_WINDOWS, _TEXT_STEP)]


def _max_words(info: ModelInfo) -> int:
    return max(2, min(info.model.window.words, info.max_tokens - 2))


def random_features(info: ModelInfo, seed: int, counts: Sequence[int] = ()) -> Features:
    """Return windows of random words, pauses and boundaries, with these `counts` of words.

    By default there are three windows of two words or more.
    """
    rng = np.random.default_rng(seed)
    vocabulary, tokens = int(info.encoder["vocab_size"]), info.max_tokens - 2
    windows = []
    for count in counts or rng.integers(2, _max_words(info) + 1, 3).tolist():
        max_subwords = max(1, min(3, tokens // count))
        pauses = rng.integers(0, UNKNOWN_PAUSE + 1, count).tolist()
        boundaries = rng.integers(0, TURN_BOUNDARIES if info.model.speakers else BOUNDARIES, count).tolist()
        lengths = rng.integers(1, max_subwords + 1, count).tolist()
        words = [tuple(rng.integers(0, vocabulary, length).tolist()) for length in lengths]
        windows.append([WordInput(*values) for values in zip(words, pauses, boundaries, strict=True)])
    return collate(windows, 0, 0, 0)
