"""The classes of a punctuation head that chooses among sets of marks, found in the training corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from asr_punct.marks import MARKS, NO_MARKS, Mark, format_marks


def find_classes(labels: Iterable[frozenset[Mark]], least: int) -> tuple[str, ...]:
    """No mark, each mark alone from the most frequent to the rarest, and the sets of several seen `least` times.

    A mark that no word bears is no class.

    Args:
        labels: the marks of each word.
        least: words that a set of several marks must stand on.
    """
    sets = Counter(labels)
    counts = {mark: sum(count for found, count in sets.items() if mark in found) for mark in MARKS}
    marks = sorted((mark for mark in MARKS if counts[mark]), key=lambda mark: -counts[mark])
    seen = sorted(((-count, format_marks(found)) for found, count in sets.items() if len(found) > 1 and count >= least))
    return (NO_MARKS, *marks, *(name for _, name in seen))
