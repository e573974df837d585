"""Pauses from times, refined on the sound; their buckets and smoothing."""

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asr_punct import audio
from asr_punct.errors import ConfigError
from asr_punct.marks import MARKS, Mark
from asr_punct.pauses import (
    UNKNOWN_PAUSE,
    buckets,
    move_to_silences,
    pause_after,
    silence_threshold,
    silences,
    with_pauses,
)
from asr_punct.recordings import with_pauses_from_audio
from asr_punct.training.pause_model import PauseAt, PauseParameters, sample_pauses
from asr_punct.words import Utterance, Word, annotate

TRUTH = [(0.5, 0.9), (0.9, 1.3), (1.7, 2.2), (2.2, 2.6), (3.2, 3.5)]


def utterance(*times, recording="a", channel="1"):
    words = tuple(Word(f"w{i}", start, end) for i, (start, end) in enumerate(times))
    return Utterance(words, recording=recording, channel=channel, time_source="asr")


def test_pauses_of_one_utterance():
    counts = Counter()
    times = [(0.0, 0.5), (0.5, 1.0), (1.25, 1.5), (1.4, None), (2.0, 2.2), (math.nan, 3.0)]
    textual = annotate(Utterance((Word("a"), Word("b"))), pauses=(0.1, None))
    stays, out = with_pauses([textual, utterance(*times)], counts)
    assert stays == textual
    assert out.pauses == (0.0, 0.25, 0.0, None, None, None)
    assert (out.pause_before, out.time_source) == (None, "asr")
    assert counts == {"pauses": 6, "unknown": 3, "overlaps": 1}


def test_a_given_pause_counts_before_that_of_the_times():
    assert pause_after(Word("a", 0.0, 0.5, pause=0.2), Word("b", 1.0)) == 0.2
    assert pause_after(Word("a", 0.0, 0.5), Word("b", 1.0)) == 0.5
    assert pause_after(Word("a", 0.0, 0.5), Word("b", 0.4)) == 0.0
    assert pause_after(Word("a"), Word("b", 1.0)) is None


def test_pauses_are_whole_milliseconds():
    (out,) = with_pauses([utterance((0.0, 0.1), (0.22346, 0.3), (0.4, 0.5))])
    assert out.pauses[:2] == (0.123, 0.1)


def test_the_last_pause_is_known_within_a_recording_and_channel():
    out = list(
        with_pauses(
            [
                utterance((0.0, 1.0)),
                utterance((1.5, 2.0), (2.0, 2.5)),
                utterance((3.0, 4.0), channel="2"),
                utterance((4.5, 5.0), recording="b"),
                utterance((0.1, 0.4), recording="b"),
            ]
        )
    )
    assert [u.pauses for u in out] == [(0.5,), (0.0, None), (None,), (None,), (None,)]
    assert [u.pause_before for u in out] == [None, 0.5, None, None, None]


@pytest.mark.parametrize(("following", "known"), [({}, True), ({"recording": "b"}, False), ({"channel": "2"}, False)])
def test_a_given_pause_is_that_before_the_next_utterance_of_its_recording(following, known):
    given = annotate(utterance((0.0, 1.0)), pauses=(0.4,))
    before, out, after = with_pauses([given, utterance((2.0, 3.0), **following), given])
    assert (before, after) == (given, given)
    assert (out.pauses, out.pause_before) == ((None,), 0.4 if known else None)


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 90), st.booleans()), max_size=6),
    st.lists(st.integers(0, 6), max_size=4),
)
def test_utterances_without_words_change_no_pause(spoken, silent):
    values = [
        utterance((second, second + 0.5 if known else None), recording=name)
        for name, second, known in sorted(spoken, key=lambda value: value[0])
    ]
    mixed = [(float(place), value) for place, value in enumerate(values)]
    for place in silent:
        name = values[min(place, len(values) - 1)].recording if values else "a"
        mixed.append((min(place, len(values)) - 0.5, Utterance((), recording=name)))
    out = list(with_pauses(value for _, value in sorted(mixed, key=lambda item: item[0])))
    assert [value for value in out if value.words] == list(with_pauses(values))
    assert sum(not value.words for value in out) == len(silent)


