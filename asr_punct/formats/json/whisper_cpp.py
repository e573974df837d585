"""JSON of whisper.cpp: `{"transcription": [{"offsets": {"from": 0, "to": 1500}, "text": " hola", "tokens": [...]}]}`.

Offsets are milliseconds. Tokens (`--output-json-full`) are parts of words, some without offsets, or special ones such
as `[_BEG_]`. Without tokens only segments have times: the first word gets the start and the last word the end.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from asr_punct.files import Pathlike, display_name
from asr_punct.formats.entries import entry_words, grouped, mean_confidence, replace_tokens, word_sizes, written_words
from asr_punct.formats.json.nodes import JsonSegment, Node, segment_utterances
from asr_punct.formats.json.parse import find
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.time_sources import set_time_source
from asr_punct.formats.values import Object
from asr_punct.languages import parse_language
from asr_punct.marks import Glyphs
from asr_punct.words import Seconds, TimeSource, Utterance, Word

_FORMAT = "whisper/cpp"
_SEGMENTS = "transcription"
_SPECIAL = re.compile(r"\[_.*\]")


def recognises(content: Any) -> bool:
    """Whether a JSON value looks like a transcript of whisper.cpp."""
    return isinstance(find(content, _SEGMENTS), list)


def utterances(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each segment."""
    file = Node.of(content, display_name(path))
    is_translation = find(content, "params", "translate") is True  # always into English
    language = "en" if is_translation else parse_language(find(content, "result", "language"))
    segments = (
        JsonSegment(
            segment,
            words,
            speaker="" if segment.speaker == "?" else segment.speaker,
            language=language,
            time_source=source,
            origin=JsonOrigin(_FORMAT, segment.item, file.item),
        )
        for segment in file.nodes(_SEGMENTS, "segment")
        for words, source in [_words(segment)]
    )
    return segment_utterances(segments, path)


def _words(segment: Node) -> tuple[list[Word], TimeSource]:
    """Return the words of a segment, with the times of their tokens if these form as many words, and the source."""
    text, groups = segment.text("text"), _tokens_by_word(segment)
    words = text.split()
    if groups and len(groups) == len(words):
        return list(_timed_words(segment, words, groups)), "whisper"
    return list(entry_words(text, *_times(segment), None, segment.place)), "segment" if len(words) > 1 else "whisper"


def _timed_words(segment: Node, words: Sequence[str], groups: Sequence[Sequence[Node]]) -> Iterator[Word]:
    for number, (word, tokens) in enumerate(zip(words, groups, strict=True), start=1):
        # A punctuation token lasts into the pause after the word, so its times are not used.
        spoken = [token for token in tokens if any(map(str.isalnum, token.text("text")))] or tokens
        times = [_times(token) for token in spoken]
        start = next((first for first, _ in times if first is not None), None)
        end = next((last for _, last in reversed(times) if last is not None), None)
        confidence = mean_confidence(token.confidence("p") for token in tokens)
        yield from entry_words(word, start, end, confidence, f"{segment.place}: word {number}")


def _tokens_by_word(segment: Node) -> list[list[Node]]:
    tokens = [(token.text("text"), token) for token in segment.nodes("tokens", "token")]
    normal = [(text, token) for text, token in tokens if not _SPECIAL.fullmatch(text)]
    token_of_each_part = [token for text, token in normal for _ in text.split()]
    return list(grouped(token_of_each_part, word_sizes(text for text, _ in normal)))


def _times(node: Node) -> tuple[Seconds | None, Seconds | None]:
    offsets = Node.of(node.get("offsets") or {}, node.place)
    start, end = (None if time is None else time / 1000 for time in map(offsets.number, ("from", "to")))
    return start, end


def content(values: Sequence[Utterance], glyphs: Glyphs) -> Object | None:
    """Return the document with the written words in `text`; None if the utterances are not its segments.

    Tokens do not change.
    """
    origins = [origin for value in values if (origin := json_origin(value.origin, _FORMAT))]
    if not origins or len(origins) < len(values):
        return None
    items = list[Object]()
    for utterance, origin in zip(values, origins, strict=True):
        item, text = origin.item, origin.item.get("text") or ""
        words, old = written_words(utterance, glyphs, running=not item.get("tokens")), text.split()
        if len(old) != len(words):
            return None
        changed = {**item, "text": replace_tokens(text, old, words)}
        items.append(set_time_source(changed, utterance, "whisper"))
    return {**origins[0].document, _SEGMENTS: items}
