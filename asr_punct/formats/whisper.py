"""JSON of Whisper: OpenAI's program and service, faster-whisper, whisper-timestamped and WhisperX.

The format `whisper` also covers whisper.cpp (`whisper_cpp`) and transformers' pipeline (`whisper_chunks`).

`{"text", "segments": [{"start", "end", "text", "words": [{"word": " hola", "start", "end", "probability"}]}],
"language"}`, or only the list of segments. Segments may have no `words`, and words no times (WhisperX, numbers); if
none has times, the first word gets the segment's start and the last its end. WhisperX has `score` and `speaker`, and
repeats all words in `word_segments`; OpenAI's service returns `words` without segments if word times are requested.
Words may be split into parts (`word_parts`), and a segment's text may have words that its `words` lack.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TextIO

from asr_punct.errors import InputError
from asr_punct.formats import whisper_chunks, whisper_cpp
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.json_values import (
    JsonOrigin,
    Object,
    object_at,
    objects,
    own_origin,
    seconds_at,
    shown,
    speaker_of,
    text_at,
)
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE, get_time_source, set_time_source
from asr_punct.formats.tokens import (
    by_time,
    in_order,
    new_entry,
    recording_name,
    replace_entries,
    replace_tokens,
    subsequence,
    timed_words,
    tokens_of,
    written_words,
)
from asr_punct.formats.word_parts import grouped, join_parts, part_sizes, written_parts
from asr_punct.marks import Glyphs
from asr_punct.words import Seconds, TimeSource, Utterance, Word, has_times

_FORMAT = "whisper"
_LIST = "list"
"""Form of a file that is only a list of segments."""
_CONFIDENCE = ("probability", "score", "confidence")
_ALL_WORDS = "word_segments"
_SEGMENT_KEYS = {"start", "end", "text"}
_VARIANTS = (whisper_cpp, whisper_chunks)


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like Whisper's output."""
    if isinstance(content, list):
        return bool(content) and all(isinstance(item, dict) and item.keys() >= _SEGMENT_KEYS for item in content)
    if not isinstance(content, dict):
        return False
    if any(variant.recognises(content) for variant in _VARIANTS):
        return True
    is_one_segment = isinstance(content.get("words"), list) and isinstance(content.get("text"), str)
    return isinstance(content.get("segments"), list) or (is_one_segment and "duration" in content)


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each segment.

    Raises:
        InputError: JSON of another form, or invalid times.
    """
    variant = next((variant for variant in _VARIANTS if variant.recognises(content)), None)
    yield from variant.utterances(content, path) if variant else _segments(content, path)


def _segments(content: Any, path: Pathlike) -> Iterator[Utterance]:
    name, recording, is_list = display_name(path), recording_name(path), isinstance(content, list)
    document = {"segments": content} if is_list else object_at(content, name)
    items = objects(document, "segments", name) or ([] if is_list else [document])
    for number, item in enumerate(items, start=1):
        place = f"{name}: segment {number}"
        words = tuple(_words(item, place))
        source = get_time_source(item, words, _default_source(document, item))
        if words and not has_times(words):
            words, source = _with_segment_times(words, item, place), "segment"
        yield Utterance(
            words,
            f"{recording}-{number}",
            recording=recording,
            speaker=speaker_of(item),
            time_source=source,
            origin=JsonOrigin(_FORMAT, item, document, form=_LIST if is_list else ""),
        )


def _default_source(document: Object, item: Object) -> TimeSource:
    """Return the source for WhisperX, which aligns words with a CTC model and scores them, or for Whisper itself."""
    entries = item.get("words") or []
    timed = any(entry.get(key) is not None for entry in entries for key in ("start", "end"))
    aligned = timed and (_ALL_WORDS in document or any("score" in entry for entry in entries))
    return DEFAULT_TIME_SOURCE["whisper/whisperx" if aligned else "whisper"]


def _with_segment_times(words: tuple[Word, ...], item: Object, place: str) -> tuple[Word, ...]:
    start, end = seconds_at(item, "start", place), seconds_at(item, "end", place)
    if start is not None and end is not None and end < start:
        end = None
    timed = [replace(words[0], start=start), *words[1:]]
    return (*timed[:-1], replace(timed[-1], end=end))


def _words(item: Object, place: str) -> Iterator[Word]:
    """Yield the words of a segment: its timed entries, and the words that only its text has."""
    parts = in_order(_parts(objects(item, "words", place), place), place)
    layout = _layout(item, place)
    for token, group in zip(layout.tokens, grouped(parts, layout.sizes), strict=True):
        yield join_parts(group) if group else Word(token)


def _parts(entries: Sequence[Object], place: str) -> Iterator[Word]:
    key = _text_key(entries)
    for number, entry in enumerate(entries, start=1):
        yield from timed_words(entry, f"{place}: word {number}", key=key, confidence=_CONFIDENCE)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Words of a segment.

    Attributes:
        tokens: the words.
        sizes: number of tokens of timed entries in each word; 0: only the segment's text has it.
    """

    tokens: Sequence[str]
    sizes: Sequence[int]


