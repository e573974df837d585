"""Read the JSON of Deepgram and AssemblyAI, whose words and turns have speakers.

The service's marks and capitals are read (`punctuated_word` of Deepgram). An utterance is a turn of `utterances`, or
else consecutive words of one speaker and channel.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from asr_punct.errors import InputError
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.json_values import Node, short_repr
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE, time_source_of
from asr_punct.formats.tokens import entry_words, in_order, recording_name
from asr_punct.languages import parse_language
from asr_punct.words import Utterance, Word


class _Turn(NamedTuple):
    """The words of one speaker; `node` is the turn's JSON object, or that of its first word."""

    place: str
    node: Node
    entries: list[Node]
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
    results = Node.of(content, display_name(path)).inner("results")
    yield from _numbered(_deepgram_turns(results), path, "deepgram", _deepgram_words)


def _deepgram_turns(results: Node) -> Iterator[_Turn]:
    channels = results.nodes("channels", "channel")
    languages = [parse_language(channel.get("detected_language")) for channel in channels]
    for turn in results.nodes("utterances", "utterance"):
        channel = int(turn.number("channel") or 0)
        language = languages[channel] if channel < len(languages) else ""
        yield _Turn(turn.place, turn, turn.nodes("words", "word"), str(channel + 1), language)
    if results.get("utterances"):
        return
    for number, (node, language) in enumerate(zip(channels, languages, strict=True), start=1):
        for best in node.nodes("alternatives", "alternative")[:1]:
            for turn, entries in _turns(best):
                yield _Turn(best.place, turn, entries, str(number), language)


def _deepgram_words(entry: Node) -> list[Word]:
    text = entry.get("punctuated_word") or entry.get("word")
    return entry_words(text, entry.number("start"), entry.number("end"), entry.confidence("confidence"), entry.place)


def is_assemblyai(content: Any) -> bool:
    """Whether a JSON value is a transcript of AssemblyAI."""
    return isinstance(content, dict) and {"text", "words"} <= content.keys() and bool(_ASSEMBLYAI_KEYS & content.keys())


def read_assemblyai(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read `{"status", "text", "words": [{"text", "start", "end", "confidence", "speaker"}], "utterances"}`.

    Times are milliseconds; a turn of `utterances` has `words` and a `speaker`. The file has a `language_code`. Raises
    InputError for a transcript that is not completed, JSON of another form, or invalid times.
    """
    file = Node.of(content, display_name(path))
    if file.get("status", "completed") != "completed":
        raise InputError(file.place, f"status {short_repr(file.get('status'))}", "a completed transcript")
    yield from _numbered(_assemblyai_turns(file), path, "assemblyai", _assemblyai_words)


def _assemblyai_turns(file: Node) -> Iterator[_Turn]:
    given = [(turn.place, turn, turn.nodes("words", "word")) for turn in file.nodes("utterances", "utterance")]
    if not given or not all(entries for *_, entries in given):
        given = [(file.place, *turn) for turn in _turns(file)]
    for place, turn, entries in given:
        channel = str(turn.get("channel") or 1)
        yield _Turn(place, turn, entries, channel, parse_language(file.get("language_code")))


def _assemblyai_words(entry: Node) -> list[Word]:
    milliseconds = map(entry.number, ("start", "end"))
    start, end = (None if time is None else time / 1000 for time in milliseconds)
    return entry_words(entry.get("text"), start, end, entry.confidence("confidence"), entry.place)


def _turns(node: Node) -> Iterator[tuple[Node, list[Node]]]:
    """Yield consecutive words of one speaker and channel, each group with its first word as its turn.

    An object without words is itself a turn: only its text is known.
    """
    entries = node.nodes("words", "word")
    groups = [list(group) for _, group in groupby(entries, lambda entry: (entry.speaker, str(entry.get("channel"))))]
    yield from [(group[0], group) for group in groups] or [(node, [])]


def _numbered(
    turns: Iterable[_Turn], path: Pathlike, service: str, words_of: Callable[[Node], list[Word]]
) -> Iterator[Utterance]:
    recording = recording_name(path)
    for number, turn in enumerate(turns, start=1):
        words = [word for entry in turn.entries for word in words_of(entry)]
        if not turn.entries:
            texts = map(turn.node.text, ("transcript", "text"))
            words = [Word(token) for text in texts for token in text.split()]
        yield Utterance(
            in_order(words, turn.place),
            f"{recording}-{number}",
            recording=recording,
            channel=turn.channel,
            speaker=turn.node.speaker,
            time_source=time_source_of(words, DEFAULT_TIME_SOURCE[service]),
            language=turn.language,
        )
