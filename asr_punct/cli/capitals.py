"""Input in capitals, as some recognisers write it: the option `--lowercase`, and a hint at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import typer

from asr_punct.cli.base import NAME
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.marks import takes_case
from asr_punct.words import Utterance, Word

_MIN_WORDS = 3
"""Number of words in capitals below which there is no hint: one or two may be names."""


def lowercase(words: Iterable[Word]) -> tuple[Word, ...]:
    """Return the words in lower case; tags and addresses (`<UNK>`) stay."""
    return tuple(replace(word, text=word.text.lower()) if takes_case(word.text) else word for word in words)


def lowercased(utterances: Iterable[Utterance]) -> Iterator[Utterance]:
    """Yield the utterances in lower case."""
    return (replace(utterance, words=lowercase(utterance.words)) for utterance in utterances)


def with_capitals_hint(utterances: Iterable[Utterance], source: Pathlike) -> Iterator[Utterance]:
    """Yield the utterances; at their end, print the hint if all words were in capitals."""
    hint = CapitalsHint(source)
    for utterance in utterances:
        hint.add(utterance.words)
        yield utterance
    hint.print()


class CapitalsHint:
    """Prints a line on standard error, at most once, if all words of an input are in capitals."""

    def __init__(self, source: Pathlike) -> None:
        self._source, self._words, self._is_due = source, 0, True

    def add(self, words: Iterable[Word]) -> None:
        """Check more words; those without capital and small letters, tags and addresses do not count."""
        if self._is_due:
            cased = [word.text for word in words if takes_case(word.text) and word.text.lower() != word.text.upper()]
            self._is_due = all(text == text.upper() for text in cased)
            self._words += len(cased)

    def print(self, minimum: int = _MIN_WORDS) -> None:
        """Print the hint if there were at least so many words, all in capitals."""
        if self._is_due and self._words >= minimum:
            self._is_due = False
            message = "all words are in capitals, which stay in the output (to restore capitals: --lowercase)"
            typer.echo(f"{NAME}: {display_name(self._source)}: {message}", err=True)
