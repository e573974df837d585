"""Pauses from times, their buckets, and averages over neighbours."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.pauses import UNKNOWN, buckets, refine, silence_threshold, silences, smoothing_matrix, with_pauses
from asr_punct.words import Utterance, Word, annotate

TRUTH = [(0.5, 0.9), (0.9, 1.3), (1.7, 2.2), (2.2, 2.6), (3.2, 3.5)]


def _utterance(*times, recording="a", channel="1", **kwargs):
    words = tuple(Word(f"w{i}", start, end) for i, (start, end) in enumerate(times))
    return Utterance(words, recording=recording, channel=channel, time_source="asr", **kwargs)


def test_pauses_of_one_utterance():
    counts = Counter()
    times = [(0.0, 0.5), (0.5, 1.0), (1.25, 1.5), (1.4, None), (2.0, 2.2), (math.nan, 3.0)]
    (out,) = with_pauses([_utterance(*times)], counts)
    assert out.pauses == (0.0, 0.25, 0.0, None, None, None)
    assert out.pause_before is None
    assert out.time_source == "asr"
    assert counts == {"pauses": 6, "unknown": 3, "overlaps": 1}
    list(with_pauses([_utterance((0.0, 1.0))], one := Counter()))
    assert list(map(str, one.values())) == ["1", "1", "0"]


def test_the_last_word_looks_to_the_next_utterance_of_its_recording_and_channel():
    utterances = [
        _utterance((0.0, 1.0)),
        _utterance((1.5, 2.0), (2.0, 2.5)),
        _utterance((3.0, 4.0), channel="2"),
        _utterance((4.5, 5.0), recording="b"),
        _utterance((0.1, 0.4), recording="b"),
    ]
    out = list(with_pauses(utterances))
    assert [u.pauses for u in out] == [(0.5,), (0.0, None), (None,), (None,), (None,)]
    assert [u.pause_before for u in out] == [None, 0.5, None, None, None]


def test_utterances_without_times_or_words_pass_unchanged():
    textual = annotate(Utterance((Word("a"), Word("b"))), pauses=(0.1, None))
    empty = Utterance(())
    out = list(with_pauses([textual, empty, _utterance((0.0, 1.0), recording="")]))
    assert out[:2] == [textual, empty]
    assert out[2].pauses == (None,)


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 90), st.booleans()), max_size=6),
    st.lists(st.integers(0, 6), max_size=4),
)
def test_utterances_without_words_change_no_pause(spoken, silent):
    """Wherever they stand inside a recording, and in whatever numbers."""
    values = [
        _utterance((second, second + 0.5 if known else None), recording=name)
        for name, second, known in sorted(spoken, key=lambda value: value[0])
    ]
    mixed = [(float(place), value) for place, value in enumerate(values)]
    for place in silent:
        beside = values[min(place, len(values) - 1)].recording if values else "a"
        mixed.append((min(place, len(values)) - 0.5, Utterance((), recording=beside)))
    out = list(with_pauses(value for _, value in sorted(mixed, key=lambda item: item[0])))
    assert [value for value in out if value.words] == list(with_pauses(values))
    assert sum(not value.words for value in out) == len(silent)


def test_silence_without_end_does_not_wait_in_memory():
    """Where nothing needs the pause after it, and where a recording has ended."""

    def source(first):
        yield first
        while True:
            yield Utterance((), recording="b")

    assert next(with_pauses(source(Utterance((Word("a"),), recording="b")))).words
    assert next(with_pauses(source(_utterance((0.0, 1.0))))).pauses == (None,)


def test_one_utterance_is_read_ahead():
    read = []

    def source():
        for start in range(5):
            read.append(start)
            yield _utterance((start, start + 0.5))

    stream = with_pauses(source())
    assert next(stream).pauses == (0.5,)
    assert read == [0, 1]


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 5)), min_size=1, max_size=8))
def test_pauses_are_gaps_between_words(spans):
    starts = sorted(start for start, _ in spans)
    (out,) = with_pauses([_utterance(*((s, s + d) for s, (_, d) in zip(starts, spans, strict=True)))])
    for (a, b), pause in zip(pairwise(out.words), out.pauses, strict=False):
        assert pause == pytest.approx(max(0.0, b.start - a.end), abs=0.000501)


def test_buckets():
    pauses = [0.0, 0.009, 0.0096, 0.01, 0.29, 9.989, 9.99, 10.0, 1e9, math.inf, -1.0, None, math.nan]
    assert buckets(pauses).tolist() == [0, 0, 1, 1, 29, 998, 999, 999, 999, 999, 0, UNKNOWN, UNKNOWN]
    assert buckets([]).shape == (0,)
    assert buckets([]).dtype == np.int64


@given(st.integers(0, 20_000))
def test_a_bucket_holds_its_whole_milliseconds(ms):
    assert buckets([ms / 1000])[0] == min(999, ms // 10)


def _average(table, shape, row, sigma=1 / 6):
    """The average of a row's neighbours, one by one."""
    total, weights = np.zeros(table.shape[1]), 0.0
    for other in range(1000):
        if abs(other - row) <= 50:
            weight = 1.0 if shape == "uniform" else math.exp(-(((other - row) * 0.01) ** 2) / (2 * sigma**2))
            total, weights = total + weight * table[other], weights + weight
    return total / weights


