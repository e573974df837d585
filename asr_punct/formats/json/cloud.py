"""Read the JSON of cloud services: Amazon Transcribe, Google Speech-to-Text, IBM Watson and Speechmatics.

For each service `is_…` recognises a JSON value and `read_…` yields its utterances.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name
from asr_punct.formats.entries import entry_words
from asr_punct.formats.json.nodes import Node, entries_or_text, find, segment_utterances
from asr_punct.formats.times import NotATime, confidence_of, end_after, time_of
from asr_punct.formats.values import Object, short_repr
from asr_punct.languages import parse_language
from asr_punct.marks import LEFT, Kind
from asr_punct.words import Seconds, Utterance, Word

_OPENING = frozenset("“‘([{").union(mark.glyph for mark in LEFT if mark.kind is not Kind.DASH)
_GOOGLE_START_KEYS = ("startTime", "startOffset", "start_time", "start_offset")
_GOOGLE_END_KEYS = ("endTime", "endOffset", "end_time", "end_offset")


def is_aws(content: Any) -> bool:
    """Whether a JSON value is a transcript of Amazon Transcribe."""
    results = find(content, "results")
    return isinstance(results, dict) and ("items" in results or "channel_labels" in results)


def read_aws(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read `{"results": {"items": [{"type", "start_time", "end_time", "alternatives"}]}}`: an utterance per channel."""
    results = Node.of(content, display_name(path)).inner("results")
    language = parse_language(results.get("language_code"))
    channel_labels = results.inner("channel_labels", optional=True)
    segments = (
        (channel, _channel(channel.nodes("items", "item"), number, language))
        for number, channel in enumerate(channel_labels.nodes("channels", "channel") or [results], start=1)
    )
    return segment_utterances(segments, path, numbered=bool(channel_labels.item))


def is_google(content: Any) -> bool:
    """Whether a JSON value is a response of Google Speech-to-Text."""
    results = [result for _, response in _google_responses(content) for result in _results(response)]
    # IBM's results have "final", those of Speechmatics "type"
    return any("alternatives" in result and not {"final", "type"} & result.keys() for result in results)


def _results(content: Any) -> Sequence[Object]:
    """Return the list `results` of a JSON value; empty if there is none, or it does not consist of objects."""
    results = find(content, "results")
    return results if isinstance(results, list) and all(isinstance(result, dict) for result in results) else []


