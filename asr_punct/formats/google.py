"""JSON of Google's Speech-to-Text, to read: `{"results": [{"alternatives": [{"transcript", "words"}], "channelTag"}]}`.

A word has `startTime` and `endTime` (`startOffset` and `endOffset` in version 2): `"1.400s"`, or seconds and nanos.
What is 0 may be left out. Where speakers are told, the last result holds the words of all the others again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from asr_punct.errors import InputError
from asr_punct.formats.entries import (
    Object,
    confidence_at,
    entry_words,
    in_order,
    object_at,
    objects,
    recording_name,
    text_at,
)
from asr_punct.formats.files import Pathlike, display_name, parse_seconds
from asr_punct.formats.json_text import shown
from asr_punct.formats.sources import USUAL, source_of
from asr_punct.words import Seconds, Utterance, Word

_STARTS = ("startTime", "startOffset", "start_time", "start_offset")
_ENDS = ("endTime", "endOffset", "end_time", "end_offset")


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like a response of Google's."""
    results = _response(content).get("results") if isinstance(content, dict) else None
    if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
        return False
    return any("alternatives" in result and not {"final", "type"} & result.keys() for result in results)


def _response(content: Object) -> Object:
    """What holds the results: a finished operation has its response inside."""
    response = content.get("response")
    return response if isinstance(response, dict) else content


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Utterances of a response, one a result, by its first alternative.

    Raises:
        InputError: JSON of another form, or words with times that are none or go back.
    """
    name, recording = display_name(path), recording_name(path)
    results = objects(_response(object_at(content, name)), "results", name)
    told: list[str] = []
    for number, result in enumerate(results, start=1):
        place = f"{name}: result {number}"
        best = next(iter(objects(result, "alternatives", place)), {})
        words = in_order(_words(best, place), place)
        texts = [word.text for word in words]
        if number == len(results) > 1 and not best.get("transcript") and texts == told:
            return
        told += texts
        yield Utterance(
            words,
            id=f"{recording}-{number}",
            recording=recording,
            channel=str(result.get("channelTag") or result.get("channel_tag") or 1),
            time_source=source_of(words, USUAL["google"]),
        )


def _words(alternative: Object, place: str) -> Iterator[Word]:
    entries = objects(alternative, "words", place)
    if not entries:
        yield from (Word(token) for token in text_at(alternative, "transcript", place).split())
    for number, entry in enumerate(entries, start=1):
        where = f"{place}: word {number}"
        start, end = (next((key for key in keys if key in entry), None) for keys in (_STARTS, _ENDS))
        times = (
            [_seconds(entry[key], where, key) if key else 0.0 for key in (start, end)] if start or end else [None] * 2
        )
        confidence = confidence_at(entry, "confidence", where)
        yield from entry_words(entry.get("word"), times[0], times[1], confidence, where)


def _seconds(value: Any, place: str, key: str) -> Seconds:
    """Seconds of a duration in any of its two forms."""
    if isinstance(value, str) and value.endswith("s"):
        return parse_seconds(value[:-1], place, key)
    if isinstance(value, dict):
        whole, nanos = str(value.get("seconds", 0)), str(value.get("nanos", 0))
        if re.fullmatch(r"[0-9]{1,12}", whole) and re.fullmatch(r"[0-9]{1,9}", nanos):
            return float(f"{whole}.{nanos:0>9}")
    raise InputError(
        place, f"{key} {shown(value)}", 'a duration such as "1.400s" or {"seconds": 1, "nanos": 400000000}'
    )
