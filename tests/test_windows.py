import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.config import WindowConfig
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, WordInput, collate
from asr_punct.inference.windows import plan_windows


@st.composite
def documents(draw):
    """Documents of words; a word's first sub-word is its place in the whole."""
    sizes = draw(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=60), max_size=4))
    numbers = itertools.count()
    result = []
    for document in sizes:
        for i, subwords in enumerate(document):
            flags = DOCUMENT_START * (i == 0) + DOCUMENT_END * (i + 1 == len(document))
            result.append(WordInput((next(numbers),) * subwords, 0, flags))
    return result


configs = st.integers(1, 20).flatmap(
    lambda words: st.builds(WindowConfig, st.just(words), st.integers(0, (words - 1) // 2))
)


@given(documents(), configs, st.integers(12, 60))
def test_windows_decide_every_word_once_and_in_order(words, config, max_tokens):
    windows = list(plan_windows(words, config, max_tokens))
    decided = [word for window in windows for word in window.words[slice(*window.keep)]]
    assert decided == words


@given(documents(), configs, st.integers(12, 60))
def test_windows_keep_their_limits_and_their_document(words, config, max_tokens):
    for window in plan_windows(words, config, max_tokens):
        assert 1 <= len(window.words) <= config.words
        assert sum(len(word.subwords) for word in window.words) <= max_tokens - 2
        assert not any(word.boundary & DOCUMENT_START for word in window.words[1:])
        assert not any(word.boundary & DOCUMENT_END for word in window.words[:-1])


@given(documents(), configs)
def test_decided_words_have_context_inside_a_document(words, config):
    """Without a limit of tokens, only words near a document's edge are decided near a window's edge."""
    for window in plan_windows(words, config, 10_000):
        first, last = window.keep
        if not window.words[0].boundary & DOCUMENT_START:
            assert first >= config.margin
        if not window.words[-1].boundary & DOCUMENT_END:
            assert len(window.words) - last >= config.margin


def test_windows_are_planned_lazily():
    """An endless stream yields windows."""
    endless = (WordInput((1,), 0) for _ in itertools.count())
    windows = list(itertools.islice(plan_windows(endless, WindowConfig(8, 2), 100), 3))
    assert [(len(window.words), window.keep) for window in windows] == [(8, (0, 6)), (8, (2, 6)), (8, (2, 6))]


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