def _layout(item: Object, place: str = "") -> _Layout:
    """Return the words of a segment. Raises InputError if its text and its timed entries have different words."""
    text, entries = text_at(item, "text", place), item.get("words") or []
    key = _text_key(entries)
    sizes = part_sizes([entry[key] for entry in entries])
    timed = ["".join(parts) for parts in grouped(tokens_of(entries, key), sizes)]
    written = text.split()
    places = subsequence(timed, written)
    if places is not None:
        size_at = dict(zip(places, sizes, strict=True))
        return _Layout(written, [size_at.get(number, 0) for number in range(len(written))])
    in_text, in_entries = (list(filter(None, map(_letters, tokens))) for tokens in (written, timed))
    if "".join(in_text) != "".join(in_entries) and subsequence(in_text, in_entries) is None:
        raise InputError(place, f"text {shown(text)}", "the words of the segment's list of words, in their order")
    return _Layout(timed, sizes)


def _letters(token: str) -> str:
    return "".join(filter(str.isalnum, token)).casefold()


def _text_key(entries: Sequence[Object]) -> str:
    """Return the key of a word's text; whisper-timestamped uses `text`."""
    return "text" if entries and "text" in entries[0] and "word" not in entries[0] else "word"


def write_whisper(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write one JSON document. Segments of a Whisper file keep everything but their texts.

    Marks are attached to the words, also in the texts of segments; a segment without word entries is running text.
    Other utterances become segments with text, words and times, in the order of time.

    Raises:
        InputError: utterances of other formats with times of several recordings.
    """
    utterances = list(values)
    variants = (variant.content(utterances, glyphs) for variant in _VARIANTS)
    content = next((found for found in variants if found is not None), None) or _content(utterances, glyphs)
    out.write(json.dumps(content, ensure_ascii=False) + "\n")


def _content(utterances: Sequence[Utterance], glyphs: Glyphs) -> Object | list[Object]:
    if not any(own_origin(utterance.origin, _FORMAT) for utterance in utterances):
        utterances = by_time(utterances)
    origins = [origin for utterance in utterances if (origin := _origin(utterance))]
    document = origins[0].document if origins else {}
    segments = list[Object]()
    for number, utterance in enumerate(utterances):
        segment = _segment(utterance, number, glyphs, segments[-1].get("end") if segments else None)
        segments.append(set_time_source(segment, utterance, _default_source(document, segment)))
    if origins and origins[0].form == _LIST:
        return segments
    if len(origins) == 1 and origins[0].item is document:
        return segments[0]
    if len(origins) == len(document.get("segments", [])) == len(segments):
        return _changed_document(document, segments)
    texts = (str(segment.get("text") or "").strip() for segment in segments)
    return {**document, "text": " ".join(filter(None, texts)), "segments": segments}


def _origin(utterance: Utterance) -> JsonOrigin | None:
    """Return the origin if the utterance still has the words of its segment."""
    origin = own_origin(utterance.origin, _FORMAT)
    return origin if origin and len(_layout(origin.item).tokens) == len(utterance.words) else None


def _entry_tokens(segments: Iterable[Object]) -> list[str]:
    tokens = list[str]()
    for item in segments:
        entries = item.get("words") or []
        tokens += tokens_of(entries, _text_key(entries))
    return tokens


def _segment(utterance: Utterance, number: int, glyphs: Glyphs, previous_end: Seconds | None) -> Object:
    origin = _origin(utterance)
    if origin is None:
        return _new_segment(utterance, number, glyphs, previous_end)
    item, layout = dict(origin.item), _layout(origin.item)
    entries = item.get("words") or []
    if isinstance(item.get("text"), str):
        words = written_words(utterance, glyphs, running=not entries)
        item["text"] = replace_tokens(item["text"], layout.tokens, words)
    if entries:
        parts = written_parts(utterance, grouped(_entry_tokens([item]), layout.sizes), glyphs)
        item["words"] = replace_entries(entries, _text_key(entries), parts)
    return item


def _new_segment(utterance: Utterance, number: int, glyphs: Glyphs, previous_end: Seconds | None) -> Object:
    """Return a segment for an utterance of another format; one without words has no duration."""
    if not utterance.words:
        return {"id": number, "start": previous_end or 0.0, "end": previous_end or 0.0, "text": ""}
    written = written_words(utterance, glyphs)
    item: dict[str, Any] = {
        "id": number,
        "start": next((word.start for word in utterance.words if word.start is not None), None),
        "end": next((word.end for word in reversed(utterance.words) if word.end is not None), None),
        "text": "".join(f" {text}" for text in written),
    }
    if has_times(utterance.words) and not _has_segment_times_only(utterance.words):
        pairs = zip(utterance.words, written, strict=True)
        item["words"] = [new_entry(word, f" {text}", "probability") for word, text in pairs]
    if utterance.speaker:
        item["speaker"] = utterance.speaker
    return {key: value for key, value in item.items() if value is not None}


def _has_segment_times_only(words: Sequence[Word]) -> bool:
    inner = [time for word in words for time in (word.start, word.end)][1:-1]
    return len(words) > 1 and all(value is None for value in (*inner, *(word.confidence for word in words)))


def _changed_document(document: Object, segments: list[Object]) -> Object:
    """Return the document with new segments, and with its `text` and `word_segments` made from them."""
    changed = {**document, "segments": segments}
    if isinstance(document.get("text"), str):
        old, new = (
            [str(item.get("text") or "").strip() for item in items] for items in (document["segments"], segments)
        )
        changed["text"] = replace_tokens(document["text"], old, new)
    repeated = document.get(_ALL_WORDS)
    if isinstance(repeated, list) and all(
        isinstance(entry, dict) and isinstance(entry.get("word"), str) for entry in repeated
    ):
        old, new = (_entry_tokens(items) for items in (document["segments"], segments))
        if old == tokens_of(repeated, "word"):
            changed[_ALL_WORDS] = replace_entries(repeated, "word", new)
    return changed
