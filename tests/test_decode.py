import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from asr_punct.decode import decode, threshold_array
from asr_punct.marks import MARKS, Case, Labels, Mark

STOPS = {Mark.COMMA, Mark.PERIOD, Mark.COLON, Mark.SEMICOLON}
ENDS = {Mark.QUESTION, Mark.EXCLAMATION, Mark.ELLIPSIS}
scores = arrays.arrays(np.float32, (5, 13), elements=st.floats(0, 1, width=32))


def row(**values):
    return np.array([[values.get(mark, 0.0) for mark in MARKS]], dtype=np.float32)


def marks_of(array, threshold=0.5):
    cases = np.tile(np.eye(3, dtype=np.float32)[0], (len(array), 1))
    return [label.marks for label in decode(array, cases, threshold_array(dict.fromkeys(MARKS, threshold)))]


@given(scores, st.floats(0.01, 0.99))
def test_marks_are_those_that_reach_their_threshold(marks, threshold):
    for values, found in zip(marks, marks_of(marks, threshold), strict=True):
        reached = {mark for mark, value in zip(MARKS, values, strict=True) if value >= np.float32(threshold)}
        assert found <= reached
        assert found - STOPS == reached - STOPS
        assert bool(found & STOPS) == bool(reached & STOPS) or found & ENDS


@given(scores)
def test_no_two_stops_on_a_word(marks):
    for found in marks_of(marks):
        assert len(found & STOPS) <= 1
        assert not (Mark.PERIOD in found and found & ENDS and Mark.QUOTE not in found)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"COMMA": 0.6, "PERIOD": 0.8, "COLON": 0.7}, {Mark.PERIOD}),
        ({"COMMA": 0.9, "QUESTION": 0.8}, {Mark.COMMA, Mark.QUESTION}),
        ({"PERIOD": 0.9, "ELLIPSIS": 0.8}, {Mark.ELLIPSIS}),
        ({"PERIOD": 0.9, "QUESTION": 0.8, "QUOTE": 0.7}, {Mark.PERIOD, Mark.QUESTION, Mark.QUOTE}),
        ({"PERIOD": 0.4}, set()),
    ],
)
def test_what_stands_together(values, expected):
    assert marks_of(row(**values)) == [expected]


def test_thresholds_are_by_mark_and_case_is_the_likeliest():
    marks = np.full((2, 13), 0.4, dtype=np.float32)
    cases = np.array([[0.2, 0.5, 0.3], [0.1, 0.2, 0.7]], dtype=np.float32)
    limits = threshold_array({mark: 0.3 if mark in (Mark.QUOTE, Mark.PERIOD) else 2.0 for mark in MARKS})
    both = frozenset({Mark.QUOTE, Mark.PERIOD})
    assert decode(marks, cases, limits) == [Labels(both, Case.FIRST_CAP), Labels(both, Case.ALL_CAPS)]
