"""Alignment of words with words, projection of labels, comparison of times, and the path of a CTC model."""

import tracemalloc
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest
from dummies import bare_words, examples
from hypothesis import given
from hypothesis import strategies as st
from labelled import LABELS, parse
from word_times import TimeComparison, compare

from asr_punct.align.viterbi import BLANK, FILLER, NoPathError, min_frames, viterbi
from asr_punct.errors import InputError
from asr_punct.scoring.edit import align_words
from asr_punct.scoring.projection import project
from asr_punct.text import comparison_form
from asr_punct.words import Utterance, Word, annotate

WORDS = st.lists(st.sampled_from("abc"), max_size=9)


def literal_cost(reference, hypothesis):
    @cache
    def cost(i, j):
        if i == 0 or j == 0:
            return 3 * (i + j)
        correct = cost(i - 1, j - 1) + (0 if reference[i - 1] == hypothesis[j - 1] else 4)
        return min(correct, cost(i - 1, j) + 3, cost(i, j - 1) + 3)

    return cost(len(reference), len(hypothesis))


@given(WORDS, WORDS)
def test_align_costs_the_minimum_and_uses_every_word_once_in_order(reference, hypothesis):
    alignment = align_words(reference, hypothesis)
    gaps = (alignment.reference < 0) | (alignment.hypothesis < 0)
    assert 3 * gaps.sum() + 4 * (~gaps & ~alignment.equal).sum() == literal_cost(tuple(reference), tuple(hypothesis))
    assert [i for i in alignment.reference if i >= 0] == list(range(len(reference)))
    assert [j for j in alignment.hypothesis if j >= 0] == list(range(len(hypothesis)))
    for i, j, equal in zip(alignment.reference, alignment.hypothesis, alignment.equal, strict=True):
        assert i >= 0 or j >= 0
        assert equal == (i >= 0 and j >= 0 and reference[i] == hypothesis[j])


def test_memory_is_far_below_that_of_the_cost_matrix():
    rng = np.random.default_rng(5)
    reference, hypothesis = ([str(w) for w in rng.integers(40, size=n)] for n in (3000, 3100))
    tracemalloc.start()
    align_words(reference, hypothesis)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 3000 * 3100 / 10


@pytest.mark.parametrize(
    ("word", "form"),
    [("Hola,", "hola"), ("«¿Qué?»", "qué"), ("EE.UU.", "ee.uu"), ("50%", "50%"), ("—", "—"), ("aña", "aña")],
)
def test_words_are_compared_in_lower_case_and_without_marks(word, form):
    assert comparison_form(word) == form


def plain(text):
    return Utterance(tuple(Word(w, start=i, end=i + 0.5) for i, w in enumerate(text.split())), time_source="asr")


@pytest.mark.parametrize(("reference", "words", "expected", "moved", "lost"), examples("projection_examples.tsv"))
def test_labels_are_projected(reference, words, expected, moved, lost):
    hypothesis = plain(words)
    projection = project(parse(reference), hypothesis)
    assert projection.utterance.labels == parse(expected).labels
    assert bare_words(projection.utterance) == hypothesis.words
    assert (projection.moved, len(projection.lost)) == (int(moved), int(lost))


def test_project_names_a_reference_without_labels():
    with pytest.raises(InputError) as error:
        project(Utterance((Word("a"),), id="u7"), plain("a"))
    assert (error.value.place, error.value.found) == ("reference 'u7'", "no labels")


@given(st.lists(st.tuples(st.sampled_from("abc"), LABELS), max_size=8), WORDS)
def test_project_accounts_for_every_mark(reference, words):
    utterance = annotate(Utterance(tuple(Word(w) for w, _ in reference)), labels=tuple(label for _, label in reference))
    projection = project(utterance, plain(" ".join(words)))
    slots = sum(len(label.marks) for _, label in reference)
    placed = sum(len(label.marks) for label in projection.utterance.labels)
    assert placed + len(projection.lost) == slots
    assert all(mark in utterance.labels[i].marks for i, mark in projection.lost)
    assert projection.moved <= placed


# Times compared with known ones


def timed_words(*words):
    return tuple(Word(*word) for word in words)


TRUTH = timed_words(("bai", 0.0, 0.4), ("eh", 0.5, 0.6), ("jauna", 1.0, 1.4), ("ez", 1.6, 1.8), ("da", 1.8, 2.0))
FOUND = timed_words(("Bai,", 0.1, 0.4), ("jauna", 1.0, 1.4), ("ez", 1.42, 1.6), ("da", 1.9, 2.0))


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
    words = timed_words(("a", 0.0, 0.1), ("b",), ("c", 0.3, 0.6), ("d", 0.5, 0.9))
    comparison = compare(words, words)
    assert (len(comparison.errors), comparison.pauses) == (3, ((0.0, 0.0),))


def test_sums_and_nothing():
    figures = (compare(TRUTH, FOUND) + compare(TRUTH, TRUTH)).figures()
    assert (figures["words"], figures["pauses"]) == (9, 3)
    assert compare(TRUTH, TRUTH).figures()["pause_f1"] == 1.0
    counts = {name: value for name, value in TimeComparison().figures().items() if value is not None}
    assert counts == {"words": 0, "pauses": 0, "pauses_found": 0}


# The path of a CTC model


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
    assert bool(valid) == (frames >= min_frames(labels))
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
        if frames >= min_frames(labels):
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
    with pytest.raises(NoPathError) as error:
        viterbi([rows.astype(np.float32)], np.array([2, 2]))
    assert error.value.frames == len(rows)


@pytest.mark.parametrize(("labels", "frames"), [([2], 1), ([2, 3, 3, FILLER, FILLER], 6)])
def test_min_frames(labels, frames):
    assert min_frames(np.array(labels)) == frames
