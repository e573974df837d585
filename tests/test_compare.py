"""Word times against known ones: errors of starts, and long pauses."""

import pytest

from asr_punct.align.compare import TimeComparison, compare
from asr_punct.words import Word


def timed(*words):
    return tuple(Word(*word) for word in words)


TRUTH = timed(("bai", 0.0, 0.4), ("eh", 0.5, 0.6), ("jauna", 1.0, 1.4), ("ez", 1.6, 1.8), ("da", 1.8, 2.0))
FOUND = timed(("Bai,", 0.1, 0.4), ("jauna", 1.0, 1.4), ("ez", 1.42, 1.6), ("da", 1.9, 2.0))


def test_equal_words_and_pauses_between_neighbours():
    comparison = compare(TRUTH, FOUND)
    assert comparison.errors == pytest.approx([0.1, 0.0, 0.18, 0.1])
    assert [pause for pair in comparison.pauses for pause in pair] == pytest.approx([0.2, 0.02, 0.0, 0.3])
    assert comparison.figures() == {
        "words": 4,
        "median_error_s": 0.1,
        "mean_error_s": 0.095,
        "within_50_ms": 0.25,
        "within_100_ms": 0.75,
        "pauses": 1,
        "pauses_found": 1,
        "pause_precision": 0.0,
        "pause_recall": 0.0,
        "pause_f1": 0.0,
    }


def test_words_without_times_and_overlaps():
    words = timed(("a", 0.0, 0.1), ("b",), ("c", 0.3, 0.6), ("d", 0.5, 0.9))
    comparison = compare(words, words)
    assert (len(comparison.errors), comparison.pauses) == (3, ((0.0, 0.0),))


def test_sums_and_nothing():
    figures = (compare(TRUTH, FOUND) + compare(TRUTH, TRUTH)).figures()
    assert (figures["words"], figures["pauses"]) == (9, 3)
    assert compare(TRUTH, TRUTH).figures()["pause_f1"] == 1.0
    counts = {name: value for name, value in TimeComparison().figures().items() if value is not None}
    assert counts == {"words": 0, "pauses": 0, "pauses_found": 0}
