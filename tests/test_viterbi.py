"""The CTC path against every path there is, against the textbook's whole table, and in the memory that is stated."""

import tracemalloc
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.align import viterbi as module
from asr_punct.align.viterbi import BLANK, FILLER, NoPathError, least_frames, viterbi


def emissions(seed, frames, columns):
    scores = np.random.default_rng(seed).normal(0, 3, (frames, columns))
    return (scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))).astype(np.float32)


def score(rows, labels, first, last):
    """Log-probability of the path that emits each label from its first to its last frame, and blanks elsewhere."""
    columns = np.full(len(rows), BLANK)
    for label, begin, end in zip(labels, first, last, strict=True):
        columns[begin : end + 1] = label
    return float(rows[np.arange(len(rows)), columns].astype(np.float64).sum())


def all_paths(frames, labels):
    """First and last frames of the labels on every path."""
    for edges in combinations(range(frames + len(labels)), 2 * len(labels)):
        first = [edge - i for i, edge in enumerate(edges[::2])]
        last = [edge - i - 1 for i, edge in enumerate(edges[1::2])]
        touching = (end + 1 == begin for end, begin in zip(last, first[1:], strict=False))
        same = (a == b != FILLER for a, b in pairwise(labels))
        if not any(t and s for t, s in zip(touching, same, strict=True)):
            yield first, last


@given(st.integers(0, 10**6), st.integers(1, 7), st.lists(st.integers(FILLER, 3), min_size=1, max_size=3))
def test_no_path_is_better(seed, frames, labels):
    rows = emissions(seed, frames, 4)
    scores = [score(rows, labels, *path) for path in all_paths(frames, labels)]
    assert bool(scores) == (frames >= least_frames(np.array(labels)))
    if not scores:
        with pytest.raises(NoPathError):
            viterbi([rows], np.array(labels))
        return
    path = viterbi([rows], np.array(labels))
    assert (path.first.tolist(), path.last.tolist()) in list(all_paths(frames, labels))
    assert score(rows, labels, path.first, path.last) == pytest.approx(max(scores), abs=1e-4)


@given(st.integers(0, 10**6), st.integers(1, 6), st.lists(st.integers(2, 3), min_size=1, max_size=3))
def test_paths_are_those_of_ctc(seed, frames, labels):
    """All strings of columns that collapse to the labels: repeats first, then blanks (Graves et al. 2006)."""
    rows, best = emissions(seed, frames, 4).astype(np.float64), -np.inf
    for string in product((BLANK, 2, 3), repeat=frames):
        kept = [b for a, b in pairwise((None, *string)) if b not in (a, BLANK)]
        if kept == labels:
            best = max(best, rows[np.arange(frames), string].sum())
    if best == -np.inf:
        assert frames < least_frames(np.array(labels))
        return
    path = viterbi([rows.astype(np.float32)], np.array(labels))
    assert score(rows, labels, path.first, path.last) == pytest.approx(best, abs=1e-4)


def whole_table(rows, labels):
    """The textbook's table of 2 N + 1 states, held whole, in double precision."""
    states = [BLANK, *(state for label in labels for state in (label, BLANK))]
    table, back = (np.full((len(rows), len(states)), fill) for fill in (-np.inf, 0))
    table[0, :2] = rows[0, states[:2]]
    for frame in range(1, len(rows)):
        for state, column in enumerate(states):
            skips = state > 2 and column != BLANK and (column == FILLER or column != states[state - 2])
            before = range(max(0, state - (2 if skips else 1)), state + 1)
            back[frame, state] = max(before, key=lambda s: table[frame - 1, s])
            table[frame, state] = table[frame - 1, int(back[frame, state])] + rows[frame, column]
    state = max(len(states) - 2, len(states) - 1, key=lambda s: table[-1, s])
    met = []
    for frame in range(len(rows) - 1, -1, -1):
        met.append(state)
        state = int(back[frame, state])
    met = np.array(met[::-1])
    frames = [np.flatnonzero(met == 2 * i + 1) for i in range(len(labels))]
    return [int(f[0]) for f in frames], [int(f[-1]) for f in frames]


@pytest.mark.parametrize("block", [1, 7, 64, 2048])
@pytest.mark.parametrize(("frames", "count"), [(60, 3), (60, 25), (60, 40), (200, 30), (45, 1)])
def test_the_path_is_that_of_the_whole_table(monkeypatch, block, frames, count):
    monkeypatch.setattr(module, "BLOCK", block)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows, labels = emissions(seed, frames, 6), rng.integers(FILLER, 6, count)
        labels[1:][(labels[1:] == FILLER) & (labels[:-1] == FILLER)] = 2  # where they meet is open
        if frames < least_frames(labels):
            continue
        pieces = np.split(rows, np.sort(rng.integers(0, frames, 3)))
        path = viterbi(iter(pieces), labels)
        assert (path.first.tolist(), path.last.tolist()) == whole_table(rows.astype(np.float64), labels.tolist())
        assert path.frames == frames


def spoken(rng, frames, labels):
    """Emissions of a sure model that says the labels at known frames."""
    rows = np.full((frames, 12), -9.0, np.float32)
    rows[:, BLANK] = 0
    at = np.sort(rng.choice(frames // 2, len(labels), replace=False)) * 2
    rows[at, BLANK], rows[at, labels] = -9, 0
    return rows, at


def test_a_sure_model_is_followed_whatever_the_pauses(monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 100)
    rng = np.random.default_rng(1)
    labels = rng.integers(2, 12, 300)
    rows, at = spoken(rng, 1000, labels)
    silence = np.zeros((3000, 12), np.float32) + rows[0]
    silence[:, 1:], silence[:, BLANK] = -9, 0
    path = viterbi([silence, rows, silence], labels)
    assert np.array_equal(path.first, at + 3000)
    assert np.array_equal(path.last, at + 3000)


def test_memory_is_as_stated(monkeypatch):
    """Bytes that are held at once: the parts that the module names, and not the states of all frames."""
    block, frames, count, columns = 256, 8192, 4000, 12
    monkeypatch.setattr(module, "BLOCK", block)
    rng = np.random.default_rng(2)
    labels = rng.integers(2, columns, count)
    rows, at = spoken(rng, frames, labels)
    pieces = (rows[i : i + 500].copy() for i in range(0, frames, 500))
    tracemalloc.start()
    path = viterbi(pieces, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(path.first, at)
    kept = 4 * (frames * columns + -(-frames // block) * (2 * count + 1)) + block * (2 * block + 1)
    passing = 4 * (15 * (2 * count + 1) + 2 * block * columns)
    assert peak < kept + passing
    assert peak < frames * (2 * count + 1) / 20


@pytest.mark.parametrize("rows", [np.zeros((0, 4)), np.zeros((2, 4)), np.full((9, 4), -np.inf)])
def test_no_path_is_told(rows):
    with pytest.raises(NoPathError, match=f"found no path through {len(rows)} frames") as error:
        viterbi([rows.astype(np.float32)], np.array([2, 2]))
    assert error.value.frames == len(rows)


def test_the_fewest_frames():
    assert least_frames(np.array([2])) == 1
    assert least_frames(np.array([2, 3, 3, FILLER, FILLER])) == 6
