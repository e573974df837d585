"""Run one system of benchmarks/peers.py in its own environment: load it, punctuate a text, write the measures as JSON.

python benchmarks/peer_systems.py SYSTEM MODELS TEXT OUTPUT.json
"""

from __future__ import annotations

import functools
import json
import re
import resource
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Restore = Callable[[str], str]
"""Punctuates a plain text; the bare encoders, whose speed is the limit of the others, return an empty string."""
_BLOCK, _BATCH = 256, 16
"""Tokens of a block and blocks of a batch for the bare encoders."""
_FIRST_WORDS = 20


def fullstop(models: Path) -> Restore:
    """`PunctuationModel` of deepmultilingualpunctuation, in chunks of 230 words."""
    from deepmultilingualpunctuation import PunctuationModel

    restore: Restore = PunctuationModel(str(models / "bert")).restore_punctuation
    return restore


def nemo(models: Path) -> Restore:
    """NeMo's model with the batch size of its script for inference; windows of 64 tokens every 8 by default."""
    from nemo.collections.nlp.models import PunctuationCapitalizationModel

    model = PunctuationCapitalizationModel.restore_from(str(models / "model.nemo"))
    return lambda text: model.add_punctuation_capitalization([text], batch_size=128)[0]


def punctuators(models: Path) -> Restore:
    """`PunctCapSegModelONNX`. It has no option for threads, so the session's default is set here."""
    import onnxruntime
    from punctuators.models.punc_cap_seg_model import PunctCapSegConfigONNX, PunctCapSegModelONNX

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    onnxruntime.InferenceSession = functools.partial(onnxruntime.InferenceSession, sess_options=options)
    config = PunctCapSegConfigONNX(directory=str(models / "punctuators"))
    model = PunctCapSegModelONNX(config, ort_providers=["CPUExecutionProvider"])
    return lambda text: " ".join(model.infer([text])[0])


def sherpa(models: Path) -> Restore:
    """`OfflinePunctuation` with a CT transformer; its tokens are words."""
    from sherpa_onnx import OfflinePunctuation, OfflinePunctuationConfig, OfflinePunctuationModelConfig

    model = OfflinePunctuationModelConfig(ct_transformer=str(models / "sherpa.onnx"), num_threads=1)
    restore: Restore = OfflinePunctuation(OfflinePunctuationConfig(model)).add_punctuation
    return restore


def transformers(models: Path) -> Restore:
    """The bare encoder in torch."""
    import torch
    from transformers import AutoModelForTokenClassification

    model = AutoModelForTokenClassification.from_pretrained(models / "bert").eval()

    def run(text: str) -> str:
        with torch.inference_mode():
            for ids in _batches(models, text):
                tokens = torch.from_numpy(ids)
                model(input_ids=tokens, attention_mask=torch.ones_like(tokens)).logits.argmax(-1)
        return ""

    return run


def graph(name: str, models: Path) -> Restore:
    """A bare graph of the encoder in onnxruntime."""
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(models / name, options, providers=["CPUExecutionProvider"])

    def run(text: str) -> str:
        for ids in _batches(models, text):
            session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0].argmax(-1)
        return ""

    return run


def _batches(models: Path, text: str) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the tokens of a text, (blocks, tokens of a block); all blocks are full."""
    import numpy as np
    from tokenizers import Tokenizer

    ids = np.array(Tokenizer.from_file(str(models / "bert/tokenizer.json")).encode(text, add_special_tokens=False).ids)
    blocks = np.resize(ids, (-(-len(ids) // _BLOCK), _BLOCK))
    for start in range(0, len(blocks), _BATCH):
        yield blocks[start : start + _BATCH]


def asr_punct(name: str, models: Path) -> Restore:
    """`Punctuator` with a shipped model by name, or a directory of `models`."""
    from asr_punct import Punctuator

    directory = models / name
    return Punctuator.from_pretrained(directory if directory.is_dir() else name, threads=1)


SYSTEMS: dict[str, Callable[[Path], Restore]] = {
    "fullstop": fullstop,
    "nemo": nemo,
    "punctuators": punctuators,
    "sherpa": sherpa,
    "transformers": transformers,
    "graph-fp32": functools.partial(graph, "bert.onnx"),
    "graph-int8": functools.partial(graph, "bert.int8.onnx"),
    "asr_punct-int8": functools.partial(asr_punct, "en"),
    "asr_punct-fp32": functools.partial(asr_punct, "en-fp32"),
    "asr_punct-torch": functools.partial(asr_punct, "en-torch"),
}


def measure(load: Callable[[Path], Restore], models: Path, text: str) -> dict[str, float]:
    """Return CPU seconds until the first words of a text are restored, and then of all of it; peak memory in MB.

    Raises ValueError if the output has other words than the text.
    """
    restore = load(models)
    restore(" ".join(text.split()[:_FIRST_WORDS]))
    start = time.process_time()
    output = restore(text)
    cpu = time.process_time() - start
    if output and _letters(output) != _letters(text):
        raise ValueError(f"{len(_letters(output))} letters in the output, {len(_letters(text))} in the text")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return {"start_s": start, "cpu_s": cpu, "memory_mb": memory / 1e6}


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text)).lower()


if __name__ == "__main__":
    name, models, text, output = sys.argv[1:]
    measures = measure(SYSTEMS[name], Path(models), Path(text).read_text(encoding="utf-8"))
    Path(output).write_text(json.dumps(measures), encoding="utf-8")
