"""Read the JSON of Azure Speech: batch transcription, fast transcription, and detailed results of the Speech SDK.

An utterance is a phrase. Its words are those of the display form, with the service's marks and capitals, if that form
has times; else the lexical words, without marks; else the display form, of which only start and end are known.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name
from asr_punct.formats.entries import entry_words, with_edge_times
from asr_punct.formats.json.nodes import JsonSegment, Node, result_nodes, segment_utterances
from asr_punct.formats.json.parse import find, results_of
from asr_punct.formats.values import MAX_TIME, short_repr
from asr_punct.languages import parse_language
from asr_punct.words import Seconds, Utterance, Word, has_times

_TICKS_PER_S = 10_000_000
_OFFSETS = {"offsetInTicks": 1, "offsetMilliseconds": 10_000, "Offset": 1}
_DURATIONS = {"durationInTicks": 1, "durationMilliseconds": 10_000, "Duration": 1}
"""Keys of times, and their units in ticks."""
_WORD_LISTS = "displayWords", "DisplayWords", "words", "Words"
"""Keys of lists of words, those with marks first."""
_WORD_TEXTS = "displayText", "DisplayText", "word", "Word", "text"
_PHRASE_TEXTS = "display", "Display", "text", "lexical", "Lexical"


def is_azure(content: Any) -> bool:
    """Whether a JSON value is a result of Azure Speech; several results of the SDK may follow each other."""
    results = results_of(content)
    if results and all(isinstance(result, dict) and "RecognitionStatus" in result for result in results):
        return True
    return isinstance(content, dict) and ("recognizedPhrases" in content or "combinedPhrases" in content)


def read_azure(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each phrase that was recognised."""
    statuses = "recognitionStatus", "RecognitionStatus"
    phrases = (
        phrase
        for phrase in _phrases(content, display_name(path))
        if next(filter(None, map(phrase.get, statuses)), "Success") == "Success"
    )
    return segment_utterances(map(_segment, phrases), path)


def _phrases(content: Any, name: str) -> list[Node]:
    for key in ("recognizedPhrases", "phrases"):
        if isinstance(content, dict) and key in content:
            return Node(content, name).nodes(key, "phrase")
    return [node for node in result_nodes(content, name) if "RecognitionStatus" in node]


def _segment(phrase: Node) -> JsonSegment:
    channel, speaker = phrase.get("channel", phrase.get("Channel")), phrase.get("speaker", phrase.get("SpeakerId"))
    words: Sequence[Word] = list(_words(phrase))
    only_edges = bool(words) and not has_times(words)
    if only_edges:
        words = with_edge_times(words, *_times(phrase))
    return JsonSegment(
        phrase,
        words,
        channel=str(channel + 1 if isinstance(channel, int) else 1),  # the service counts from 0
        speaker="" if speaker in (None, "", "Unknown") else str(speaker),
        language=parse_language(find(phrase.item, "PrimaryLanguage", "Language") or phrase.get("locale")),
        time_source="segment" if only_edges else "asr",
    )


def _words(phrase: Node) -> Iterator[Word]:
    best = phrase.first("nBest", "NBest")  # fast transcription has no alternatives
    for entries in (best.nodes(key, "word") for key in _WORD_LISTS):
        for entry in entries:
            text = next((entry.get(key) for key in _WORD_TEXTS if key in entry), None)
            confidence = entry.confidence("Confidence" if "Confidence" in entry else "confidence")
            yield from entry_words(text, *_times(entry), confidence, entry.place)
        if entries:
            return
    yield from map(Word, next(filter(None, map(best.text, _PHRASE_TEXTS)), phrase.text("DisplayText")).split())


def _times(node: Node) -> tuple[Seconds | None, Seconds | None]:
    start, duration = _ticks(node, _OFFSETS), _ticks(node, _DURATIONS)
    end = None if start is None or duration is None else (start + duration) / _TICKS_PER_S
    return None if start is None else start / _TICKS_PER_S, end


def _ticks(node: Node, units: dict[str, int]) -> float | None:
    """Return the time under the first key that the object has, in ticks."""
    key = next((key for key in units if node.get(key) is not None), None)
    if key is None:
        return None
    value = node.get(key)
    try:
        ticks = float(value) * units[key] if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        ticks = math.nan
    if isinstance(value, bool) or not 0 <= ticks <= MAX_TIME * _TICKS_PER_S:
        raise InputError(node.place, f"{key} {short_repr(value)}", "a number, 0 or more")
    return ticks
