"""Assign the words of a CTM to the utterances of a Kaldi data directory, and write labels back onto the CTM's rows.

The rows name utterances, or recordings by `reco2file_and_channel`. Their times start at the beginning of the audio
file, or at the beginning of the utterance, as Kaldi writes them before its `convert_ctm.pl`.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import TextIO

from asr_punct.errors import InputError, counted_as
from asr_punct.formats.ctm import read_ctm, write_ctm
from asr_punct.formats.files import Pathlike
from asr_punct.formats.kaldi_tables import Segments, order_of_speech, read_segments, unique_names, utterance_names
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE
from asr_punct.formats.tokens import SLACK
from asr_punct.marks import Glyphs, Labels
from asr_punct.words import Seconds, Utterance, Word, annotate, bounds, shift

_LOG = logging.getLogger(__name__)
_Span = tuple[Seconds, Seconds, str]
"""Start, end and name of an utterance."""


@dataclass(frozen=True, slots=True)
class CtmPlace:
    """Index of a word among all words of the CTM, from 0; `Word.origin`."""

    number: int


def read_decode(path: Pathlike, ctm: Pathlike) -> list[Utterance]:
    """Return the recognised words of each utterance of a data directory, in the order of speech; some have no words.

    A word outside all segments belongs to the nearest segment of its recording.

    Raises:
        InputError: the data directory is missing, or a row of the CTM is malformed or has an unknown name.
    """
    root = Path(path)
    names, segments = utterance_names(root), read_segments(root / "segments")
    words = place_words(root, ctm, names, segments, strays=True)
    order = order_of_speech(root, names, segments, unique_names(root / "utt2doc"))
    recordings = {name: segments[name][0] if segments else name for name in names}
    return [
        Utterance(
            tuple(words.get(name, ())), name, recording=recordings[name], time_source=DEFAULT_TIME_SOURCE["kaldi"]
        )
        for name in order
    ]


def place_words(
    root: Path, ctm: Pathlike, names: Collection[str], segments: Segments, *, strays: bool = False
) -> dict[str, list[Word]]:
    """Return the words of a CTM by utterance, with times from the beginning of the audio file and a `CtmPlace` origin.

    Args:
        root: the data directory.
        ctm: the CTM file.
        names: the utterances; without these and segments, the names of the CTM are used.
        segments: segments of the directory.
        strays: whether a word outside all segments belongs to the nearest one of its recording; if not, such words are
            dropped and their number is logged.

    Raises:
        InputError: a malformed row, a name unknown to the directory, or words far outside their segment.
    """
    utterances = {*names, *segments}
    recordings = _recordings(segments)
    own, placed, lost = dict[str, list[Word]](), dict[str, list[Word]](), 0
    for name, words in _by_name(root, ctm, utterances):
        if name in utterances or not utterances:
            own.setdefault(name, []).extend(words)
        elif name in recordings:
            divided = list(recordings[name].divide(words, strays))
            for segment, word in divided:
                placed.setdefault(segment, []).append(word)
            lost += len(words) - len(divided)
        else:
            raise InputError(ctm, f"{name!r}", "names of the directory's utterances or recordings")
    if lost:
        _LOG.warning("%s: %s outside all segments, which belong to no utterance", ctm, counted_as(lost, "word"))
    for name in own.keys() & placed.keys():
        raise InputError(ctm, f"rows of {name!r} and of its recording", "rows of one of them")
    return placed | _with_recording_times(own, segments, ctm)


def _by_name(root: Path, ctm: Pathlike, utterances: Collection[str]) -> Iterator[tuple[str, list[Word]]]:
    """Yield the CTM's words, numbered, and the utterance or recording of the directory that they belong to."""
    names = {tuple(value.split()[:2]): name for name, value in unique_names(root / "reco2file_and_channel").items()}
    channels: dict[str, str] = {}
    number = 0
    for utterance in read_ctm(ctm):
        name, channel = utterance.id, utterance.channel
        if name not in utterances:
            name = names.get((name, channel), name)
        if channels.setdefault(name, channel) != channel:
            found = f"channels {channels[name]!r} and {channel!r} of {name!r}"
            raise InputError(ctm, found, "one channel, or a reco2file_and_channel with a name for each")
        yield name, [replace(word, origin=CtmPlace(number + i)) for i, word in enumerate(utterance.words)]
        number += len(utterance.words)


