"""Break the text of a cue into lines, at the lowest cost."""

import math
from collections.abc import Sequence
from itertools import accumulate

from asr_punct.subtitles.limits import Limits

LINE = 1.0
"""Cost of each line after the first."""
BREAK_SHARE = 0.25
"""Cost of a line break, as a share of the cost of a cue break at the same place without a pause."""
UNBALANCE = 4.0
"""Cost of the squared differences between the lines' lengths and their mean, in units of the longest line."""

Lines = tuple[float, tuple[int, ...]]
"""Cost, and the number of units before each break."""


def break_lines(lengths: Sequence[int], costs: Sequence[float], limits: Limits) -> Lines:
    """Return the cheapest lines of a cue, by dynamic programming over its units for each number of lines.

    `lengths` are the characters of each unit (a space separates two units on a line), `costs` those of a cue break
    after it. The cost of n lines of lengths l_1 … l_n is (n - 1) LINE + BREAK_SHARE Σ costs at the breaks + UNBALANCE Σ
    ((l_i - mean) / characters)². It is infinite if no lines keep the limits. One line that is short enough costs
    nothing, and neither does a single unit, however long.
    """
    ends = list(accumulate((length + 1 for length in lengths), initial=0))
    if len(lengths) == 1 or ends[-1] - 1 <= limits.characters:
        return 0.0, ()
    found = (_break_into(count, ends, costs, limits) for count in range(2, limits.lines + 1))
    return min(found, default=(math.inf, ()))


def _break_into(count: int, ends: Sequence[int], costs: Sequence[float], limits: Limits) -> Lines:
    """Return the cheapest `count` lines; `ends` are the characters up to each unit, with a space after each."""
    units = len(costs)
    mean = (ends[-1] - count) / count
    best: dict[int, Lines] = {0: (0.0, ())}
    for line in range(1, count + 1):
        longer: dict[int, Lines] = {}
        for first, (cost, breaks) in best.items():
            for end in (units,) if line == count else range(first + 1, units):
                length = ends[end] - ends[first] - 1
                if length > limits.characters:
                    break
                total = cost + UNBALANCE * ((length - mean) / limits.characters) ** 2
                if end < units:
                    total += LINE + BREAK_SHARE * costs[end - 1]
                if end not in longer or total < longer[end][0]:
                    longer[end] = (total, (*breaks, end) if end < units else breaks)
        best = longer
    return best.get(units, (math.inf, ()))
