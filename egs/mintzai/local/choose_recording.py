#!/usr/bin/env python3
"""Choose the recording of a data directory that shows most, and lay out its audio, words and text.

local/choose_recording.py DATA_DIR OUT_DIR

It is the one with the most different marks, of those the shortest with a dozen words or more. OUT_DIR gets
audio.*, input.ctm and reference.txt.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from asr_punct.errors import AsrPunctError, run_script
from asr_punct.formats.ctm import read_ctm, write_ctm
from asr_punct.formats.kaldi import DataUtterance, read_data_dir
from asr_punct.marks import glyphs
from asr_punct.words import Utterance

_LEAST_WORDS = 12


def rank(utterance: DataUtterance) -> tuple[bool, int, int]:
    """The higher, the more it shows."""
    words = (utterance.text or "").split()
    marks = {character for word in words for character in word if not character.isalnum()}
    return len(words) >= _LEAST_WORDS, len(marks), -len(words)


def choose(root: Path) -> tuple[DataUtterance, Utterance]:
    """The utterance and its words with times.

    Raises:
        AsrPunctError: no utterance has words, text and an audio file of its own.
    """
    timed = {utterance.id: utterance for utterance in read_ctm(root / "ctm")}
    whole = [u for u in read_data_dir(root) if u.id in timed and u.text and u.audio and u.end is None]
    if not whole:
        raise AsrPunctError(f"{root}: found no utterance with words, text and an audio file of its own")
    best = max(whole, key=rank)
    return best, timed[best.id]


def main(root: str, target: str) -> None:
    """Write the three files."""
    utterance, words = choose(Path(root))
    out = Path(target)
    out.mkdir(parents=True)
    if utterance.audio:
        shutil.copy(utterance.audio, out / f"audio{utterance.audio.suffix}")
    with open(out / "input.ctm", "w", encoding="utf-8") as file:
        write_ctm([words], file, glyphs(""))
    (out / "reference.txt").write_text(f"{utterance.text}\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(lambda: main(*sys.argv[1:]))
