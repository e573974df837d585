"""Praat TextGrid: an interval tier of words, read with the `textgrid` package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asr_punct.errors import InputError
from asr_punct.io.files import Pathlike, read_text_file
from asr_punct.words import Utterance, Word

_SILENCE = frozenset({"", "sil", "sp", "<eps>", "<p:>", "<sil>"})
_TIER_NAMES = ("words", "word", "ort", "ort-mau")


def read_textgrid(path: Pathlike) -> Iterator[Utterance]:
    """The one utterance of a TextGrid: the intervals of its word tier that are not silence.

    The tier is the one named `words`, `word` or `ORT`, else the only interval tier.

    Raises:
        InputError: no TextGrid, or no tier of words.
    """
    import textgrid

    read_text_file(path)  # a missing file or another encoding is told in the project's words
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


def _words(interval: Any) -> Iterator[Word]:
    """The word of an interval; an interval of several words gives its time to the first start and the last end."""
    tokens = interval.mark.split()
    if interval.mark.strip().lower() in _SILENCE:
        return
    for position, token in enumerate(tokens):
        start = interval.minTime if position == 0 else None
        end = interval.maxTime if position == len(tokens) - 1 else None
        yield Word(token, start, end)
