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
    """A line without words; `Utterance.rest`."""


def read_text(path: Pathlike) -> Iterator[Utterance]:
    """Lines as utterances whose words are `str.split()` of the line, marks and capitals left on them.

    An empty line is an utterance without words, so that lines in and lines out correspond.
    """
    document = 1
    for number, line in read_lines(path):
        words = tuple(Word(token) for token in line.split())
        yield Utterance(words, id=str(number), recording=str(document), rest=None if words else EmptyLine())
        document += not words


def write_text_lines(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """One line an utterance; an empty line where the recording changes.

    An utterance without words has no line, for that would end the document, but where it was a line of text.
    """
    previous: Utterance | None = None
    for utterance in utterances:
        if not utterance.words and not isinstance(utterance.rest, EmptyLine):
            continue
        if previous is not None:
            out.write(_between(previous, utterance))
        labels = utterance.all_labels
        out.write(write_text([word.text for word in utterance.words], labels, glyphs))
        previous = utterance
    if previous is not None:
        out.write("\n")


def _between(utterance: Utterance, following: Utterance) -> str:
    if following.continues:
        return " "
    return "\n\n" if utterance.words and utterance.recording != following.recording else "\n"
