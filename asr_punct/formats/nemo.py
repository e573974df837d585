"""NeMo manifests: JSON lines of a transcription (`pred_text`, `word`) or of an alignment (`words`, `alignments`)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from asr_punct.errors import InputError, counted_as
from asr_punct.formats.entries import (
    Object,
    entry_words,
    in_order,
    new_entry,
    number_or_none,
    objects,
    replaced,
    replaced_entries,
    text_at,
    timed_words,
    written_words,
)
from asr_punct.formats.files import Pathlike, display_name, read_lines
from asr_punct.formats.json_text import first_json_line, parse_json
from asr_punct.formats.sources import USUAL, telling_source, told_source
from asr_punct.marks import Glyphs
from asr_punct.words import Seconds, TimeSource, Utterance, Word, has_times

_AUDIO, _REFERENCE = "audio_filepath", "text"
_STEP = 1024
"""Offsets are whole parts of a second, so many of them: a power of two, so that no time is rounded there and back."""


@dataclass(frozen=True, slots=True)
class NemoLine:
    """A line of a manifest as it stands there; `Utterance.origin`."""

    item: Object


def is_manifest(path: Pathlike) -> bool:
    """Whether a file's first line is a whole JSON object that names an audio file."""
    item = first_json_line(path, _AUDIO)
    return isinstance(item, dict) and _AUDIO in item


def read_nemo(path: Pathlike) -> Iterator[Utterance]:
    """Utterances of a manifest, lazily, a line each; a line without word times gives words without times.

    Word times are relative to the line's `offset` in its audio file; here they are seconds of the file.

    Raises:
        InputError: a line that is no JSON object, has no words, or has times that are none or go back.
    """
    for number, line in read_lines(path):
        if not line.strip():
            continue
        place = f"{display_name(path)}:{number}"
        item = parse_json(line, place)
        if not isinstance(item, dict):
            raise InputError(place, type(item).__name__, "a JSON object")
        recording = text_at(item, _AUDIO, place)
        words = in_order(_words(item, place), place)
        yield Utterance(
            words,
            id=f"{Path(recording).stem or 'line'}-{number}",
            recording=recording,
            time_source=told_source(item, words, _usual_source(item)),
            origin=NemoLine(item),
        )


def reference_of(utterance: Utterance) -> Utterance:
    """The utterance with the words of its line's `text`, which is the reference beside recognised ones; others stay."""
    item = utterance.origin.item if isinstance(utterance.origin, NemoLine) else {}
    text = item.get(_REFERENCE)
    if not isinstance(text, str) or text.split() == [word.text for word in utterance.words]:
        return utterance
    return replace(utterance, words=tuple(map(Word, text.split())), time_source="none", origin=None)


def _usual_source(item: Object) -> TimeSource:
    return USUAL["nemo/alignment" if _is_alignment(item) else "nemo"]


def _is_alignment(item: Object) -> bool:
    kinds = [isinstance(item.get(key), list) for key in ("word", "words", "alignments")]
    return kinds == [False, True, True]


def _words(item: Object, place: str) -> Iterator[Word]:
    offset = number_or_none(item, "offset", place) or 0.0
    if isinstance(item.get("word"), list):
        entries = objects(item, "word", place)
        timed = [word for i, entry in enumerate(entries, 1) for word in timed_words(entry, f"{place}: word {i}")]
        text = item.get("pred_text")
        if isinstance(text, str) and len(text.split()) != len(timed):
            found = f"{counted_as(len(timed), 'word')} with times and {len(text.split())} in pred_text"
            raise InputError(place, found, "as many")
        yield from (_moved(word, offset) for word in timed)
    elif _is_alignment(item):
        yield from _aligned_words(item["words"], item["alignments"], offset, place)
    else:
        key = _text_key(item)
        if key is None:
            raise InputError(place, f"keys {', '.join(item)}", "pred_text, text or word")
        yield from (Word(token) for token in item[key].split())


def _moved(word: Word, offset: Seconds) -> Word:
    start, end = (None if time is None else offset + time for time in (word.start, word.end))
    return replace(word, start=start, end=end)