def _with_recording_times(own: Mapping[str, list[Word]], segments: Segments, ctm: Pathlike) -> dict[str, list[Word]]:
    """Return the words with times from the beginning of their recording.

    The CTM's times start there or at the beginning of the utterance: whichever fits the segments better.
    """
    spans = {name: span for name, words in own.items() if name in segments and (span := bounds(words))}
    absolute = sum(_outside(span, *segments[name][1:]) for name, span in spans.items())
    relative = sum(_outside(span, 0.0, segments[name][2] - segments[name][1]) for name, span in spans.items())
    shifted = relative < absolute
    for name, (start, _) in spans.items():
        _, first, last = segments[name]
        offset = first if shifted else 0.0
        if not first - SLACK <= start + offset <= last + SLACK:
            expected = f"words in its segment from {first} to {last} s, or from 0 to {last - first:g} s"
            raise InputError(ctm, f"{name!r} at {start} s", expected)
    if not shifted:
        return dict(own)
    return {name: [shift(word, segments[name][1], decimals=6) for word in words] for name, words in own.items()}


def _outside(span: tuple[Seconds, Seconds], first: Seconds, last: Seconds) -> Seconds:
    """Return the length of the part of a span that is outside its segment."""
    return max(0.0, first - span[0]) + max(0.0, span[1] - last)


def _ending_later(one: _Span, other: _Span) -> _Span:
    return other if other[1] > one[1] else one


class _Recording:
    """The segments of a recording, to find the segment of a word.

    Args:
        spans: start, end and name of each segment.
    """

    def __init__(self, spans: Iterable[_Span]) -> None:
        self._spans = sorted(spans)
        self._starts = [start for start, _, _ in self._spans]
        self._latest = list(accumulate(self._spans, _ending_later))

    def divide(self, words: Iterable[Word], strays: bool) -> Iterator[tuple[str, Word]]:
        """Yield each word and the segment that contains its middle.

        A word outside all segments belongs to the nearest one with `strays`, else it is dropped. A word without times
        belongs to the segment of the word before it.
        """
        found: str | None = None
        for word in words:
            times = [time for time in (word.start, word.end) if time is not None]
            found = self._find(sum(times) / len(times), strays) if times else found
            if found is not None:
                yield found, word

    def _find(self, time: Seconds, strays: bool) -> str | None:
        following = bisect_right(self._starts, time)
        for begun in range(following - 1, -1, -1):
            if self._latest[begun][1] <= time:
                break
            if self._spans[begun][1] > time:
                return self._spans[begun][2]
        if not strays:
            return None
        near = [*self._latest[following - 1 : following], *self._spans[following : following + 1]]
        return min(near, key=lambda span: max(span[0] - time, time - span[1]))[2]


def _recordings(segments: Segments) -> dict[str, _Recording]:
    spans: dict[str, list[_Span]] = {}
    for name, (recording, start, end) in segments.items():
        spans.setdefault(recording, []).append((start, end, name))
    return {recording: _Recording(found) for recording, found in spans.items()}


def write_labelled(ctm: Pathlike, labels: Mapping[int, Labels], out: TextIO, glyphs: Glyphs) -> None:
    """Write the CTM again, with labels on words by their `CtmPlace` number and everything else unchanged."""
    write_ctm(_labelled(ctm, labels), out, glyphs)


def _labelled(ctm: Pathlike, labels: Mapping[int, Labels]) -> Iterator[Utterance]:
    number = 0
    for utterance in read_ctm(ctm):
        own = tuple(labels.get(number + i, Labels()) for i in range(len(utterance.words)))
        yield annotate(utterance, labels=own)
        number += len(own)


def labels_by_place(utterances: Iterable[Utterance]) -> dict[int, Labels]:
    """Return the labels of words with a `CtmPlace`, by its number."""
    words = (word for utterance in utterances for word in utterance.words)
    return {word.origin.number: word.labels or Labels() for word in words if isinstance(word.origin, CtmPlace)}
