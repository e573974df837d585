"""Read the JSON of cloud services: Amazon Transcribe, Google Speech-to-Text, IBM Watson and Speechmatics.

For each service `is_…` recognises a JSON value and `read_…` yields its utterances. All `read_…` raise InputError for
JSON of another form and for invalid times.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from asr_punct.errors import InputError
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.json_values import Node, Object, short_repr
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE, time_source_of
from asr_punct.formats.tokens import entry_words, in_order, recording_name
from asr_punct.formats.values import parse_seconds
from asr_punct.languages import parse_language
from asr_punct.words import Seconds, Utterance, Word

_OPENING = frozenset("¿¡«“‘([{")
_GOOGLE_START_KEYS = ("startTime", "startOffset", "start_time", "start_offset")
_GOOGLE_END_KEYS = ("endTime", "endOffset", "end_time", "end_offset")


@dataclass(frozen=True, slots=True)
class _Punctuation:
    """A punctuation mark that is a separate item; if it is `opening`, it belongs to the next word."""

    text: str
    opening: bool


def is_aws(content: Any) -> bool:
    """Whether a JSON value is a transcript of Amazon Transcribe."""
    results = content.get("results") if isinstance(content, dict) else None
    return isinstance(results, dict) and ("items" in results or "channel_labels" in results)


def read_aws(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read `{"results": {"items": [{"type", "start_time", "end_time", "alternatives"}]}}`, one utterance a channel."""
    name, recording = display_name(path), recording_name(path)
    results = Node.of(content, name).inner("results")
    language = parse_language(results.get("language_code"))
    channel_labels = results.inner("channel_labels", optional=True)
    for number, channel in enumerate(channel_labels.nodes("channels", "channel") or [results], start=1):
        parts = chain.from_iterable(map(_parts, channel.nodes("items", "item")))
        id_ = f"{recording}-{number}" if channel_labels.item else recording
        words = in_order(_attach_punctuation(parts), channel.place)
        yield _utterance(words, id_, recording, "aws", str(number), language)


def is_google(content: Any) -> bool:
    """Whether a JSON value is a response of Google Speech-to-Text."""
    results = _results(_google_response(content)) if isinstance(content, dict) else []
    return any("alternatives" in result and not {"final", "type"} & result.keys() for result in results)


def _results(content: Any) -> Sequence[Object]:
    """Return the list `results` of a JSON value; empty if there is none, or it does not consist of objects."""
    results = content.get("results") if isinstance(content, dict) else None
    if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
        return []
    return results


