"""How many marks a text has already: where the input's are dense, a word without one hardly needs one.

Between two marks of the input with at most `STRETCH` words from one to the other, the writer left most words without a
mark on purpose. If a share s of all sentence ends is there, the odds of a further one are multiplied by 1 - s, and
those of other marks by that of theirs: a text may have its periods and no commas. The share is that of the given marks
in those, the ones that the model expects, and `_DOUBT`, so that few marks say little. Where a recogniser stopped
writing marks the stretch is longer, and its words are restored as usual.
"""

from __future__ import annotations

import numpy as np

from asr_punct.decode.inputs import DecoderInput, Float64Array, sigmoid
from asr_punct.marks import END_OR_BREAK_OFF, MARKS, RIGHT, Kind

STRETCH = 20
_DOUBT = 10.0
"""Number of marks that are supposed to be missing beside those that the model expects."""
_ENDS = np.array([mark in END_OR_BREAK_OFF for mark in MARKS])
_OTHERS = np.array([mark in RIGHT and mark.kind is not Kind.QUOTE for mark in MARKS]) & ~_ENDS


def expect_fewer(marks: Float64Array, words: DecoderInput) -> None:
    """Lower the logits of marks, (words, marks), between dense marks of the input, in place."""
    given = words.given
    is_marked = given[:, _ENDS | _OTHERS].any(axis=1)
    lengths = np.diff([-1, *np.flatnonzero(is_marked), len(words)])
    dense = np.repeat(lengths, lengths)[: len(words)] <= STRETCH
    for kind in (_ENDS, _OTHERS):
        count = given[dense][:, kind].any(axis=1).sum()
        expected = 1 - np.prod(1 - sigmoid(marks[dense & ~is_marked][:, kind]), axis=1)
        marks[np.ix_(dense, kind)] += np.log1p(-count / (count + expected.sum() + _DOUBT))
