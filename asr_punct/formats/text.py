"""Plain text: a line is an utterance, an empty line ends the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from asr_punct.formats.files import Pathlike, read_lines
from asr_punct.marks import Glyphs, write_text
from asr_punct.words import Utterance, Word


@dataclass(frozen=True, slots=True)
class EmptyLine:
    """A line without words; `Utterance.origin`."""


def read_text(path: Pathlike) -> Iterator[Utterance]:
    """Lines as utterances whose words are `str.split()` of the line, marks and capitals left on them.

    An empty line is an utterance without words, so that lines in and lines out correspond.
    """
    document = 1
    for number, line in read_lines(path):
        words = tuple(Word(token) for token in line.split())
        yield Utterance(words, id=str(number), document=str(document), origin=None if words else EmptyLine())
        document += not words


def write_text_lines(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """One line an utterance; an empty line where the document changes.

    An utterance without words has no line, for that would end the document, but where it was a line of text.
    """
    previous: Utterance | None = None
    for utterance in utterances:
        if not utterance.words and not isinstance(utterance.origin, EmptyLine):
            continue
        if previous is not None:
            out.write(_between(previous, utterance))
        labels = utterance.labels
        out.write(write_text([word.text for word in utterance.words], labels, glyphs))
        previous = utterance
    if previous is not None:
        out.write("\n")


def _between(utterance: Utterance, following: Utterance) -> str:
    return "\n\n" if utterance.words and utterance.context != following.context else "\n"
