"""JSON of Whisper: OpenAI's program and service, faster-whisper, whisper-timestamped and WhisperX.

The format `whisper` also covers whisper.cpp (`whisper_cpp`) and transformers' pipeline (`whisper_chunks`).

`{"text", "segments": [{"start", "end", "text", "words": [{"word": " hola", "start", "end", "probability"}]}],
"language"}`, or only the list of segments. Variants:

* Segments without `words`, and words without times (numbers in WhisperX). If no word of a segment has times, the first
  word gets the segment's start and the last word its end.
* WhisperX: words have `score`, segments `speaker`; `word_segments` repeats the words of all segments.
* OpenAI's service with word times: `words` and `text`, without `segments`, or beside segments without `words`.
* An entry may be a part of a word, and a segment's `text` may have words that its `words` lack.
"""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TextIO

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name
from asr_punct.formats.entries import (
    grouped,
    in_order,
    join_parts,
    part_sizes,
    replace_tokens,
    sorted_by_start,
    subsequence,
    with_edge_times,
    written_parts,
    written_words,
)
from asr_punct.formats.json import whisper_chunks, whisper_cpp
from asr_punct.formats.json.nodes import (
    JsonSegment,
    Node,
    new_entries,
    replace_entries,
    segment_utterances,
    timed_words,
    tokens_of,
)
from asr_punct.formats.json.parse import find
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.time_sources import set_time_source
from asr_punct.formats.values import Object, short_repr
from asr_punct.languages import parse_language
from asr_punct.marks import Glyphs
from asr_punct.words import Seconds, TimeSource, Utterance, Word, has_times

_FORMAT = "whisper"
_CONFIDENCE_KEYS = ("probability", "score", "confidence")
_WORDS, _WORD_SEGMENTS = "words", "word_segments"
_SEGMENT_KEYS = {"start", "end", "text"}
_TRANSLATIONS = ("translate", "translation")
"""Values of `task` with which Whisper translates into English; `language` is then that of the speech."""
_VARIANTS = (whisper_cpp, whisper_chunks)


def is_whisper(content: Any) -> bool:
    """Whether a JSON value looks like Whisper's output."""
    if isinstance(content, list):
        return bool(content) and all(isinstance(item, dict) and item.keys() >= _SEGMENT_KEYS for item in content)
    is_service = isinstance(find(content, "words"), list) and isinstance(find(content, "text"), str)
    return (
        isinstance(find(content, "segments"), list)
        or (is_service and "duration" in content)
        or any(variant.recognises(content) for variant in _VARIANTS)
    )


