"""JSON of transformers' pipeline, a variant of the format `whisper`.

`{"text": " hola", "chunks": [{"text": " hola", "timestamp": [0.5, 0.9]}]}`. A chunk is a word, or a
segment (`return_timestamps=True`). The last chunk may have no end. Words of Whisper models begin with a space, those of
CTC models do not.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name
from asr_punct.formats import entries
from asr_punct.formats.json.nodes import Node, find, replace_entries, segment_utterances, timed_words, tokens_of
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.time_sources import set_time_source
from asr_punct.formats.values import Object, short_repr
from asr_punct.glyphs import Glyphs
from asr_punct.languages import parse_language
from asr_punct.words import TimeSource, Utterance, Word

_CHUNKS = "whisper/chunks"


def is_chunks(content: Any) -> bool:
    """Whether a JSON value looks like the pipeline's output."""
    return isinstance(find(content, "chunks"), list) and isinstance(find(content, "text"), str)


def read_chunks(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield all words as one utterance."""
    file = Node.of(content, display_name(path))
    chunks = file.nodes("chunks", "chunk")
    language = parse_language(chunks[0].get("language")) if chunks else ""
    origin, source = JsonOrigin(_CHUNKS, file.item), _chunks_source(file.item)
    words = tuple(_chunk_words(file, chunks))
    return segment_utterances(
        [(file, Utterance(words, language=language, time_source=source, origin=origin))], path, numbered=False
    )


def _chunk_words(file: Node, chunks: Sequence[Node]) -> Iterator[Word]:
    if not chunks:
        return map(Word, file.text("text").split())
    parts = (part for chunk in chunks for part in _chunk_parts(chunk))
    return map(entries.join_parts, entries.grouped(parts, entries.part_sizes([chunk.get("text") for chunk in chunks])))


def _chunk_parts(chunk: Node) -> list[Word]:
    pair = chunk.values("timestamp") or [None, None]
    if len(pair) != 2:
        raise InputError(chunk.place, f"timestamp {short_repr(pair)}", "a start and an end")
    entry = Node({**chunk.item, "start": pair[0], "end": pair[1]}, chunk.place)
    return timed_words(entry, key="text", confidence_keys=())


def _chunks_source(file: Object) -> TimeSource:
    """Return the source of the times, by the form of the chunks."""
    texts = [str(entry.get("text")) for entry in file["chunks"]]
    if any(len(text.split()) > 1 for text in texts):
        return "segment"
    return "whisper" if any(text.startswith(" ") for text in texts) else "ctc"


def chunks_content(values: Sequence[Utterance], glyphs: Glyphs) -> Object | None:
    """Return the document with the written words; None if the utterances are not one with its words."""
    origin = json_origin(values[0].origin, _CHUNKS) if len(values) == 1 else None
    if origin is None:
        return None
    item, chunks = origin.item, origin.item["chunks"]
    parts = list(entries.grouped(tokens_of(chunks, "text"), entries.part_sizes([chunk["text"] for chunk in chunks])))
    old = ["".join(tokens) for tokens in parts] or item["text"].split()
    words = entries.written_words(values[0], glyphs, running=not chunks)
    if len(words) != len(old):
        return None
    if chunks:
        chunks = replace_entries(chunks, "text", entries.written_parts(values[0], parts, glyphs))
    new = {**item, "text": entries.replace_tokens(item["text"], old, words), "chunks": chunks}
    return set_time_source(new, values[0], _chunks_source(item))
