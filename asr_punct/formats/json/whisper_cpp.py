"""JSON of whisper.cpp, a variant of the format `whisper`.

`{"transcription": [{"offsets": {"from": 0, "to": 1500}, "text": " hola", "tokens": [...]}]}`. Offsets are milliseconds.
Tokens (`--output-json-full`) are parts of words, some without offsets, or special ones such as `[_BEG_]`. Without
tokens only segments have times: the first word gets the start and the last word the end.

`--max-len` cuts words in pieces (` mar`, `ket`): if segments begin with a space, one without it continues the word
before it. If no segment has more than one word, those of a speaker are one utterance.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, islice, pairwise
from typing import Any

from asr_punct.encoding import rejoined
from asr_punct.files import Pathlike, display_name
from asr_punct.formats import entries
from asr_punct.formats.json.nodes import Node, find, segment_utterances
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.time_sources import set_time_source
from asr_punct.formats.times import NotATime
from asr_punct.formats.values import Object
from asr_punct.glyphs import Glyphs
from asr_punct.languages import parse_language
from asr_punct.words import Seconds, Utterance, Word

_FORMAT = "whisper/cpp"
_SPECIAL = re.compile(r"\[_.*\]")
_MIN_WORDS = 3
"""Minimum number of segments of one word that are words of one utterance."""


def is_cpp(content: Any) -> bool:
    """Whether a JSON value looks like a transcript of whisper.cpp."""
    return isinstance(find(content, "transcription"), list)


def read_cpp(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each segment, with the words that begin in it, or for words of one speaker."""
    file = Node.of(content, display_name(path))
    is_translation = find(content, "params", "translate") is True  # always into English
    language = "en" if is_translation else parse_language(find(content, "result", "language"))
    segments = file.nodes("transcription", "segment")
    groups = [[segment] for segment in segments]
    counts = [len(segment.text("text").split()) for segment in segments]
    if max(counts, default=0) == 1 and sum(counts) >= _MIN_WORDS:
        groups = [list(group) for _, group in groupby(segments, _speaker)]
    pieces = [[piece for segment in group for piece in _pieces(segment)] for group in groups]
    words = _joined_words(segments, pieces)
    return segment_utterances(
        (
            (group[0], _utterance(group, own, language, JsonOrigin(_FORMAT, group[0].item, file.item)))
            for group, own in zip(groups, words, strict=True)
        ),
        path,
    )


def _speaker(segment: Node) -> str:
    return "" if segment.speaker == "?" else segment.speaker


def _utterance(group: Sequence[Node], words: Sequence[Word], language: str, origin: JsonOrigin) -> Utterance:
    only_edges = any(len(segment.text("text").split()) > 1 and not _has_word_times(segment) for segment in group)
    return Utterance(
        tuple(words),
        speaker=_speaker(group[0]),
        time_source="segment" if only_edges else "whisper",
        language=language,
        origin=origin,
    )


def _joined_words(segments: Sequence[Node], pieces: Sequence[Sequence[Word]]) -> list[list[Word]]:
    """Return the words that begin in each group of pieces."""
    sizes = iter(entries.part_sizes([segment.text("text") for segment in segments]))
    left = iter([piece for group in pieces for piece in group])
    words, ahead = list[list[Word]](), 0  # `ahead`: pieces of the next groups that belong to words of earlier ones
    for group in pieces:
        own = list[Word]()
        while ahead < len(group):
            size = next(sizes)
            own.append(_joined(list(islice(left, size))))
            ahead += size
        ahead -= len(group)
        words.append(own)
    return words


def _joined(pieces: Sequence[Word]) -> Word:
    """Return one word. Marks last into the pause after the word, so their times are not used.

    If a piece ends before it starts, it is not known when the word ends.
    """
    if len(pieces) == 1:
        return pieces[0]
    word = entries.join_parts([piece for piece in pieces if any(map(str.isalnum, piece.text))] or pieces)
    end = word.end
    for piece in pieces:
        if piece.start is not None and piece.end is not None and piece.end < piece.start:
            end = NotATime(f"{piece.end} before {piece.start}")
    return Word(rejoined("".join(piece.text for piece in pieces)), word.start, end, word.confidence)


