"""`prepare text`: plain written text to the corpora that training reads."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from asr_punct.corpora.summary import Summary
from asr_punct.errors import AsrPunctError
from asr_punct.io.files import Pathlike, write_file
from asr_punct.io.labelled import labelled
from asr_punct.io.text import read_text
from asr_punct.io.tsv import write_tsv
from asr_punct.words import Utterance

_PARTS = ("train", "dev", "test")


def prepare_text(
    source: Pathlike, output: Path, *, language: str, dev: float = 0.05, test: float = 0.05, seed: int = 1
) -> Summary:
    """Write `train.tsv`, `dev.tsv` and `test.tsv`, divided by document.

    Args:
        source: text, a sentence or paragraph a line, an empty line between documents; `-` is standard input.
        output: directory of the three files.
        language: whose conventions the text follows.
        dev: share of the documents for development.
        test: share of the documents for testing.
        seed: of the division.

    Raises:
        AsrPunctError: shares that leave nothing for training, or text without words.
    """
    if dev < 0 or test < 0 or dev + test >= 1:
        raise AsrPunctError(f"--dev {dev} --test {test}: expected shares of 0 or more that leave some for training")
    output.mkdir(parents=True, exist_ok=True)
    summary = Summary()
    with ExitStack() as stack:
        files = [stack.enter_context(write_file(output / f"{part}.tsv")) for part in _PARTS]
        for part, utterance in _divided(read_text(source), dev, test, random.Random(seed)):
            known = labelled(utterance, language, summary.dropped)
            if known.words:
                write_tsv([known], files[part])
                summary.words[_PARTS[part]] += len(known.words)
        if not summary.words:
            raise AsrPunctError(f"{source}: found no words, expected written text")
    return summary


def _divided(
    utterances: Iterable[Utterance], dev: float, test: float, rng: random.Random
) -> Iterator[tuple[int, Utterance]]:
    """Each utterance with the part that its document is drawn for."""
    document, part = None, 0
    for utterance in utterances:
        if utterance.recording != document:
            draw = rng.random()
            document, part = utterance.recording, 1 if draw < dev else 2 if draw < dev + test else 0
        yield part, utterance
