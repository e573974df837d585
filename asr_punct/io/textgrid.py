"""Praat TextGrid: an interval tier of words, read with the `textgrid` package."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asr_punct.errors import InputError
from asr_punct.io.files import Pathlike, read_text_file
from asr_punct.words import Utterance, Word

_SILENCE = frozenset({"", "sil", "sp", "<eps>", "<p:>", "<sil>"})
_TIER_NAMES = ("words", "word", "ort", "ort-mau")
_VALUE = re.compile(r'"((?:[^"]|"")*)"|(?<!\S)([-+]?(?:[\d.]+(?:e[-+]?\d+)?|nan|inf|infinity))(?!\S)', re.IGNORECASE)
"""Strings and free-standing numbers, which alone count in both of Praat's text formats."""


def read_textgrid(path: Pathlike) -> Iterator[Utterance]:
    """The one utterance of a TextGrid: the intervals of its word tier that are not silence.

    The tier is the one named `words`, `word` or `ORT`, else the only interval tier.

    Raises:
        InputError: no TextGrid, no tier of words, or a word whose times are none.
    """
    import textgrid

    text = read_text_file(path)  # a missing file or another encoding is told in the project's words
    raw = list(_raw_tiers(text, path))
    for name, intervals in raw:
        if len(raw) == 1 or name.strip().lower() in _TIER_NAMES:
            _check(intervals, f"{path}: tier {name!r}")
    try:
        grid = textgrid.TextGrid.fromFile(str(path))
    except Exception as error:  # the package lets index, value and attribute errors through
        raise InputError(path, f"no TextGrid ({error})", "a TextGrid with a tier of words") from None
    tier = _word_tier(grid, path)
    words = tuple(word for interval in tier for word in _words(interval))
    name = Path(path).stem
    yield Utterance(words, id=name, recording=name, times="aligner")


def _word_tier(grid: Any, path: Pathlike) -> Any:
    import textgrid

    tiers = [tier for tier in grid.tiers if isinstance(tier, textgrid.IntervalTier)]
    named = [tier for tier in tiers if (tier.name or "").strip().lower() in _TIER_NAMES]
    if named or len(tiers) == 1:
        return (named or tiers)[0]
    found = ", ".join(repr(tier.name) for tier in grid.tiers) or "none"
    raise InputError(path, f"tiers {found}", "an interval tier named 'words'")


_RawIntervals = list[tuple[float, float, str]]


def _raw_tiers(text: str, path: Pathlike) -> Iterator[tuple[str, _RawIntervals]]:
    """Names and intervals of the interval tiers as the file has them; the package leaves out what has no length."""
    values = [(match[1], match[2]) for match in _VALUE.finditer(text)]
    position = 0
    while position < len(values):
        if values[position][0] != "IntervalTier":
            position += 1
            continue
        try:
            name, count = values[position + 1][0], int(values[position + 4][1])
            rows = values[position + 5 : position + 5 + 3 * count]
            found = [(float(rows[i][1]), float(rows[i + 1][1]), str(rows[i + 2][0])) for i in range(0, 3 * count, 3)]
        except (IndexError, TypeError, ValueError):
            raise InputError(path, "a tier without the values that its size says", "start, end and text") from None
        yield str(name), found
        position += 5 + 3 * count


def _check(intervals: _RawIntervals, place: str) -> None:
    for number, (start, end, text) in enumerate(intervals, start=1):
        if text.strip().lower() in _SILENCE:
            continue
        if not (math.isfinite(start) and math.isfinite(end) and 0 <= start < end):
            found = f"{text!r} from {start} to {end}"
            raise InputError(
                f"{place}: interval {number}", found, "a start of 0 or more and an end after it, in seconds"
            )


def _words(interval: Any) -> Iterator[Word]:
    """The word of an interval; an interval of several words gives its time to the first start and the last end."""
    tokens = interval.mark.split()
    if interval.mark.strip().lower() in _SILENCE:
        return
    for position, token in enumerate(tokens):
        start = interval.minTime if position == 0 else None
        end = interval.maxTime if position == len(tokens) - 1 else None
        yield Word(token, start, end)
