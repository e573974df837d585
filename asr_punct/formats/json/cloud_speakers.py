"""Read the JSON of Deepgram, AssemblyAI and Azure Speech, whose turns have speakers, with the service's marks.

An utterance of Deepgram and AssemblyAI is a turn of `utterances`, or else consecutive words of one speaker and channel.
An utterance of Azure is a phrase of a batch or fast transcription, or of detailed results of the Speech SDK. Its words
are those of the display form, with marks and capitals, if that form has times; else the lexical words, without marks;
else the display form, of which only start and end are known.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name
from asr_punct.formats.entries import entry_words, with_edge_times
from asr_punct.formats.json.nodes import Node, find, result_nodes, results_of, segment_utterances
from asr_punct.formats.times import time_of
from asr_punct.formats.values import short_repr
from asr_punct.languages import parse_language
from asr_punct.words import Seconds, Utterance, Word, has_times

_ASSEMBLYAI_KEYS = {"audio_url", "audio_duration", "utterances"}
_TICKS_PER_S = 10_000_000
_OFFSETS = {"offsetInTicks": 1, "offsetMilliseconds": 10_000, "Offset": 1}
_DURATIONS = {"durationInTicks": 1, "durationMilliseconds": 10_000, "Duration": 1}
"""Keys of times, and their units in ticks."""
_WORD_LISTS = "displayWords", "DisplayWords", "words", "Words"
"""Keys of lists of words, those with marks first."""
_WORD_TEXTS = "displayText", "DisplayText", "word", "Word", "text"
_PHRASE_TEXTS = "display", "Display", "text", "lexical", "Lexical"


_Turn = tuple[Node, Node, list[Node]]
"""The object that errors name, the one with the speaker (the turn or its first word), and the words."""
_EntryForm = tuple[Sequence[str], float]
"""Keys of a word's text, the first that has one, and the number of units of its times in a second."""
_DEEPGRAM: _EntryForm = ("punctuated_word", "word"), 1
_ASSEMBLYAI: _EntryForm = ("text",), 1000


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


def _deepgram_segments(results: Node) -> Iterator[tuple[Node, Utterance]]:
    channels = results.nodes("channels", "channel")
    languages = [parse_language(channel.get("detected_language")) for channel in channels]
    turns = results.nodes("utterances", "utterance")
    for turn in turns:
        channel = int(turn.number("channel") or 0)
        language = languages[channel] if channel < len(languages) else ""
        yield _segment((turn, turn, turn.nodes("words", "word")), _DEEPGRAM, channel + 1, language)
    for number, (node, language) in enumerate(zip(channels, languages, strict=True), start=1):
        for best in [] if turns else node.nodes("alternatives", "alternative")[:1]:
            for found in _speaker_turns(best):
                yield _segment(found, _DEEPGRAM, number, language)


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
    turns = [(node, node, node.nodes("words", "word")) for node in file.nodes("utterances", "utterance")]
    if not turns or not all(entries for _, _, entries in turns):
        turns = _speaker_turns(file)
    segments = (_segment(turn, _ASSEMBLYAI, turn[1].get("channel") or 1, language) for turn in turns)
    return segment_utterances(segments, path)


def _speaker_turns(node: Node) -> list[_Turn]:
    """Return consecutive words of one speaker and channel; an object without words is itself a turn."""
    entries = node.nodes("words", "word")
    groups = [list(group) for _, group in groupby(entries, lambda entry: (entry.speaker, str(entry.get("channel"))))]
    return [(node, group[0], group) for group in groups] or [(node, node, [])]


def _segment(turn: _Turn, form: _EntryForm, channel: object, language: str) -> tuple[Node, Utterance]:
    (node, first, entries), (keys, unit), words = turn, form, list[Word]()
    for entry in entries:
        start, end = (None if time is None else time / unit for time in map(entry.seconds, ("start", "end")))
        text = next(filter(None, map(entry.get, keys)), entry.get(keys[-1]))
        words += entry_words(text, start, end, entry.confidence("confidence"), entry.place)
    if not entries:  # only the text is known
        words = [Word(token) for key in ("transcript", "text") for token in first.text(key).split()]
    return node, Utterance(tuple(words), channel=str(channel), speaker=first.speaker, language=language)


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
    return segment_utterances(map(_phrase_segment, phrases), path)


def _phrases(content: Any, name: str) -> list[Node]:
    for key in ("recognizedPhrases", "phrases"):
        if isinstance(content, dict) and key in content:
            return Node(content, name).nodes(key, "phrase")
    return [node for node in result_nodes(content, name) if "RecognitionStatus" in node]


def _phrase_segment(phrase: Node) -> tuple[Node, Utterance]:
    channel, speaker = phrase.get("channel", phrase.get("Channel")), phrase.get("speaker", phrase.get("SpeakerId"))
    words = tuple(_words(phrase))
    only_edges = bool(words) and not has_times(words)
    if only_edges:
        words = with_edge_times(words, *_times(phrase))
    return phrase, Utterance(
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
    return time_of(node.get(key)) * units[key]
