"""Files whose marks and capitals are to be read as labels: references, corpora, output of any system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from asr_punct.io import guess_format, read_utterances
from asr_punct.io.files import Pathlike
from asr_punct.text import parse
from asr_punct.words import Utterance, Word


def read_labelled(path: Pathlike, language: str, format_name: str | None = None) -> Iterator[Utterance]:
    """Utterances with labels: those of a TSV as they stand, of other formats read off the written words.

    Args:
        path: the file.
        language: whose conventions the written words follow.
        format_name: its format; guessed from the name by default.
    """
    is_tsv = (format_name or guess_format(path)) == "tsv"
    for utterance in read_utterances(path, format_name):
        yield utterance if is_tsv or utterance.labels else labelled(utterance, language)


def labelled(utterance: Utterance, language: str, dropped: Counter[str] | None = None) -> Utterance:
    """The utterance's tokens read as written text: lower-case words with labels; times stay where tokens match words.

    Args:
        utterance: tokens as they stand in a file.
        language: whose conventions they follow.
        dropped: counts what was no word and no mark.
    """
    parsed = parse(" ".join(word.text for word in utterance.words), language)
    if dropped is not None:
        dropped.update(parsed.dropped)
    if len(parsed.words) == len(utterance.words):
        words = tuple(replace(word, text=text) for word, text in zip(utterance.words, parsed.words, strict=True))
        return replace(utterance, words=words, labels=parsed.labels)
    words = tuple(Word(text) for text in parsed.words)
    return replace(utterance, words=words, labels=parsed.labels, pauses=None, times="none")
