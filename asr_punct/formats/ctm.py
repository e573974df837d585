"""CTM: `utterance channel start duration word [confidence [type speaker]]`, seconds, one word a line.

Kaldi writes 5 or 6 columns (and `<eps>` rows where silence is printed), NeMo's Forced Aligner 8 (with `NA`, and
`<space>` between the words of a segment). Lines that start with `;;` are comments, as in NIST's definition.

"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TextIO

from asr_punct.errors import TIMES, InputError, counted_as
from asr_punct.formats.files import (
    AUDIO_SUFFIXES,
    Pathlike,
    display_name,
    format_seconds,
    keep_line,
    one_token,
    parse_seconds,
    read_lines,
)
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE
from asr_punct.marks import Glyphs, write_word
from asr_punct.subtitles.units import filled_times
from asr_punct.words import Seconds, TimeSource, Utterance, Word

COMMENT = ";;"
"""Begins a line that says nothing."""
"""A longer utterance is cut after so many words, or where the first place after them is that has words around it."""
_SILENCE = "<eps>"
_SPACE = "<space>"
_SPACES = re.compile(f"((?:{_SPACE})+)")
_TOKEN = re.compile(r"(\s*(?:\S+\s+){4})(\S+)(.*)", re.DOTALL)
_SECONDS = re.compile(r"\d+(?:\.\d+)?")
_COUNTS = (5, 6, 8)
_UNSCORED = ["NA", "lex"]
"""Confidence and type that the Forced Aligner writes."""
_COLUMNS = "5, 6 or 8 columns: utterance channel start duration word [confidence [type speaker]]"


@dataclass(frozen=True, slots=True)
class CtmRow:
    """A row as it stands in its file; `Word.origin` of its word.

    Attributes:
        before: lines before it that have no word: comments, silence, empty ones.
        head: all that stands before the word.
        tail: all that stands after it.
    """

    before: tuple[str, ...]
    head: str
    tail: str


@dataclass(frozen=True, slots=True)
class CtmSpace:
    """What joins a word to the one before it in the same row; `Word.origin` of the second."""

    text: str


@dataclass(frozen=True, slots=True)
class CtmEnd:
    """Lines after a file's last word; `Utterance.origin`."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OwnName:
    """Origin of an utterance that a CTM names by its id, not by its recording: those of data directories."""


_Row = tuple[str, str, Seconds, tuple[Word, ...], str]
"""Utterance, channel, start, words and place."""


def read_ctm(path: Pathlike) -> Iterator[Utterance]:
    """Utterances of a CTM file, lazily: consecutive rows of one utterance and channel.

    The utterance's name is also its recording. Silence rows are left out. Of the words in one row the first has its
    start and the last its end.

    Args:
        path: the file.

    Raises:
        InputError: wrong columns, times that are no numbers, negative or out of order, an utterance in two places.
    """
    seen: set[tuple[str, str]] = set()
    left: list[str] = []
    for (name, channel), rows in groupby(_rows(path, left), key=itemgetter(0, 1)):
        checked = _in_order(rows, (name, channel) in seen)
        seen.add((name, channel))
        words = tuple(word for row in checked for word in row)
        end = CtmEnd(tuple(left)) if left else None
        yield Utterance(words, name, recording=name, channel=channel, time_source=_source(words), origin=end)


def _source(words: Sequence[Word]) -> TimeSource:
    """NeMo's Forced Aligner, which places words by a CTC model, has no confidence of them."""
    first = words[0].origin
    unscored = isinstance(first, CtmRow) and first.tail.split()[:2] == _UNSCORED
    return DEFAULT_TIME_SOURCE["ctm/forced aligner" if unscored else "ctm"]


def _in_order(rows: Iterator[_Row], again: bool) -> Iterator[tuple[Word, ...]]:
    last: Seconds = 0.0
    for name, _, start, words, place in rows:
        if again:
            raise InputError(place, f"utterance {name!r} again", "the rows of an utterance together")
        if start < last:
            raise InputError(place, f"start {start} after {last}", "rows in the order of time")
        last = start
        yield words


def could_be_row(columns: Sequence[str]) -> bool:
    """Whether a line has as many columns as a CTM's, its start and duration numbers that are not both whole."""
    times = columns[2:4]
    return len(columns) in _COUNTS and all(map(_SECONDS.fullmatch, times)) and any("." in time for time in times)


def _rows(path: Pathlike, left: list[str]) -> Iterator[_Row]:
    """The rows with words; `left` holds the lines since the last one."""
    for number, line in read_lines(path):
        columns, match = line.split(), _TOKEN.match(line)
        place = f"{display_name(path)}:{number}"
        if not columns or line.startswith(COMMENT):
            keep_line(left, line, place)
            continue
        if not match or len(columns) not in _COUNTS:
            raise InputError(place, counted_as(len(columns), "column"), _COLUMNS)
        if columns[4] == _SILENCE:
            keep_line(left, line, place)
            continue
        start = parse_seconds(columns[2], place, "start")
        duration = parse_seconds(columns[3], place, "duration")
        confidence = _confidence(columns[5], place) if len(columns) > 5 else None
        word = Word(
            columns[4], start, round(start + duration, 6), confidence, origin=CtmRow(tuple(left), match[1], match[3])
        )
        left.clear()
        yield columns[0], columns[1], start, _split(word), place


