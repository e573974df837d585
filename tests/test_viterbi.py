"""The CTC path: compared with every path there is and with the textbook's full table, and its memory."""

import tracemalloc
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.align.viterbi import BLANK, FILLER, NoPathError, least_frames, viterbi


def emissions(seed, frames, columns):
    logits = np.random.default_rng(seed).normal(0, 3, (frames, columns))
    return (logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))).astype(np.float32)


def log_probability(rows, labels, path):
    columns = np.full(len(rows), BLANK)
    for label, first, last in zip(labels, path.first, path.last, strict=True):
        columns[first : last + 1] = label
    return rows[np.arange(len(rows)), columns].astype(np.float64).sum()


@given(st.integers(0, 10**6), st.integers(1, 6), st.lists(st.integers(2, 3), min_size=1, max_size=3))
def test_no_path_is_better(seed, frames, labels):
    """Against all strings of columns that collapse to the labels: repeats first, then blanks (Graves et al. 2006)."""
    rows, labels = emissions(seed, frames, 4), np.array(labels)
    strings = product((BLANK, 2, 3), repeat=frames)
    valid = [s for s in strings if [b for a, b in pairwise((None, *s)) if b not in (a, BLANK)] == labels.tolist()]
    assert bool(valid) == (frames >= least_frames(labels))
    if valid:
        best = max(rows[np.arange(frames), string].astype(np.float64).sum() for string in valid)
        assert log_probability(rows, labels, viterbi([rows], labels)) == pytest.approx(best, abs=1e-4)
    else:
        with pytest.raises(NoPathError):
            viterbi([rows], labels)


def full_table(rows, labels):
    """First and last frames by the textbook's table of 2 N + 1 states, in double precision."""
    states = [BLANK, *(state for label in labels for state in (label, BLANK))]
    table, back = (np.full((len(rows), len(states)), fill) for fill in (-np.inf, 0))
    table[0, :2] = rows[0, states[:2]]
    for frame in range(1, len(rows)):
        for state, column in enumerate(states):
            skips = state > 2 and column != BLANK and (column == FILLER or column != states[state - 2])
            before = range(max(0, state - (2 if skips else 1)), state + 1)
            back[frame, state] = max(before, key=lambda s: table[frame - 1, s])
            table[frame, state] = table[frame - 1, int(back[frame, state])] + rows[frame, column]
    state, path = max(len(states) - 2, len(states) - 1, key=lambda s: table[-1, s]), []
    for frame in range(len(rows) - 1, -1, -1):
        path.append(state)
        state = int(back[frame, state])
    frames = [np.flatnonzero(np.array(path[::-1]) == 2 * i + 1) for i in range(len(labels))]
    return [int(f[0]) for f in frames], [int(f[-1]) for f in frames]


@pytest.mark.parametrize("block", [1, 7, 64, 2048])
@pytest.mark.parametrize(("frames", "count"), [(60, 3), (60, 25), (200, 30), (45, 1)])
def test_the_path_is_that_of_the_full_table(block, frames, count):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows, labels = emissions(seed, frames, 6), rng.integers(FILLER, 6, count)
        labels[1:][(labels[1:] == FILLER) & (labels[:-1] == FILLER)] = 2  # the border between fillers is arbitrary
        if frames >= least_frames(labels):
            path = viterbi(np.split(rows, np.sort(rng.integers(0, frames, 3))), labels, block)
            assert (path.first.tolist(), path.last.tolist()) == full_table(rows.astype(np.float64), labels.tolist())
            assert path.frames == frames


def confident(rng, frames, labels):
    """Emissions of a confident model, and the frame of each label."""
    rows = np.full((frames, 12), -9.0, np.float32)
    rows[:, BLANK] = 0
    at = np.sort(rng.choice(frames // 2, len(labels), replace=False)) * 2
    rows[at, BLANK], rows[at, labels] = -9, 0
    return rows, at


def test_memory_is_as_documented():
    block, frames, count, columns = 256, 8192, 4000, 12
    rng = np.random.default_rng(2)
    labels = rng.integers(2, columns, count)
    rows, at = confident(rng, frames, labels)
    chunks = (rows[i : i + 500].copy() for i in range(0, frames, 500))
    tracemalloc.start()
    path = viterbi(chunks, labels, block)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(path.first, at)
    kept = 4 * (frames * columns + -(-frames // block) * (2 * count + 1)) + block * (2 * block + 1)
    passing = 4 * (15 * (2 * count + 1) + 2 * block * columns)
    assert peak < kept + passing
    assert peak < frames * (2 * count + 1) / 20


@pytest.mark.parametrize("rows", [np.zeros((0, 4)), np.zeros((2, 4)), np.full((9, 4), -np.inf)])
def test_no_path_is_an_error(rows):
    with pytest.raises(NoPathError, match=f"through {len(rows)} frames") as error:
        viterbi([rows.astype(np.float32)], np.array([2, 2]))
    assert error.value.frames == len(rows)


@pytest.mark.parametrize(("labels", "frames"), [([2], 1), ([2, 3, 3, FILLER, FILLER], 6)])
def test_least_frames(labels, frames):
    assert least_frames(np.array(labels)) == frames
