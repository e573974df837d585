"""The lines of a cue: the cheapest way to break its words, which is exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

from asr_punct.subtitles.limits import Limits

LINE = 1.0
"""Cost of each line after the first."""
WEIGHT_SHARE = 0.25
"""A line break costs so much of what a break between cues costs at its place, where no pause follows."""
UNBALANCE = 4.0
"""Cost of the squares of the differences between the lines' lengths and their mean, in lines' limits."""


def break_lines(lengths: Sequence[int], weights: Sequence[float], limits: Limits) -> tuple[float, tuple[int, ...]]:
    """The cheapest lines of a cue, by a dynamic programme over its units for each number of lines.

    The cost of n lines of lengths l_1 … l_n is, with `LINE`, `WEIGHT_SHARE` and `UNBALANCE`,
    (n - 1) LINE + WEIGHT_SHARE Σ weights at the breaks + UNBALANCE Σ ((l_i - mean) / characters)².
    One line that fits costs nothing, and so does one unit, however long.

    Args:
        lengths: characters of every unit; between two on a line stands a space.
        weights: costs of a break after every unit.
        limits: the longest line and the most lines.

    Returns:
        The cost, infinite where no lines keep the limits, and the numbers of units before each break.
    """
    ends = list(accumulate((length + 1 for length in lengths), initial=0))
    if len(lengths) == 1 or ends[-1] - 1 <= limits.characters:
        return 0.0, ()
    found = (_in_lines(count, ends, weights, limits) for count in range(2, limits.lines + 1))
    return min(found, default=(math.inf, ()))


def _in_lines(
    count: int, ends: Sequence[int], weights: Sequence[float], limits: Limits
) -> tuple[float, tuple[int, ...]]:
    """The cheapest `count` lines; `ends` are the characters up to every unit, a space after each."""
    units = len(weights)
    mean = (ends[-1] - count) / count
    rows: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}
    for line in range(1, count + 1):
        longer: dict[int, tuple[float, tuple[int, ...]]] = {}
        for first, (cost, breaks) in rows.items():
            for end in (units,) if line == count else range(first + 1, units):
                length = ends[end] - ends[first] - 1
                if length > limits.characters:
                    break
                total = cost + UNBALANCE * ((length - mean) / limits.characters) ** 2
                if end < units:
                    total += LINE + WEIGHT_SHARE * weights[end - 1]
                if end not in longer or total < longer[end][0]:
                    longer[end] = (total, (*breaks, end) if end < units else breaks)
        rows = longer
    return rows.get(units, (math.inf, ()))
