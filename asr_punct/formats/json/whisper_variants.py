"""JSON of whisper.cpp and of transformers' pipeline, two variants of the format `whisper`.

whisper.cpp: `{"transcription": [{"offsets": {"from": 0, "to": 1500}, "text": " hola", "tokens": [...]}]}`. Offsets are
milliseconds. Tokens (`--output-json-full`) are parts of words, some without offsets, or special ones such as `[_BEG_]`.
Without tokens only segments have times: the first word gets the start and the last word the end.

transformers: `{"text": " hola", "chunks": [{"text": " hola", "timestamp": [0.5, 0.9]}]}`. A chunk is a word, or a
segment (`return_timestamps=True`). The last chunk may have no end. Words of Whisper models begin with a space, those of
CTC models do not.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name
from asr_punct.formats import entries
from asr_punct.formats.json.nodes import Node, find, replace_entries, segment_utterances, timed_words, tokens_of
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.time_sources import set_time_source
from asr_punct.formats.values import Object, short_repr
from asr_punct.languages import parse_language
from asr_punct.marks import Glyphs
from asr_punct.words import Seconds, TimeSource, Utterance, Word

_CPP, _CHUNKS = "whisper/cpp", "whisper/chunks"
_SPECIAL = re.compile(r"\[_.*\]")


def is_cpp(content: Any) -> bool:
    """Whether a JSON value looks like a transcript of whisper.cpp."""
    return isinstance(find(content, "transcription"), list)


def read_cpp(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each segment."""
    file = Node.of(content, display_name(path))
    is_translation = find(content, "params", "translate") is True  # always into English
    language = "en" if is_translation else parse_language(find(content, "result", "language"))
    segments = file.nodes("transcription", "segment")
    return segment_utterances(((segment, _cpp_utterance(segment, language, file.item)) for segment in segments), path)


def _cpp_utterance(segment: Node, language: str, document: Object) -> Utterance:
    text, groups = segment.text("text"), _tokens_by_word(segment)
    count = len(text.split())
    has_word_times = len(groups) == count > 0
    if has_word_times:
        words = list(_timed_words(segment, text.split(), groups))
    else:
        words = entries.entry_words(text, *_cpp_times(segment), None, segment.place)
    return Utterance(
        tuple(words),
        speaker="" if segment.speaker == "?" else segment.speaker,
        time_source="whisper" if has_word_times or count <= 1 else "segment",
        language=language,
        origin=JsonOrigin(_CPP, segment.item, document),
    )


def _timed_words(segment: Node, words: Sequence[str], groups: Sequence[Sequence[Node]]) -> Iterator[Word]:
    for number, (word, tokens) in enumerate(zip(words, groups, strict=True), start=1):
        # A punctuation token lasts into the pause after the word, so its times are not used.
        spoken = [token for token in tokens if any(map(str.isalnum, token.text("text")))] or tokens
        times = [_cpp_times(token) for token in spoken]
        start = next((first for first, _ in times if first is not None), None)
        end = next((last for _, last in reversed(times) if last is not None), None)
        confidence = entries.mean_confidence(token.confidence("p") for token in tokens)
        yield from entries.entry_words(word, start, end, confidence, f"{segment.place}: word {number}")


def _tokens_by_word(segment: Node) -> list[list[Node]]:
    tokens = [(token.text("text"), token) for token in segment.nodes("tokens", "token")]
    normal = [(text, token) for text, token in tokens if not _SPECIAL.fullmatch(text)]
    token_of_each_part = [token for text, token in normal for _ in text.split()]
    return list(entries.grouped(token_of_each_part, entries.word_sizes(text for text, _ in normal)))


def _cpp_times(node: Node) -> tuple[Seconds | None, Seconds | None]:
    offsets = Node.of(node.get("offsets") or {}, node.place)
    start, end = (None if time is None else time / 1000 for time in map(offsets.seconds, ("from", "to")))
    return start, end


def cpp_content(values: Sequence[Utterance], glyphs: Glyphs) -> Object | None:
    """Return the document with the written words in `text`; None if the utterances are not its segments.

    Tokens do not change.
    """
    origins = [origin for value in values if (origin := json_origin(value.origin, _CPP))]
    if not origins or len(origins) < len(values):
        return None
    items = list[Object]()
    for utterance, origin in zip(values, origins, strict=True):
        item, text = origin.item, origin.item.get("text") or ""
        words, old = entries.written_words(utterance, glyphs, running=not item.get("tokens")), text.split()
        if len(old) != len(words):
            return None
        items.append(set_time_source({**item, "text": entries.replace_tokens(text, old, words)}, utterance, "whisper"))
    return {**origins[0].document, "transcription": items}


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
