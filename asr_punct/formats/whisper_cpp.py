"""JSON of whisper.cpp: `{"transcription": [{"offsets": {"from": 0, "to": 1500}, "text": " hola", "tokens": [...]}]}`.

Offsets are milliseconds; `timestamps` repeats them as text. Tokens (`--output-json-full`) are parts of words, some
without offsets, or special ones such as `[_BEG_]`. Without tokens only the segment has times; they are the word's if
the segment has one word (`--max-len 1 --split-on-word`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.json_values import (
    JsonOrigin,
    Object,
    confidence_at,
    number_or_none,
    object_at,
    objects,
    own_origin,
    speaker_of,
    text_at,
)
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE, get_time_source, set_time_source
from asr_punct.formats.tokens import (
    entry_words,
    in_order,
    mean_confidence,
    recording_name,
    replace_tokens,
    written_words,
)
from asr_punct.formats.word_parts import grouped, word_sizes
from asr_punct.marks import Glyphs
from asr_punct.words import Seconds, Utterance, Word

_FORMAT = "whisper/cpp"
_SEGMENTS = "transcription"
_SPECIAL = re.compile(r"\[_.*\]")
_UNKNOWN = "?"
"""Speaker that whisper.cpp writes if it cannot separate them."""


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like a transcript of whisper.cpp."""
    return isinstance(content, dict) and isinstance(content.get(_SEGMENTS), list)


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each segment.

    Raises:
        InputError: JSON of another form, or invalid times.
    """
    name, recording = display_name(path), recording_name(path)
    file = object_at(content, name)
    for number, item in enumerate(objects(file, _SEGMENTS, name), start=1):
        place = f"{name}: segment {number}"
        words = in_order(_words(item, place), place)
        times = get_time_source(item, words, DEFAULT_TIME_SOURCE["whisper"])
        id_, speaker = f"{recording}-{number}", speaker_of(item)
        known = "" if speaker == _UNKNOWN else speaker
        origin = JsonOrigin(_FORMAT, item, file)
        yield Utterance(words, id_, recording=recording, speaker=known, time_source=times, origin=origin)


def _words(item: Object, place: str) -> Iterator[Word]:
    """Yield the words of a segment, with the times of their tokens if these form as many words."""
    text, groups = text_at(item, "text", place), _grouped(objects(item, "tokens", place), place)
    tokens = text.split()
    if not groups or len(groups) != len(tokens):
        yield from entry_words(text, *_times(item, place), None, place)
        return
    for number, (token, parts) in enumerate(zip(tokens, groups, strict=True), start=1):
        where = f"{place}: word {number}"
        spoken = [
            part for part in parts if any(map(str.isalnum, part["text"]))
        ] or parts  # a mark's token lasts into the pause
        times = [_times(part, where) for part in spoken]
        start = next((first for first, _ in times if first is not None), None)
        end = next((last for _, last in reversed(times) if last is not None), None)
        yield from entry_words(token, start, end, _confidence(parts, where), where)


def _grouped(tokens: Iterable[Object], place: str) -> list[list[Object]]:
    """Return the tokens of each word, without special ones."""
    texts = [(text_at(token, "text", place), token) for token in tokens]
    kept = [(text, token) for text, token in texts if not _SPECIAL.fullmatch(text)]
    each = [token for text, token in kept for _ in text.split()]
    return list(grouped(each, word_sizes(text for text, _ in kept)))


def _times(item: Object, place: str) -> tuple[Seconds | None, Seconds | None]:
    offsets = object_at(item.get("offsets") or {}, place)
    start, end = (number_or_none(offsets, key, place) for key in ("from", "to"))
    return None if start is None else start / 1000, None if end is None else end / 1000


def _confidence(tokens: Sequence[Object], place: str) -> float | None:
    """Return the mean of the tokens' probabilities, as Whisper does for words."""
    return mean_confidence(confidence_at(token, "p", place) for token in tokens)


def content(values: Sequence[Utterance], glyphs: Glyphs) -> Object | None:
    """Return the file's document with the new texts; None if the utterances are not its segments.

    Marks are attached to the words; a segment without tokens is running text. Tokens do not change.
    """
    origins = [own_origin(value.origin, _FORMAT) for value in values]
    items = [_item(origin.item, value, glyphs) for value, origin in zip(values, origins, strict=True) if origin]
    first = origins[0] if origins else None
    if not first or len(items) < len(values) or None in items:
        return None
    return {**first.document, _SEGMENTS: items}


def _item(item: Object, utterance: Utterance, glyphs: Glyphs) -> Object | None:
    text = item.get("text") or ""
    words = written_words(utterance, glyphs, running=not item.get("tokens"))
    old = text.split()
    if len(old) != len(words):
        return None
    return set_time_source(
        {**item, "text": replace_tokens(text, old, words)}, utterance, DEFAULT_TIME_SOURCE["whisper"]
    )
