"""JSON of Whisper: OpenAI's program and service, faster-whisper, whisper-timestamped and WhisperX.

The format `whisper` also covers whisper.cpp and transformers' pipeline (`whisper_cpp`, `whisper_chunks`).

The format `whisper-jsonl` has a segment on each line.

`{"text", "segments": [{"start", "end", "text", "words": [{"word": " hola", "start", "end", "probability"}]}],
"language"}`, or only the list of segments. Variants:

* Segments without `words`, and words without times (numbers in WhisperX). If no word of a segment has times, the first
  word gets the segment's start and the last word its end.
* WhisperX: words have `score`, segments `speaker`; `word_segments` repeats the words of all segments.
* OpenAI's service with word times: `words` and `text`, without `segments`, or beside segments without `words`.
* A segment's `text` may have other words than its `words` (`whisper_layout`).
"""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TextIO

from asr_punct.files import Pathlike, display_name
from asr_punct.formats.entries import (
    join_parts,
    replace_tokens,
    sorted_by_start,
    with_edge_times,
    written_parts,
    written_words,
)
from asr_punct.formats.json import nodes, whisper_chunks, whisper_cpp
from asr_punct.formats.json.whisper_layout import entry_tokens, layout_of, letters, text_key
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.time_sources import set_time_source
from asr_punct.formats.values import Object
from asr_punct.glyphs import Glyphs
from asr_punct.languages import parse_language
from asr_punct.words import Seconds, TimeSource, Utterance, Word, has_times

_FORMAT = "whisper"
_CONFIDENCE_KEYS = ("probability", "score", "confidence")
_WORDS, _WORD_SEGMENTS = "words", "word_segments"
_SEGMENT_KEYS = {"start", "end", "text"}
_TRANSLATIONS = ("translate", "translation")
"""Values of `task` with which Whisper translates into English; `language` is then that of the speech."""
_VARIANTS = (
    (whisper_cpp.is_cpp, whisper_cpp.read_cpp, whisper_cpp.cpp_content),
    (whisper_chunks.is_chunks, whisper_chunks.read_chunks, whisper_chunks.chunks_content),
)
"""For each variant: whether a value is one, its reader, and the value to write; None if the utterances are others."""


def is_whisper(content: Any) -> bool:
    """Whether a JSON value looks like Whisper's output."""
    if isinstance(content, list):
        items = [item for item in content if isinstance(item, dict) and "content" not in item]  # captions in ms have it
        return len(items) == len(content) > 0 and all(item.keys() >= _SEGMENT_KEYS for item in items)
    is_service = isinstance(nodes.find(content, "words"), list) and isinstance(nodes.find(content, "text"), str)
    return (
        isinstance(nodes.find(content, "segments"), list)
        or (is_service and "duration" in content)
        or any(is_variant(content) for is_variant, _, _ in _VARIANTS)
    )


def are_segment_lines(lines: Iterable[str]) -> bool:
    """Whether the first line of a file is a segment, an object with `start`, `end` and `text`."""
    item = nodes.first_json_value(lines, '"text"')
    return isinstance(item, dict) and item.keys() >= _SEGMENT_KEYS and not item.keys() & {"segments", "task"}


