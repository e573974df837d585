"""JSON of IBM's Watson Speech to Text, to read: `{"results": [{"final", "alternatives": [{"timestamps": …}]}]}`.

Words are `["hola", 0.5, 0.9]` in `timestamps`, and `["hola", 0.98]` in `word_confidence`. What a job of several parts
gives has such responses inside its own `results`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from asr_punct.errors import InputError
from asr_punct.formats.entries import (
    Object,
    entry_words,
    in_order,
    list_at,
    number_or_none,
    object_at,
    objects,
    recording_name,
    text_at,
)
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.json_text import shown
from asr_punct.formats.sources import USUAL, source_of
from asr_punct.words import Utterance, Word


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like a response of Watson's."""
    results = content.get("results") if isinstance(content, dict) else None
    if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
        return False
    return any(("alternatives" in result and "final" in result) or "results" in result for result in results)


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Utterances of a response, one a final result, by its first alternative.

    Raises:
        InputError: JSON of another form, or words with times that are none or go back.
    """
    name, recording = display_name(path), recording_name(path)
    for number, result in enumerate(_final_results(object_at(content, name), name), start=1):
        place = f"{name}: result {number}"
        best = next(iter(objects(result, "alternatives", place)), {})
        words = in_order(_words(best, place), place)
        yield Utterance(
            words, id=f"{recording}-{number}", recording=recording, time_source=source_of(words, USUAL["ibm"])
        )


def _final_results(content: Object, place: str) -> Iterator[Object]:
    for result in objects(content, "results", place):
        if "alternatives" not in result:
            yield from (item for item in objects(result, "results", place) if item.get("final", True))
        elif result.get("final", True):
            yield result


def _words(alternative: Object, place: str) -> Iterator[Word]:
    rows = list_at(alternative, "timestamps", place)
    if not rows:
        yield from (Word(token) for token in text_at(alternative, "transcript", place).split())
    scores = list_at(alternative, "word_confidence", place)
    for number, row in enumerate(rows, start=1):
        where = f"{place}: word {number}"
        text, start, end = _row(row, ("word", "start", "end"), where)
        confidence = _row(scores[number - 1], ("word", "confidence"), where)[1] if len(scores) == len(rows) else None
        yield from entry_words(text, start, end, confidence, where)


def _row(row: Any, keys: tuple[str, ...], place: str) -> list[Any]:
    """A list of a word and numbers. Raises InputError else."""
    if not isinstance(row, list) or len(row) != len(keys):
        raise InputError(place, shown(row), f"a list of {', '.join(keys)}")
    item = dict(zip(keys, row, strict=True))
    return [row[0], *(number_or_none(item, key, place) for key in keys[1:])]
