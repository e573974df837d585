"""Write talk.ctm: the words of talk.txt, in lower case and without marks, with word times. Needs the extra `audio`.

    python examples/make_talk.py

espeak-ng speaks the words without their marks; the pauses between them are drawn from the package's pause model, with
hesitations inside sentences.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from asr_punct.align.espeak import synthesise
from asr_punct.formats.kaldi.ctm import write_ctm
from asr_punct.glyphs import glyphs
from asr_punct.marks import mark_bits
from asr_punct.pauses import BUCKET_MS
from asr_punct.text import parse
from asr_punct.training.pause_model import sample_pauses
from asr_punct.words import Utterance, shift

FOLDER = Path(__file__).parent


def main() -> None:
    """Entry point."""
    parsed = parse(" ".join((FOLDER / "talk.txt").read_text(encoding="utf-8").split()), "en")
    marks = np.array([mark_bits(labels.marks) for labels in parsed.labels])
    pauses = sample_pauses(marks, np.random.default_rng(4)) * BUCKET_MS / 1000
    breaks = {index: float(pause) for index, pause in enumerate(pauses) if pause > 0}
    speech = synthesise(" ".join(parsed.words), "en-us", breaks=breaks)
    words = tuple(shift(word, 0, decimals=2) for word in speech.words)
    with open(FOLDER / "talk.ctm", "w", encoding="utf-8") as out:
        write_ctm([Utterance(words, "talk", recording="talk")], out, glyphs("en"))


if __name__ == "__main__":
    main()
