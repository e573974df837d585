"""JSON of Whisper: of OpenAI's program and service, faster-whisper, whisper-timestamped and WhisperX.

That of whisper.cpp and of transformers' pipeline goes by the same name and has modules of its own.

`{"text", "segments": [{"start", "end", "text", "words": [{"word": " hola", "start", "end", "probability"}]}],
"language"}`, or the list of segments alone. Segments may have no `words`, and words no times (WhisperX, numbers);
where none has, the first has the segment's start and the last its end. WhisperX has `score` and `speaker`, and all
words again as `word_segments`; OpenAI's service gives `words` and no segments where word times are asked for. Some
words come in pieces (`formats.word_pieces`), and a segment's text may have words that are not among its `words`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TextIO

from asr_punct.errors import InputError
from asr_punct.formats import chunks, whisper_cpp
from asr_punct.formats.entries import (
    Object,
    by_time,
    in_order,
    new_entry,
    object_at,
    objects,
    recording_name,
    replaced,
    replaced_entries,
    seconds_at,
    speaker_of,
    subsequence,
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
from asr_punct.words import Seconds, TimeSource, Utterance, Word, has_times

_CONFIDENCE = ("probability", "score", "confidence")
_ALL_WORDS = "word_segments"
_LISTED = {"start", "end", "text"}
"""Keys of segments that are a list without an object around it, as people write those of faster-whisper."""
_OTHERS = (whisper_cpp, chunks)
"""Modules of the other forms, which are told by a key that this one has not."""


@dataclass(frozen=True, slots=True)
class WhisperSegment:
    """A segment as it stands in its file; `Utterance.origin`.

    Attributes:
        file: the file's object, the same for all its segments.
        item: the segment; the file's object itself where that has no segments.
        listed: whether the file is the list of its segments, and `file` an object with it alone.
    """

    file: Object
    item: Object
    listed: bool = False


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like a transcript of Whisper's."""
    if isinstance(content, list):
        return bool(content) and all(isinstance(item, dict) and item.keys() >= _LISTED for item in content)
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
    name, recording, listed = display_name(path), recording_name(path), isinstance(content, list)
    file = {"segments": content} if listed else object_at(content, name)
    items = objects(file, "segments", name) or ([] if listed else [file])
    for number, item in enumerate(items, start=1):
        place = f"{name}: segment {number}"
        words = tuple(_words(item, place))
        rest, usual = WhisperSegment(file, item, listed), _usual_source(file, item)
        utterance = Utterance(
            words, f"{recording}-{number}", recording=recording, speaker=speaker_of(item), origin=rest
        )
        if has_times(words) or not words:
            yield replace(utterance, time_source=told_source(item, words, usual))
        else:
            words = _in_segment(words, item, place)
            yield replace(utterance, words=words, time_source="segment")


def _usual_source(file: Object, item: Object) -> TimeSource:
    """WhisperX, which scores them, places words by a CTC model; others, and all segments, are Whisper's own."""
    entries = item.get("words") or []
    timed = any(entry.get(key) is not None for entry in entries for key in ("start", "end"))
    aligned = timed and (_ALL_WORDS in file or any("score" in entry for entry in entries))
    return USUAL["whisper/whisperx" if aligned else "whisper"]


def _in_segment(words: tuple[Word, ...], item: Object, place: str) -> tuple[Word, ...]:
    """Words without times, the first with the segment's start and the last with its end."""
    start, end = seconds_at(item, "start", place), seconds_at(item, "end", place)
    if start is not None and end is not None and end < start:
        end = None
    placed = [replace(words[0], start=start), *words[1:]]
    return (*placed[:-1], replace(placed[-1], end=end))


def _words(item: Object, place: str) -> Iterator[Word]:
    """The words of a segment: those that are timed, and those of its text that are not among them."""
    pieces = in_order(_pieces(objects(item, "words", place), place), place)
    layout = _layout(item, place)
    for token, group in zip(layout.tokens, grouped(pieces, layout.sizes), strict=True):
        yield joined(group) if group else Word(token)


def _pieces(entries: Sequence[Object], place: str) -> Iterator[Word]:
    key = _key(entries)
    for number, entry in enumerate(entries, start=1):
        yield from timed_words(entry, f"{place}: word {number}", key=key, confidence=_CONFIDENCE)


@dataclass(frozen=True, slots=True)
class _Layout:
    """The words of a segment as its file has them.

    Attributes:
        tokens: the words.
        sizes: how many tokens of its timed entries make up each; 0: it is in the segment's text alone.
    """

    tokens: Sequence[str]
    sizes: Sequence[int]


def _layout(item: Object, place: str = "") -> _Layout:
    """How a segment has its words. Raises InputError where its text has others than its timed entries."""
    text, entries = text_at(item, "text", place), item.get("words") or []
    key = _key(entries)
    sizes = piece_sizes([entry[key] for entry in entries])
    timed = ["".join(parts) for parts in grouped(tokens_of(entries, key), sizes)]
    written = text.split()
    places = subsequence(timed, written)
    if places is not None:
        size_at = dict(zip(places, sizes, strict=True))
        return _Layout(written, [size_at.get(number, 0) for number in range(len(written))])
    said, spoken = (list(filter(None, map(_letters, tokens))) for tokens in (written, timed))
    if "".join(said) != "".join(spoken) and subsequence(said, spoken) is None:
        raise InputError(place, f"text {shown(text)}", "the words of the segment's list of words, in their order")
    return _Layout(timed, sizes)


