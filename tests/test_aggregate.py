import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct.config import WindowConfig
from asr_punct.errors import AsrPunctError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, WordInput
from asr_punct.inference.aggregate import Aggregation
from asr_punct.inference.outputs import WindowProbabilities

LABELS = 4


@st.composite
def documents(draw):
    """Documents, each a list of the sub-words' number of every word."""
    return draw(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=40), max_size=4))


def inputs(sizes):
    """Words whose first sub-word is their place in the whole."""
    numbers = itertools.count()
    for document in sizes:
        for i, count in enumerate(document):
            flags = DOCUMENT_START * (i == 0) + DOCUMENT_END * (i + 1 == len(document))
            yield WordInput((next(numbers),) * count, 0, flags)


def backend(words):
    """Probabilities that depend on the word, on its place in the window and on the window's length; some are 0 or 1."""
    seed = [words[0].subwords[0], len(words)]
    rng = np.random.default_rng(seed)
    labels, cases = rng.dirichlet([0.1] * LABELS, len(words)), rng.dirichlet([1] * 3, len(words))
    return WindowProbabilities(labels.astype(np.float32), cases.astype(np.float32))


def literal_windows(document, size, tokens, count):
    """First word and the one after the last of each window of one document."""
    start, windows = 0, []
    while True:
        end = start
        while end < len(document) and end - start < size and sum(document[start : end + 1]) <= tokens:
            end += 1
        windows.append((start, end))
        if end == len(document):
            return windows
        start += math.ceil((end - start) / count)


def literal_mean(values, exclusive):
    """Mean of the probabilities of one word in several windows, each (values,)."""
    values = [np.array(value, dtype=np.float64) for value in values]
    if not exclusive:
        logs = [np.log(np.clip(v, 1e-6, 1 - 1e-6) / (1 - np.clip(v, 1e-6, 1 - 1e-6))) for v in values]
        return 1 / (1 + np.exp(-sum(logs) / len(logs)))
    product = np.exp(sum(np.log(np.maximum(v, 1.2e-38)) for v in values) / len(values))
    return product / product.sum()


@settings(max_examples=60, deadline=None)
@given(
    documents(),
    st.integers(1, 12),
    st.integers(1, 14),
    st.integers(5, 30),
    st.booleans(),
)
def test_probabilities_are_the_mean_over_all_windows_of_a_word(sizes, size, count, tokens, classes):
    aggregation = Aggregation(count)
    windows = list(aggregation.plan(inputs(sizes), WindowConfig(size, 0), tokens + 2))
    words, expected, planned = list(inputs(sizes)), [], []
    for number, document in enumerate(sizes):
        first = sum(map(len, sizes[:number]))
        spans = literal_windows(document, size, tokens, count)
        planned += [tuple(words[first + start : first + end]) for start, end in spans]
        scores = [backend(words[first + start : first + end]) for start, end in spans]
        for word in range(len(document)):
            holding = [(s, word - a) for s, (a, b) in zip(scores, spans, strict=True) if a <= word < b]
            labels = literal_mean([s.labels[i] for s, i in holding], classes)
            expected.append((labels, literal_mean([s.cases[i] for s, i in holding], True)))
    assert [window.words for window in windows] == planned
    combined = list(aggregation.combine(((window, backend(window.words)) for window in windows), classes))
    assert [window for window, _ in combined] == windows
    kept = [word for window in windows for word in window.words[slice(*window.keep)]]
    assert kept == words
    found = [row for _, scores in combined for row in zip(scores.labels, scores.cases, strict=True)]
    assert len(found) == len(expected)
    for row, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(row[0], other[0], atol=1e-5)
        np.testing.assert_allclose(row[1], other[1], atol=1e-5)


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (2, 2), (3, 3), (6, 6), (9, 9)])
def test_words_far_from_an_edge_are_in_so_many_windows(count, expected):
    windows = Aggregation(count).plan(inputs([[1] * 2000]), WindowConfig(90, 16), 512)
    holding = np.zeros(2000, dtype=int)
    for window in windows:
        holding[window.words[0].subwords[0] : window.words[-1].subwords[0] + 1] += 1
    assert set(holding[100:1800]) == {expected}


def test_an_endless_document_is_aggregated_lazily():
    endless = (WordInput((1,), 0) for _ in itertools.count())
    aggregation = Aggregation(4)
    windows = ((window, backend(window.words)) for window in aggregation.plan(endless, WindowConfig(8, 2), 100))
    pieces = list(itertools.islice(aggregation.combine(windows, True), 50))
    assert [len(scores.labels) for _, scores in pieces] == [2] * 50


def test_no_window_at_all_is_refused():
    with pytest.raises(AsrPunctError, match="--aggregate: found 0, expected 1 or more"):
        Aggregation(0)
