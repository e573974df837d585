"""The origin of words and utterances that were read from lines of text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """Place of a word or an utterance in a text file: the `origin` of all line formats.

    Attributes:
        format: name of the format that read it.
        before: lines before it without words: comments, silence, empty lines.
        head: text before it in its line.
        tail: text after it in its line.
        after: lines after it up to the end of the file, for the last one only.
    """

    format: str
    before: tuple[str, ...] = ()
    head: str = ""
    tail: str = ""
    after: tuple[str, ...] = ()


def own_lines(origin: object, format_name: str) -> LineOrigin | None:
    """Return the origin if a reader of that format made it, else None."""
    return origin if isinstance(origin, LineOrigin) and origin.format == format_name else None