def _letters(token: str) -> str:
    """A token without marks and capitals."""
    return "".join(filter(str.isalnum, token)).casefold()


def _key(entries: Sequence[Object]) -> str:
    """The key of a word's text: whisper-timestamped has `text`."""
    return "text" if entries and "text" in entries[0] and "word" not in entries[0] else "word"


def write_whisper(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write one JSON object. Segments of Whisper's have all back that their file said, with new texts.

    Marks stand on the words, also in the texts of segments, which are those of their words; a segment without words is
    running text. Other utterances become segments of text, words and times, in the order of time; one without words
    lasts no time. `times` of a segment tells where these come from, if that is not what it would be taken for.

    Raises:
        InputError: utterances of other formats that have times and are of several recordings.
    """
    utterances = list(values)
    others = (other.content(utterances, glyphs) for other in _OTHERS)
    content = next((found for found in others if found is not None), None) or _content(utterances, glyphs)
    out.write(json.dumps(content, ensure_ascii=False) + "\n")


def _content(utterances: Sequence[Utterance], glyphs: Glyphs) -> Object | list[Object]:
    if not any(isinstance(utterance.origin, WhisperSegment) for utterance in utterances):
        utterances = by_time(utterances)
    segments = list[Object]()
    for number, utterance in enumerate(utterances):
        segments.append(_segment(utterance, number, glyphs, segments[-1].get("end") if segments else None))
    owned = [utterance.origin for utterance in utterances if _is_own(utterance)]
    rests = [rest for rest in owned if isinstance(rest, WhisperSegment)]
    file = rests[0].file if rests else {}
    pairs = zip(segments, utterances, strict=True)
    segments = [telling_source(segment, each, _usual_source(file, segment)) for segment, each in pairs]
    if rests and rests[0].listed:
        return segments
    if len(rests) == 1 and rests[0].item is file:
        return segments[0]
    if len(owned) == len(file.get("segments", [])) == len(segments):
        return _whole_file(file, segments)
    texts = (str(segment.get("text") or "").strip() for segment in segments)
    text = " ".join(filter(None, texts))
    return {**file, "text": text, "segments": segments}


def _is_own(utterance: Utterance) -> bool:
    """Whether the words are still those of the segment that they come from."""
    rest = utterance.origin
    return isinstance(rest, WhisperSegment) and len(_layout(rest.item).tokens) == len(utterance.words)


def _tokens(segments: Iterable[Object]) -> list[str]:
    """The tokens of the segments' timed entries."""
    found = []
    for item in segments:
        entries = item.get("words") or []
        found += tokens_of(entries, _key(entries))
    return found


def _segment(utterance: Utterance, number: int, glyphs: Glyphs, last: Seconds | None) -> Object:
    """The segment of an utterance; `last` is where the segment before it ends."""
    rest = utterance.origin
    if not isinstance(rest, WhisperSegment) or not _is_own(utterance):
        return _new_segment(utterance, number, glyphs, last)
    entries, layout = rest.item.get("words") or [], _layout(rest.item)
    item = dict(rest.item)
    if isinstance(item.get("text"), str):
        words = written_words(utterance, glyphs, running=not entries)
        item["text"] = replaced(item["text"], layout.tokens, words)
    if entries:
        pieces = written_pieces(utterance, grouped(_tokens([item]), layout.sizes), glyphs)
        item["words"] = replaced_entries(entries, _key(entries), pieces)
    return item


def _new_segment(utterance: Utterance, number: int, glyphs: Glyphs, last: Seconds | None) -> Object:
    if not utterance.words:
        return {"id": number, "start": last or 0.0, "end": last or 0.0, "text": ""}
    written = written_words(utterance, glyphs)
    item: dict[str, Any] = {
        "id": number,
        "start": next((word.start for word in utterance.words if word.start is not None), None),
        "end": next((word.end for word in reversed(utterance.words) if word.end is not None), None),
        "text": "".join(f" {text}" for text in written),
    }
    if has_times(utterance.words) and not _is_told_by_segment(utterance.words):
        pairs = zip(utterance.words, written, strict=True)
        item["words"] = [new_entry(word, f" {text}", "probability") for word, text in pairs]
    if utterance.speaker:
        item["speaker"] = utterance.speaker
    return {key: value for key, value in item.items() if value is not None}


def _is_told_by_segment(words: Sequence[Word]) -> bool:
    """Whether nothing is known of several words but where the first begins and the last ends."""
    inner = [time for word in words for time in (word.start, word.end)][1:-1]
    return len(words) > 1 and all(value is None for value in (*inner, *(word.confidence for word in words)))


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
        old, new = (_tokens(items) for items in (file["segments"], segments))
        if old == tokens_of(again, "word"):
            content[_ALL_WORDS] = replaced_entries(again, "word", new)
    return content
