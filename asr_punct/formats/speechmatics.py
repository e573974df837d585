"""JSON of Speechmatics, to read, in both of its versions.

Version 1: `{"job", "speakers", "words": [{"name", "time", "duration", "confidence"}]}`, numbers in strings, a mark an
entry of its own. Version 2: `{"format": "2.…", "results": [{"type", "start_time", "end_time", "attaches_to",
"alternatives": [{"content"}]}]}`; a mark has the type `punctuation`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from asr_punct.errors import InputError
from asr_punct.formats.entries import (
    Object,
    Punctuation,
    entry_words,
    in_order,
    item_words,
    object_at,
    objects,
    punctuation,
    recording_name,
    seconds_at,
    text_at,
    with_punctuation,
)
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.json_text import shown
from asr_punct.formats.sources import USUAL, source_of
from asr_punct.words import Utterance, Word


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like a transcript of Speechmatics'."""
    if not isinstance(content, dict):
        return False
    first = isinstance(content.get("words"), list) and "job" in content
    return first or (isinstance(content.get("results"), list) and "format" in content)


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """The utterance of a transcript, or one a channel where the audio had several.

    Raises:
        InputError: JSON of another form, or words with times that are none or go back.
    """
    name, recording = display_name(path), recording_name(path)
    file = object_at(content, name)
    channels = _second_version(file, name) if "results" in file else {"": list(_first_version(file, name))}
    for number, items in enumerate(channels.values(), start=1):
        words = in_order(with_punctuation(items), name)
        yield Utterance(
            words,
            id=recording if len(channels) == 1 else f"{recording}-{number}",
            recording=recording,
            channel=str(number),
            time_source=source_of(words, USUAL["speechmatics"]),
        )


def _first_version(file: Object, name: str) -> Iterator[Word | Punctuation]:
    for number, item in enumerate(objects(file, "words", name), start=1):
        place = f"{name}: word {number}"
        text = text_at(item, "name", place)
        start, duration = seconds_at(item, "time", place), seconds_at(item, "duration", place)
        if text and not any(map(str.isalnum, text)):
            yield punctuation(text)
            continue
        end = None if start is None or duration is None else round(start + duration, 6)
        yield from entry_words(text, start, end, seconds_at(item, "confidence", place), place)


def _second_version(file: Object, name: str) -> dict[str, list[Word | Punctuation]]:
    channels: dict[str, list[Word | Punctuation]] = {}
    for number, item in enumerate(objects(file, "results", name), start=1):
        place = f"{name}: result {number}"
        found = channels.setdefault(str(item.get("channel", "")), [])
        if item.get("type") == "speaker_change":
            continue
        best = next(iter(objects(item, "alternatives", place)), None)
        if best is None:
            raise InputError(place, shown(item), "at least one of alternatives")
        found += item_words(item, best, place)
    return channels
