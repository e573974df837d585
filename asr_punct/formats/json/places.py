"""Words of strings anywhere in a JSON document, and written words put back there: formats of other programs' layouts.

A word's `origin` is a tuple of `Piece`s, the tokens of the document that it consists of: `Good` and `.` may be two
entries. An utterance's origin is a `JsonOrigin` with the document. Such formats are only written back into the file
that was read.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, TextIO, cast

from asr_punct.errors import InputError, Setting
from asr_punct.formats.entries import entry_words, replace_tokens, written_parts
from asr_punct.formats.json.nodes import Node, Values
from asr_punct.formats.origins import json_origin
from asr_punct.glyphs import Glyphs
from asr_punct.words import Seconds, Utterance, Word


@dataclass(frozen=True, slots=True)
class Piece:
    """A token of the string `holder[key]`, of an object or a list of the document."""

    holder: Any
    key: str | int
    text: str


Place = tuple[Any, str | int]
"""Holder and key of a string."""
Copies = Callable[[Any], Iterable[Iterable[Place]]]
"""Returns the places of strings that repeat words: each group, from the first word on, as far as they are equal."""


def placed_words(
    holder: Any, key: str | int, start: Seconds | None, end: Seconds | None, confidence: float | None, place: str
) -> list[Word]:
    """Return the words of the string `holder[key]`; the first one has the start, the last one the end."""
    words = entry_words(holder[key], start, end, confidence, place)
    return [replace(word, origin=(Piece(holder, key, word.text),)) for word in words]


def node_words(
    node: Node, key: str, start: Seconds | None, end: Seconds | None, confidence: float | None = None
) -> list[Word]:
    """Return the words of a string of an object, none if it is missing."""
    return placed_words(node.item, key, start, end, confidence, node.place) if key in node else []


def pieces(word: Word) -> tuple[Piece, ...]:
    """Return the tokens of a word."""
    return cast(tuple[Piece, ...], word.origin)


def with_mark(word: Word, mark: Word) -> Word:
    """Return the word with an entry that continues it, such as a mark; with a later end if that has one."""
    end = word.end if mark.end is None else mark.end
    return replace(word, text=word.text + mark.text, end=end, origin=pieces(word) + pieces(mark))


def speaker_turns(entries: Iterable[tuple[str, list[Word]]]) -> Iterator[tuple[str, tuple[Word, ...]]]:
    """Yield speaker and words of each turn: consecutive entries of a speaker; those without words do not count."""
    for speaker, group in groupby((entry for entry in entries if entry[1]), key=itemgetter(0)):
        yield speaker, tuple(word for _, own in group for word in own)


def write_placed(
    utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs, *, format_name: str, copies: Copies
) -> None:
    """Write the document with the written words. Raises InputError for words that are not all those of one file."""
    listed = list(utterances)
    origins = [origin for each in listed if (origin := json_origin(each.origin, format_name))]
    if not listed or len(origins) < len(listed) or len({id(origin.document) for origin in origins}) != 1:
        expected = f"those of a file of this format: {format_name} is only written back"
        raise InputError("the words", "words of another file", expected, Setting("target_format", "json"))
    document = origins[0].document
    new = _with_copies(_written_tokens(listed, glyphs), listed, copies(document), glyphs)
    content = _replaced(document, new)
    for value in content if isinstance(document, Values) else [content]:
        out.write(json.dumps(value, ensure_ascii=False) + "\n")


_Tokens = dict[tuple[int, str | int], list[str]]
"""The new tokens of each string, by the identity of its holder and its key."""


def _written_tokens(utterances: Iterable[Utterance], glyphs: Glyphs) -> _Tokens:
    new: _Tokens = defaultdict(list)
    for utterance in utterances:
        own = [pieces(word) for word in utterance.words]
        written = written_parts(utterance, [[piece.text for piece in each] for each in own], glyphs)
        for piece, text in zip((piece for each in own for piece in each), written, strict=True):
            new[id(piece.holder), piece.key].append(text)
    return new


def _with_copies(
    new: _Tokens, utterances: Sequence[Utterance], groups: Iterable[Iterable[Place]], glyphs: Glyphs
) -> _Tokens:
    old, written = list[str](), list[str]()
    for utterance in utterances:
        own = ["".join(piece.text for piece in pieces(word)) for word in utterance.words]
        old += own
        written += written_parts(utterance, [[text] for text in own], glyphs)
    for group in groups:
        position = 0
        for holder, key in group:
            text = holder.get(key) if isinstance(holder, dict) else holder[key]
            tokens = text.split() if isinstance(text, str) else []
            if tokens and old[position : position + len(tokens)] == tokens:
                new[id(holder), key] = written[position : position + len(tokens)]
                position += len(tokens)
    return new


def _replaced(value: Any, new: _Tokens) -> Any:
    """Return the value with new tokens in its strings; one whose number of tokens differs is unchanged."""
    if isinstance(value, dict):
        return {key: _replaced_string(value, key, new) for key in value}
    if isinstance(value, list | tuple):
        return [_replaced_string(value, i, new) for i in range(len(value))]
    return value


def _replaced_string(holder: Any, key: Any, new: _Tokens) -> Any:
    value, tokens = holder[key], new.get((id(holder), key))
    if tokens is None or not isinstance(value, str) or len(value.split()) != len(tokens):
        return _replaced(value, new)
    return replace_tokens(value, value.split(), tokens)
