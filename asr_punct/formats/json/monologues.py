"""JSON of Rev AI (`rev`) and of `vosk-transcriber` (`vosk-transcriber`), whose turns are `monologues`.

Rev: `{"monologues": [{"speaker": 0, "elements": [{"type": "text", "value": "Hola", "ts": 0.5, "end_ts": 0.9,
"confidence": 0.9}, {"type": "punct", "value": "."}]}]}`. Vosk: `{"schemaVersion", "monologues": [{"speaker": {"id"},
"start", "end", "terms": [{"text", "start", "end", "confidence", "type": "WORD"}]}], "text": [...]}`.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from asr_punct.files import Pathlike, display_name
from asr_punct.formats.json.nodes import Node, find, segment_utterances
from asr_punct.formats.json.places import Place, node_words, with_mark, write_placed
from asr_punct.formats.origins import JsonOrigin
from asr_punct.formats.times import time_of
from asr_punct.languages import parse_language
from asr_punct.words import Seconds, Utterance, Word

_REV, _VOSK = "rev", "vosk-transcriber"
_NO_SPEAKER = ("", "unknown")
_INSIDE_WORDS = ("-", "–", "'", "’", "/", "&")
"""Marks of Rev after which a word continues."""


def is_rev(content: Any) -> bool:
    """Whether a JSON value is a transcript of Rev AI."""
    return _has(content, "elements")


def is_vosk_transcriber(content: Any) -> bool:
    """Whether a JSON value is a transcript of `vosk-transcriber`."""
    return _has(content, "terms") or (find(content, "monologues") == [] and "schemaVersion" in content)


def _has(content: Any, key: str) -> bool:
    turns = find(content, "monologues")
    return isinstance(turns, list) and any(isinstance(find(turn, key), list) for turn in turns)


def read_rev(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each monologue; a mark that is an element is part of the word before it."""
    return _utterances(content, path, _REV)


def read_vosk_transcriber(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each monologue."""
    return _utterances(content, path, _VOSK)


def _utterances(content: Any, path: Pathlike, format_name: str) -> Iterator[Utterance]:
    file = Node.of(content, display_name(path))
    words_of, origin = (_elements if format_name == _REV else _terms), JsonOrigin(format_name, None, content)
    language = parse_language(file.get("language"))
    turns = file.nodes("monologues", "monologue")
    return segment_utterances(
        (
            (turn, Utterance(tuple(words_of(turn)), speaker=_speaker(turn), language=language, origin=origin))
            for turn in turns
        ),
        path,
    )


def _speaker(turn: Node) -> str:
    speaker = turn.get("speaker_name") or turn.get("speaker")
    if isinstance(speaker, dict):
        speaker = speaker.get("name") or speaker.get("id")
    name = str(speaker).strip() if isinstance(speaker, str | int) else ""
    return "" if name in _NO_SPEAKER else name


def _elements(turn: Node) -> list[Word]:
    words, text = list[Word](), ""  # `text`: that of the element before
    for element in turn.nodes("elements", "element"):
        if element.get("type") == "tag":  # such as `inaudible`
            continue
        times = _time(element, "ts", "timestamp"), _time(element, "end_ts", "end_timestamp")
        own = node_words(element, "value", *times, element.confidence("confidence"))
        before, text = text, element.text("value")
        is_mark = element.get("type") == "punct" and not before[-1:].isspace() and not text[:1].isspace()
        if own and words and (is_mark or before in _INSIDE_WORDS):
            words[-1] = with_mark(words[-1], own[0])
            own = own[1:]
        words += own
    return words


def _time(element: Node, key: str, clock_key: str) -> Seconds | None:
    """Return the seconds of an element, in transcripts by people as `00:01:02,500`."""
    clock = element.get(clock_key)
    if key in element or not isinstance(clock, str):
        return element.seconds(key)
    total = 0.0
    for part in clock.replace(",", ".").split(":"):
        total = 60 * total + time_of(part)
    return total


def _terms(turn: Node) -> list[Word]:
    return [
        word
        for term in turn.nodes("terms", "term")
        for word in node_words(term, "text", term.seconds("start"), term.seconds("end"), term.confidence("confidence"))
    ]


def _no_copies(_: Any) -> list[list[Place]]:
    return []


def _texts(document: Any) -> Iterable[Iterable[Place]]:
    texts = document.get("text")
    return [[(texts, i) for i in range(len(texts))]] if isinstance(texts, list) else []


write_rev = partial(write_placed, format_name=_REV, copies=_no_copies)
write_vosk_transcriber = partial(write_placed, format_name=_VOSK, copies=_texts)
