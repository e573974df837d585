"""Read the JSON of Deepgram and AssemblyAI, whose words and turns have speakers.

The service's marks and capitals are read (`punctuated_word` of Deepgram). An utterance is a turn of `utterances`, or
else consecutive words of one speaker and channel.
"""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name
from asr_punct.formats.entries import entry_words
from asr_punct.formats.json.nodes import JsonSegment, Node, segment_utterances
from asr_punct.formats.json.parse import find
from asr_punct.formats.values import short_repr
from asr_punct.languages import parse_language
from asr_punct.words import Utterance, Word

_ASSEMBLYAI_KEYS = {"audio_url", "audio_duration", "utterances"}


class _Turn(NamedTuple):
    """A turn. `first` is its object or else its first word, and has the speaker; `node` is its place in errors."""

    node: Node
    first: Node
    entries: list[Node]


def is_deepgram(content: Any) -> bool:
    """Whether a JSON value is a response of Deepgram for recorded audio."""
    return isinstance(find(content, "results", "channels"), list)


def read_deepgram(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read `{"results": {"channels": [{"alternatives": [{"transcript", "words"}]}], "utterances": [{"words"}]}}`.

    A word is `{"word", "punctuated_word", "start", "end", "confidence", "speaker"}`, with times in seconds. A channel
    has `detected_language`, if that was requested.
    """
    results = Node.of(content, display_name(path)).inner("results")
    return segment_utterances(_deepgram_segments(results), path)


def _deepgram_segments(results: Node) -> Iterator[JsonSegment]:
    channels = results.nodes("channels", "channel")
    languages = [parse_language(channel.get("detected_language")) for channel in channels]
    turns = results.nodes("utterances", "utterance")
    for turn in turns:
        channel = int(turn.number("channel") or 0)
        language = languages[channel] if channel < len(languages) else ""
        yield _segment(_Turn(turn, turn, turn.nodes("words", "word")), _deepgram_words, channel + 1, language)
    if turns:
        return
    for number, (node, language) in enumerate(zip(channels, languages, strict=True), start=1):
        for best in node.nodes("alternatives", "alternative")[:1]:
            for found in _speaker_turns(best):
                yield _segment(found, _deepgram_words, number, language)


def _deepgram_words(entry: Node) -> list[Word]:
    text = entry.get("punctuated_word") or entry.get("word")
    return entry_words(text, entry.number("start"), entry.number("end"), entry.confidence("confidence"), entry.place)


def is_assemblyai(content: Any) -> bool:
    """Whether a JSON value is a transcript of AssemblyAI."""
    return isinstance(content, dict) and {"text", "words"} <= content.keys() and bool(_ASSEMBLYAI_KEYS & content.keys())


def read_assemblyai(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Read `{"status", "text", "words": [{"text", "start", "end", "confidence", "speaker"}], "utterances"}`.

    Times are milliseconds; a turn of `utterances` has `words` and a `speaker`. The file has a `language_code`. Raises
    InputError for a transcript that is not completed.
    """
    file = Node.of(content, display_name(path))
    if file.get("status", "completed") != "completed":
        raise InputError(file.place, f"status {short_repr(file.get('status'))}", "a completed transcript")
    language = parse_language(file.get("language_code"))
    turns = [_Turn(node, node, node.nodes("words", "word")) for node in file.nodes("utterances", "utterance")]
    if not turns or not all(turn.entries for turn in turns):
        turns = list(_speaker_turns(file))
    segments = (_segment(turn, _assemblyai_words, turn.first.get("channel") or 1, language) for turn in turns)
    return segment_utterances(segments, path)


def _assemblyai_words(entry: Node) -> list[Word]:
    milliseconds = map(entry.number, ("start", "end"))
    start, end = (None if time is None else time / 1000 for time in milliseconds)
    return entry_words(entry.get("text"), start, end, entry.confidence("confidence"), entry.place)


def _speaker_turns(node: Node) -> Iterator[_Turn]:
    """Yield consecutive words of one speaker and channel; an object without words is itself a turn."""
    entries = node.nodes("words", "word")
    groups = [list(group) for _, group in groupby(entries, lambda entry: (entry.speaker, str(entry.get("channel"))))]
    yield from [_Turn(node, group[0], group) for group in groups] or [_Turn(node, node, [])]


def _segment(turn: _Turn, words_of: Callable[[Node], list[Word]], channel: object, language: str) -> JsonSegment:
    node, first, entries = turn
    words = [word for entry in entries for word in words_of(entry)]
    if not entries:  # only the text is known
        words = [Word(token) for key in ("transcript", "text") for token in first.text(key).split()]
    return JsonSegment(node, words, str(channel), first.speaker, language)
