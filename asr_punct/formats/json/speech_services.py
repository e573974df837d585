"""JSON of ElevenLabs (`elevenlabs`) and of Amazon's Call Analytics and Contact Lens (`aws-calls`).

ElevenLabs: `{"language_code", "text", "words": [{"text": "Hola,", "start", "end", "type": "word", "speaker_id"}]}`; an
entry may have the type `spacing` or `audio_event`; several channels are such objects in `transcripts`.

Amazon: `{"Transcript": [{"Content": "Hola, Ana.", "BeginOffsetMillis", "EndOffsetMillis", "ParticipantRole", "Items":
[{"Type", "Content", "Confidence", "BeginOffsetMillis", "EndOffsetMillis"}]}]}`. The times of words are those of the
items if these are the words of the content, else only those of the turn are known.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from asr_punct.files import Pathlike, display_name
from asr_punct.formats.json.nodes import Node, find, segment_utterances
from asr_punct.formats.json.places import Place, node_words, speaker_turns, with_mark, write_placed
from asr_punct.formats.origins import JsonOrigin
from asr_punct.languages import parse_language
from asr_punct.words import Seconds, TimeSource, Utterance, Word

_ELEVENLABS, _CALLS = "elevenlabs", "aws-calls"
_TYPES = {"word", "spacing", "audio_event"}


def is_elevenlabs(content: Any) -> bool:
    """Whether a JSON value is a transcript of ElevenLabs."""
    return any(find(entry, "type") in _TYPES for each in _transcripts(content) for entry in find(each, "words") or [])


def _transcripts(content: Any) -> list[Any]:
    several = find(content, "transcripts")
    listed = several if isinstance(several, list) else [content]
    return [each for each in listed if isinstance(find(each, "words"), list)]


def read_elevenlabs(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each turn of a speaker."""
    file, origin = Node.of(content, display_name(path)), JsonOrigin(_ELEVENLABS, None, content)

    return segment_utterances(
        (
            (transcript, Utterance(words, channel=channel, speaker=speaker, language=language, origin=origin))
            for number, transcript in enumerate(file.nodes("transcripts", "transcript") or [file])
            for channel in [str(int(transcript.number("channel_index") or number) + 1)]
            for language in [parse_language(transcript.get("language_code"))]
            for speaker, words in speaker_turns(
                (_text(entry, "speaker_id"), _entry_words(entry)) for entry in transcript.nodes("words", "word")
            )
        ),
        path,
    )


def _text(node: Node, key: str) -> str:
    value = node.get(key)
    return str(value) if isinstance(value, str | int) else ""


def _entry_words(entry: Node) -> list[Word]:
    return node_words(entry, "text", entry.seconds("start"), entry.seconds("end"))


def _texts(document: Any) -> Iterable[Iterable[Place]]:
    several = document.get("transcripts")
    return [[(each, "text") for each in (several if isinstance(several, list) else [document]) if "text" in each]]


def is_aws_calls(content: Any) -> bool:
    """Whether a JSON value is a transcript of a call by Amazon."""
    turns = find(content, "Transcript")
    return isinstance(turns, list) and all(isinstance(find(turn, "Content"), str) for turn in turns)


def read_aws_calls(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each turn; each participant is a channel."""
    file, origin = Node.of(content, display_name(path)), JsonOrigin(_CALLS, None, content)
    language, numbers = parse_language(file.get("LanguageCode")), count(1)
    channels: dict[str, str] = {}

    def utterance(turn: Node) -> Utterance:
        speaker = _text(turn, "ParticipantRole") or _text(turn, "ParticipantId")
        if speaker not in channels:
            channels[speaker] = str(next(numbers))
        words, source = _turn_words(turn)
        named = Utterance(tuple(words), channel=channels[speaker], speaker=speaker, language=language)
        return replace(named, time_source=source, origin=origin)

    return segment_utterances(((turn, utterance(turn)) for turn in file.nodes("Transcript", "turn")), path)


def _turn_words(turn: Node) -> tuple[list[Word], TimeSource]:
    """Return the words of a turn, and the source of their times."""
    words = list[Word]()
    for item in turn.nodes("Items", "item"):
        own = node_words(item, "Content", *_seconds(item), item.confidence("Confidence"))
        if item.get("Type") == "punctuation" and words and own:
            words[-1] = with_mark(words[-1], own.pop(0))
        words += own
    content = node_words(turn, "Content", *_seconds(turn))
    if [word.text for word in words] == [word.text for word in content]:
        return words, "asr"
    return content, "segment"


def _seconds(node: Node) -> tuple[Seconds | None, Seconds | None]:
    times = map(node.seconds, ("BeginOffsetMillis", "EndOffsetMillis"))
    start, end = (None if ms is None else ms / 1000 for ms in times)
    return start, end


def _contents(document: Any) -> Iterable[Iterable[Place]]:
    return [[(turn, "Content") for turn in document["Transcript"]]]


write_elevenlabs = partial(write_placed, format_name=_ELEVENLABS, copies=_texts)
write_aws_calls = partial(write_placed, format_name=_CALLS, copies=_contents)
