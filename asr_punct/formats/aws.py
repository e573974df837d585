"""JSON of Amazon Transcribe, to read: `{"results": {"items": [{"type", "start_time", "end_time", "alternatives"}]}}`.

Items of type `punctuation` stand on the word before them. The items of each channel come apart where the audio had
several (`channel_labels`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from asr_punct.errors import InputError
from asr_punct.formats.entries import (
    Object,
    Punctuation,
    in_order,
    item_words,
    object_at,
    objects,
    recording_name,
    with_punctuation,
)
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.sources import USUAL, source_of
from asr_punct.words import Utterance, Word


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like a transcript of Amazon's."""
    results = content.get("results") if isinstance(content, dict) else None
    return isinstance(results, dict) and ("items" in results or "channel_labels" in results)


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """The utterance of a transcript, or one a channel.

    Raises:
        InputError: JSON of another form, or words with times that are none or go back.
    """
    name, recording = display_name(path), recording_name(path)
    results = object_at(object_at(content, name).get("results"), f"{name}: results")
    labels = object_at(results.get("channel_labels") or {}, f"{name}: channel_labels")
    for number, channel in enumerate(objects(labels, "channels", name) or [results], start=1):
        place = f"{name}: channel {number}" if labels else name
        words = in_order(with_punctuation(_items(channel, place)), place)
        yield Utterance(
            words,
            id=f"{recording}-{number}" if labels else recording,
            recording=recording,
            channel=str(number),
            time_source=source_of(words, USUAL["aws"]),
        )


def _items(channel: Object, place: str) -> Iterator[Word | Punctuation]:
    for number, item in enumerate(objects(channel, "items", place), start=1):
        where = f"{place}: item {number}"
        best = next(iter(objects(item, "alternatives", where)), None)
        if best is None:
            raise InputError(where, "no alternatives", "at least one")
        yield from item_words(item, best, where)
