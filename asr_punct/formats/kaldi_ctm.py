"""Words of a CTM in the utterances of a Kaldi data directory, and labels written back into the CTM.

The rows of the CTM name utterances, or recordings by `reco2file_and_channel`. Their times start at the beginning of the
audio file, or at the beginning of the utterance, as Kaldi writes them before its `convert_ctm.pl`.
"""

import logging
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import TextIO

from asr_punct.errors import InputError, plural
from asr_punct.formats.ctm import read_ctm, write_ctm
from asr_punct.formats.files import Pathlike
from asr_punct.formats.kaldi_tables import Segments, order_of_speech, read_mapping, read_segments, utterance_names
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE
from asr_punct.formats.tokens import SEGMENT_TOLERANCE
from asr_punct.marks import Glyphs, Labels
from asr_punct.words import Seconds, Utterance, Word, bounds, shift

_LOG = logging.getLogger(__name__)
_Span = tuple[Seconds, Seconds, str]
"""Start, end and name of a segment."""


@dataclass(frozen=True, slots=True)
class CtmIndex:
    """Index of a word among all words of the CTM, from 0; `Word.origin`."""

    index: int


def read_decode(path: Pathlike, ctm: Pathlike) -> list[Utterance]:
    """Return the recognised words of each utterance of a data directory, in the order of speech; some have no words.

    A word outside all segments belongs to the nearest segment of its recording. Raises InputError if the data directory
    is missing, or a row of the CTM is malformed or has an unknown name.
    """
    root = Path(path)
    names, segments = utterance_names(root), read_segments(root / "segments")
    words = place_words(root, ctm, names, segments, nearest=True)
    order = order_of_speech(root, names, segments, read_mapping(root / "utt2doc"))
    recordings = {name: segments[name][0] if segments else name for name in names}
    time_source = DEFAULT_TIME_SOURCE["kaldi"]
    return [
        Utterance(tuple(words.get(name, ())), name, recording=recordings[name], time_source=time_source)
        for name in order
    ]


def place_words(
    root: Path, ctm: Pathlike, names: Collection[str], segments: Segments, *, nearest: bool = False
) -> dict[str, list[Word]]:
    """Return the words of a CTM by utterance, with times from the beginning of the audio file and a `CtmIndex` origin.

    If `names` and `segments` are empty, the names in the CTM are used. A word outside all segments belongs to the
    nearest one of its recording if `nearest`; if not, such words are dropped and their number is logged. Raises
    InputError for a malformed row, a name unknown to the directory, or words far outside their segment.
    """
    utterances = {*names, *segments}
    recordings = _by_recording(segments)
    by_utterance, by_segment, dropped = dict[str, list[Word]](), dict[str, list[Word]](), 0
    for name, words in _named_words(root, ctm, utterances):
        if name in utterances or not utterances:
            by_utterance.setdefault(name, []).extend(words)
        elif name in recordings:
            for segment, word in recordings[name].assign(words, nearest):
                if segment is None:
                    dropped += 1
                else:
                    by_segment.setdefault(segment, []).append(word)
        else:
            raise InputError(ctm, f"{name!r}", "names of the directory's utterances or recordings")
    if dropped:
        _LOG.warning("%s: %s outside all segments, which belong to no utterance", ctm, plural(dropped, "word"))
    for name in by_utterance.keys() & by_segment.keys():
        raise InputError(ctm, f"rows of {name!r} and of its recording", "rows of one of them")
    return by_segment | _with_recording_times(by_utterance, segments, ctm)


def _named_words(root: Path, ctm: Pathlike, utterances: Collection[str]) -> Iterator[tuple[str, list[Word]]]:
    """Yield the words of each CTM utterance, with their index, and the data directory's name for it."""
    names = {tuple(value.split()[:2]): name for name, value in read_mapping(root / "reco2file_and_channel").items()}
    channels: dict[str, str] = {}
    count = 0
    for utterance in read_ctm(ctm):
        name, channel = utterance.id, utterance.channel
        if name not in utterances:
            name = names.get((name, channel), name)
        if channels.setdefault(name, channel) != channel:
            found = f"channels {channels[name]!r} and {channel!r} of {name!r}"
            raise InputError(ctm, found, "one channel, or a reco2file_and_channel with a name for each")
        yield name, [replace(word, origin=CtmIndex(count + i)) for i, word in enumerate(utterance.words)]
        count += len(utterance.words)


