#!/usr/bin/env python3
"""Recognise the audio of manifests with NeMo; writes CTM with times and confidences, by utterance.

local/asr_decode.py MODEL.nemo MANIFEST.json OUT.ctm [MANIFEST.json OUT.ctm …]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nemo.collections.asr.models import ASRModel
from omegaconf import open_dict

from asr_punct.io.ctm import write_ctm
from asr_punct.io.files import write_file
from asr_punct.marks import glyphs
from asr_punct.words import Utterance, Word

_BATCH = 16


def restore(path: str) -> Any:
    """A model that gives a confidence for each word: the probability of its letters, the mean of them."""
    model = ASRModel.restore_from(path, map_location="cpu")
    with open_dict(model.cfg):
        model.cfg.decoding.strategy = "greedy_batch"
        model.cfg.decoding.confidence_cfg = {
            **{f"preserve_{unit}_confidence": True for unit in ("frame", "token", "word")},
            "aggregation": "mean",
            "method_cfg": {"name": "max_prob", "alpha": 1.0},
        }
    model.change_decoding_strategy(model.cfg.decoding, verbose=False)
    return model


def recognise(model: Any, items: Sequence[dict[str, Any]]) -> Iterator[Utterance]:
    """The words of each line of a manifest, with times and confidences."""
    paths = [item["audio_filepath"] for item in items]
    hypotheses = model.transcribe(paths, batch_size=_BATCH, timestamps=True, verbose=False)
    for item, hypothesis in zip(items, hypotheses, strict=True):
        entries = [entry for entry in hypothesis.timestamp["word"] if entry["word"].strip()]
        words = tuple(
            Word(entry["word"].strip(), float(entry["start"]), float(entry["end"]), round(float(confidence), 3))
            for entry, confidence in zip(entries, hypothesis.word_confidence, strict=True)
        )
        yield Utterance(words, item["id"], times="asr")


def main(path: str, *files: str) -> None:
    """Write the CTM of each manifest."""
    model = restore(path)
    for manifest, target in zip(files[::2], files[1::2], strict=True):
        items = [json.loads(line) for line in Path(manifest).read_text(encoding="utf-8").splitlines()]
        with write_file(target) as out:
            write_ctm(recognise(model, items), out, glyphs(""))


if __name__ == "__main__":
    main(*sys.argv[1:])