def _aligned_words(words: list[Any], ends: list[Any], offset: Seconds, place: str) -> Iterator[Word]:
    """Words with their end times; an empty word is silence, so a word starts where the entry before it ends."""
    if len(words) != len(ends):
        raise InputError(
            place, f"{counted_as(len(words), 'word')} and {counted_as(len(ends), 'alignment')}", "one end time a word"
        )
    start = offset
    for position, text in enumerate(words):
        end = number_or_none({"alignment": ends[position]}, "alignment", place)
        if end is None or offset + end < start:
            raise InputError(place, f"alignment {ends[position]!r}", "end times that do not go back")
        yield from entry_words(text, start, offset + end, None, f"{place}: word {position + 1}")
        start = offset + end


def _text_key(item: Object) -> str | None:
    """The key of the recognised text, else of the reference, where a line has one."""
    keys = ("pred_text", *sorted(key for key in item if key.startswith("pred_text_")), _REFERENCE)
    return next((key for key in keys if isinstance(item.get(key), str)), None)


def write_nemo(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write a manifest, a line an utterance, lazily. Lines of a manifest have all back that they said.

    New are the words, `pred_text`, and `segment` and `text` where they are made of the same words; marks stand on the
    words. Other utterances become lines of a transcription: `audio_filepath` is the recording, by its path where that
    is known, `offset` and `duration` are where in it the words are, and their times count from `offset`. `times` tells
    where these come from, if that is not what it would be taken for.
    """
    for utterance in values:
        item = _line(utterance, glyphs)
        item = telling_source(item, utterance, _usual_source(item))
        out.write(json.dumps(item, ensure_ascii=False) + "\n")


def _line(utterance: Utterance, glyphs: Glyphs) -> Object:
    rest = utterance.origin
    old = _tokens(rest.item) if isinstance(rest, NemoLine) else []
    if not isinstance(rest, NemoLine) or len(old) != len(utterance.words):
        return _new_line(utterance, glyphs)
    item = dict(rest.item)
    timed = isinstance(item.get("word"), list) or _is_alignment(item)
    words = written_words(utterance, glyphs, running=not timed)
    if isinstance(item.get("word"), list):
        item["word"] = replaced_entries(item["word"], "word", words)
    elif timed:
        entries = replaced_entries([{"word": text} for text in item["words"]], "word", words)
        item["words"] = [entry["word"] for entry in entries]
    key = _text_key(item)
    if key and (item[key].split() == old or (key != _REFERENCE and len(item[key].split()) == len(old))):
        item[key] = replaced(item[key], item[key].split(), words)
    if _can_be_segments(item.get("segment"), len(old)):
        item["segment"] = replaced_entries(item["segment"], "segment", words)
    return item


def _can_be_segments(segments: Any, count: int) -> bool:
    """Whether a line's segments hold as many words as it has."""
    if not isinstance(segments, list):
        return False
    texts = [entry.get("segment") if isinstance(entry, dict) else None for entry in segments]
    return sum(len(text.split()) if isinstance(text, str) else -count for text in texts) == count


def _tokens(item: Object) -> list[str]:
    """The words of a line as it has them."""
    if isinstance(item.get("word"), list):
        texts = [entry["word"] for entry in item["word"]]
    else:
        texts = item["words"] if _is_alignment(item) else [item[_text_key(item) or _REFERENCE]]
    return [token for text in texts for token in text.split()]


def _new_line(utterance: Utterance, glyphs: Glyphs) -> Object:
    timed = has_times(utterance.words)
    written = written_words(utterance, glyphs, running=not timed)
    item: dict[str, Any] = {_AUDIO: utterance.audio or utterance.recording or utterance.document}
    words = utterance.words
    if timed:
        times = [time for word in words for time in (word.start, word.end) if time is not None]
        offset = math.floor(min(times) * _STEP) / _STEP
        item["offset"], item["duration"] = offset, max(times) - offset
        words = tuple(_moved(word, -offset) for word in words)
    item["pred_text"] = " ".join(written)
    if timed:
        item["word"] = [new_entry(word, text, "confidence") for word, text in zip(words, written, strict=True)]
    return item