def _split(word: Word) -> tuple[Word, ...]:
    """The words of a token; all that is `<space>` alone is one."""
    if _SPACE not in word.text or not isinstance(word.origin, CtmRow):
        return (word,)
    texts = _SPACES.split(word.text)
    before, after = texts[1] if not texts[0] else "", texts[-2] if not texts[-1] else ""
    texts = texts[2 if before else 0 : -2 if after else None]
    if not texts:
        return (word,)
    rest = replace(word.origin, head=word.origin.head + before, tail=after + word.origin.tail)
    words = [replace(word, text=texts[0], end=None, origin=rest)]
    for space, text in zip(texts[1::2], texts[2::2], strict=True):
        words.append(replace(word, text=text, start=None, end=None, origin=CtmSpace(space)))
    words[-1] = replace(words[-1], end=word.end)
    return tuple(words)


def _confidence(text: str, place: str) -> float | None:
    if text == "NA":
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(place, f"confidence {text!r}", "a finite number or NA")
    return value


def write_ctm(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write utterances with their marks attached to the words.

    Words of a CTM have their row back as it was, with the lines around it, lazily. Other words get a row of their
    recording, for their times count from its beginning: a recording's rows are held, and stand by channel and time.
    Utterances of data directories, and those without a recording, are named by their id. Rows have a confidence where
    there is one; white space in names becomes `_`. Words without times get some from their neighbours.

    Raises:
        InputError: no word of an utterance has a start and an end, or a recording comes back after another.
    """
    ended: set[str] = set()
    for (by_recording, name), group in groupby(_named(utterances), key=itemgetter(0, 1)):
        if by_recording:
            if name in ended:
                raise InputError(f"recording {name!r}", "utterances in two places", "those of a recording together")
            ended.add(name)
            out.writelines(_by_time(name, map(itemgetter(2), group), glyphs))
        else:
            for _, _, utterance in group:
                out.writelines(text for _, text in _written(utterance, name, glyphs))
                if isinstance(utterance.origin, CtmEnd):
                    out.writelines(f"{line}\n" for line in utterance.origin.lines)


def _named(utterances: Iterable[Utterance]) -> Iterator[tuple[bool, str, Utterance]]:
    """Utterances with something to write, whether they are new and named by the recording, and that name."""
    for number, utterance in enumerate(utterances, start=1):
        if not utterance.words and not isinstance(utterance.origin, CtmEnd):
            continue
        kept = isinstance(utterance.origin, OwnName) or any(isinstance(word.origin, CtmRow) for word in utterance.words)
        by_recording = bool(utterance.recording and utterance.words) and not kept
        name = utterance.id or utterance.recording or f"utterance{number}"
        yield by_recording, one_token(_audio_name(utterance.recording) if by_recording else name), utterance


def _audio_name(recording: str) -> str:
    """A recording as a CTM names it: of an audio file the name without folder and suffix."""
    path = Path(recording)
    return path.stem if path.suffix.lower() in AUDIO_SUFFIXES else recording


def _by_time(name: str, utterances: Iterable[Utterance], glyphs: Glyphs) -> Iterator[str]:
    """The rows of the utterances of a recording, by channel and time."""
    rows = [
        (utterance.channel, start, text)
        for utterance in utterances
        for start, text in _written(utterance, name, glyphs)
    ]
    rows.sort(key=itemgetter(0, 1))
    return map(itemgetter(2), rows)


def _written(utterance: Utterance, name: str, glyphs: Glyphs) -> Iterator[tuple[Seconds, str]]:
    """Start and text of each row of an utterance, with the lines before it."""
    start, text, tail = 0.0, "", ""
    for word, label in zip(_timed(utterance), utterance.labels, strict=True):
        if isinstance(word.origin, CtmSpace):
            text += word.origin.text
        else:
            if text:
                yield start, text + tail
            row = word.origin if isinstance(word.origin, CtmRow) else _row(word, name, utterance.channel)
            start, text, tail = (
                word.start or 0.0,
                "".join(f"{line}\n" for line in row.before) + row.head,
                f"{row.tail}\n",
            )
        text += write_word(word.text, label, glyphs)
    if text:
        yield start, text + tail


def _timed(utterance: Utterance) -> Sequence[Word]:
    """The words, each with times unless none of them has; times of a segment alone are not spread over its words."""
    words = utterance.words
    timed = [None not in (word.start, word.end) for word in words]
    if all(timed) or not any(timed):
        return words
    return [
        replace(word, start=start, end=end) for word, (start, end) in zip(words, filled_times(utterance), strict=True)
    ]


def _row(word: Word, name: str, channel: str) -> CtmRow:
    if word.start is None or word.end is None:
        raise InputError(name, f"word {word.text!r} without times", TIMES)
    columns = [name, one_token(channel or "1"), format_seconds(word.start), format_seconds(word.end - word.start)]
    return CtmRow((), " ".join(columns) + " ", "" if word.confidence is None else f" {word.confidence:g}")
