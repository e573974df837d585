import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from asr_punct.decode import decode, threshold_array
from asr_punct.marks import CASES, MARKS, Case, Labels, Mark

scores = arrays.arrays(np.float32, (5, 13), elements=st.floats(0, 1, width=32))


@given(scores, st.floats(0.01, 0.99))
def test_marks_are_those_that_reach_their_threshold(marks, threshold):
    cases = np.eye(3, dtype=np.float32)[[0, 1, 2, 0, 1]]
    limits = threshold_array(dict.fromkeys(MARKS, threshold))
    for row, label in zip(marks, decode(marks, cases, limits), strict=True):
        assert label.marks == {mark for mark, value in zip(MARKS, row, strict=True) if value >= np.float32(threshold)}


def test_thresholds_are_by_mark_and_case_is_the_likeliest():
    marks = np.full((2, 13), 0.4, dtype=np.float32)
    cases = np.array([[0.2, 0.5, 0.3], [0.1, 0.2, 0.7]], dtype=np.float32)
    limits = threshold_array({mark: 0.3 if mark in (Mark.QUOTE, Mark.PERIOD) else 2.0 for mark in MARKS})
    both = frozenset({Mark.QUOTE, Mark.PERIOD})
    assert decode(marks, cases, limits) == [Labels(both, Case.FIRST_CAP), Labels(both, Case.ALL_CAPS)]
    assert CASES.index(Case.ALL_CAPS) == 2