def test_one_utterance_is_read_ahead():
    def silence_after(first):
        yield first
        while True:
            yield Utterance((), recording="b")

    assert next(with_pauses(silence_after(Utterance((Word("a"),), recording="b")))).words
    assert next(with_pauses(silence_after(utterance((0.0, 1.0))))).pauses == (None,)
    source = (utterance((start, start + 0.5)) for start in range(5))
    assert next(with_pauses(source)).pauses == (0.5,)
    assert next(source).words[0].start == 2


def test_buckets():
    pauses = [0.0, 0.009, 0.0096, 0.01, 0.29, 9.989, 9.99, 10.0, 1e9, math.inf, -1.0, None, math.nan]
    assert buckets(pauses).tolist() == [0, 0, 1, 1, 29, 998, 999, 999, 999, 999, 0, UNKNOWN_PAUSE, UNKNOWN_PAUSE]
    assert (buckets([]).shape, buckets([]).dtype) == ((0,), np.int64)
    ms = np.arange(20_000)
    assert np.array_equal(buckets((ms / 1000).tolist()), np.minimum(999, ms // 10))


def energy(spans, length=4.0, floor=-60.0, speech=-20.0):
    """Energy of a recording with speech in `spans`, 10 ms a frame."""
    rng = np.random.default_rng(0)
    level = floor + rng.normal(0, 1, round(length * 100))
    for start, end in spans:
        level[round(start * 100) : round(end * 100)] = speech + rng.normal(0, 3, round(end * 100) - round(start * 100))
    return level.astype(np.float32)


def times(utterances):
    return [(word.start, word.end) for utterance in utterances for word in utterance.words]


@pytest.mark.parametrize(
    "found",
    [
        TRUTH,
        [(0.6, 0.8), (0.95, 1.2), (1.75, 2.1), (2.25, 2.5), (3.3, 3.45)],
        [(0.4, 0.9), (0.9, 1.5), (1.5, 2.2), (2.2, 2.9), (2.9, 3.6)],
        [(0.5, 0.9), (0.9, 1.7), (1.7, 2.2), (2.2, 3.2), (3.2, 3.8)],
    ],
    ids=["true", "ends early", "pauses divided", "pauses hidden"],
)
@pytest.mark.parametrize("floor", [-100.0, -60.0, -35.0])
def test_edges_move_onto_silences(found, floor):
    refined = move_to_silences([utterance(*found)], energy(TRUTH, floor=floor))
    errors = np.abs(np.array(times(refined)) - TRUTH)
    assert errors[[0, 1, 2, 3, 4], [0, 1, 0, 1, 0]].max() <= 0.021
    assert errors.max() <= 0.06
    (out,) = with_pauses(refined)
    assert [pause > 0.15 for pause in out.pauses[:4]] == [False, True, False, True]
    assert out.pauses[0] == 0.0


def test_aligned_and_unknown_times_stay():
    aligned = Utterance((Word("a", 0.7, 1.0),), time_source="aligner")
    odd = utterance((None, None), (0.5, None), (math.nan, 1.0), (1.7, 2.0), (2.3, 2.55))
    assert move_to_silences([aligned], energy(TRUTH)) == [aligned]
    found = times(move_to_silences([odd], energy(TRUTH)))
    assert found[:2] == [(None, None), (0.5, None)]
    assert math.isnan(found[2][0])
    assert found[3][0] == pytest.approx(1.7, abs=0.021)
    assert move_to_silences([odd], np.zeros(0, np.float32)) == [odd]
    assert move_to_silences([], energy(TRUTH)) == []


def gap_on_silences(end, start, low, high, quiet):
    """The new end of a word and start of the next one, by the docstring of `move_to_silences`."""
    near = [(max(begin, low), min(stop, high)) for begin, stop in quiet if stop > low and begin < high]
    gains = {
        (begin, stop): stop - begin - 2 * max(0, begin - start, end - stop)
        for begin, stop in near
        if stop - begin >= 0.08
    }
    if not any(gain > 0 for gain in gains.values()):
        return ((end + start) / 2,) * 2 if 0 < start - end < 0.3 else (end, start)
    best = near.index(max(gains, key=gains.get))
    joins = [a[1] >= end and b[0] <= start for a, b in pairwise(near)]  # the sound between two silences is in the gap
    first, last = best, best
    while first > 0 and joins[first - 1]:
        first -= 1
    while last < len(joins) and joins[last]:
        last += 1
    return near[first][0], near[last][1]


@given(
    st.lists(st.sampled_from([5, 6, 7, 8, 10, 15, 20, 30, 50, 70]), min_size=3, max_size=12),
    st.tuples(*[st.integers(0, 100)] * 4),
)
@example([30, 70, 20, 15, 70, 70, 30], (30, 50, 45, 105))  # the sound before the gap is in the next word's time
@example([30, 70, 60, 10, 15, 70, 30], (30, 135, 5, 50))  # that after it is in the word's
@example([30, 70, 20, 10, 20, 10, 40, 70, 30], (30, 70, 100, 70))  # breaths before and after the best silence
@example([30, 70, 40, 10, 20, 10, 20, 70, 30], (30, 70, 100, 70))
def test_edges_are_those_of_the_best_silence(runs, lengths):
    """Runs of silence and sound in turn; two words with a gap, in hundredths of a second."""
    quiet_frames = np.repeat(np.arange(len(runs)) % 2 == 0, runs)
    levels = np.where(quiet_frames, -90.0, -20.0)
    a0, a1, b0, b1 = (int(value) / 100 for value in np.cumsum(lengths))
    ((a, b),) = [out.words for out in move_to_silences([utterance((a0, a1), (b0, b1))], levels)]
    quiet = silences(levels).tolist()
    fixed_a, fixed_b = (min((end - start) / 2, 0.3) for start, end in ((a0, a1), (b0, b1)))
    _, start_a = gap_on_silences(a0, a0, a0 - 0.5, a1 - fixed_a, quiet)
    end_a, start_b = gap_on_silences(a1, b0, max(a0 + fixed_a, start_a), b1 - fixed_b, quiet)
    end_b, _ = gap_on_silences(b1, b1, max(b0 + fixed_b, start_b), b1 + 0.5, quiet)
    assert (a.start, a.end, b.start, b.end) == pytest.approx((start_a, end_a, start_b, end_b), abs=6e-4)


RECOGNISED = {
    "true": TRUTH,
    "late": [(start + 0.1, end + 0.1) for start, end in TRUTH],
    "early": [(start - 0.1, end - 0.1) for start, end in TRUTH],
    "short": [(start + 0.1, end - 0.1) for start, end in TRUTH],
    "long": [(start - 0.1, end + 0.1) for start, end in TRUTH],
    "hidden pauses": [(0.5, 0.9), (0.9, 1.7), (1.7, 2.2), (2.2, 3.2), (3.2, 3.8)],
}


def spoken(path, **changes):
    """Write a recording with a tone for each word of `TRUTH`: quiet noise, and what `changes` name."""
    rate = changes.get("rate", 16000)
    t = np.arange(4 * rate) / rate
    samples = np.random.default_rng(0).normal(0, changes.get("noise", 1e-3), len(t))
    for number, (start, end) in enumerate(TRUTH):
        samples[(t >= start) & (t < end)] += 0.3 * np.sin(2 * np.pi * (200 + 90 * number) * t[(t >= start) & (t < end)])
    if "breath" in changes:
        samples[(t >= 2.85) & (t < 3.0)] += np.random.default_rng(1).normal(0, changes["breath"], int(0.15 * rate))
    samples = np.clip(changes.get("gain", 1.0) * samples, -0.9, 0.9) + changes.get("offset", 0.0)
    audio.write_samples(path, samples.astype(np.float32), rate)
    return path


@pytest.mark.parametrize("found", RECOGNISED.values(), ids=RECOGNISED)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"gain": 20.0},
        {"gain": 0.01},
        {"offset": 0.1},
        {"breath": 0.02},
        {"noise": 0.02},
        {"noise": 0.0, "rate": 8000},
    ],
    ids=["plain", "clipped", "quiet", "direct current", "breath", "noisy", "digital silence"],
)
def test_pauses_of_a_recording_are_found_in_its_sound(tmp_path, found, changes):
    path = spoken(tmp_path / "a.wav", **changes)
    first, second = utterance(*found[:2]), utterance(*found[2:])
    out = list(with_pauses_from_audio([first, second], lambda _: path))
    assert times(out) == found
    pauses = [pause for each in out for pause in each.pauses]
    hides_breath = "breath" in changes and found is RECOGNISED["hidden pauses"]  # a sound inside a word stays in it
    assert pauses[:-1] == pytest.approx([0.0, 0.4, 0.0, 0.2 if hides_breath else 0.6], abs=0.021)
    assert (pauses[-1], out[0].pause_before, out[1].pause_before) == (None, None, pauses[1])


