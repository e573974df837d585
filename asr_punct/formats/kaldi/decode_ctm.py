"""Words of a CTM in the utterances of a Kaldi data directory, and labels written back into the CTM.

The rows of the CTM name utterances, or recordings by `reco2file_and_channel`. Their times start at the beginning of the
audio file, or at the beginning of the utterance, as Kaldi writes them before its `convert_ctm.pl`.
"""

import logging
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, count, takewhile
from operator import itemgetter
from pathlib import Path
from typing import TextIO

from asr_punct.errors import InputError, plural
from asr_punct.files import Pathlike
from asr_punct.formats.kaldi.ctm import read_ctm, write_ctm
from asr_punct.formats.kaldi.tables import Segments, read_channels
from asr_punct.formats.times import SEGMENT_TOLERANCE, without_bad_times
from asr_punct.glyphs import Glyphs
from asr_punct.marks import Labels
from asr_punct.words import Seconds, Utterance, Word, bounds, shift

_LOG = logging.getLogger(__name__)
_Span = tuple[Seconds, Seconds, str]
"""Start, end and name of a segment."""


@dataclass(frozen=True, slots=True)
class CtmIndex:
    """Index of a word among all words of the CTM, from 0; `Word.origin`."""

    index: int


def place_words(
    root: Path, ctm: Pathlike, names: Collection[str], segments: Segments, *, nearest: bool = False
) -> dict[str, list[Word]]:
    """Return the words of a CTM by utterance, with times from the beginning of the audio file and a `CtmIndex` origin.

    If `names` and `segments` are empty, the names in the CTM are used. A word outside all segments belongs to the
    nearest one of its recording if `nearest`; if not, such words are dropped and their number is logged. Raises
    InputError for a malformed row, a name unknown to the directory, or words far outside their segment.
    """
    utterances = {*names, *segments}
    recordings = defaultdict[str, list[_Span]](list)
    for name, (recording, start, end) in segments.items():
        recordings[recording].append((start, end, name))
    by_utterance, by_segment, dropped = dict[str, list[Word]](), dict[str, list[Word]](), 0
    for name, words in _named_words(root, ctm, utterances):
        if name in utterances or not utterances:
            by_utterance.setdefault(name, []).extend(words)
        elif name in recordings:
            for segment, word in _assign(words, sorted(recordings[name]), nearest):
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
    names = {file_and_channel: name for name, file_and_channel in read_channels(root).items()}
    channels: dict[str, str] = {}
    indices = map(CtmIndex, count())
    for utterance in read_ctm(ctm):
        name, channel = utterance.id, utterance.channel
        if name not in utterances:
            name = names.get((name, channel), name)
        if channels.setdefault(name, channel) != channel:
            found = f"channels {channels[name]!r} and {channel!r} of {name!r}"
            raise InputError(ctm, found, "one channel, or a reco2file_and_channel with a name for each")
        yield name, [replace(word, origin=index) for word, index in zip(utterance.words, indices, strict=False)]


def _with_recording_times(
    by_utterance: Mapping[str, list[Word]], segments: Segments, ctm: Pathlike
) -> dict[str, list[Word]]:
    """Return the words with times from the beginning of their recording.

    The CTM's times start there, or at the beginning of the utterance if fewer seconds are then outside the segments.
    """
    timed = ((name, without_bad_times(words)) for name, words in by_utterance.items() if name in segments)
    spans = {name: span for name, words in timed if (span := bounds(words))}
    outside_recording = sum(_outside(span, *segments[name][1:]) for name, span in spans.items())
    outside_utterance = sum(_outside(span, 0.0, segments[name][2] - segments[name][1]) for name, span in spans.items())
    is_relative = outside_utterance < outside_recording
    for name, (start, _) in spans.items():
        _, first, last = segments[name]
        start_in_recording = start + first if is_relative else start
        if not first - SEGMENT_TOLERANCE <= start_in_recording <= last + SEGMENT_TOLERANCE:
            expected = f"words in its segment from {first} to {last} s, or from 0 to {last - first:g} s"
            raise InputError(ctm, f"{name!r} at {start} s", expected)
    return {
        name: [shift(word, segments[name][1], decimals=6) for word in words] if is_relative else words
        for name, words in by_utterance.items()
    }


def _outside(span: tuple[Seconds, Seconds], first: Seconds, last: Seconds) -> Seconds:
    """Return the length of the part of a span that is outside `first` to `last`."""
    return max(0.0, first - span[0]) + max(0.0, span[1] - last)


def _assign(words: Sequence[Word], spans: Sequence[_Span], nearest: bool) -> Iterator[tuple[str | None, Word]]:
    """Yield each word and the segment that contains its middle, else the nearest one if `nearest`, else None.

    A word without times belongs to the segment of the word before it. `spans` are the sorted segments of the recording.
    """
    starts = [start for start, _, _ in spans]
    # at each index, the span up to there that ends last
    last_to_end = list(accumulate(spans, partial(max, key=itemgetter(1))))
    segment: str | None = None
    for word, timed in zip(words, without_bad_times(words), strict=True):
        times = [time for time in (timed.start, timed.end) if time is not None]
        if times:
            middle = sum(times) / len(times)
            after = bisect_right(starts, middle)
            # backwards, as long as an earlier span can still contain the middle
            earlier = takewhile(lambda i: last_to_end[i][1] > middle, range(after - 1, -1, -1))  # noqa: B023
            segment = next((spans[i][2] for i in earlier if spans[i][1] > middle), None)
            if segment is None and nearest:
                neighbours = [*last_to_end[after - 1 : after], *spans[after : after + 1]]
                segment = min(neighbours, key=lambda span: max(span[0] - middle, middle - span[1]))[2]
        yield segment, word


def write_labelled(ctm: Pathlike, utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write the CTM again, with the labels of the words that have a `CtmIndex`, and everything else unchanged.

    A word replaces its row's capitals if it is in lower case, and the row's marks if it has none.
    """
    words = (word for utterance in utterances for word in utterance.words)
    by_index = {word.origin.index: word for word in words if isinstance(word.origin, CtmIndex)}
    indices = count()

    def labelled(row: Word) -> Word:
        word = by_index.get(next(indices), row)
        has_capitals = word.text.lower() == row.text.lower() != word.text
        text = row.text if has_capitals else word.text
        return replace(row, text=text, labels=word.labels or Labels())

    rows = (replace(utterance, words=tuple(map(labelled, utterance.words))) for utterance in read_ctm(ctm))
    write_ctm(rows, out, glyphs)
