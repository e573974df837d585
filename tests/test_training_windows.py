"""Training windows of every kind, against literal loops, and the batches made of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

from dummies import tiny_config
from training_dummies import generator, seeds

from asr_punct.config import TrainingConfig, TrainingWindowConfig
from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.marks import Mark, mark_bits
from asr_punct.training.corpus import Corpus, Vocabulary
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.mapped import Corpora
from asr_punct.training.windows import (
    CUT_EVERY,
    WindowLimits,
    consecutive_windows,
    cut_windows,
    sentence_windows,
    sliding_windows,
    training_windows,
    uniform_windows,
)


def documents_of(*sizes):
    stops = np.cumsum(sizes)
    return np.stack([stops - sizes, stops], axis=1)


@st.composite
def layouts(draw):
    """Documents, the number of sub-words of each of their words, and which words end sentences."""
    documents = documents_of(*draw(st.lists(st.integers(1, 60), min_size=1, max_size=5)))
    size, rng = int(documents[-1, 1]), generator(draw(st.integers(0, 999)))
    ends = rng.random(size) < draw(st.sampled_from([0, 0.1, 0.5, 1]))
    ends[documents[:, 1] - 1] = True
    return documents, rng.integers(1, 5, size), ends


sizes = st.integers(1, 20), st.integers(4, 40)


def longest(subwords, start, stop, words, tokens):
    """The end of a window: words are added one by one while they fit; the first word always fits."""
    end = start + 1
    while end < stop and end - start < words and sum(subwords[start : end + 1]) <= tokens:
        end += 1
    return end


def slid(documents, subwords, words, tokens):
    """The sliding windows, one by one; a window that begins before its document is as long as the first."""
    windows = []
    for first, last in documents.tolist():
        stop = longest(subwords, first, last, words, tokens)
        size = min(words, tokens * (stop - first) // sum(subwords[first:stop]))
        windows += [[first, min(place + size, stop)] for place in range(first - size + 1, first)]
        windows += [[start, longest(subwords, start, last, words, tokens)] for start in range(first, last)]
    return windows


def drawn(documents, subwords, words, tokens):
    """The window at each place of the line of shares, of which a window takes `words * tokens`."""
    windows = []
    for first, last in documents.tolist():
        shares = [max(tokens, int(subwords[i]) * words) for i in range(first, last)]
        length, ends = words * tokens, np.cumsum(shares).tolist()
        for place in range(shares[0] - length, ends[-1]):
            start = next(i for i, end in enumerate(ends) if end > place)
            limit = length + (place if place < 0 else ends[start] - shares[start])
            windows.append((first + start, first + sum(end <= limit for end in ends)))
    return windows


def joined(documents, subwords, ends, words, tokens, most, rng):
    """The windows of sentences, one sentence at a time."""
    windows = []
    for first, last in documents.tolist():
        start = first
        while start < last:
            number, end, room = int(rng.integers(most)) + 1, start, longest(subwords, start, last, words, tokens)
            for _ in range(number):
                after = end + 1
                while after <= last and not ends[after - 1]:
                    after += 1
                if after > min(room, last):
                    break
                end = after
            end = end if end > start else room
            windows.append([start, end])
            start = end
    return windows


def check_cover(windows, documents, subwords, words, tokens):
    """Every word is in one window; no window exceeds the limits or crosses the edge of a document."""
    assert [i for start, stop in windows for i in range(start, stop)] == list(range(len(subwords)))
    inner = {start for start, _ in documents.tolist()}
    for start, stop in windows:
        assert 1 <= stop - start <= words
        assert subwords[start:stop].sum() <= tokens
        assert not inner & set(range(start + 1, stop))


@given(layouts(), *sizes, seeds)
def test_passes_contain_every_word_once(layout, words, tokens, seed):
    documents, subwords, _ = layout
    windows = consecutive_windows(documents, WindowLimits(words, tokens, subwords.__getitem__), generator(seed))
    check_cover(windows, documents, subwords, words, tokens)


def test_passes_start_anywhere():
    limits = WindowLimits(10, 99, np.ones(1000, int).__getitem__)
    starts = [consecutive_windows(documents_of(1000), limits, generator(seed))[1][0] for seed in range(300)]
    assert set(starts) == set(range(1, 11))


@given(layouts(), *sizes)
def test_sliding_against_a_literal_loop(layout, words, tokens):
    documents, subwords, _ = layout
    windows = sliding_windows(documents, WindowLimits(words, tokens, subwords.__getitem__))
    assert windows.tolist() == slid(documents, subwords, words, tokens)
    assert windows.dtype == np.int32


class EveryNumber:
    """A generator that draws each number once, in order, however many are asked for."""

    def integers(self, high, size):
        self.size = size
        return np.arange(high)


@given(layouts(), *sizes)
def test_uniform_windows_at_all_places_against_a_literal_loop(layout, words, tokens):
    documents, subwords, _ = layout
    rng = EveryNumber()
    windows = uniform_windows(documents, WindowLimits(words, tokens, subwords.__getitem__), rng)
    assert list(map(tuple, windows.tolist())) == drawn(documents, subwords, words, tokens)
    assert rng.size == len(windows) // (words * tokens)  # as many words as the corpus has, in expectation


@given(layouts(), *sizes, seeds, st.integers(1, 12))
def test_sentences_against_a_literal_loop(layout, words, tokens, seed, most):
    documents, subwords, ends = layout
    limits = WindowLimits(words, tokens, subwords.__getitem__)
    windows = sentence_windows(documents, limits, np.flatnonzero(ends) + 1, most, generator(seed))
    assert windows.tolist() == joined(documents, subwords, ends, words, tokens, most, generator(seed))
    check_cover(windows, documents, subwords, words, tokens)


def test_sentences_end_at_three_marks_and_with_a_document(tokenizer):
    marks = [{Mark.PERIOD, Mark.QUOTE}, {Mark.COMMA}, {Mark.QUESTION}, {Mark.ELLIPSIS}, {Mark.EXCLAMATION}, (), ()]
    flags = np.array([1, 0, 0, 0, 0, DOCUMENT_END, DOCUMENT_START + DOCUMENT_END], np.uint8)
    bits, zeros = np.array([mark_bits(there) for there in marks], np.uint16), np.zeros(len(marks), int)
    corpus = Corpus(zeros, bits, zeros, zeros, flags, Vocabulary.encode(["la"], tokenizer))
    windows = training_windows(corpus, TrainingConfig(windows=TrainingWindowConfig("sentences", 1)), 9, 99, generator())
    assert windows.tolist() == [[0, 1], [1, 3], [3, 5], [5, 6], [6, 7]]


@given(layouts(), st.floats(0, 1), seeds)
def test_cut_windows_have_the_same_words(layout, share, seed):
    documents, subwords, _ = layout
    windows = cut_windows(documents, share, generator(seed))
    check_cover(sorted(windows.tolist()), documents, subwords, 99, 999)
    assert share or sorted(windows.tolist()) == documents.tolist()


def test_a_share_of_the_windows_is_cut():
    windows = cut_windows(documents_of(*[100] * 4000), 0.25, generator())
    assert len(windows) == pytest.approx(4000 * (1 + 0.25 * 99 / CUT_EVERY), rel=0.02)


# Batches


@pytest.mark.parametrize("kind", ["passes", "uniform", "sliding", "sentences"])
def test_batches_depend_only_on_seed_epoch_and_index(corpus, tokenizer, kind):
    config = tiny_config(windows={"kind": kind, "cut_share": 0.5}, epochs_per_pass=2)
    first, again, other = (
        PunctuationData(Corpora.open(corpus), tokenizer, config, 64).epoch(number) for number in (3, 3, 2)
    )
    for i in reversed(range(len(first))):
        assert all((first[i].inputs[name] == again[i].inputs[name]).all() for name in first[i].inputs)
    ids, other_ids = ([batch.inputs["input_ids"].tolist() for batch in batches] for batches in (first, other))
    assert ids != other_ids


@pytest.mark.parametrize(("kind", "times"), [("passes", 1), ("sentences", 1), ("sliding", 16)])
def test_the_epochs_of_a_pass_share_its_windows(corpus, tokenizer, kind, times):
    data = PunctuationData(Corpora.open(corpus), tokenizer, tiny_config(windows={"kind": kind}, epochs_per_pass=5), 128)
    sizes = [sum(int(batch.label_mask.sum()) for batch in data.epoch(number)) for number in range(5)]
    assert sum(sizes) == times * len(data.train)
    assert min(sizes) > sum(sizes) / 10
