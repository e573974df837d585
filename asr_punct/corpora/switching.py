"""Mix two languages in a document and in a sentence, as bilingual speakers do."""

from __future__ import annotations

import random
from collections.abc import Sequence

from asr_punct.marks import Labels, Mark
from asr_punct.words import Word

Line = tuple[Word, ...]
"""Labelled words of a line."""
_PLAIN = frozenset({Mark.COMMA, Mark.PERIOD})


def mixed(document: Sequence[Line], others: Sequence[Line], rng: random.Random) -> list[Line]:
    """Insert lines of another language, drawn from `others`, into a document; some share a sentence instead."""
    result = []
    for line in document:
        other = rng.choice(others)
        first, second = rng.sample((line, other), 2)
        shared = spliced(first, second)
        if shared and rng.random() < 0.5:
            result.append(shared)
        else:
            result += [line, other] if rng.random() < 0.7 else [line]
    return result


def spliced(first: Line, second: Line) -> Line | None:
    """Join the beginning of `first`, up to a comma, and the end of `second`, after a comma.

    Returns None unless both are plain sentences: no marks but commas and the last period.
    """
    left, right = _comma(first), _comma(second)
    return None if left is None or right is None else first[: left + 1] + second[right + 1 :]


def _comma(line: Line) -> int | None:
    """Return the index of the first comma of a plain sentence."""
    marks = [(word.labels or Labels()).marks for word in line]
    if not all(found <= _PLAIN for found in marks) or any(Mark.PERIOD in found for found in marks[:-1]):
        return None
    return next((i for i, found in enumerate(marks[:-1]) if Mark.COMMA in found), None)
