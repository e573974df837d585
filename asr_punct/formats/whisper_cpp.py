"""JSON of whisper.cpp: `{"transcription": [{"offsets": {"from": 0, "to": 1500}, "text": " hola", "tokens": [...]}]}`.

Offsets are milliseconds, beside them `timestamps` says the same as text. Tokens (`--output-json-full`) are parts of
words, some without offsets, and special ones such as `[_BEG_]`; without them a segment has times at its edges alone,
which are those of its word where it is one (`--max-len 1 --split-on-word`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from asr_punct.formats.entries import (
    Object,
    confidence_at,
    entry_words,
    in_order,
    mean_confidence,
    number_or_none,
    object_at,
    objects,
    recording_name,
    replaced,
    speaker_of,
    text_at,
    written_words,
)
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.sources import USUAL, telling_source, told_source
from asr_punct.formats.word_pieces import grouped, word_sizes
from asr_punct.marks import Glyphs
from asr_punct.words import Seconds, Utterance, Word

_SEGMENTS = "transcription"
_SPECIAL = re.compile(r"\[_.*\]")
_UNKNOWN = "?"
"""The speaker where the program was asked to tell them apart and cannot."""


@dataclass(frozen=True, slots=True)
class CppSegment:
    """A segment as it stands in its file; `Utterance.origin`.

    Attributes:
        file: the file's object, the same for all its segments.
        item: the segment.
    """

    file: Object
    item: Object


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like a transcript of whisper.cpp."""
    return isinstance(content, dict) and isinstance(content.get(_SEGMENTS), list)


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Utterances of a transcript, one a segment.

    Raises:
        InputError: JSON of another form, or words with times that are none or go back.
    """
    name, recording = display_name(path), recording_name(path)
    file = object_at(content, name)
    for number, item in enumerate(objects(file, _SEGMENTS, name), start=1):
        place = f"{name}: segment {number}"
        words = in_order(_words(item, place), place)
        times = told_source(item, words, USUAL["whisper"])
        id_, speaker = f"{recording}-{number}", speaker_of(item)
        known = "" if speaker == _UNKNOWN else speaker
        yield Utterance(
            words, id_, recording=recording, speaker=known, time_source=times, origin=CppSegment(file, item)
        )


def _words(item: Object, place: str) -> Iterator[Word]:
    """The words of a segment, with the times of their tokens where these are as many words."""
    text, groups = text_at(item, "text", place), _grouped(objects(item, "tokens", place), place)
    tokens = text.split()
    if not groups or len(groups) != len(tokens):
        yield from entry_words(text, *_times(item, place), None, place)
        return
    for number, (token, parts) in enumerate(zip(tokens, groups, strict=True), start=1):
        where = f"{place}: word {number}"
        spoken = [part for part in parts if any(map(str.isalnum, part["text"]))] or parts  # a mark lasts into the pause
        times = [_times(part, where) for part in spoken]
        start = next((first for first, _ in times if first is not None), None)
        end = next((last for _, last in reversed(times) if last is not None), None)
        yield from entry_words(token, start, end, _confidence(parts, where), where)


def _grouped(tokens: Iterable[Object], place: str) -> list[list[Object]]:
    """The tokens of each word, special ones left out."""
    texts = [(text_at(token, "text", place), token) for token in tokens]
    kept = [(text, token) for text, token in texts if not _SPECIAL.fullmatch(text)]
    each = [token for text, token in kept for _ in text.split()]
    return list(grouped(each, word_sizes(text for text, _ in kept)))


def _times(item: Object, place: str) -> tuple[Seconds | None, Seconds | None]:
    offsets = object_at(item.get("offsets") or {}, place)
    start, end = (number_or_none(offsets, key, place) for key in ("from", "to"))
    return None if start is None else start / 1000, None if end is None else end / 1000


def _confidence(tokens: Sequence[Object], place: str) -> float | None:
    """The mean of the tokens' probabilities, as in Whisper's own words."""
    return mean_confidence(confidence_at(token, "p", place) for token in tokens)


def content(values: Sequence[Utterance], glyphs: Glyphs) -> Object | None:
    """The file's object with the segments' new texts and all else as it was; None where they are not its segments.

    Marks stand on the words; a segment without tokens is running text. Tokens stay as the model gave them.
    """
    segments = [(value, value.origin) for value in values if isinstance(value.origin, CppSegment)]
    if not segments or len(segments) < len(values):
        return None
    items = [_item(rest.item, value, glyphs) for value, rest in segments]
    return None if None in items else {**segments[0][1].file, _SEGMENTS: items}


def _item(item: Object, utterance: Utterance, glyphs: Glyphs) -> Object | None:
    text = item.get("text") or ""
    words = written_words(utterance, glyphs, running=not item.get("tokens"))
    old = text.split()
    if len(old) != len(words):
        return None
    return telling_source({**item, "text": replaced(text, old, words)}, utterance, USUAL["whisper"])
