"""Read the JSON of Azure Speech: batch transcription, fast transcription, and detailed results of the Speech SDK.

An utterance is a phrase. Its words are those of the display form, with the service's marks and capitals, if that form
has times; else the lexical words, without marks; else the display form, of which only start and end are known.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from asr_punct.errors import InputError
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.json_values import Node, Values, short_repr
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE
from asr_punct.formats.tokens import entry_words, in_order, recording_name, with_edge_times
from asr_punct.formats.values import MAX_TIME
from asr_punct.languages import parse_language
from asr_punct.words import Seconds, Utterance, Word, has_times

_TICKS = 10_000_000
"""Ticks in a second."""
_OFFSETS = {"offsetInTicks": _TICKS, "offsetMilliseconds": 1000, "Offset": _TICKS}
_DURATIONS = {"durationInTicks": _TICKS, "durationMilliseconds": 1000, "Duration": _TICKS}
"""Keys of times, and their units in a second."""
_WORD_LISTS = "displayWords", "DisplayWords", "words", "Words"
"""Keys of lists of words, those with marks first."""
_TEXTS = "displayText", "DisplayText", "word", "Word", "text"
"""Keys of the text of a word."""


def is_azure(content: Any) -> bool:
    """Whether a JSON value is a result of Azure Speech; several results of the SDK may follow each other."""
    if isinstance(content, Values | list):
        results = _results(content)
        return bool(results) and all(map(_is_sdk_result, results))
    has_phrases = isinstance(content, dict) and ("recognizedPhrases" in content or "combinedPhrases" in content)
    return has_phrases or _is_sdk_result(content)


def _results(content: Any) -> Sequence[Any]:
    return content.items if isinstance(content, Values) else content


def _is_sdk_result(content: Any) -> bool:
    return isinstance(content, dict) and "RecognitionStatus" in content


def read_azure(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each phrase that was recognised.

    Raises InputError for JSON of another form, or invalid times.
    """
    recording = recording_name(path)
    phrases = filter(_is_recognised, _phrases(content, display_name(path)))
    for number, phrase in enumerate(phrases, start=1):
        words = in_order(_words(phrase), phrase.place)
        source = DEFAULT_TIME_SOURCE["azure"] if has_times(words) else "none"
        if words and source == "none":
            words, source = with_edge_times(words, *_times(phrase)), "segment"
        yield Utterance(
            words,
            f"{recording}-{number}",
            recording=recording,
            channel=str(_channel(phrase)),
            speaker=_speaker(phrase),
            time_source=source,
            language=_language(phrase),
        )


def _phrases(content: Any, name: str) -> list[Node]:
    if isinstance(content, Values | list):
        return Node({"results": list(_results(content))}, name).nodes("results", "result")
    file = Node.of(content, name)
    for key in ("recognizedPhrases", "phrases"):
        if key in file:
            return file.nodes(key, "phrase")
    return [file] if _is_sdk_result(content) else []


def _is_recognised(phrase: Node) -> bool:
    return (phrase.get("recognitionStatus") or phrase.get("RecognitionStatus") or "Success") == "Success"


def _channel(phrase: Node) -> int:
    """Return the number of the channel from 1; the service counts from 0."""
    value = phrase.get("channel", phrase.get("Channel"))
    return value + 1 if isinstance(value, int) else 1


def _speaker(phrase: Node) -> str:
    value = phrase.get("speaker", phrase.get("SpeakerId"))
    return "" if value in (None, "", "Unknown") else str(value)


def _language(phrase: Node) -> str:
    """Return the locale of a phrase, or the language that the Speech SDK detected."""
    detected = phrase.get("PrimaryLanguage")
    return parse_language(detected.get("Language") if isinstance(detected, dict) else phrase.get("locale"))


def _best(phrase: Node) -> Node:
    """Return the first alternative of a phrase; the phrase itself if it has none (fast transcription)."""
    found = (best.item for key in ("nBest", "NBest") for best in phrase.nodes(key))
    return Node(next(found, phrase.item), phrase.place)


def _words(phrase: Node) -> Iterator[Word]:
    best = _best(phrase)
    for entries in (best.nodes(key, "word") for key in _WORD_LISTS):
        for entry in entries:
            text = next((entry.get(key) for key in _TEXTS if key in entry), None)
            confidence = entry.confidence("Confidence" if "Confidence" in entry else "confidence")
            yield from entry_words(text, *_times(entry), confidence, entry.place)
        if entries:
            return
    texts = map(best.text, ("display", "Display", "text", "lexical", "Lexical"))
    yield from map(Word, next(filter(None, texts), phrase.text("DisplayText")).split())


def _times(node: Node) -> tuple[Seconds | None, Seconds | None]:
    start, duration = _units(node, _OFFSETS), _units(node, _DURATIONS)
    if start is None or duration is None:
        return None if start is None else start[0] / start[1], None
    in_ticks = [value * (_TICKS // unit) for value, unit in (start, duration)]
    return in_ticks[0] / _TICKS, sum(in_ticks) / _TICKS


def _units(node: Node, keys: dict[str, int]) -> tuple[float, int] | None:
    """Return the time under the first key that the object has, and its units in a second."""
    key = next((key for key in keys if node.get(key) is not None), None)
    if key is None:
        return None
    value = node.get(key)
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not 0 <= number <= MAX_TIME * keys[key]:
        raise InputError(node.place, f"{key} {short_repr(value)}", "a number, 0 or more")
    return number, keys[key]
