"""JSON of Whisper: of OpenAI's program and service, faster-whisper, whisper-timestamped and WhisperX.

That of whisper.cpp and of transformers' pipeline goes by the same name and has modules of its own.

`{"text", "segments": [{"start", "end", "text", "words": [{"word": " hola", "start", "end", "probability"}]}],
"language"}`. Segments may have no `words`, and words no times (WhisperX, numbers); WhisperX has `score` and `speaker`,
and all words again as `word_segments`; OpenAI's service gives `words` and no segments where word times are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from asr_punct.io import chunks, whisper_cpp
from asr_punct.io.entries import (
    Object,
    has_times,
    in_order,
    new_entry,
    object_at,
    objects,
    recording_name,
    replaced,
    replaced_entries,
    source_of,
    text_at,
    timed_words,
    written_words,
)
from asr_punct.io.files import Pathlike, display_name
from asr_punct.marks import Glyphs
from asr_punct.words import TimeSource, Utterance, Word

_CONFIDENCE = ("probability", "score", "confidence")
_ALL_WORDS = "word_segments"
_OTHERS = (whisper_cpp, chunks)
"""Modules of the other forms, which are told by a key that this one has not."""


@dataclass(frozen=True, slots=True)
class WhisperSegment:
    """A segment as it stands in its file; `Utterance.rest`.

    Attributes:
        file: the file's object, the same for all its segments.
        item: the segment; the file's object itself where that has no segments.
    """

    file: Object
    item: Object


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like a transcript of Whisper's."""
    if not isinstance(content, dict):
        return False
    if any(other.recognises(content) for other in _OTHERS):
        return True
    return isinstance(content.get("segments"), list) or (_is_one_segment(content) and "duration" in content)


def _is_one_segment(content: Object) -> bool:
    return isinstance(content.get("words"), list) and isinstance(content.get("text"), str)


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Utterances of a transcript, one a segment.

    Raises:
        InputError: JSON of another form, or words with times that are none or go back.
    """
    other = next((other for other in _OTHERS if other.recognises(content)), None)
    yield from other.utterances(content, path) if other else _utterances(content, path)


def _utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    name, recording = display_name(path), recording_name(path)
    file = object_at(content, name)
    items = [file] if _is_one_segment(file) and "segments" not in file else objects(file, "segments", name)
    for number, item in enumerate(items, start=1):
        place = f"{name}: segment {number}"
        words = in_order(_words(item, place), place)
        yield Utterance(
            words,
            id=f"{recording}-{number}",
            recording=recording,
            times=_source(file, item, words),
            rest=WhisperSegment(file, item),
        )


def _source(file: Object, item: Object, words: Sequence[Word]) -> TimeSource:
    """WhisperX, which scores them, places words by a CTC model; the others by Whisper's own attention."""
    aligned = _ALL_WORDS in file or any("score" in entry for entry in item.get("words") or [])
    return source_of(words, "ctc" if aligned else "whisper")


def _words(item: Object, place: str) -> Iterator[Word]:
    """The words of a segment, those of its text where it has no others."""
    entries = objects(item, "words", place)
    if not entries:
        yield from (Word(token) for token in text_at(item, "text", place).split())
    for number, entry in enumerate(entries, start=1):
        yield from timed_words(entry, f"{place}: word {number}", key=_key(entries), confidence=_CONFIDENCE)


def _key(entries: Sequence[Object]) -> str:
    """The key of a word's text: whisper-timestamped has `text`."""
    return "text" if "text" in entries[0] and "word" not in entries[0] else "word"


def write_whisper(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write one JSON object. Segments of Whisper's have all back that their file said, with new texts.

    Marks stand on the words, also in the texts of segments, which are those of their words; a segment without words is
    running text. Other utterances become segments of text, words and times.
    """
    utterances = list(values)
    others = (other.content(utterances, glyphs) for other in _OTHERS)
    content = next((found for found in others if found is not None), None) or _content(utterances, glyphs)
    out.write(json.dumps(content, ensure_ascii=False) + "\n")


def _content(utterances: Sequence[Utterance], glyphs: Glyphs) -> Object:
    segments = [_segment(utterance, number, glyphs) for number, utterance in enumerate(utterances)]
    owned = [utterance.rest for utterance in utterances if _is_own(utterance)]
    file = next((rest.file for rest in owned if isinstance(rest, WhisperSegment)), {})
    if "segments" not in file and len(owned) == 1:
        return segments[0]
    if len(owned) == len(file.get("segments", [])) == len(segments):
        return _whole_file(file, segments)
    text = " ".join(segment["text"].strip() for segment in segments)
    return {**file, "text": text, "segments": segments}


def _is_own(utterance: Utterance) -> bool:
    """Whether the words are still those of the segment that they come from."""
    rest = utterance.rest
    return isinstance(rest, WhisperSegment) and len(_tokens([rest.item])) == len(utterance.words)


def _tokens(segments: Iterable[Object], timed_only: bool = False) -> list[str]:
    """The words of segments as their file has them."""
    found = []
    for item in segments:
        entries = item.get("words") or []
        texts = [entry[_key(entries)] for entry in entries] or ([] if timed_only else [item.get("text") or ""])
        found += [token for text in texts for token in text.split()]
    return found


def _segment(utterance: Utterance, number: int, glyphs: Glyphs) -> Object:
    rest = utterance.rest
    if not isinstance(rest, WhisperSegment) or not _is_own(utterance):
        return _new_segment(utterance, number, glyphs)
    entries = rest.item.get("words") or []
    words = written_words(utterance, glyphs, running=not entries)
    item = dict(rest.item)
    if isinstance(item.get("text"), str):
        item["text"] = replaced(item["text"], _tokens([item]), words)
    if entries:
        item["words"] = replaced_entries(entries, _key(entries), words)
    return item


def _new_segment(utterance: Utterance, number: int, glyphs: Glyphs) -> Object:
    written = written_words(utterance, glyphs)
    item: dict[str, Any] = {
        "id": number,
        "start": next((word.start for word in utterance.words if word.start is not None), None),
        "end": next((word.end for word in reversed(utterance.words) if word.end is not None), None),
        "text": "".join(f" {text}" for text in written),
    }
    if has_times(utterance.words):
        pairs = zip(utterance.words, written, strict=True)
        item["words"] = [new_entry(word, f" {text}", "probability") for word, text in pairs]
    return {key: value for key, value in item.items() if value is not None}


def _whole_file(file: Object, segments: list[Object]) -> Object:
    """A file with all of its segments new, and so the texts and words of it that are made of theirs."""
    content = {**file, "segments": segments}
    if isinstance(file.get("text"), str):
        old, new = ([str(item.get("text") or "").strip() for item in items] for items in (file["segments"], segments))
        content["text"] = replaced(file["text"], old, new)
    again = file.get(_ALL_WORDS)
    if isinstance(again, list) and all(
        isinstance(entry, dict) and isinstance(entry.get("word"), str) for entry in again
    ):
        old, new = (_tokens(items, timed_only=True) for items in (file["segments"], segments))
        if old == [token for entry in again for token in entry["word"].split()]:
            content[_ALL_WORDS] = replaced_entries(again, "word", new)
    return content
