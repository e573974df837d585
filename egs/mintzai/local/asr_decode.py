#!/usr/bin/env python3
"""Recognise the audio of NeMo manifests; writes a CTM with times and confidences for each, by utterance.

FILES are manifests, each followed by the CTM to write.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nemo.collections.asr.models import ASRModel

from asr_punct.errors import run_script
from asr_punct.files import write_file
from asr_punct.formats.kaldi.ctm import write_ctm
from asr_punct.glyphs import glyphs
from asr_punct.words import Utterance, Word

_BATCH = 16


def recognise(model: Any, items: Sequence[dict[str, Any]]) -> Iterator[Utterance]:
    """Return the words of each line of a manifest, with times and confidences.

    A word's confidence is the mean over its frames of the highest probability (NeMo 3.0.0 gives no confidence of words
    for a model of letters).
    """
    paths = [item["audio_filepath"] for item in items]
    for item, hypothesis in zip(items, model.transcribe(paths, _BATCH, timestamps=True, verbose=False), strict=True):
        best = hypothesis.y_sequence.max(-1).values.exp().tolist()
        entries = (entry for entry in hypothesis.timestamp["word"] if entry["word"].strip())
        yield Utterance(tuple(_word(entry, best) for entry in entries), item["id"], time_source="asr")


def _word(entry: dict[str, Any], best: Sequence[float]) -> Word:
    frames = best[entry["start_offset"] : max(entry["end_offset"], entry["start_offset"] + 1)]
    confidence = round(sum(frames) / len(frames), 3)
    return Word(entry["word"].strip(), float(entry["start"]), float(entry["end"]), confidence)


def main(model: Path, files: list[Path]) -> None:
    recogniser = ASRModel.restore_from(str(model), map_location="cpu")
    for manifest, target in zip(files[::2], files[1::2], strict=True):
        items = [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()]
        with write_file(target) as out:
            write_ctm(recognise(recogniser, items), out, glyphs(""))


if __name__ == "__main__":
    run_script(main)
