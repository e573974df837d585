"""Audacity's label track: `start TAB end TAB label`, a sentence a line, in seconds with six decimals."""

from collections.abc import Iterable
from typing import TextIO

from asr_punct.formats.documents.sentences import timed_sentences
from asr_punct.formats.entries import segment_times
from asr_punct.glyphs import Glyphs
from asr_punct.words import Utterance, text_of_utterance


def write_audacity(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write a label for each sentence. Raises InputError if one has no times."""
    for number, sentence in enumerate(timed_sentences(utterances, glyphs), start=1):
        start, end = segment_times(sentence.words, f"sentence {number}")
        text = text_of_utterance(sentence, glyphs)
        out.write(f"{start:.6f}\t{end:.6f}\t{text}\n")