def read_google(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read `{"results": [{"alternatives": [{"transcript", "words"}], "channelTag"}]}`, one utterance per result.

    Times are `"1.400s"`, or seconds and nanos; a time of 0 may be missing. With speaker labels the last result repeats
    the words of all others and is skipped.
    """
    responses = _google_responses(content)
    for recording, response in responses:
        file = Node.of(response, display_name(path) + f": {recording}" * (len(responses) > 1))
        for utterance in segment_utterances(_google_segments(file.nodes("results", "result")), path):
            yield replace(utterance, recording=recording) if len(responses) > 1 else utterance


def _google_responses(content: Any) -> list[tuple[str, Any]]:
    """Return the objects with `results`, with the names of their recordings, "" if there is one.

    It is `response` of a finished operation, else the content itself. A batch of version 2 has one for each file:
    `{"results": {"gs://bucket/a.wav": {"transcript": {"results": […]}}}}`, or in `inlineResult`.
    """
    response = find(content, "response")
    response = response if isinstance(response, dict) else content
    files = find(response, "results")
    if not isinstance(files, dict):
        return [("", response)]
    parts = [
        (name, find(each, "inlineResult", "transcript") or find(each, "transcript")) for name, each in files.items()
    ]
    return [(name, part) for name, part in parts if isinstance(find(part, "results"), list)]


def _google_segments(results: Sequence[Node]) -> Iterator[tuple[Node, Utterance]]:
    earlier: list[str] = []
    for number, result in enumerate(results, start=1):
        best = result.first("alternatives")
        words = entries_or_text(best.nodes("words", "word"), _google_word, best, "transcript")
        texts = [word.text for word in words]
        if number == len(results) > 1 and not best.get("transcript") and texts == earlier:
            return
        earlier += texts
        channel = str(result.get("channelTag") or result.get("channel_tag") or 1)
        language = parse_language(result.get("languageCode") or result.get("language_code"))
        yield result, Utterance(words, channel=channel, language=language)


def _google_word(entry: Node) -> list[Word]:
    start, end = (_google_seconds(entry, keys) for keys in (_GOOGLE_START_KEYS, _GOOGLE_END_KEYS))
    if start is not None or end is not None:  # a missing time is 0 if the other one is there
        start, end = start or 0.0, end or 0.0
    return entry_words(entry.get("word"), start, end, entry.confidence("confidence"), entry.place)


def _google_seconds(entry: Node, keys: Iterable[str]) -> Seconds | None:
    """Return the time of the first of the keys that the entry has: "1.400s", {"seconds": 1, "nanos": 400000000}."""
    key = next((key for key in keys if key in entry), None)
    if key is None:
        return None
    value = entry.get(key)
    if isinstance(value, str) and value.endswith("s"):
        return time_of(value[:-1])
    if isinstance(value, dict):
        seconds, nanos = str(value.get("seconds", 0)), str(value.get("nanos", 0))
        if re.fullmatch(r"[0-9]{1,12}", seconds) and re.fullmatch(r"[0-9]{1,9}", nanos):
            return float(f"{seconds}.{nanos:0>9}")
    return NotATime(value)


def is_ibm(content: Any) -> bool:
    """Whether a JSON value is a response of Watson Speech to Text."""
    return any({"alternatives", "final"} <= result.keys() or "results" in result for result in _results(content))


def read_ibm(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read `{"results": [{"final", "alternatives": [{"timestamps", "word_confidence"}]}]}`, one utterance per result.

    A response with several inputs has such objects inside its own `results`. Interim results are skipped.
    """
    results = (
        result
        for outer in Node.of(content, display_name(path)).nodes("results", "result")
        for result in ([outer] if "alternatives" in outer else outer.nodes("results", "result"))
        if result.get("final", True)
    )
    segments = ((result, Utterance(tuple(_ibm_words(result.first("alternatives"))))) for result in results)
    return segment_utterances(segments, path)


def _ibm_words(alternative: Node) -> Iterator[Word]:
    rows, confidences = alternative.values("timestamps"), alternative.values("word_confidence")
    if not rows:
        yield from map(Word, alternative.text("transcript").split())
    for number, row in enumerate(rows, start=1):
        place, confidence = f"{alternative.place}: word {number}", None
        text, start, end = _ibm_row(row, ("word", "start", "end"), place)
        if len(confidences) == len(rows):
            confidence = confidence_of(_ibm_row(confidences[number - 1], ("word", "confidence"), place)[1])
        yield from entry_words(text, start, end, confidence, place)


def _ibm_row(row: Any, keys: tuple[str, ...], place: str) -> list[Any]:
    """Return the word and the numbers of a list such as `["hola", 0.5, 1.25]`."""
    if not isinstance(row, list) or len(row) != len(keys):
        raise InputError(place, short_repr(row), f"a list of {', '.join(keys)}")
    return [row[0], *(None if value is None else time_of(value) for value in row[1:])]


def is_speechmatics(content: Any) -> bool:
    """Whether a JSON value is a transcript of Speechmatics, of version 1 or 2."""
    keys = (("words", "job"), ("results", "format"))
    return any(isinstance(find(content, items), list) and other in content for items, other in keys)


def read_speechmatics(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read a transcript, one utterance per channel.

    Version 1 is `{"job", "words": [{"name", "time", "duration", "confidence"}]}`, version 2
    `{"format": "2.…", "results": [{"type", "start_time", "end_time", "attaches_to", "alternatives": [{"content"}]}]}`.
    """
    file = Node.of(content, display_name(path))
    languages = find(content, "job", "lang"), find(content, "metadata", "transcription_config", "language")
    language = next(filter(None, map(parse_language, languages)), "")
    is_version_2 = "results" in file
    items = file.nodes("results", "result") if is_version_2 else map(_as_version_2, file.nodes("words", "word"))
    channels: dict[str, list[Node]] = {} if is_version_2 else {"": []}
    for item in items:
        channels.setdefault(str(item.get("channel", "")), []).append(item)
    segments = ((file, _channel(items, number, language)) for number, items in enumerate(channels.values(), start=1))
    return segment_utterances(segments, path, numbered=len(channels) > 1)


def _channel(items: Iterable[Node], number: int, language: str) -> Utterance:
    return Utterance(tuple(_item_words(items)), channel=str(number), language=language)


def _as_version_2(item: Node) -> Node:
    """Return an item of Speechmatics' version 2 for a word or mark of version 1."""
    text, start, duration = item.text("name"), item.seconds("time"), item.seconds("duration")
    converted = {
        "type": "word" if not text or any(map(str.isalnum, text)) else "punctuation",
        "start_time": start,
        "end_time": None if start is None or duration is None else end_after(start, duration),
        "alternatives": [{"content": text, "confidence": item.get("confidence")}],
    }
    return Node(converted, item.place)


def _item_words(items: Iterable[Node]) -> Iterator[Word]:
    """Yield the words of items of Amazon or Speechmatics, with the punctuation marks that are separate items.

    A closing mark is attached to the word before it, an opening mark to the word after it; marks without a word to
    attach to become a word.
    """
    word: Word | None = None
    opening = ""  # marks for the next word
    for item in items:
        if item.get("type") == "speaker_change":
            continue
        best = item.first("alternatives")
        if not item.get("alternatives"):
            raise InputError(item.place, "no alternatives", "at least one")
        text = best.text("content")
        if item.get("type") != "punctuation":
            start, end = item.seconds("start_time"), item.seconds("end_time")
            for entry_word in entry_words(text, start, end, best.confidence("confidence"), item.place):
                if word:
                    yield word
                word, opening = replace(entry_word, text=opening + entry_word.text), ""
        elif not word or opening or item.get("attaches_to") == "next" or _OPENING.issuperset(text):
            opening += text
        else:
            word = replace(word, text=word.text + text)
    if word:
        yield word
    if opening:
        yield Word(opening)
