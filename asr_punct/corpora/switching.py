"""Two languages in one document and in one sentence, as bilingual speakers mix them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from asr_punct.corpora.spelling import LabelledLine
from asr_punct.marks import Labels, Mark

_PLAIN = frozenset({Mark.COMMA, Mark.PERIOD})


def mixed(document: Sequence[LabelledLine], others: Sequence[LabelledLine], rng: random.Random) -> list[LabelledLine]:
    """A document with sentences of another language after some of its own; some share one sentence instead.

    Args:
        document: lines of one language.
        others: lines of the other language to draw from.
        rng: what decides.
    """
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


def spliced(first: LabelledLine, second: LabelledLine) -> LabelledLine | None:
    """A sentence that begins as `first` up to a comma and goes on as `second` after one, or None.

    Only plain sentences are joined: no mark in them but commas and the last period.
    """
    left, right = _comma(first.labels), _comma(second.labels)
    if left is None or right is None:
        return None
    return LabelledLine(
        first.words[: left + 1] + second.words[right + 1 :],
        first.labels[: left + 1] + second.labels[right + 1 :],
    )


def _comma(labels: Sequence[Labels]) -> int | None:
    """Where the first comma of a plain sentence stands."""
    if not all(label.marks <= _PLAIN for label in labels) or any(Mark.PERIOD in label.marks for label in labels[:-1]):
        return None
    return next((i for i, label in enumerate(labels[:-1]) if Mark.COMMA in label.marks), None)
