"""Bootstrap intervals and paired comparison."""

import numpy as np
import pytest

from asr_punct.errors import AsrPunctError
from asr_punct.marks import Labels, Mark
from asr_punct.scoring import bootstrap, compare_counts, pair_words
from asr_punct.words import Utterance, Word, annotate

COMMA = Labels(frozenset({Mark.COMMA}))


def counts_of(truth, guess):
    """Counts of utterances from two arrays of "has a comma", (utterances, words)."""
    references, hypotheses = (
        [
            annotate(Utterance((Word("a"),) * len(row)), labels=tuple(COMMA if c else Labels() for c in row))
            for row in rows
        ]
        for rows in (truth, guess)
    )
    return pair_words(references, hypotheses).count()


def simulated(rng, utterances, errors, words=12):
    truth = rng.random((utterances, words)) < 0.3
    return truth, truth ^ (rng.random((utterances, words)) < errors)


def test_an_interval_is_that_of_a_literal_bootstrap():
    truth, guess = simulated(np.random.default_rng(2), 25, 0.2)
    found = bootstrap(counts_of(truth, guess), 4000)
    assert {"marks.COMMA.f1", "micro.f1", "mean_f1", "one_class.f1", "slot_error_rate"} <= found.keys()
    assert not {"marks.PERIOD.f1", "case.micro.f1", "wer"} & found.keys()  # undefined
    low, high = found["micro.f1"]
    rng = np.random.default_rng(9)
    drawn = []
    for _ in range(4000):
        rows = rng.integers(25, size=25)
        right, wrong = (truth & guess)[rows].sum(), (truth ^ guess)[rows].sum()
        drawn.append(2 * right / (2 * right + wrong))
    assert (low, high) == pytest.approx(np.percentile(drawn, [2.5, 97.5]), abs=0.01)


def test_intervals_cover_the_true_value_in_95_of_100_cases():
    rng = np.random.default_rng(3)
    expected = 0.5 * 0.8 / (0.3 * 0.8 + 0.5 * (0.7 * 0.2 + 0.3 * 0.2)) * 0.6  # tp 0.24, fp 0.14, fn 0.06 a word
    assert expected == pytest.approx(2 * 0.24 / (2 * 0.24 + 0.2))
    covered = 0
    for _ in range(100):
        low, high = bootstrap(counts_of(*simulated(rng, 40, 0.2)), 200)["micro.f1"]
        covered += low <= expected <= high
    assert 86 <= covered <= 100


def test_paired_finds_a_real_difference_and_no_false_one():
    rng = np.random.default_rng(6)
    truth, good = simulated(rng, 200, 0.1)
    bad, same = (truth ^ (rng.random(truth.shape) < errors) for errors in (0.3, 0.1))
    better = compare_counts(counts_of(truth, bad), counts_of(truth, good))["micro.f1"]
    assert better.p < 0.01
    assert 0 < better.ci95[0] < better.difference < better.ci95[1]
    assert better.difference == pytest.approx(better.second - better.first)
    assert compare_counts(counts_of(truth, good), counts_of(truth, same))["micro.f1"].p > 0.05


def test_paired_with_itself_is_certain_of_no_difference():
    counts = counts_of(*simulated(np.random.default_rng(1), 20, 0.2))
    itself = compare_counts(counts, counts, 100)["micro.f1"]
    assert (itself.difference, itself.ci95, itself.p) == (0, (0, 0), 1.0)


def test_one_utterance_has_no_intervals():
    counts = counts_of(*simulated(np.random.default_rng(1), 1, 0.2))
    assert bootstrap(counts) == {}
    itself = compare_counts(counts, counts)["micro.f1"].as_dict()
    assert (itself["difference"], itself["ci95"], itself["p"]) == (0.0, None, None)


def test_paired_refuses_different_utterances():
    rng = np.random.default_rng(1)
    with pytest.raises(AsrPunctError, match="different utterances"):
        compare_counts(counts_of(*simulated(rng, 3, 0.2)), counts_of(*simulated(rng, 4, 0.2)))