@given(
    st.lists(st.tuples(st.floats(0, 10), st.floats(0, 2)), min_size=1, max_size=12),
    st.lists(st.tuples(st.floats(0, 10), st.floats(0.02, 1)), max_size=6),
)
def test_refined_times_stay_in_order(spans, speech):
    starts = sorted(start for start, _ in spans)
    words = [(s, s + d) for s, (_, d) in zip(starts, spans, strict=True)]
    out = times(move_to_silences([utterance(*words)], energy([(s, min(s + d, 12.0)) for s, d in speech], length=12.0)))
    ordered = all(a[1] <= b[0] for a, b in pairwise(words))
    assert all(start <= end + 1e-9 for start, end in out)
    assert not ordered or all(a[1] <= b[0] + 1e-9 for a, b in pairwise(out))


def has_silence(found, start, end):
    return any(a == pytest.approx(start, abs=0.02) and b == pytest.approx(end, abs=0.02) for a, b in found)


@pytest.mark.parametrize(
    ("shares", "threshold"),
    [
        ({-20: 50, -60: 50}, -52),  # a fifth of the way
        ({-20: 50, -79: 50}, -56),  # the noise floor is at most 45 dB under speech
        ({-20: 50, -25: 50}, -22),  # at least 3 dB over the noise floor
        ({-10: 5, -60: 95}, -52),  # sparse speech: 10 dB under the loudest
        ({-20: 60, -30: 35, -130: 5}, -27),  # digital silence of 5 % and no more
        ({-20: 60, -30: 30, -100: 10}, -45),  # much: at least 25 dB under speech
        ({-20: 60, -50: 30, -100: 10}, -45),
        ({-20: 60, -60: 30, -100: 10}, -52),
    ],
)
def test_silence_threshold(shares, threshold):
    levels = np.concatenate([np.full(100 * share, float(level)) for level, share in shares.items()])
    assert silence_threshold(levels) == pytest.approx(threshold, abs=0.1)


