"""Compare word times with reference times.

* Words: the two sequences are aligned on `text.comparison_form`, and only equal words are compared. The error of a word
  is the absolute difference of its starts, in seconds.
* Pauses: between words that are neighbours in both sequences, the given one, else from the end of the first to the
  start of the second, 0 if they overlap. A pause is long if it is over `LONG_PAUSE` after rounding to milliseconds.
* Precision, recall and F1 of long pauses are None where the denominator is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from asr_punct.pauses import pause_after
from asr_punct.scoring.edit import align_words
from asr_punct.text import comparison_form
from asr_punct.words import Seconds, Word

LONG_PAUSE: Seconds = 0.15


@dataclass(frozen=True)
class TimeComparison:
    """The error of each equal word's start, and the reference and the measured pause of each pair of neighbours."""

    errors: tuple[Seconds, ...] = ()
    pauses: tuple[tuple[Seconds, Seconds], ...] = ()

    def __add__(self, other: TimeComparison) -> TimeComparison:
        return TimeComparison(self.errors + other.errors, self.pauses + other.pauses)

    def figures(self) -> dict[str, float | int | None]:
        """Return counts of words and pauses, errors of starts, and scores of long pauses, rounded to four decimals."""
        errors = np.array(self.errors)
        long = np.array([[is_long(pause) for pause in pair] for pair in self.pauses], np.bool_).reshape(-1, 2)
        both, true, found = int(long.all(axis=1).sum()), int(long[:, 0].sum()), int(long[:, 1].sum())
        return {
            "words": len(errors),
            "median_error_s": round(float(np.median(errors)), 4) if len(errors) else None,
            "mean_error_s": round(float(errors.mean()), 4) if len(errors) else None,
            "within_50_ms": _share(int((errors <= 0.05).sum()), len(errors)),
            "within_100_ms": _share(int((errors <= 0.1).sum()), len(errors)),
            "pauses": true,
            "pauses_found": found,
            "pause_precision": _share(both, found),
            "pause_recall": _share(both, true),
            "pause_f1": _share(2 * both, true + found),
        }


def _share(part: int, total: int) -> float | None:
    return round(part / total, 4) if total else None


def is_long(pause: Seconds) -> bool:
    """Whether a pause is over `LONG_PAUSE`."""
    return round(pause, 3) > LONG_PAUSE


def compare(truth: Sequence[Word], found: Sequence[Word]) -> TimeComparison:
    """Compare the words of one recording. Words without times in either sequence are left out."""
    forms = ([comparison_form(word.text) for word in words] for words in (truth, found))
    alignment = align_words(*forms)
    equal = alignment.equal
    pairs = list(zip(alignment.reference[equal].tolist(), alignment.hypothesis[equal].tolist(), strict=True))
    starts = ((truth[i].start, found[j].start) for i, j in pairs)
    pauses = (
        (pause_after(truth[i], truth[i + 1]), pause_after(found[j], found[j + 1]))
        for (i, j), following in pairwise(pairs)
        if following == (i + 1, j + 1)
    )
    return TimeComparison(
        tuple(abs(b - a) for a, b in starts if a is not None and b is not None),
        tuple((a, b) for a, b in pauses if a is not None and b is not None),
    )
