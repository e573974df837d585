import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct.config import WindowConfig
from asr_punct.errors import AsrPunctError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, WindowProbabilities, WordInput, collate
from asr_punct.inference.aggregate import Aggregation
from asr_punct.inference.windows import plan_windows


def in_documents(sizes):
    """Words of documents, given as numbers of sub-words; the first sub-word of a word is its index."""
    numbers = itertools.count()
    for document in sizes:
        for i, subwords in enumerate(document):
            flags = DOCUMENT_START * (i == 0) + DOCUMENT_END * (i + 1 == len(document))
            yield WordInput((next(numbers),) * subwords, 0, flags)


document_sizes = st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=60), max_size=4)
documents = document_sizes.map(lambda sizes: list(in_documents(sizes)))
configs = st.integers(1, 20).flatmap(
    lambda words: st.builds(WindowConfig, st.just(words), st.integers(0, (words - 1) // 2))
)


@given(documents, configs, st.integers(12, 60))
def test_windows_decide_every_word_once_and_in_order(words, config, max_tokens):
    """They keep their limits and their document."""
    windows = list(plan_windows(words, config, max_tokens))
    assert [word for window in windows for word in window.kept] == words
    for window in windows:
        assert 1 <= len(window.words) <= config.words
        assert sum(len(word.subwords) for word in window.words) <= max_tokens - 2
        assert not any(word.boundary & DOCUMENT_START for word in window.words[1:])
        assert not any(word.boundary & DOCUMENT_END for word in window.words[:-1])


@given(documents, configs)
def test_decided_words_have_context_inside_a_document(words, config):
    """Without a limit of tokens, only words near a document's edge are decided near a window's edge."""
    for window in plan_windows(words, config, 10_000):
        first, last = window.kept_range
        if not window.words[0].boundary & DOCUMENT_START:
            assert first >= config.margin
        if not window.words[-1].boundary & DOCUMENT_END:
            assert len(window.words) - last >= config.margin


def test_features_of_a_batch():
    windows = [[WordInput((5, 6), 3, 1), WordInput((7,), 9, 2)], [WordInput((8,), 4, 3)]]
    features = collate(windows, start=1, end=2, pad=0)
    assert features.input_ids.tolist() == [[1, 5, 6, 7, 2], [1, 8, 2, 0, 0]]
    assert features.attention_mask.tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]
    assert features.word_index.tolist() == [[2, 3], [1, 0]]
    assert features.pauses.tolist() == [[3, 9], [4, 0]]
    assert features.boundaries.tolist() == [[1, 2], [3, 0]]
    assert list(features.inputs()) == ["input_ids", "attention_mask", "word_index", "pauses", "boundaries"]
    assert all(array.dtype == np.int64 for array in features.inputs().values())


# Several windows for each word

LABELS = 4


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


@settings(max_examples=60)
@given(document_sizes, st.integers(1, 12), st.integers(1, 14), st.integers(5, 30), st.booleans())
def test_probabilities_are_the_mean_over_all_windows_of_a_word(sizes, size, count, tokens, classes):
    aggregation = Aggregation(count)
    windows = list(aggregation.plan(in_documents(sizes), WindowConfig(size, 0), tokens + 2))
    words, expected, planned = list(in_documents(sizes)), [], []
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
    assert [word for window in windows for word in window.kept] == words
    found = [row for _, scores in combined for row in zip(scores.labels, scores.cases, strict=True)]
    assert len(found) == len(expected)
    for row, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(row[0], other[0], atol=1e-5)
        np.testing.assert_allclose(row[1], other[1], atol=1e-5)


def endless_document():
    return (WordInput((1,), 0) for _ in itertools.count())


def test_an_endless_document_is_divided_lazily():
    windows = list(itertools.islice(plan_windows(endless_document(), WindowConfig(8, 2), 100), 3))
    assert [(len(window.words), window.kept_range) for window in windows] == [(8, (0, 6)), (8, (2, 6)), (8, (2, 6))]


def test_an_endless_document_is_aggregated_lazily():
    aggregation = Aggregation(4)
    planned = aggregation.plan(endless_document(), WindowConfig(8, 2), 100)
    windows = ((window, backend(window.words)) for window in planned)
    combined = list(itertools.islice(aggregation.combine(windows, True), 50))
    assert [len(probabilities.labels) for _, probabilities in combined] == [2] * 50


def test_no_window_at_all_is_refused():
    with pytest.raises(AsrPunctError, match="--aggregate: found 0, expected 1 or more"):
        Aggregation(0)