def read_segment_lines(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each line, which is a segment. Raises InputError for a line that is no JSON object."""
    return read_whisper([node.item for _, node in nodes.read_json_lines(path)], path)


def write_segment_lines(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write each utterance as a segment on a line, as `write_whisper` writes segments."""
    utterances = list(values)
    origins = [json_origin(utterance.origin, _FORMAT) for utterance in utterances]
    if not all(origin and isinstance(origin.document, list) for origin in origins):
        utterances = [replace(utterance, origin=None) for utterance in utterances]
    content = _content(utterances, glyphs)
    for segment in content if isinstance(content, list) else content["segments"]:
        out.write(json.dumps(segment, ensure_ascii=False) + "\n")


def read_whisper(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each segment."""
    for is_variant, read, _ in _VARIANTS:
        if is_variant(content):
            return read(content, path)
    return nodes.segment_utterances(_segments(content, path), path)


def _segments(content: Any, path: Pathlike) -> Iterator[tuple[nodes.Node, Utterance]]:
    is_list = isinstance(content, list)
    file = nodes.Node.of({"segments": content} if is_list else content, display_name(path))
    alone = [] if is_list else [nodes.Node(file.item, f"{file.place}: segment 1")]
    segments = file.nodes("segments", "segment") or alone
    language = "en" if file.get("task") in _TRANSLATIONS else parse_language(file.get("language"))
    for segment in _with_words(segments, file):
        words, source = tuple(_words(segment)), _default_source(file.item, segment.item)
        if words and not has_times(words):
            words, source = with_edge_times(words, segment.seconds("start"), segment.seconds("end")), "segment"
        origin = JsonOrigin(_FORMAT, segment.item, content)
        speaker = segment.speaker
        yield segment, Utterance(words, speaker=speaker, time_source=source, language=language, origin=origin)


def _with_words(segments: Sequence[nodes.Node], file: nodes.Node) -> Sequence[nodes.Node]:
    """Return the segments with the words of the file, if they are those of the segments and no segment has any."""
    if _WORDS not in file or any(segment.get(_WORDS) for segment in segments):
        return segments
    entries, parts = deque(file.nodes(_WORDS, "word")), list[list[Object]]()
    for segment in segments:
        text, spoken, part = letters(segment.text("text")), "", list[Object]()
        while entries and len(spoken) < len(text):
            spoken += letters(entries[0].text("word"))
            part.append(entries.popleft().item)
        if spoken != text:
            return segments
        parts.append(part)
    if entries:
        return segments
    return [
        nodes.Node({**segment.item, _WORDS: part}, segment.place) for segment, part in zip(segments, parts, strict=True)
    ]


def _default_source(document: Object, item: Object) -> TimeSource:
    """Return `ctc` for WhisperX, which aligns words with a CTC model, else `whisper`."""
    entries = item.get("words") or []
    timed = any(entry.get(key) is not None for entry in entries for key in ("start", "end"))
    is_whisperx = timed and (_WORD_SEGMENTS in document or any("score" in entry for entry in entries))
    return "ctc" if is_whisperx else "whisper"


def _words(segment: nodes.Node) -> Iterator[Word]:
    """Yield the words of a segment: the entries of `words`, and the words that only its text has."""
    entries = segment.nodes("words", "word")
    key = text_key([entry.item for entry in entries])
    timed = (_entry_words(entry, key, segment.speaker) for entry in entries)
    parts = list(chain.from_iterable(timed))
    layout = layout_of(segment)
    for token, group in zip(layout.words, layout.grouped(parts), strict=True):
        yield replace(join_parts(group), text=token) if group else Word(token)


def _entry_words(entry: nodes.Node, key: str, speaker: str) -> list[Word]:
    """Return the words of an entry; they name their speaker if it is not that of the segment."""
    words = nodes.timed_words(entry, key=key, confidence_keys=_CONFIDENCE_KEYS)
    return words if entry.speaker in ("", speaker) else [replace(word, speaker=entry.speaker) for word in words]


def write_whisper(values: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write one JSON document. Segments of a Whisper file keep everything but their words.

    Marks are attached to the words, also in `text`. In a segment without word entries, dashes have a space on both
    sides. Utterances of other formats become segments in the order of time. Raises InputError for utterances of other
    formats with times of several recordings.
    """
    utterances = list(values)
    variants = (content_of(utterances, glyphs) for _, _, content_of in _VARIANTS)
    content = next((found for found in variants if found is not None), None) or _content(utterances, glyphs)
    out.write(json.dumps(content, ensure_ascii=False) + "\n")


def _content(utterances: Sequence[Utterance], glyphs: Glyphs) -> Object | list[Object]:
    if not any(json_origin(utterance.origin, _FORMAT) for utterance in utterances):
        utterances = sorted_by_start(utterances)
    origins = list(map(_origin, utterances))
    first = next(filter(None, origins), JsonOrigin(_FORMAT, None, {}))
    document = first.document
    segments = list[Object]()
    for number, (utterance, origin) in enumerate(zip(utterances, origins, strict=True)):
        if origin:
            segment = _changed_segment(utterance, origin.item, glyphs)
        else:
            segment = _new_segment(utterance, number, glyphs, segments[-1].get("end") if segments else None)
        segments.append(set_time_source(segment, utterance, _default_source(document, segment)))
    if isinstance(document, list):
        return segments
    if first.item is document and len(origins) - origins.count(None) == 1:  # OpenAI's service: a document is a segment
        return segments[0]
    if None not in origins and "segments" in document and len(document["segments"]) == len(segments):
        return _changed_document(document, segments)
    return {**document, "text": " ".join(filter(None, _stripped_texts(segments))), "segments": segments}


def _origin(utterance: Utterance) -> JsonOrigin | None:
    """Return the origin if the utterance still has as many words as its segment."""
    origin = json_origin(utterance.origin, _FORMAT)
    return origin if origin and len(layout_of(nodes.Node(origin.item, "")).words) == len(utterance.words) else None


def _changed_segment(utterance: Utterance, old: Object, glyphs: Glyphs) -> Object:
    item, layout = dict(old), layout_of(nodes.Node(old, ""))
    entries = item.get("words") or []
    if isinstance(item.get("text"), str):
        words = written_words(utterance, glyphs, running=not entries)
        item["text"] = replace_tokens(item["text"], layout.words, words)
    if entries:
        tokens = entry_tokens([item])
        parts = written_parts(utterance, layout.grouped(tokens), glyphs)
        key = text_key(entries)
        changed = nodes.replace_entries(entries, key, layout.replaced(tokens, parts))
        item["words"] = _without_emptied(entries, changed, key)
    return item


def _without_emptied(old: Sequence[Object], new: Sequence[Object], key: str) -> list[Object]:
    """Return the new entries without those of punctuation that a corrected text lacks: the word keeps their end."""
    kept = list[Object]()
    for before, entry in zip(old, new, strict=True):
        if entry[key].strip() or not before[key].strip():
            kept.append(entry)
        elif "end" in entry:
            kept[-1] = {**kept[-1], "end": entry["end"]}
    return kept


def _new_segment(utterance: Utterance, number: int, glyphs: Glyphs, previous_end: Seconds | None) -> Object:
    """Return a segment for an utterance of another format; one without words has no duration."""
    words = utterance.words
    if not words:
        return {"id": number, "start": previous_end or 0.0, "end": previous_end or 0.0, "text": ""}
    written = [f" {text}" for text in written_words(utterance, glyphs)]
    inner = [time for word in words for time in (word.start, word.end)][1:-1] + [word.confidence for word in words]
    has_entries = has_times(words) and (len(words) == 1 or any(value is not None for value in inner))
    item = {
        "id": number,
        "start": next((word.start for word in words if word.start is not None), None),
        "end": next((word.end for word in reversed(words) if word.end is not None), None),
        "text": "".join(written),
        "words": nodes.new_entries(words, written, "probability") if has_entries else None,
        "speaker": utterance.speaker or None,
    }
    return {key: value for key, value in item.items() if value is not None}


def _changed_document(document: Object, segments: list[Object]) -> Object:
    """Return the document with new segments, and with the same changes in `text`, `words` and `word_segments`."""
    changed, olds = {**document, "segments": segments}, document["segments"]
    entries = [entry for segment in segments for entry in segment.get(_WORDS) or ()]
    if entries and not any(old.get(_WORDS) for old in olds):  # the words are those of the document
        changed[_WORDS] = entries
        changed["segments"] = [
            {key: old[key] if key == _WORDS else segment[key] for key in segment if key != _WORDS or key in old}
            for segment, old in zip(segments, olds, strict=True)
        ]
    if isinstance(document.get("text"), str):
        changed["text"] = replace_tokens(document["text"], *map(_stripped_texts, (olds, segments)))
    repeated: Any = document.get(_WORD_SEGMENTS)
    has_words = isinstance(repeated, list) and all(isinstance(nodes.find(entry, "word"), str) for entry in repeated)
    if has_words and entry_tokens(olds) == nodes.tokens_of(repeated, "word"):
        tokens = entry_tokens(segments)
        is_same = len(tokens) == len(entry_tokens(olds))
        changed[_WORD_SEGMENTS] = nodes.replace_entries(repeated, "word", tokens) if is_same else entries
    return changed


def _stripped_texts(segments: Iterable[Object]) -> list[str]:
    return [str(segment.get("text") or "").strip() for segment in segments]
