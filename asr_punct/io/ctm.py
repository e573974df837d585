"""CTM: `utterance channel start duration word [confidence [type speaker]]`, seconds, one word a line.

Kaldi writes 5 or 6 columns (and `<eps>` rows where silence is printed), NeMo's Forced Aligner 8 (with `NA`, and
`<space>` inside a token). Lines that start with `;;` are comments, as in NIST's definition.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TextIO

from asr_punct.errors import InputError
from asr_punct.io.files import Pathlike, display_name, format_seconds, one_token, parse_seconds, read_lines
from asr_punct.marks import Glyphs, Labels, write_word
from asr_punct.words import Utterance, Word

COMMENT = ";;"
"""Begins a line that says nothing."""
_SILENCE = "<eps>"
_SPACE = "<space>"
_SECONDS = re.compile(r"\d+(?:\.\d+)?")
_COUNTS = (5, 6, 8)
_COLUMNS = "5, 6 or 8 columns: utterance channel start duration word [confidence [type speaker]]"


def read_ctm(path: Pathlike) -> Iterator[Utterance]:
    """Utterances of a CTM file, lazily: consecutive rows of one utterance and channel.

    The utterance's name is also its recording. Silence rows are left out.

    Raises:
        InputError: wrong columns, times that are no numbers, negative or out of order, an utterance in two places.
    """
    seen: set[tuple[str, str]] = set()
    for (name, channel), rows in groupby(_rows(path), key=itemgetter(0, 1)):
        first = next(rows)
        if (name, channel) in seen:
            raise InputError(first[3], f"utterance {name!r} again", "the rows of an utterance together")
        seen.add((name, channel))
        words = [first[2]]
        for _, _, word, place in rows:  # noqa: B031 - the rest of the group
            if (word.start or 0.0) < (words[-1].start or 0.0):
                raise InputError(place, f"start {word.start} after {words[-1].start}", "rows in the order of time")
            words.append(word)
        yield Utterance(tuple(words), id=name, recording=name, channel=channel, times="asr")


def could_be_row(columns: Sequence[str]) -> bool:
    """Whether a line has as many columns as a CTM's, its start and duration numbers that are not both whole."""
    times = columns[2:4]
    return len(columns) in _COUNTS and all(map(_SECONDS.fullmatch, times)) and any("." in time for time in times)


def _rows(path: Pathlike) -> Iterator[tuple[str, str, Word, str]]:
    for number, line in read_lines(path):
        columns = line.split()
        if not columns or line.startswith(COMMENT):
            continue
        place = f"{display_name(path)}:{number}"
        if len(columns) not in _COUNTS:
            raise InputError(place, f"{len(columns)} columns", _COLUMNS)
        if columns[4] == _SILENCE:
            continue
        start = parse_seconds(columns[2], place, "start")
        duration = parse_seconds(columns[3], place, "duration")
        confidence = _confidence(columns[5], place) if len(columns) > 5 else None
        text = columns[4].replace(_SPACE, "") or columns[4]
        yield columns[0], columns[1], Word(text, start, round(start + duration, 6), confidence), place


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
    """Write utterances with their marks attached to the words; a confidence column where there is one.

    White space in names becomes `_`.

    Raises:
        InputError: a word has no times.
    """
    for number, utterance in enumerate(utterances, start=1):
        labels = utterance.labels or (Labels(),) * len(utterance.words)
        name = one_token(utterance.id or utterance.recording or f"utterance{number}")
        channel = one_token(utterance.channel or "1")
        for word, label in zip(utterance.words, labels, strict=True):
            if word.start is None or word.end is None:
                raise InputError(name, f"word {word.text!r} without times", "times (asr-punct align makes them)")
            columns = [name, channel, format_seconds(word.start), format_seconds(word.end - word.start)]
            columns.append(write_word(word.text, label, glyphs))
            if word.confidence is not None:
                columns.append(f"{word.confidence:g}")
            out.write(" ".join(columns) + "\n")
