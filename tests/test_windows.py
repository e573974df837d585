import itertools

import numpy as np
from dummies import document_sizes, endless_document, in_documents
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.config import WindowConfig
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, WordInput, collate
from asr_punct.inference.windows import plan_windows

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


def test_an_endless_document_is_divided_lazily():
    windows = list(itertools.islice(plan_windows(endless_document(), WindowConfig(8, 2), 100), 3))
    assert [(len(window.words), window.kept_range) for window in windows] == [(8, (0, 6)), (8, (2, 6)), (8, (2, 6))]
