"""A trained model's graph in ONNX, in fp32 and int8, checked against torch."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import warnings
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from asr_punct.checkpoint import ONNX, ONNX_INT8, TOKENIZER, WEIGHTS, ModelInfo, checked_file, read_info, write_info
from asr_punct.errors import AsrPunctError
from asr_punct.features import INPUTS, Features, WordInput, collate
from asr_punct.inference.backend import OnnxBackend
from asr_punct.model.tagger import Tagger
from asr_punct.model.weights import load_tagger
from asr_punct.pauses import UNKNOWN

log = logging.getLogger(__name__)
_TOLERANCE = 1e-4


class _Probabilities(nn.Module):
    """The graph's outputs: probabilities, so that whoever runs it needs no further arithmetic."""

    def __init__(self, model: Tagger) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, word_index: Tensor, pauses: Tensor, boundaries: Tensor
    ) -> tuple[Tensor, Tensor]:
        output = self.model(input_ids, attention_mask, word_index, pauses, boundaries)
        return output.mark_logits.sigmoid(), output.case_logits.softmax(dim=-1)


def export(directory: Path, int8: bool = False) -> float:
    """Write `model.onnx`, and `model.int8.onnx` on request, into a model directory.

    Returns:
        Largest absolute difference of a probability between the fp32 graph and torch, on random windows.

    Raises:
        ModelError: the directory is damaged.
        AsrPunctError: graph and torch differ by more than 1e-4.
    """
    info = read_info(directory)
    checked_file(directory, info, TOKENIZER)
    model = _Probabilities(load_tagger(checked_file(directory, info, WEIGHTS), info).folded()).eval()
    partial = directory / f".{ONNX}.partial"
    try:
        _write_graph(model, info, partial)
        difference = _difference(model, info, partial)
        if difference > _TOLERANCE:
            raise AsrPunctError(f"{directory}: found graph and torch {difference:.1e} apart, expected {_TOLERANCE}")
        if int8:
            _quantise(partial, directory / ONNX_INT8)
        os.replace(partial, directory / ONNX)
    finally:
        partial.unlink(missing_ok=True)
    write_info(directory, info)
    return difference


def _write_graph(model: nn.Module, info: ModelInfo, path: Path) -> None:
    arguments = tuple(torch.from_numpy(array) for array in _random_features(info, seed=0).inputs().values())
    batch = torch.export.Dim("batch")
    tokens = torch.export.Dim("tokens", max=info.max_tokens)
    words = torch.export.Dim("words", max=info.model.window.words)
    shapes = {name: {0: batch, 1: tokens if name in INPUTS[:2] else words} for name in INPUTS}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        torch.onnx.export(
            model,
            arguments,
            path,
            input_names=list(INPUTS),
            output_names=["marks", "cases"],
            dynamic_shapes=shapes,
            dynamo=True,
            external_data=False,
            verbose=False,
        )


def _quantise(source: Path, target: Path) -> None:
    """Dynamic int8 of the matrix products and look-up tables."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    partial = target.with_name(f".{target.name}.partial")
    logging.disable(logging.WARNING)  # the quantiser warns on the root logger
    try:
        quantize_dynamic(source, partial, weight_type=QuantType.QInt8, per_channel=True)
    finally:
        logging.disable(logging.NOTSET)
    os.replace(partial, target)


def _difference(model: nn.Module, info: ModelInfo, path: Path) -> float:
    backend = OnnxBackend(path)
    worst = 0.0
    for seed in range(1, 5):
        features = _random_features(info, seed)
        scores = backend.scores(features)
        with torch.inference_mode():
            marks, cases = model(*(torch.from_numpy(array) for array in features.inputs().values()))
        real = features.word_index > 0
        for found, expected in ((scores.marks, marks.numpy()), (scores.cases, cases.numpy())):
            worst = max(worst, float(np.abs(found - expected)[real].max()))
    return worst


def _random_features(info: ModelInfo, seed: int) -> Features:
    """Windows of random words, pauses and lengths."""
    rng = np.random.default_rng(seed)
    vocabulary = int(info.encoder["vocab_size"])
    windows = []
    for _ in range(3):
        count = int(rng.integers(2, info.model.window.words))
        words = [tuple(rng.integers(0, vocabulary, rng.integers(1, 4)).tolist()) for _ in range(count)]
        pauses = rng.integers(0, UNKNOWN + 1, count).tolist()
        fitting = np.cumsum([len(word) for word in words]) <= info.max_tokens - 2
        windows.append([WordInput(w, p, 0) for w, p, fits in zip(words, pauses, fitting, strict=True) if fits])
    return collate(windows, 0, 0, 0)
