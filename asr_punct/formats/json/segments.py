"""Utterances of the segments of a recording: the loop that all readers of recognisers' JSON documents share.

All these readers raise InputError for JSON of another form, and for invalid times.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from asr_punct.files import Pathlike
from asr_punct.formats.json.tokens import in_order, recording_name
from asr_punct.formats.json.values import JsonOrigin, Node
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE, get_time_source
from asr_punct.words import TimeSource, Utterance, Word


class Segment(NamedTuple):
    """A segment, result, turn or channel of a recording.

    `node` is its JSON object and its place in error messages. `time_source` is used if the object names none (None: the
    format's default), and always if it is `segment`: only the first start and the last end are known.
    """

    node: Node
    words: Iterable[Word]
    channel: str = "1"
    speaker: str = ""
    language: str = ""
    time_source: TimeSource | None = None
    origin: JsonOrigin | None = None


def segment_utterances(
    segments: Iterable[Segment], path: Pathlike, format_name: str, *, numbered: bool = True
) -> Iterator[Utterance]:
    """Yield an utterance for each segment; its id is the name of the recording, with its number if `numbered`."""
    recording = recording_name(path)
    for number, segment in enumerate(segments, start=1):
        words = in_order(segment.words, segment.node.place)
        source = segment.time_source or DEFAULT_TIME_SOURCE[format_name]
        yield Utterance(
            words,
            f"{recording}-{number}" if numbered else recording,
            recording=recording,
            channel=segment.channel,
            speaker=segment.speaker,
            time_source=source if source == "segment" else get_time_source(segment.node.item, words, source),
            language=segment.language,
            origin=segment.origin,
        )
