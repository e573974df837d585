"""Word times against known ones: errors of starts, and long pauses."""

import pytest

from asr_punct.align.compare import Comparison, compare
from asr_punct.words import Word


def timed(*words):
    return tuple(Word(*word) for word in words)


TRUTH = timed(("bai", 0.0, 0.4), ("eh", 0.5, 0.6), ("jauna", 1.0, 1.4), ("ez", 1.6, 1.8), ("da", 1.8, 2.0))
FOUND = timed(("Bai,", 0.1, 0.4), ("jauna", 1.0, 1.4), ("ez", 1.42, 1.6), ("da", 1.9, 2.0))


def test_words_that_both_have_and_pauses_between_neighbours():
    comparison = compare(TRUTH, FOUND)
    assert comparison.errors == pytest.approx([0.1, 0.0, 0.18, 0.1])
    assert comparison.pauses == (
        (pytest.approx(0.2), pytest.approx(0.02)),
        (pytest.approx(0.0), pytest.approx(0.3)),
    )
    figures = comparison.figures()
    assert (figures["words"], figures["median_error_s"], figures["mean_error_s"]) == (4, 0.1, 0.095)
    assert (figures["within_50_ms"], figures["within_100_ms"]) == (0.25, 0.75)
    assert (figures["pauses"], figures["pauses_found"]) == (1, 1)
    assert (figures["pause_precision"], figures["pause_recall"], figures["pause_f1"]) == (0.0, 0.0, 0.0)


def test_times_against_themselves_are_right():
    figures = compare(TRUTH, TRUTH).figures()
    assert (figures["median_error_s"], figures["pause_f1"], figures["pauses"]) == (0.0, 1.0, 2)


def test_a_pause_of_just_the_limit_is_not_long_and_an_overlap_is_none():
    words = timed(("a", 0.0, 0.1), ("b", 0.25, 0.5), ("c", 0.4, 0.6))
    assert compare(words, words).pauses == ((pytest.approx(0.15),) * 2, (0.0, 0.0))
    assert compare(words, words).figures()["pauses"] == 0


def test_comparisons_add_up_and_nothing_is_none():
    both = compare(TRUTH, FOUND) + compare(TRUTH, TRUTH)
    assert both.figures()["words"] == 9
    assert both.figures()["pauses"] == 3
    nothing = Comparison().figures()
    assert {name: value for name, value in nothing.items() if value is not None} == {
        "words": 0,
        "pauses": 0,
        "pauses_found": 0,
    }


def test_words_without_times_are_left_out():
    words = timed(("a", 0.0, 0.1), ("b",), ("c", 0.4, 0.6))
    comparison = compare(words, words)
    assert (len(comparison.errors), len(comparison.pauses)) == (2, 0)


def test_marks_of_any_script_are_no_difference():
    assert len(compare(timed(("¿Hola?", 0.0, 0.1)), timed(("hola，॥", 0.0, 0.1))).errors) == 1
