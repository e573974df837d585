"""The generative pause model: what it draws, and that it draws the same again."""

from dataclasses import replace

import numpy as np
import pytest

from asr_punct.errors import ConfigError
from asr_punct.marks import MARKS, Mark
from asr_punct.pauses import UNKNOWN_PAUSE
from asr_punct.training.pause_model import PauseAt, PauseParameters, sample_pauses

PLAIN = PauseParameters(stretched=0, clipped=0, emitted=0, slack_probability=0, frames_ms=(10,))
"""Every window's times are exact."""
ONE_SPEAKER = replace(PLAIN, pace_spread=0, hesitation_spread=0)


def _bits(*marks):
    return sum(1 << MARKS.index(mark) for mark in marks)


def _windows(*marks, windows=2000, words=20):
    """Windows whose fifth word is followed, and sixth word preceded, by the marks; the last word has none."""
    bits = np.zeros((windows, words), np.uint16)
    bits[:, 5] = _bits(*marks)
    return bits


def _draw(parameters, *marks, seed=1, **shape):
    return sample_pauses(_windows(*marks, **shape), np.random.default_rng(seed), parameters)


@pytest.mark.parametrize("mark", [Mark.COMMA, Mark.QUOTE])
def test_the_pauses_of_one_speaker(mark):
    pauses = _draw(ONE_SPEAKER, mark, windows=20000)
    at, elsewhere = pauses[:, 5], np.delete(pauses, 5, axis=1)
    for drawn, expected in ((at, getattr(PLAIN, mark.lower())), (elsewhere, PLAIN.no_mark)):
        lengths = drawn[drawn > 0] * 10
        assert len(lengths) / drawn.size == pytest.approx(expected.probability, abs=0.02)
        assert np.median(lengths) / 1000 == pytest.approx(expected.median_s, rel=0.1)
        assert np.log(lengths).std() == pytest.approx(expected.spread, abs=0.08)


def test_marks_that_open_a_word_act_on_the_pause_before_it():
    louder = replace(ONE_SPEAKER, open_ques=PauseAt(0.9, 0.5, 0.1), no_mark=PauseAt(0.001, 0.2, 0.1))
    paused = (_draw(louder, Mark.OPEN_QUES) > 0).mean(axis=0)
    assert paused[4] > 0.8
    assert np.delete(paused, 4).max() < 0.02


def test_the_longest_pause_of_several_marks_decides():
    alone, both = (_draw(ONE_SPEAKER, *marks)[:, 5] for marks in ([Mark.PERIOD], [Mark.PERIOD, Mark.QUOTE]))
    assert np.array_equal(alone, both)


def test_a_windows_speaker_is_the_same_at_all_its_marks():
    bits = np.full((500, 40), _bits(Mark.PERIOD), np.uint16)
    pauses = sample_pauses(bits, np.random.default_rng(3), PLAIN).astype(float)
    pauses[pauses == 0] = np.nan
    means = np.nanmean(np.log(pauses), axis=1)
    within = np.nanstd(np.log(pauses), axis=1).mean() / np.sqrt(40)
    assert means.std() > 2.5 * within
    shares = (~np.isnan(pauses)).mean(axis=1)
    assert np.corrcoef(means, shares)[0, 1] > 0.4


@pytest.mark.parametrize("frame", [10, 80])
def test_pauses_are_multiples_of_the_frame_and_unbiased(frame):
    pauses = _draw(replace(ONE_SPEAKER, frames_ms=(frame,)), Mark.PERIOD)
    assert not (pauses * 10 % frame).any()
    exact = _draw(ONE_SPEAKER, Mark.PERIOD)
    assert pauses[:, 5].mean() == pytest.approx(exact[:, 5].mean(), rel=0.1)


def test_a_source_that_stretches_words_hides_short_pauses():
    pauses = _draw(replace(PLAIN, stretched=1.0, hidden_s=(0.5, 0.5)), Mark.PERIOD)
    assert set(np.unique(pauses[pauses < 49])) == {0}
    assert (pauses[:, 5] > 0).mean() > 0.3


def test_a_source_that_clips_words_shows_sentence_ends_alone():
    clipped = replace(PLAIN, clipped=1.0, clip_s=0.3)
    pauses, unclipped = _draw(clipped, Mark.PERIOD), _draw(PLAIN, Mark.PERIOD)
    assert not np.delete(pauses, 5, axis=1).any()
    assert 0 < (pauses[:, 5] > 0).mean() < (unclipped[:, 5] > 0).mean()
    assert not _draw(clipped, Mark.COMMA).any()


def test_a_source_of_emission_times_sets_words_apart():
    pauses = _draw(replace(PLAIN, emitted=1.0, emitted_s=0.2))
    assert (pauses > 0).mean() > 0.9
    assert np.median(pauses) == pytest.approx(20 * np.log(2), rel=0.2)


def test_unknown_pauses():
    bits = _windows(Mark.PERIOD)
    unknown = np.zeros(bits.shape, bool)
    unknown[:, -1] = True
    drawn = sample_pauses(bits, np.random.default_rng(1), unknown=unknown)
    assert (drawn[:, -1] == UNKNOWN_PAUSE).all()
    assert (drawn[:, :-1] < UNKNOWN_PAUSE).all()
    assert np.array_equal(drawn[:, :-1], sample_pauses(bits, np.random.default_rng(1))[:, :-1])
    assert (sample_pauses(bits, np.random.default_rng(1), unknown=np.ones_like(unknown)) == UNKNOWN_PAUSE).all()


@pytest.mark.parametrize("shape", [(0,), (7,), (2, 3, 7)])
def test_shapes_and_reproducibility(shape):
    bits = np.random.default_rng(0).integers(0, 2**13, shape).astype(np.uint16)
    first, second = (sample_pauses(bits, np.random.default_rng(5)) for _ in range(2))
    assert first.shape == shape
    assert first.dtype == np.int16
    assert np.array_equal(first, second)
    assert ((first >= 0) & (first < UNKNOWN_PAUSE)).all()


@pytest.mark.parametrize("wrong", [{"stretched": 0.6, "emitted": 0.6}, {"clipped": -0.1}, {"frames_ms": (15,)}])
def test_wrong_parameters(wrong):
    with pytest.raises(ConfigError, match="found"):
        PauseParameters(**wrong)
    with pytest.raises(ConfigError, match="probability"):
        PauseAt(1.0, 0.3, 0.5)
