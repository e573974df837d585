"""STM, NIST's segment time marks: `file channel speaker start end [<label>] transcript`, seconds, a segment a line.

Lines that start with `;;` are comments. Lines that hold no words (`inter_segment_gap`, and those whose transcript is
`ignore_time_segment_in_scoring`) are no utterances.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, groupby
from operator import itemgetter
from typing import TextIO

from asr_punct.errors import InputError, counted_as
from asr_punct.formats.ctm import COMMENT
from asr_punct.formats.files import (
    Pathlike,
    display_name,
    format_seconds,
    keep_line,
    one_token,
    parse_seconds,
    read_lines,
)
from asr_punct.formats.json_values import shown
from asr_punct.formats.tokens import entry_words, segment_times, written_words
from asr_punct.marks import Glyphs
from asr_punct.words import Seconds, Utterance, Word, annotate

_IGNORED = "ignore_time_segment_in_scoring"
_LINE = re.compile(r"(\s*(?:\S+\s+){4}\S+(?:\s+<[^<>]*>)?)(?!\S)\s*(.*)", re.DOTALL)
_ALTERNATIVES = re.compile(r"\{[^{}]*\s/\s[^{}]*\}")
_COLUMNS = "file channel speaker start end [<label>] transcript"
_NO_LABEL = "<NA>"
_NO_SPEAKER = "unknown"


@dataclass(frozen=True, slots=True)
class StmLine:
    """What stands in a line beside its transcript; `Utterance.origin`.

    Attributes:
        before: lines before it that have no words.
        head: all that stands before the transcript.
        after: lines after it, of the last line with words.
    """

    before: tuple[str, ...]
    head: str
    after: tuple[str, ...] = ()


def read_stm(path: Pathlike) -> Iterator[Utterance]:
    """Utterances of an STM file, lazily, a segment each.

    The first word has the segment's start and the last its end; pauses are unknown, for a segment begins and ends with
    silence as often as not.

    Raises:
        InputError: a line of fewer than five columns, times that are none, or go back in a channel of a file, or
            alternatives (`{ a / b }`), which are not one text.
    """
    held: Utterance | None = None
    left: list[str] = []
    begun: dict[tuple[str, str], Seconds] = {}
    for number, line in read_lines(path):
        place = f"{display_name(path)}:{number}"
        says_nothing = line.startswith(COMMENT) or not line.strip()
        utterance = None if says_nothing else _utterance(line, tuple(left), number, place)
        if utterance is None:
            keep_line(left, line, place)
            continue
        left.clear()
        _check_order(utterance, begun, place)
        if held is not None:
            yield held
        held = utterance
    if held is not None:
        yield (
            replace(held, origin=replace(held.origin, after=tuple(left))) if isinstance(held.origin, StmLine) else held
        )


def _check_order(utterance: Utterance, begun: dict[tuple[str, str], Seconds], place: str) -> None:
    """Raise InputError where a segment begins before the one before it in its channel; `begun` holds their starts."""
    channel, start = (utterance.recording, utterance.channel), utterance.words[0].start or 0.0
    last = begun.get(channel, 0.0)
    if start < last:
        raise InputError(place, f"start {start:g} after {last:g}", "segments in the order of time")
    begun[channel] = start


def _utterance(line: str, before: tuple[str, ...], number: int, place: str) -> Utterance | None:
    match, columns = _LINE.fullmatch(line), line.split()
    if not match:
        raise InputError(place, counted_as(len(columns), "column"), _COLUMNS)
    name, channel, speaker = columns[:3]
    start, end = (parse_seconds(columns[i], place, what) for i, what in ((3, "start"), (4, "end")))
    words = entry_words(match[2], start, end, None, place)
    if not words or _is_ignored(match[2]):
        return None
    if alternatives := _ALTERNATIVES.search(match[2]):
        raise InputError(place, f"the alternatives {shown(alternatives[0])}", "one transcript")
    return Utterance(
        tuple(words),
        id=f"{name}-{number}",
        recording=name,
        channel=channel,
        speaker="" if speaker == _NO_SPEAKER else speaker,
        time_source="segment",
        origin=StmLine(before, match[1]),
    )


def _is_ignored(transcript: str) -> bool:
    return transcript.strip().lower() == _IGNORED


def without_ignored(hypotheses: Iterable[Utterance], references: Iterable[Utterance]) -> Iterator[Utterance]:
    """The hypotheses without the words of segments that the references, where they are an STM's, leave out of scoring.

    As in NIST's sclite a word belongs to the first segment of its recording and channel that ends after its middle,
    else to the last one. Words without times stay.
    """
    segments = dict[tuple[str, str], list[tuple[Seconds, bool]]]()
    for line in _lines(references):
        match = None if line.startswith(COMMENT) else _LINE.fullmatch(line)
        if match:
            name, channel, _, _, end = line.split()[:5]
            segments.setdefault((name, channel), []).append((float(end), _is_ignored(match[2])))
    for utterance in hypotheses:
        own = sorted(segments.get((utterance.recording, utterance.channel), []))
        yield _selected(utterance, [_is_scored(word, own) for word in utterance.words])


def _lines(utterances: Iterable[Utterance]) -> Iterator[str]:
    """The lines of an STM, without the transcripts of its utterances."""
    for utterance in utterances:
        if isinstance(utterance.origin, StmLine):
            yield from (*utterance.origin.before, utterance.origin.head, *utterance.origin.after)


def _is_scored(word: Word, segments: Sequence[tuple[Seconds, bool]]) -> bool:
    """Whether the segment of a word is not ignored; `segments` has the end of each, in order, and whether it is."""
    if not segments or word.start is None or word.end is None:
        return True
    following = bisect_right(segments, (word.start + word.end) / 2, key=itemgetter(0))
    return not segments[min(following, len(segments) - 1)][1]


def _selected(utterance: Utterance, chosen: Sequence[bool]) -> Utterance:
    """The utterance with the chosen ones of its words; the pauses beside the others are not known any more."""
    if all(chosen):
        return utterance
    return annotate(replace(utterance, words=tuple(compress(utterance.words, chosen))), pauses=None)


def write_stm(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write utterances that have words, a line each.

    Segments of an STM have all but their transcript back as it was, with the lines around it, lazily. Others last from
    their first word's start to their last one's end; who speaks is `unknown` where it is not told, and white space in
    names becomes `_`. Their lines are held, and stand by recording, channel and start.

    Raises:
        InputError: an utterance has no times.
    """
    numbered = ((number, utterance) for number, utterance in enumerate(utterances, start=1) if utterance.words)
    for kept, group in groupby(numbered, key=lambda item: isinstance(item[1].origin, StmLine)):
        lines = (_written(number, utterance, glyphs) for number, utterance in group)
        out.writelines(lines if kept else sorted(lines, key=_time))


def _written(number: int, utterance: Utterance, glyphs: Glyphs) -> str:
    """An utterance's line, with the lines around it."""
    text = " ".join(written_words(utterance, glyphs))
    line = utterance.origin if isinstance(utterance.origin, StmLine) else _line(utterance, number, text)
    return "".join(f"{part}\n" for part in (*line.before, f"{line.head} {text}", *line.after))


def _time(line: str) -> tuple[str, str, Seconds]:
    """Recording, channel and start of a line."""
    name, channel, _, start, _ = line.split(maxsplit=4)
    return name, channel, float(start)


def _line(utterance: Utterance, number: int, text: str) -> StmLine:
    times = segment_times(utterance.words, f"utterance {utterance.id or number!r}")
    name = one_token(utterance.recording or utterance.id or f"utterance{number}")
    speaker = one_token(utterance.speaker or _NO_SPEAKER)
    columns = [name, one_token(utterance.channel or "1"), speaker, *map(format_seconds, times)]
    if text.startswith("<"):
        columns.append(_NO_LABEL)
    return StmLine((), " ".join(columns))