def _with_recording_times(
    by_utterance: Mapping[str, list[Word]], segments: Segments, ctm: Pathlike
) -> dict[str, list[Word]]:
    """Return the words with times from the beginning of their recording.

    The CTM's times start there, or at the beginning of the utterance if fewer seconds are then outside the segments.
    """
    spans = {name: span for name, words in by_utterance.items() if name in segments and (span := bounds(words))}
    outside_recording = sum(_outside(span, *segments[name][1:]) for name, span in spans.items())
    outside_utterance = sum(_outside(span, 0.0, segments[name][2] - segments[name][1]) for name, span in spans.items())
    is_relative = outside_utterance < outside_recording
    for name, (start, _) in spans.items():
        _, first, last = segments[name]
        if not first - SEGMENT_TOLERANCE <= start + (first if is_relative else 0.0) <= last + SEGMENT_TOLERANCE:
            expected = f"words in its segment from {first} to {last} s, or from 0 to {last - first:g} s"
            raise InputError(ctm, f"{name!r} at {start} s", expected)
    if not is_relative:
        return dict(by_utterance)
    return {
        name: [shift(word, segments[name][1], decimals=6) for word in words] for name, words in by_utterance.items()
    }


def _outside(span: tuple[Seconds, Seconds], first: Seconds, last: Seconds) -> Seconds:
    """Return the length of the part of a span that is outside `first` to `last`."""
    return max(0.0, first - span[0]) + max(0.0, span[1] - last)


class _RecordingSegments:
    """Finds the segments of words in one recording.

    `_latest` has for each segment, in order of start, the one that ends last among it and those before it.
    """

    def __init__(self, spans: Iterable[_Span]) -> None:
        self._spans = sorted(spans)
        self._starts = [start for start, _, _ in self._spans]
        self._latest: list[_Span] = list(accumulate(self._spans, partial(max, key=itemgetter(1))))

    def assign(self, words: Iterable[Word], nearest: bool) -> Iterator[tuple[str | None, Word]]:
        """Yield each word and the segment that contains its middle, else the nearest one if `nearest`, else None.

        A word without times belongs to the segment of the word before it.
        """
        segment: str | None = None
        for word in words:
            times = [time for time in (word.start, word.end) if time is not None]
            if times:
                segment = self._find(sum(times) / len(times), nearest)
            yield segment, word

    def _find(self, time: Seconds, nearest: bool) -> str | None:
        following = bisect_right(self._starts, time)
        for i in range(following - 1, -1, -1):
            if self._latest[i][1] <= time:
                break
            if self._spans[i][1] > time:
                return self._spans[i][2]
        if not nearest:
            return None
        neighbours = [*self._latest[following - 1 : following], *self._spans[following : following + 1]]
        return min(neighbours, key=lambda span: max(span[0] - time, time - span[1]))[2]


def _by_recording(segments: Segments) -> dict[str, _RecordingSegments]:
    spans: dict[str, list[_Span]] = {}
    for name, (recording, start, end) in segments.items():
        spans.setdefault(recording, []).append((start, end, name))
    return {recording: _RecordingSegments(found) for recording, found in spans.items()}


def write_labelled(ctm: Pathlike, utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write the CTM again, with the labels of the words that have a `CtmIndex`, and everything else unchanged.

    A word in lower case replaces its capitals in the CTM.
    """
    words = (word for utterance in utterances for word in utterance.words)
    by_index = {word.origin.index: word for word in words if isinstance(word.origin, CtmIndex)}
    write_ctm(_labelled(ctm, by_index), out, glyphs)


def _labelled(ctm: Pathlike, words: Mapping[int, Word]) -> Iterator[Utterance]:
    count = 0
    for utterance in read_ctm(ctm):
        new = (words.get(count + i) for i in range(len(utterance.words)))
        labelled = tuple(_with_labels(old, word) for old, word in zip(utterance.words, new, strict=True))
        yield replace(utterance, words=labelled)
        count += len(labelled)


def _with_labels(word: Word, new: Word | None) -> Word:
    if new is None:
        return replace(word, labels=Labels())
    return replace(word, text=new.text if new.text == word.text.lower() else word.text, labels=new.labels or Labels())
