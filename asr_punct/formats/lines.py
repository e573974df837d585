"""Places of words and utterances in files of lines, for writing the lines again."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from asr_punct.words import Utterance


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """The text around a word or an utterance in its file: the `origin` of all line formats.

    Attributes:
        format: name of the format.
        before: the lines without words before it: comments, silence, empty lines.
        head: text before it in its line.
        tail: text after it in its line.
        after: for the last utterance of the file, the lines after it; else empty.
    """

    format: str
    before: tuple[str, ...] = ()
    head: str = ""
    tail: str = ""
    after: tuple[str, ...] = ()


def line_origin(origin: object, format_name: str) -> LineOrigin | None:
    """Return the origin if it is of that format, else None."""
    return origin if isinstance(origin, LineOrigin) and origin.format == format_name else None


def with_lines_after(utterance: Utterance, lines: Iterable[str]) -> Utterance:
    """Return the last utterance of a file with the lines that follow it in its origin."""
    if not isinstance(utterance.origin, LineOrigin):
        return utterance
    return replace(utterance, origin=replace(utterance.origin, after=tuple(lines)))
