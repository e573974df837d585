#!/usr/bin/env python3
"""Choose a recording of a data directory for the demonstration; writes TARGET/audio.*, input.ctm and reference.txt.

It has a dozen words or more and the most different marks, and is the shortest of those.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from asr_punct.errors import AsrPunctError, run_script
from asr_punct.formats.ctm import read_ctm, write_ctm
from asr_punct.formats.kaldi_tables import DataUtterance, read_data_dir
from asr_punct.marks import glyphs

_LEAST_WORDS = 12


def rank(utterance: DataUtterance) -> tuple[bool, int, int]:
    """Return the sort key; the highest one is chosen."""
    words = (utterance.text or "").split()
    marks = {character for word in words for character in word if not character.isalnum()}
    return len(words) >= _LEAST_WORDS, len(marks), -len(words)


def main(data: Path, target: Path) -> None:
    timed = {utterance.id: utterance for utterance in read_ctm(data / "ctm")}
    candidates = [u for u in read_data_dir(data) if u.id in timed and u.text and u.audio and u.end is None]
    if not candidates:
        raise AsrPunctError(f"{data}: found no utterance with words, text and its own audio file")
    utterance = max(candidates, key=rank)
    target.mkdir(parents=True)
    if utterance.audio:
        shutil.copy(utterance.audio, target / f"audio{utterance.audio.suffix}")
    with open(target / "input.ctm", "w", encoding="utf-8") as file:
        write_ctm([timed[utterance.id]], file, glyphs(""))
    (target / "reference.txt").write_text(f"{utterance.text}\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
