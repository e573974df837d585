"""Words of a CTM in the utterances of a Kaldi data directory, and labels back onto the CTM's rows.

The rows name utterances, or recordings by `reco2file_and_channel`. Their times count from the beginning of the audio
file, or those of utterances from their own beginning, as Kaldi writes them before its `convert_ctm.pl`.
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
from asr_punct.formats.kaldi import read_segments, unique_names
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE
from asr_punct.formats.tokens import SLACK
from asr_punct.marks import Glyphs, Labels
from asr_punct.words import Seconds, Utterance, Word, annotate, bounds, shift

_LOG = logging.getLogger(__name__)
Segments = Mapping[str, tuple[str, Seconds, Seconds]]
"""Recording, start and end by utterance."""
_Span = tuple[Seconds, Seconds, str]
"""Start, end and name of an utterance."""


@dataclass(frozen=True, slots=True)
class CtmPlace:
    """Which of all words of the CTM a word is, from 0; `Word.origin`."""

    number: int


def utterance_names(root: Path) -> list[str]:
    """Names of the utterances of a data directory, in its order.

    They are those of `segments`, else of `wav.scp`, `text` or `utt2spk`.

    Raises:
        InputError: no such directory, or none of those files.
    """
    if not root.is_dir():
        raise InputError(root, "no such directory", "a data directory")
    for name in ("segments", "wav.scp", "text", "utt2spk"):
        if names := list(unique_names(root / name)):
            return names
    raise InputError(root, "none of segments, wav.scp, text and utt2spk", "a data directory")


def read_decode(path: Pathlike, ctm: Pathlike) -> list[Utterance]:
    """What was recognised of each utterance of a data directory, in the order of speech; some may have no words.

    `recording` is that of the utterance's audio. Words outside all segments belong to the nearest one of theirs.

    Raises:
        InputError: no data directory, or a row of the CTM is malformed or of none of its names.
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


def order_of_speech(root: Path, names: Collection[str], segments: Segments, documents: Mapping[str, str]) -> list[str]:
    """The names of utterances in the order of `utt2doc`, else by the start of their segments in each recording.

    Raises:
        InputError: a table that is there has not all of them.
    """
    for table_name, table in (("segments", segments), ("utt2doc", documents)):
        missing = [name for name in names if name not in table]
        if table and missing:
            raise InputError(root / table_name, f"no utterance {missing[0]!r}", "the utterances of text")
    known = set(names)
    if documents:
        return [name for name in documents if name in known]
    if not segments:
        return list(names)
    recordings = {recording: number for number, (recording, _, _) in enumerate(segments.values())}
    held = [name for name in segments if name in known]
    return sorted(held, key=lambda name: (recordings[segments[name][0]], segments[name][1]))


def place_words(
    root: Path, ctm: Pathlike, names: Collection[str], segments: Segments, *, strays: bool = False
) -> dict[str, list[Word]]:
    """Words of a CTM by utterance, with times from the beginning of the audio file and `CtmPlace` as their `rest`.

    Args:
        root: the data directory.
        ctm: the file.
        names: of the utterances; where there are neither these nor segments, the CTM's are taken.
        segments: of the directory.
        strays: whether a word outside all segments belongs to the nearest one of its recording, or to none, which is
            logged.

    Raises:
        InputError: a malformed row, a name that is none of the directory's, or words far outside their segment.
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
    return placed | _on_one_clock(own, segments, ctm)


def _by_name(root: Path, ctm: Pathlike, utterances: Collection[str]) -> Iterator[tuple[str, list[Word]]]:
    """Words under the names that the directory has for their rows, numbered."""
    channels = {tuple(value.split()[:2]): name for name, value in unique_names(root / "reco2file_and_channel").items()}
    heard: dict[str, str] = {}
    number = 0
    for utterance in read_ctm(ctm):
        name, channel = utterance.id, utterance.channel
        if name not in utterances:
            name = channels.get((name, channel), name)
        if heard.setdefault(name, channel) != channel:
            found = f"channels {heard[name]!r} and {channel!r} of {name!r}"
            raise InputError(ctm, found, "one channel, or a reco2file_and_channel that tells them apart")
        yield name, [replace(word, origin=CtmPlace(number + i)) for i, word in enumerate(utterance.words)]
        number += len(utterance.words)


def _on_one_clock(own: Mapping[str, list[Word]], segments: Segments, ctm: Pathlike) -> dict[str, list[Word]]:
    """Words of utterances by the clock of their recording, whichever clock the CTM has: that which fits better."""
    spans = {name: span for name, words in own.items() if name in segments and (span := bounds(words))}
    absolute = sum(_outside(span, *segments[name][1:]) for name, span in spans.items())
    relative = sum(_outside(span, 0.0, segments[name][2] - segments[name][1]) for name, span in spans.items())
    shifted = relative < absolute
    for name, (start, _) in spans.items():
        _, first, last = segments[name]
        since = first if shifted else 0.0
        if not first - SLACK <= start + since <= last + SLACK:
            found = f"{name!r} at {start} s"
            raise InputError(
                ctm, found, f"words in its segment from {first} to {last} s, or from 0 to {last - first:g} s"
            )
    if not shifted:
        return dict(own)
    return {name: [shift(word, segments[name][1], decimals=6) for word in words] for name, words in own.items()}


def _outside(span: tuple[Seconds, Seconds], first: Seconds, last: Seconds) -> Seconds:
    """How far words reach out of a segment."""
    return max(0.0, first - span[0]) + max(0.0, span[1] - last)


def _ending_later(one: _Span, other: _Span) -> _Span:
    return other if other[1] > one[1] else one


class _Recording:
    """The segments of a recording, to find the one that a word is in.

    Args:
        spans: start, end and name of each.
    """

    def __init__(self, spans: Iterable[_Span]) -> None:
        self._spans = sorted(spans)
        self._starts = [start for start, _, _ in self._spans]
        self._latest = list(accumulate(self._spans, _ending_later))

    def divide(self, words: Iterable[Word], strays: bool) -> Iterator[tuple[str, Word]]:
        """Each word with the segment that its middle is in; that of a word in none is the nearest, if it has any.

        A word without times is where the one before it is.
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
    """The segments by recording."""
    spans: dict[str, list[_Span]] = {}
    for name, (recording, start, end) in segments.items():
        spans.setdefault(recording, []).append((start, end, name))
    return {recording: _Recording(held) for recording, held in spans.items()}


def write_labelled(ctm: Pathlike, labels: Mapping[int, Labels], out: TextIO, glyphs: Glyphs) -> None:
    """Write a CTM again, row by row as it was, with labels on words by their number (`CtmPlace`)."""
    write_ctm(_labelled(ctm, labels), out, glyphs)


def _labelled(ctm: Pathlike, labels: Mapping[int, Labels]) -> Iterator[Utterance]:
    number = 0
    for utterance in read_ctm(ctm):
        own = tuple(labels.get(number + i, Labels()) for i in range(len(utterance.words)))
        yield annotate(utterance, labels=own)
        number += len(own)


def labels_by_place(utterances: Iterable[Utterance]) -> dict[int, Labels]:
    """Labels of words that have a `CtmPlace`, by its number."""
    words = (word for utterance in utterances for word in utterance.words)
    return {word.origin.number: word.labels or Labels() for word in words if isinstance(word.origin, CtmPlace)}