def _pieces(segment: Node) -> list[Word]:
    """Return a word for each token of the segment's text."""
    if _has_word_times(segment):
        return list(_timed_words(segment, segment.text("text").split(), _tokens_by_word(segment)))
    return entries.entry_words(segment.text("text"), *_times(segment), None, segment.place)


def _has_word_times(segment: Node) -> bool:
    return len(_tokens_by_word(segment)) == len(segment.text("text").split()) > 0


def _timed_words(segment: Node, words: Sequence[str], groups: Sequence[Sequence[Node]]) -> Iterator[Word]:
    for number, (word, tokens) in enumerate(zip(words, groups, strict=True), start=1):
        # A punctuation token lasts into the pause after the word, so its times are not used.
        spoken = [token for token in tokens if any(map(str.isalnum, token.text("text")))] or tokens
        times = [_times(token) for token in spoken]
        start = next((first for first, _ in times if first is not None), None)
        end = next((last for _, last in reversed(times) if last is not None), None)
        confidence = entries.mean_confidence(token.confidence("p") for token in tokens)
        yield from entries.entry_words(word, start, end, confidence, f"{segment.place}: word {number}")


def _tokens_by_word(segment: Node) -> list[list[Node]]:
    tokens = [(token.text("text"), token) for token in segment.nodes("tokens", "token")]
    normal = [(text, token) for text, token in tokens if not _SPECIAL.fullmatch(text)]
    token_of_each_part = [token for text, token in normal for _ in text.split()]
    return list(entries.grouped(token_of_each_part, entries.word_sizes(text for text, _ in normal)))


def _times(node: Node) -> tuple[Seconds | None, Seconds | None]:
    offsets = Node.of(node.get("offsets") or {}, node.place)
    start, end = (None if time is None else time / 1000 for time in map(offsets.seconds, ("from", "to")))
    return start, end


def _cut_bytes(text: str, pieces: Sequence[str]) -> list[str]:
    """Return the written text of a word in pieces of as many bytes as before, which may cut a character."""
    old = [piece.encode("utf-8", "surrogateescape") for piece in pieces]
    new, core = text.encode("utf-8", "surrogateescape"), rejoined("".join(pieces))
    begin = len(text[: max(text.lower().find(core.lower()), 0)].encode("utf-8", "surrogateescape"))
    cuts = [0, *(begin + end for end in accumulate(map(len, old[:-1]))), len(new)]
    return [new[first:last].decode("utf-8", "surrogateescape") for first, last in pairwise(cuts)]


def cpp_content(values: Sequence[Utterance], glyphs: Glyphs) -> Object | None:
    """Return the document with the written words in `text`; None if the utterances do not have its words.

    Tokens do not change.
    """
    origins = [origin for value in values if (origin := json_origin(value.origin, _FORMAT))]
    if not origins or len(origins) < len(values):
        return None
    document = origins[0].document
    segments: list[Object] = document["transcription"]
    texts = [segment.get("text") or "" for segment in segments]
    sizes = entries.part_sizes(texts)
    if len(sizes) != sum(len(value.words) for value in values):
        return None
    tokens = [token for text in texts for token in text.split()]
    parts, written = entries.grouped(tokens, sizes), list[str]()
    for value, origin in zip(values, origins, strict=True):
        own = list(islice(parts, len(value.words)))
        is_running = not origin.item.get("tokens")
        whole = entries.written_parts(value, [[rejoined("".join(part))] for part in own], glyphs, running=is_running)
        cut = iter(entries.written_parts(value, own, glyphs, running=is_running))
        for text, part in zip(whole, own, strict=True):
            usual = list(islice(cut, len(part)))
            written += usual if "".join(part) == rejoined("".join(part)) else _cut_bytes(text, part)
    new = [{**item, "text": text} for item, text in zip(segments, entries.replace_words(texts, written), strict=True)]
    value_of = {id(origin.item): value for value, origin in zip(values, origins, strict=True)}
    for i, segment in enumerate(segments):
        if id(segment) in value_of:
            new[i] = dict(set_time_source(new[i], value_of[id(segment)], "whisper"))
    return {**document, "transcription": new}
