"""Batches of windows: the labels are those of one window at a time, and batches are full but not too large."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct.checkpoint import ModelInfo
from asr_punct.config import ModelConfig, WindowConfig
from asr_punct.features import WindowProbabilities
from asr_punct.inference.punctuator import Punctuator
from asr_punct.inference.restorer import Restorer
from asr_punct.marks import CASES, MARKS
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.words import Utterance, Word

WORDS = ["ana", "mira", "la", "casa", "y", "Luis,", "«", "¿qué?", "arquitectura", "NATO"]


class WindowBackend:
    """A backend whose probabilities depend on the whole window of a word, not on the other windows of the batch."""

    runtime = "window"

    def __init__(self, batch_tokens):
        self.batch_tokens = batch_tokens
        self.shapes = []
        self.tokens = 0

    def probabilities(self, features):
        self.shapes.append(features.input_ids.shape)
        self.tokens += features.attention_mask.sum()
        words = features.word_index.shape
        marks, cases = np.zeros((*words, len(MARKS))), np.zeros((*words, len(CASES)))
        for row, count in enumerate((features.word_index > 0).sum(axis=1)):
            tokens = features.input_ids[row][features.attention_mask[row] > 0]
            rng = np.random.default_rng([*tokens, *features.pauses[row, :count], *features.boundaries[row, :count]])
            marks[row, :count], cases[row, :count] = rng.random((count, len(MARKS))), rng.random((count, len(CASES)))
        return WindowProbabilities(marks.astype(np.float32), cases.astype(np.float32))


@pytest.fixture(scope="module")
def tokenizer():
    return SubwordTokenizer(train_tokenizer(WORDS * 9, 40), 8)


def open_punctuator(tokenizer, batch_tokens):
    info = ModelInfo(ModelConfig(window=WindowConfig(words=16, margin=4)), {"max_position_embeddings": 24})
    backend = WindowBackend(batch_tokens)
    return Punctuator(Restorer.of(info, tokenizer, backend)), backend


@st.composite
def transcripts(draw):
    """Utterances of several documents, with and without times."""
    result = []
    for document in range(draw(st.integers(0, 4))):
        timed = draw(st.booleans())
        for _ in range(draw(st.integers(0, 6))):
            texts = draw(st.lists(st.sampled_from(WORDS), max_size=20))
            times = [(i, i + draw(st.floats(0.1, 1))) if timed else (None, None) for i in range(len(texts))]
            words = tuple(Word(text, *time) for text, time in zip(texts, times, strict=True))
            result.append(Utterance(words, document=str(document), recording=str(document)))
    return result


@settings(max_examples=40)
@given(transcripts(), st.integers(1, 200))
def test_labels_do_not_depend_on_the_batches(tokenizer, utterances, batch_tokens):
    one, alone = open_punctuator(tokenizer, 1)
    many, batched = open_punctuator(tokenizer, batch_tokens)
    expected = list(one.restore(utterances, probabilities=True))
    assert list(many.restore(utterances, probabilities=True)) == expected
    assert all(windows == 1 for windows, _ in alone.shapes)
    assert all(windows == 1 or windows * tokens <= batch_tokens for windows, tokens in batched.shapes)
    assert sum(windows for windows, _ in batched.shapes) == len(alone.shapes)


def test_a_batch_has_no_more_windows_than_asked_for(tokenizer):
    punctuator, backend = open_punctuator(tokenizer, 10_000)
    list(punctuator.with_windows(batch_size=3).restore([Utterance(tuple(map(Word, WORDS * 40)))]))
    assert max(windows for windows, _ in backend.shapes) == 3
