"""Origins: where readers found utterances and words, so that writers of the same format keep the rest of the file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

from asr_punct.errors import InputError
from asr_punct.words import Utterance

MAX_KEPT = 100_000
"""Maximum number of consecutive lines without words. Readers hold them until the next utterance; writers copy them."""
ParsedLine = tuple[str, Utterance | str]
"""Place of a line in error messages, and its utterance, or the line itself if it has no words."""


@dataclass(frozen=True, slots=True)
class JsonOrigin:
    """Where in a parsed JSON document an utterance or a word was read: the `origin` of all JSON formats.

    `format` is the name of the format or of its variant, `item` the JSON object of the utterance or word, and
    `document` the value of the file; None if each line of the file is a JSON value.
    """

    format: str
    item: Any
    document: Any = None


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


def json_origin(origin: object, format_name: str) -> JsonOrigin | None:
    """Return the origin if it is of that format, else None."""
    return origin if isinstance(origin, JsonOrigin) and origin.format == format_name else None


def line_origin(origin: object, format_name: str) -> LineOrigin | None:
    """Return the origin if it is of that format, else None."""
    return origin if isinstance(origin, LineOrigin) and origin.format == format_name else None


def keep_line(kept: list[str], line: str, place: str) -> None:
    """Append a line without words to `kept`. Raises InputError if it has `MAX_KEPT` lines."""
    if len(kept) == MAX_KEPT:
        raise InputError(place, f"more than {MAX_KEPT} lines without a word", "at most that many")
    kept.append(line)


def attach_lines(lines: Iterable[ParsedLine]) -> Iterator[Utterance]:
    """Yield the utterances; their `LineOrigin` gets the lines without words before, the last one's also those after."""
    previous: Utterance | None = None
    pending: list[str] = []
    for place, line in lines:
        if isinstance(line, str):
            keep_line(pending, line, place)
            continue
        if previous is not None:
            yield previous
        previous = replace(line, origin=replace(cast(LineOrigin, line.origin), before=tuple(pending)))
        pending.clear()
    if previous is not None:
        yield replace(previous, origin=replace(cast(LineOrigin, previous.origin), after=tuple(pending)))


def lines_around(origin: LineOrigin, text: str) -> str:
    """Return the line with a new text, and the lines around it."""
    return "".join(f"{line}\n" for line in (*origin.before, f"{origin.head}{text}{origin.tail}", *origin.after))
