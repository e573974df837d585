"""Input in capitals, as some recognisers write it: a hint to use the option `--lowercase`."""

from collections.abc import Iterable, Iterator

import typer

from asr_punct.cli.base import NAME
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.words import CAPITALS_STAY, MIN_CAPITALS, CapitalsCheck, Utterance, Word


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
        self._source, self._check, self._is_due = source, CapitalsCheck(), True

    def add(self, words: Iterable[Word]) -> None:
        """Check more words."""
        if self._is_due:
            self._check.add(words)

    def print(self, minimum: int = MIN_CAPITALS) -> None:
        """Print the hint if there were at least `minimum` words, all in capitals."""
        if self._is_due and self._check.are_capitals(minimum):
            self._is_due = False
            typer.echo(f"{NAME}: {display_name(self._source)}: {CAPITALS_STAY}", err=True)
