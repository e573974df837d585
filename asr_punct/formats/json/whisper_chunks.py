"""JSON of transformers' pipeline: `{"text": " hola", "chunks": [{"text": " hola", "timestamp": [0.5, 0.9]}]}`.

A chunk is a word, or a segment (`return_timestamps=True`). The last chunk may have no end. Words of Whisper models
begin with a space, those of CTC models do not.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name
from asr_punct.formats.entries import (
    grouped,
    in_order,
    join_parts,
    part_sizes,
    replace_tokens,
    written_parts,
    written_words,
)
from asr_punct.formats.json.nodes import JsonSegment, Node, replace_entries, segment_utterances, timed_words, tokens_of
from asr_punct.formats.json.parse import find
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.time_sources import set_time_source
from asr_punct.formats.values import Object, short_repr
from asr_punct.languages import parse_language
from asr_punct.marks import Glyphs
from asr_punct.words import TimeSource, Utterance, Word

_FORMAT = "whisper/chunks"
_CHUNKS = "chunks"


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like the pipeline's output."""
    return isinstance(find(content, _CHUNKS), list) and isinstance(find(content, "text"), str)


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield all words as one utterance."""
    file = Node.of(content, display_name(path))
    chunks = file.nodes(_CHUNKS, "chunk")
    language = parse_language(chunks[0].get("language")) if chunks else ""
    source, origin = _default_source(file.item), JsonOrigin(_FORMAT, file.item)
    segment = JsonSegment(file, _words(file, chunks), language=language, time_source=source, origin=origin)
    return segment_utterances([segment], path, numbered=False)


def _words(file: Node, chunks: Sequence[Node]) -> Iterator[Word]:
    if not chunks:
        return map(Word, file.text("text").split())
    parts = in_order((part for chunk in chunks for part in _timed_words(chunk)), file.place)
    return map(join_parts, grouped(parts, part_sizes([chunk.get("text") for chunk in chunks])))


def _timed_words(chunk: Node) -> list[Word]:
    pair = chunk.values("timestamp") or [None, None]
    if len(pair) != 2:
        raise InputError(chunk.place, f"timestamp {short_repr(pair)}", "a start and an end")
    entry = Node({**chunk.item, "start": pair[0], "end": pair[1]}, chunk.place)
    return timed_words(entry, key="text", confidence_keys=())


def _default_source(file: Object) -> TimeSource:
    """Return the source of the times, by the form of the chunks."""
    if any(len(str(entry.get("text")).split()) > 1 for entry in file[_CHUNKS]):
        return "segment"
    spaced = any(str(entry.get("text")).startswith(" ") for entry in file[_CHUNKS])
    return "whisper" if spaced else "ctc"


def content(values: Sequence[Utterance], glyphs: Glyphs) -> Object | None:
    """Return the document with the written words; None if the utterances are not one with its words."""
    origin = json_origin(values[0].origin, _FORMAT) if len(values) == 1 else None
    if origin is None:
        return None
    item, entries = origin.item, origin.item[_CHUNKS]
    parts = list(grouped(tokens_of(entries, "text"), part_sizes([entry["text"] for entry in entries])))
    old = ["".join(tokens) for tokens in parts] or item["text"].split()
    words = written_words(values[0], glyphs, running=not entries)
    if len(words) != len(old):
        return None
    changed = replace_entries(entries, "text", written_parts(values[0], parts, glyphs)) if entries else entries
    new = {**item, "text": replace_tokens(item["text"], old, words), _CHUNKS: changed}
    return set_time_source(new, values[0], _default_source(item))
