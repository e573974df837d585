"""JSON of transformers' pipeline: `{"text": " hola", "chunks": [{"text": " hola", "timestamp": [0.5, 0.9]}]}`.

A chunk is a word, or with `return_timestamps=True` a segment, of which the times of the edges are known. The last one
may have no end. Words of Whisper models begin with a space, those of CTC models do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from asr_punct.errors import InputError
from asr_punct.formats.entries import (
    Object,
    in_order,
    list_at,
    object_at,
    objects,
    recording_name,
    replaced,
    replaced_entries,
    text_at,
    timed_words,
    tokens_of,
    written_words,
)
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.json_text import shown
from asr_punct.formats.sources import USUAL, telling_source, told_source
from asr_punct.formats.word_pieces import grouped, joined, piece_sizes, written_pieces
from asr_punct.marks import Glyphs
from asr_punct.words import TimeSource, Utterance, Word

_CHUNKS = "chunks"


@dataclass(frozen=True, slots=True)
class Chunks:
    """What a pipeline gave; `Utterance.origin`.

    Attributes:
        file: the file's object.
    """

    file: Object


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like what the pipeline gives."""
    return isinstance(content, dict) and isinstance(content.get(_CHUNKS), list) and isinstance(content.get("text"), str)


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """The words of a file, as one utterance.

    Raises:
        InputError: JSON of another form, or words with times that are none or go back.
    """
    name, recording = display_name(path), recording_name(path)
    file = object_at(content, name)
    words = tuple(_words(file, name))
    times = told_source(file, words, _usual_source(file))
    yield Utterance(words, recording, recording=recording, time_source=times, origin=Chunks(file))


def _words(file: Object, place: str) -> Iterator[Word]:
    """The words of the chunks, those of the text where there are none."""
    entries = objects(file, _CHUNKS, place)
    if not entries:
        yield from map(Word, text_at(file, "text", place).split())
    pieces = in_order(_pieces(entries, place), place)
    yield from map(joined, grouped(pieces, piece_sizes([entry["text"] for entry in entries])))


def _pieces(entries: Sequence[Object], place: str) -> Iterator[Word]:
    for number, entry in enumerate(entries, start=1):
        where = f"{place}: chunk {number}"
        yield from timed_words({"text": entry.get("text"), **_times(entry, where)}, where, key="text")


def _times(entry: Object, place: str) -> Object:
    pair = list_at(entry, "timestamp", place) or [None, None]
    if len(pair) != 2:
        raise InputError(place, f"timestamp {shown(pair)}", "a start and an end")
    return dict(zip(("start", "end"), pair, strict=True))


def _usual_source(file: Object) -> TimeSource:
    spaced = any(str(entry["text"]).startswith(" ") for entry in file[_CHUNKS])
    return USUAL["whisper" if spaced else "whisper/chunks without spaces"]


def content(values: Sequence[Utterance], glyphs: Glyphs) -> Object | None:
    """The file's object with new texts and all else as it was; None where they are not its words.

    Marks stand on the words; a text without chunks is running text.
    """
    if len(values) != 1 or not isinstance(values[0].origin, Chunks):
        return None
    file = values[0].origin.file
    entries, text = file[_CHUNKS], file["text"]
    pieces = list(grouped(tokens_of(entries, "text"), piece_sizes([entry["text"] for entry in entries])))
    words = written_words(values[0], glyphs, running=not entries)
    old = ["".join(parts) for parts in pieces] or text.split()
    if len(words) != len(old):
        return None
    changed = replaced_entries(entries, "text", written_pieces(values[0], pieces, glyphs)) if entries else entries
    new = {**file, "text": replaced(text, old, words), _CHUNKS: changed}
    return telling_source(new, values[0], _usual_source(file))