def read_google(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read `{"results": [{"alternatives": [{"transcript", "words"}], "channelTag"}]}`, one utterance a result.

    Times are `"1.400s"`, or seconds and nanos; a time of 0 may be missing. With speaker labels the last result repeats
    the words of all others and is skipped.
    """
    name, recording = display_name(path), recording_name(path)
    results = Node(_google_response(Node.of(content, name).item), name).nodes("results", "result")
    earlier: list[str] = []
    for number, result in enumerate(results, start=1):
        best = _best_alternative(result)
        words = in_order(_google_words(best), result.place)
        texts = [word.text for word in words]
        if number == len(results) > 1 and not best.get("transcript") and texts == earlier:
            return
        earlier += texts
        channel = str(result.get("channelTag") or result.get("channel_tag") or 1)
        language = parse_language(result.get("languageCode") or result.get("language_code"))
        yield _utterance(words, f"{recording}-{number}", recording, "google", channel, language)


def _google_response(content: Object) -> Object:
    """Return the object with `results`: `response` of a finished operation, else the content itself."""
    response = content.get("response")
    return response if isinstance(response, dict) else content


def _google_words(alternative: Node) -> Iterator[Word]:
    entries = alternative.nodes("words", "word")
    if not entries:
        yield from map(Word, alternative.text("transcript").split())
    for entry in entries:
        start, end = (_google_seconds(entry, keys) for keys in (_GOOGLE_START_KEYS, _GOOGLE_END_KEYS))
        if start is not None or end is not None:  # a missing time is 0 if the other one is there
            start, end = start or 0.0, end or 0.0
        yield from entry_words(entry.get("word"), start, end, entry.confidence("confidence"), entry.place)


def _google_seconds(entry: Node, keys: Iterable[str]) -> Seconds | None:
    """Return the time under the first of the keys that the entry has, or None."""
    key = next((key for key in keys if key in entry), None)
    if key is None:
        return None
    value = entry.get(key)
    if isinstance(value, str) and value.endswith("s"):
        return parse_seconds(value[:-1], entry.place, key)
    if isinstance(value, dict):
        seconds, nanos = str(value.get("seconds", 0)), str(value.get("nanos", 0))
        if re.fullmatch(r"[0-9]{1,12}", seconds) and re.fullmatch(r"[0-9]{1,9}", nanos):
            return float(f"{seconds}.{nanos:0>9}")
    expected = 'a duration such as "1.400s" or {"seconds": 1, "nanos": 400000000}'
    raise InputError(entry.place, f"{key} {short_repr(value)}", expected)


def is_ibm(content: Any) -> bool:
    """Whether a JSON value is a response of Watson Speech to Text."""
    return any({"alternatives", "final"} <= result.keys() or "results" in result for result in _results(content))


def read_ibm(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read `{"results": [{"final", "alternatives": [{"timestamps", "word_confidence"}]}]}`, one utterance a result.

    A response with several inputs has such objects inside its own `results`. Interim results are skipped.
    """
    name, recording = display_name(path), recording_name(path)
    for number, item in enumerate(_ibm_final_results(Node.of(content, name)), start=1):
        result = Node(item, f"{name}: result {number}")
        words = in_order(_ibm_words(_best_alternative(result)), result.place)
        yield _utterance(words, f"{recording}-{number}", recording, "ibm")


def _ibm_final_results(content: Node) -> Iterator[Object]:
    for result in content.nodes("results", "result"):
        inner = [result] if "alternatives" in result else result.nodes("results", "result")
        yield from (node.item for node in inner if node.get("final", True))


def _ibm_words(alternative: Node) -> Iterator[Word]:
    rows = alternative.values("timestamps")
    if not rows:
        yield from map(Word, alternative.text("transcript").split())
    confidences = alternative.values("word_confidence")
    for number, row in enumerate(rows, start=1):
        where = f"{alternative.place}: word {number}"
        text, start, end = _ibm_row(row, ("word", "start", "end"), where)
        confidence = None
        if len(confidences) == len(rows):
            confidence = _ibm_row(confidences[number - 1], ("word", "confidence"), where)[1]
        yield from entry_words(text, start, end, confidence, where)


def _ibm_row(row: Any, keys: tuple[str, ...], place: str) -> list[Any]:
    """Return the word and the checked numbers of a list such as `["hola", 0.5, 1.25]`."""
    if not isinstance(row, list) or len(row) != len(keys):
        raise InputError(place, short_repr(row), f"a list of {', '.join(keys)}")
    node = Node(dict(zip(keys, row, strict=True)), place)
    return [row[0], *map(node.number, keys[1:])]


def is_speechmatics(content: Any) -> bool:
    """Whether a JSON value is a transcript of Speechmatics, of version 1 or 2."""
    if not isinstance(content, dict):
        return False
    is_version_1 = isinstance(content.get("words"), list) and "job" in content
    return is_version_1 or (isinstance(content.get("results"), list) and "format" in content)


def read_speechmatics(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read a transcript, one utterance a channel.

    Version 1 is `{"job", "words": [{"name", "time", "duration", "confidence"}]}`, version 2
    `{"format": "2.…", "results": [{"type", "start_time", "end_time", "attaches_to", "alternatives": [{"content"}]}]}`.
    """
    name, recording = display_name(path), recording_name(path)
    file = Node.of(content, name)
    language = _speechmatics_language(file.item)
    channels = _speechmatics_2(file) if "results" in file else {"": list(_speechmatics_1(file))}
    for number, items in enumerate(channels.values(), start=1):
        id_ = recording if len(channels) == 1 else f"{recording}-{number}"
        words = in_order(_attach_punctuation(items), name)
        yield _utterance(words, id_, recording, "speechmatics", str(number), language)


def _speechmatics_language(file: Object) -> str:
    """Return the language of the job (version 1) or of the transcription's configuration (version 2)."""
    metadata = file.get("metadata")
    configuration = metadata.get("transcription_config") if isinstance(metadata, dict) else None
    found = [
        each.get(key)
        for each, key in ((file.get("job"), "lang"), (configuration, "language"))
        if isinstance(each, dict)
    ]
    return next(filter(None, map(parse_language, found)), "")


def _speechmatics_1(file: Node) -> Iterator[Word | _Punctuation]:
    for item in file.nodes("words", "word"):
        text, start, duration = item.text("name"), item.seconds("time"), item.seconds("duration")
        if text and not any(map(str.isalnum, text)):
            yield _Punctuation(text, _OPENING.issuperset(text))
            continue
        end = None if start is None or duration is None else round(start + duration, 6)
        yield from entry_words(text, start, end, item.seconds("confidence"), item.place)


def _speechmatics_2(file: Node) -> dict[str, list[Word | _Punctuation]]:
    channels: dict[str, list[Word | _Punctuation]] = {}
    for item in file.nodes("results", "result"):
        items = channels.setdefault(str(item.get("channel", "")), [])
        if item.get("type") != "speaker_change":
            items += _parts(item)
    return channels


def _best_alternative(node: Node) -> Node:
    """Return the first alternative with the node's place; an empty object if there is none."""
    return Node(next((best.item for best in node.nodes("alternatives")), {}), node.place)


def _parts(item: Node) -> list[Word | _Punctuation]:
    """Return the words or the punctuation mark of an item of Amazon or Speechmatics, from its first alternative."""
    best = _best_alternative(item)
    if not item.get("alternatives"):
        raise InputError(item.place, "no alternatives", "at least one")
    text = best.text("content")
    if item.get("type") == "punctuation":
        return [_Punctuation(text, item.get("attaches_to") == "next" or _OPENING.issuperset(text))]
    start, end = item.seconds("start_time"), item.seconds("end_time")
    return [*entry_words(text, start, end, best.seconds("confidence"), item.place)]


def _attach_punctuation(items: Iterable[Word | _Punctuation]) -> Iterator[Word]:
    """Yield the words with their punctuation; marks without a word to attach to become a word.

    A closing mark is attached to the word before it, an opening mark to the word after it.
    """
    word: Word | None = None
    opened = ""
    for item in items:
        if isinstance(item, Word):
            if word:
                yield word
            word, opened = replace(item, text=opened + item.text), ""
        elif word and not item.opening and not opened:
            word = replace(word, text=word.text + item.text)
        else:
            opened += item.text
    if word:
        yield word
    if opened:
        yield Word(opened)


def _utterance(
    words: tuple[Word, ...], id_: str, recording: str, service: str, channel: str = "1", language: str = ""
) -> Utterance:
    times = time_source_of(words, DEFAULT_TIME_SOURCE[service])
    return Utterance(words, id_, recording=recording, channel=channel, time_source=times, language=language)