@pytest.mark.parametrize("shape", ["uniform", "gaussian"])
def test_smoothing_is_the_average_of_neighbours(shape):
    table = np.random.default_rng(1).standard_normal((1001, 7))
    smooth = smoothing_matrix(shape).astype(np.float64) @ table
    for row in (0, 1, 49, 50, 51, 500, 949, 950, 998, 999):
        assert np.abs(smooth[row] - _average(table, shape, row)).max() < 1e-6
    assert np.array_equal(smooth[UNKNOWN], table[UNKNOWN])


def test_smoothing_matrix():
    for shape in ("uniform", "gaussian"):
        matrix = smoothing_matrix(shape)
        assert matrix.dtype == np.float32
        assert matrix.sum(axis=1) == pytest.approx(1.0, abs=1e-6)
        assert np.count_nonzero(matrix[500]) == 101
        assert matrix[:1000, UNKNOWN].max() == 0.0
    wide, narrow = smoothing_matrix("gaussian", sigma_s=0.3), smoothing_matrix("gaussian", sigma_s=0.05)
    assert wide[500, 500] < narrow[500, 500]
    assert np.count_nonzero(smoothing_matrix("uniform", window_s=0.5)[500]) == 51


def _energy(spans, length=4.0, floor=-60.0, speech=-20.0, seed=0):
    """Energy of a recording with speech in `spans`, 10 ms a frame."""
    rng = np.random.default_rng(seed)
    energy = floor + rng.normal(0, 1, round(length * 100))
    for start, end in spans:
        energy[round(start * 100) : round(end * 100)] = speech + rng.normal(0, 3, round(end * 100) - round(start * 100))
    return energy.astype(np.float32)


def _times(utterances):
    return [(word.start, word.end) for utterance in utterances for word in utterance.words]


@pytest.mark.parametrize(
    "found",
    [
        TRUTH,
        [(0.6, 0.8), (0.95, 1.2), (1.75, 2.1), (2.25, 2.5), (3.3, 3.45)],
        [(0.4, 0.9), (0.9, 1.5), (1.5, 2.2), (2.2, 2.9), (2.9, 3.6)],
        [(0.5, 0.9), (0.9, 1.7), (1.7, 2.2), (2.2, 3.2), (3.2, 3.8)],
    ],
    ids=["true", "ends early", "pauses shared out", "pauses hidden"],
)
@pytest.mark.parametrize("floor", [-100.0, -60.0, -35.0])
def test_edges_move_onto_silences(found, floor):
    refined = refine([_utterance(*found)], _energy(TRUTH, floor=floor))
    assert np.abs(np.array(_times(refined)) - TRUTH)[[0, 1, 2, 3, 4], [0, 1, 0, 1, 0]].max() <= 0.021
    assert np.abs(np.array(_times(refined)) - TRUTH).max() <= 0.06
    (out,) = with_pauses(refined)
    assert [pause > 0.15 for pause in out.pauses[:4]] == [False, True, False, True]
    assert out.pauses[0] == 0.0


