"""Read the JSON of Deepgram and AssemblyAI, whose words and turns have speakers.

The service's marks and capitals are read (`punctuated_word` of Deepgram). An utterance is a turn of `utterances`, or
else consecutive words of one speaker and channel.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from asr_punct.errors import InputError
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.json_values import (
    Object,
    confidence_at,
    number_or_none,
    numbered_objects,
    object_at,
    short_repr,
    speaker_of,
    text_at,
)
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE, time_source_of
from asr_punct.formats.tokens import entry_words, in_order, recording_name
from asr_punct.languages import parse_language
from asr_punct.words import Utterance, Word

_Entry = tuple[str, Object]
"""Place and JSON object of a word."""


class _Turn(NamedTuple):
    """The words of one speaker; `item` is the turn's JSON object, or that of its first word."""

    place: str
    item: Object
    entries: list[_Entry]
    channel: str
    language: str


_ASSEMBLYAI_KEYS = {"audio_url", "audio_duration", "utterances"}


def is_deepgram(content: Any) -> bool:
    """Whether a JSON value is a response of Deepgram for recorded audio."""
    results = content.get("results") if isinstance(content, dict) else None
    return isinstance(results, dict) and isinstance(results.get("channels"), list)


def read_deepgram(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read `{"results": {"channels": [{"alternatives": [{"transcript", "words"}]}], "utterances": [{"words"}]}}`.

    A word is `{"word", "punctuated_word", "start", "end", "confidence", "speaker"}`, with times in seconds. A channel
    has `detected_language`, if that was requested. Raises InputError for JSON of another form, or invalid times.
    """
    name = display_name(path)
    results = object_at(object_at(content, name).get("results"), f"{name}: results")
    yield from _numbered(_deepgram_turns(results, name), path, "deepgram", _deepgram_words)


def _deepgram_turns(results: Object, name: str) -> Iterator[_Turn]:
    channels = numbered_objects(results, "channels", name, "channel")
    languages = [parse_language(item.get("detected_language")) for _, item in channels]
    for place, turn in numbered_objects(results, "utterances", name, "utterance"):
        channel = int(number_or_none(turn, "channel", place) or 0)
        language = languages[channel] if channel < len(languages) else ""
        yield _Turn(place, turn, numbered_objects(turn, "words", place, "word"), str(channel + 1), language)
    if results.get("utterances"):
        return
    for number, (place, item) in enumerate(channels):
        for where, best in numbered_objects(item, "alternatives", place, "alternative")[:1]:
            for turn, entries in _turns(best, numbered_objects(best, "words", where, "word")):
                yield _Turn(where, turn, entries, str(number + 1), languages[number])


def _deepgram_words(entry: Object, place: str) -> list[Word]:
    start, end = (number_or_none(entry, key, place) for key in ("start", "end"))
    text = entry.get("punctuated_word") or entry.get("word")
    return entry_words(text, start, end, confidence_at(entry, "confidence", place), place)


def is_assemblyai(content: Any) -> bool:
    """Whether a JSON value is a transcript of AssemblyAI."""
    return isinstance(content, dict) and {"text", "words"} <= content.keys() and bool(_ASSEMBLYAI_KEYS & content.keys())


def read_assemblyai(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read `{"status", "text", "words": [{"text", "start", "end", "confidence", "speaker"}], "utterances"}`.

    Times are milliseconds; a turn of `utterances` has `words` and a `speaker`. The file has a `language_code`. Raises
    InputError for a transcript that is not completed, JSON of another form, or invalid times.
    """
    name = display_name(path)
    file = object_at(content, name)
    if file.get("status", "completed") != "completed":
        raise InputError(name, f"status {short_repr(file['status'])}", "a completed transcript")
    yield from _numbered(_assemblyai_turns(file, name), path, "assemblyai", _assemblyai_words)


def _assemblyai_turns(file: Object, name: str) -> Iterator[_Turn]:
    given = [
        (place, turn, numbered_objects(turn, "words", place, "word"))
        for place, turn in numbered_objects(file, "utterances", name, "utterance")
    ]
    if not given or not all(entries for *_, entries in given):
        given = [(name, *turn) for turn in _turns(file, numbered_objects(file, "words", name, "word"))]
    for place, turn, entries in given:
        channel = str(turn.get("channel") or 1)
        yield _Turn(place, turn, entries, channel, parse_language(file.get("language_code")))


def _assemblyai_words(entry: Object, place: str) -> list[Word]:
    milliseconds = (number_or_none(entry, key, place) for key in ("start", "end"))
    start, end = (None if time is None else time / 1000 for time in milliseconds)
    return entry_words(entry.get("text"), start, end, confidence_at(entry, "confidence", place), place)


def _turns(item: Object, entries: Iterable[_Entry]) -> Iterator[tuple[Object, list[_Entry]]]:
    """Yield consecutive words of one speaker and channel, each group with its first word as its turn.

    An item without words is itself a turn: only its text is known.
    """
    groups = [list(group) for _, group in groupby(entries, key=lambda entry: _speaker_and_channel(entry[1]))]
    yield from [(group[0][1], group) for group in groups] or [(item, [])]


def _speaker_and_channel(entry: Object) -> tuple[str, str]:
    return speaker_of(entry), str(entry.get("channel"))


def _numbered(
    turns: Iterable[_Turn], path: Pathlike, service: str, words_of: Callable[[Object, str], list[Word]]
) -> Iterator[Utterance]:
    recording = recording_name(path)
    for number, turn in enumerate(turns, start=1):
        words = [word for where, entry in turn.entries for word in words_of(entry, where)]
        if not turn.entries:
            texts = (text_at(turn.item, key, turn.place) for key in ("transcript", "text"))
            words = [Word(token) for text in texts for token in text.split()]
        yield Utterance(
            in_order(words, turn.place),
            f"{recording}-{number}",
            recording=recording,
            channel=turn.channel,
            speaker=speaker_of(turn.item),
            time_source=time_source_of(words, DEFAULT_TIME_SOURCE[service]),
            language=turn.language,
        )