def test_silences_follow_the_level_of_the_recording():
    quiet, loud = ([energy(TRUTH, 4.0, floor, speech)] * 15 for floor, speech in ((-80.0, -45.0), (-40.0, -15.0)))
    found = silences(np.concatenate([*quiet, *loud]))
    assert all(has_silence(found, offset + 1.3, offset + 1.7) for offset in (0.0, 20.0, 92.0, 116.0))
    assert len(silences(energy([(1.0, 2.0), (3.0, 3.01)]))) == 2  # a click is no sound
    assert silence_threshold(np.full(50, -30.0)) == pytest.approx(-27.0)
    assert silences(np.full(50, -30.0)).tolist() == [[0.0, 0.5]]


def test_digital_silence_does_not_lower_the_noise_floor():
    found = silences(np.concatenate([np.full(300, -100.0), energy(TRUTH, floor=-55.0, speech=-25.0)]))
    assert all(has_silence(found, *span) for span in ((0.0, 3.5), (4.3, 4.7), (5.6, 6.2)))
    assert silence_threshold(energy(TRUTH[:4], floor=-100.0, speech=-25.0)) <= -45.0
    assert silences(np.full(100, -100.0)).tolist() == [[0.0, 1.0]]


# The generative model of pauses


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


def test_factors_on_the_odds_of_hesitations():
    bits = _windows(Mark.PERIOD, windows=20000)
    factors = np.ones(bits.shape, np.float32)
    factors[:, 5], factors[:, 10] = 100, 4
    paused = (sample_pauses(bits, np.random.default_rng(1), ONE_SPEAKER, unmarked_odds=factors) > 0).mean(axis=0)
    odds = paused / (1 - paused)
    assert odds[10] / np.delete(odds, [5, 10]).mean() == pytest.approx(4, rel=0.1)
    assert paused[5] == pytest.approx(PLAIN.period.probability, abs=0.02)  # a mark's pause stays as it is


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