def read_whisper(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each segment."""
    variant = next((variant for variant in _VARIANTS if variant.recognises(content)), None)
    if variant:
        yield from variant.utterances(content, path)
    else:
        yield from segment_utterances(_segments(content, path), path)


def _segments(content: Any, path: Pathlike) -> Iterator[JsonSegment]:
    is_list = isinstance(content, list)
    file = Node.of({"segments": content} if is_list else content, display_name(path))
    segments = file.nodes("segments", "segment")
    if not (segments or is_list):
        segments = [Node(file.item, f"{file.place}: segment 1")]
    language = "en" if file.get("task") in _TRANSLATIONS else parse_language(file.get("language"))
    for segment in _with_words(segments, file):
        words, source = tuple(_words(segment)), _default_source(file.item, segment.item)
        if words and not has_times(words):
            start, end = segment.seconds("start"), segment.seconds("end")
            goes_back = start is not None and end is not None and end < start
            words, source = with_edge_times(words, start, None if goes_back else end), "segment"
        origin = JsonOrigin(_FORMAT, segment.item, content)
        yield JsonSegment(segment, words, speaker=segment.speaker, language=language, time_source=source, origin=origin)


def _with_words(segments: Sequence[Node], file: Node) -> Sequence[Node]:
    """Return the segments with the words of the file, if they are those of the segments and no segment has any."""
    if _WORDS not in file or any(segment.get(_WORDS) for segment in segments):
        return segments
    entries, parts = deque(file.nodes(_WORDS, "word")), list[list[Object]]()
    for segment in segments:
        text, spoken, part = _letters(segment.text("text")), "", list[Object]()
        while entries and len(spoken) < len(text):
            spoken += _letters(entries[0].text("word"))
            part.append(entries.popleft().item)
        if spoken != text:
            return segments
        parts.append(part)
    if entries:
        return segments
    return [Node({**segment.item, _WORDS: part}, segment.place) for segment, part in zip(segments, parts, strict=True)]


def _default_source(document: Object, item: Object) -> TimeSource:
    """Return `ctc` for WhisperX, which aligns words with a CTC model, else `whisper`."""
    entries = item.get("words") or []
    timed = any(entry.get(key) is not None for entry in entries for key in ("start", "end"))
    is_whisperx = timed and (_WORD_SEGMENTS in document or any("score" in entry for entry in entries))
    return "ctc" if is_whisperx else "whisper"


def _words(segment: Node) -> Iterator[Word]:
    """Yield the words of a segment: the entries of `words`, and the words that only its text has."""
    entries = segment.nodes("words", "word")
    key = _text_key([entry.item for entry in entries])
    timed = (timed_words(entry, key=key, confidence_keys=_CONFIDENCE_KEYS) for entry in entries)
    parts = in_order(chain.from_iterable(timed), segment.place)
    tokens, sizes = _layout(segment)
    for token, group in zip(tokens, grouped(parts, sizes), strict=True):
        yield join_parts(group) if group else Word(token)


def _layout(segment: Node) -> tuple[list[str], list[int]]:
    """Return the words of a segment, and for each the number of tokens of the list `words` that form it.

    The number is 0 if only the segment's text has the word. Raises InputError if `text` and `words` have different
    words.
    """
    text, entries = segment.text("text"), segment.get("words") or []
    key = _text_key(entries)
    sizes = part_sizes([entry[key] for entry in entries])
    timed = ["".join(parts) for parts in grouped(tokens_of(entries, key), sizes)]
    written = text.split()
    positions = subsequence(timed, written)
    if positions is not None:
        size_at = dict(zip(positions, sizes, strict=True))
        return written, [size_at.get(position, 0) for position in range(len(written))]
    # `text` and `words` may differ in punctuation and spaces, and `text` may lack words: then `words` are used.
    in_text, in_entries = (list(filter(None, map(_letters, tokens))) for tokens in (written, timed))
    if "".join(in_text) != "".join(in_entries) and subsequence(in_text, in_entries) is None:
        expected = "the words of the segment's list of words, in their order"
        raise InputError(segment.place, f"text {short_repr(text)}", expected)
    return timed, sizes


def _letters(token: str) -> str:
    return "".join(filter(str.isalnum, token)).casefold()


def _text_key(entries: Sequence[Object]) -> str:
    """Return the key of a word's text; whisper-timestamped uses `text`."""
    return "text" if entries and "text" in entries[0] and "word" not in entries[0] else "word"


def write_whisper(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write one JSON document. Segments of a Whisper file keep everything but their words.

    Marks are attached to the words, also in `text`. In a segment without word entries, dashes have a space on both
    sides. Utterances of other formats become segments in the order of time. Raises InputError for utterances of other
    formats with times of several recordings.
    """
    utterances = list(values)
    variants = (variant.content(utterances, glyphs) for variant in _VARIANTS)
    content = next((found for found in variants if found is not None), None) or _content(utterances, glyphs)
    out.write(json.dumps(content, ensure_ascii=False) + "\n")


def _content(utterances: Sequence[Utterance], glyphs: Glyphs) -> Object | list[Object]:
    if not any(json_origin(utterance.origin, _FORMAT) for utterance in utterances):
        utterances = sorted_by_start(utterances)
    origins = [origin for utterance in utterances if (origin := _origin(utterance))]
    document = origins[0].document if origins else {}
    segments = list[Object]()
    for number, utterance in enumerate(utterances):
        segment = _segment(utterance, number, glyphs, segments[-1].get("end") if segments else None)
        segments.append(set_time_source(segment, utterance, _default_source(document, segment)))
    if isinstance(document, list):
        return segments
    if len(origins) == 1 and origins[0].item is document:  # OpenAI's service: the document is the segment
        return segments[0]
    if len(origins) == len(document.get("segments", [])) == len(segments):
        return _changed_document(document, segments)
    return {**document, "text": " ".join(filter(None, _stripped_texts(segments))), "segments": segments}


def _origin(utterance: Utterance) -> JsonOrigin | None:
    """Return the origin if the utterance still has as many words as its segment."""
    origin = json_origin(utterance.origin, _FORMAT)
    return origin if origin and len(_layout(Node(origin.item, ""))[0]) == len(utterance.words) else None


def _entry_tokens(segments: Iterable[Object]) -> list[str]:
    lists = (item.get("words") or [] for item in segments)
    return [token for entries in lists for token in tokens_of(entries, _text_key(entries))]


def _segment(utterance: Utterance, number: int, glyphs: Glyphs, previous_end: Seconds | None) -> Object:
    origin = _origin(utterance)
    if origin is None:
        return _new_segment(utterance, number, glyphs, previous_end)
    item, (tokens, sizes) = dict(origin.item), _layout(Node(origin.item, ""))
    entries = item.get("words") or []
    if isinstance(item.get("text"), str):
        words = written_words(utterance, glyphs, running=not entries)
        item["text"] = replace_tokens(item["text"], tokens, words)
    if entries:
        parts = written_parts(utterance, grouped(_entry_tokens([item]), sizes), glyphs)
        item["words"] = replace_entries(entries, _text_key(entries), parts)
    return item


def _new_segment(utterance: Utterance, number: int, glyphs: Glyphs, previous_end: Seconds | None) -> Object:
    """Return a segment for an utterance of another format; one without words has no duration."""
    if not utterance.words:
        return {"id": number, "start": previous_end or 0.0, "end": previous_end or 0.0, "text": ""}
    written = [f" {text}" for text in written_words(utterance, glyphs)]
    item: dict[str, Any] = {
        "id": number,
        "start": next((word.start for word in utterance.words if word.start is not None), None),
        "end": next((word.end for word in reversed(utterance.words) if word.end is not None), None),
        "text": "".join(written),
        "words": None,
        "speaker": utterance.speaker or None,
    }
    if has_times(utterance.words) and not _has_segment_times_only(utterance.words):
        item["words"] = new_entries(utterance.words, written, "probability")
    return {key: value for key, value in item.items() if value is not None}


def _has_segment_times_only(words: Sequence[Word]) -> bool:
    inner = [time for word in words for time in (word.start, word.end)][1:-1]
    return len(words) > 1 and all(value is None for value in (*inner, *(word.confidence for word in words)))


def _changed_document(document: Object, segments: list[Object]) -> Object:
    """Return the document with new segments, and with the same changes in its `text` and `word_segments`."""
    changed = {**document, "segments": segments}
    entries = [entry for segment in segments for entry in segment.get(_WORDS) or ()]
    if entries and not any(segment.get(_WORDS) for segment in document["segments"]):  # those of the document
        changed[_WORDS] = entries
        changed["segments"] = list(map(_without_words, segments, document["segments"]))
    if isinstance(document.get("text"), str):
        old, new = (_stripped_texts(items) for items in (document["segments"], segments))
        changed["text"] = replace_tokens(document["text"], old, new)
    repeated = document.get(_WORD_SEGMENTS)
    if isinstance(repeated, list) and all(isinstance(find(entry, "word"), str) for entry in repeated):
        old, new = (_entry_tokens(items) for items in (document["segments"], segments))
        if old == tokens_of(repeated, "word"):
            changed[_WORD_SEGMENTS] = replace_entries(repeated, "word", new)
    return changed


def _without_words(segment: Object, old: Object) -> Object:
    """Return the segment with the words of the old one, if that has this key."""
    return {key: old[key] if key == _WORDS else segment[key] for key in segment if key != _WORDS or key in old}


def _stripped_texts(segments: Iterable[Object]) -> list[str]:
    return [str(segment.get("text") or "").strip() for segment in segments]