def test_utterances_of_a_recording_are_refined_together():
    first, second = _utterance((0.5, 0.9), (0.9, 1.3)), _utterance((1.3, 2.2), (2.2, 2.6))
    out = list(with_pauses(refine([first, second], _energy(TRUTH[:4]))))
    assert out[0].pauses[1] == pytest.approx(0.4, abs=0.03)
    assert out[1].pause_before == out[0].pauses[1]
    assert [u.time_source for u in out] == ["asr", "asr"]


def test_aligned_and_unknown_times_stay():
    energy = _energy(TRUTH)
    aligned = Utterance((Word("a", 0.7, 1.0),), time_source="aligner")
    odd = _utterance((None, None), (0.5, None), (math.nan, 1.0), (1.7, 2.0), (2.3, 2.55))
    assert refine([aligned], energy) == [aligned]
    out = refine([odd], energy)
    assert [(w.start, w.end) for w in out[0].words[:2]] == [(None, None), (0.5, None)]
    assert math.isnan(out[0].words[2].start)
    assert out[0].words[3].start == pytest.approx(1.7, abs=0.021)
    assert refine([odd], np.zeros(0, np.float32)) == [odd]
    assert refine([], energy) == []


@given(
    st.lists(st.tuples(st.floats(0, 10), st.floats(0, 2)), min_size=1, max_size=12),
    st.lists(st.tuples(st.floats(0, 10), st.floats(0.02, 1)), max_size=6),
)
def test_refined_times_stay_in_order(spans, speech):
    starts = sorted(start for start, _ in spans)
    pieces = [(s, s + d) for s, (_, d) in zip(starts, spans, strict=True)]
    energy = _energy([(s, min(s + d, 12.0)) for s, d in speech], length=12.0)
    out = _times(refine([_utterance(*pieces)], energy))
    ordered = all(a[1] <= b[0] for a, b in pairwise(pieces))
    assert all(start <= end + 1e-9 for start, end in out)
    assert not ordered or all(a[1] <= b[0] + 1e-9 for a, b in pairwise(out))


def test_silences_follow_the_level_of_the_recording():
    quiet, loud = ([_energy(TRUTH, 4.0, floor, speech)] * 15 for floor, speech in ((-80.0, -45.0), (-40.0, -15.0)))
    found = silences(np.concatenate([*quiet, *loud]))
    for offset in (0.0, 20.0, 92.0, 116.0):
        assert any(start - offset == pytest.approx(1.3, abs=0.02) for start, _ in found)
        assert any(end - offset == pytest.approx(3.2, abs=0.02) for _, end in found)
    click = _energy([(1.0, 2.0), (3.0, 3.01)])
    assert len(silences(click)) == 2
    assert silence_threshold(np.full(50, -30.0)) == pytest.approx(-27.0)
    assert silences(np.full(50, -30.0)).tolist() == [[0.0, 0.5]]


def test_digital_silence_says_nothing_of_the_noise_elsewhere():
    energy = np.concatenate([np.full(300, -100.0), _energy(TRUTH, floor=-55.0, speech=-25.0)])
    found = silences(energy)
    for start, end in ((0.0, 3.5), (4.3, 4.7), (5.6, 6.2)):
        assert any(a == pytest.approx(start, abs=0.02) and b == pytest.approx(end, abs=0.02) for a, b in found)
    spoken = _energy(TRUTH[:4], floor=-100.0, speech=-25.0)
    assert silence_threshold(spoken) <= -45.0
    assert silences(np.full(100, -100.0)).tolist() == [[0.0, 1.0]]
