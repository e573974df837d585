from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")

from dummies import tiny_config

from asr_punct.config import SamplingConfig, TrainingConfig, from_mapping
from asr_punct.errors import ConfigError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.marks import Mark, mark_bits
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.corpus import Corpus, Vocabulary, read_corpus
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.windows import (
    CUT_EVERY,
    WindowLimits,
    cut,
    passes,
    sentence_ends,
    sentences,
    sliding,
    training_windows,
    uniform,
)

WAYS = ["passes", "uniform", "sliding", "sentences"]


@pytest.fixture(scope="module")
def tokenizer():
    return SubwordTokenizer(train_tokenizer(["la", "casa", "mira", "ana"], 40), 4)


def documents_of(*sizes):
    stops = np.cumsum(sizes)
    return np.stack([stops - sizes, stops], axis=1)


@st.composite
def layouts(draw):
    """Documents, the number of sub-words of each of their words, and which words end sentences."""
    documents = documents_of(*draw(st.lists(st.integers(1, 60), min_size=1, max_size=5)))
    size = int(documents[-1, 1])
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    ends = rng.random(size) < draw(st.sampled_from([0, 0.1, 0.5, 1]))
    ends[documents[:, 1] - 1] = True
    return documents, rng.integers(1, 5, size), ends


sizes = st.integers(1, 20), st.integers(4, 40), st.integers(0, 99)


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
        for place in range(first - size + 1, first):
            windows.append([first, min(place + size, stop)])
        for start in range(first, last):
            windows.append([start, longest(subwords, start, last, words, tokens)])
    return windows


def drawn(documents, subwords, words, tokens):
    """The window at each place of the line of shares, of which a window takes `words * tokens`."""
    windows = []
    for first, last in documents.tolist():
        shares = [max(tokens, int(subwords[i]) * words) for i in range(first, last)]
        whole, ends = words * tokens, np.cumsum(shares).tolist()
        for place in range(shares[0] - whole, ends[-1]):
            start = next(i for i, end in enumerate(ends) if end > place)
            limit = whole + (place if place < 0 else ends[start] - shares[start])
            windows.append((first + start, first + sum(end <= limit for end in ends)))
    return windows


@given(layouts(), *sizes)
def test_passes_contain_every_word_once(layout, words, tokens, seed):
    documents, subwords, _ = layout
    windows = passes(documents, WindowLimits.of(subwords, words, tokens), np.random.default_rng(seed))
    check_cover(windows, documents, subwords, words, tokens)


def check_cover(windows, documents, subwords, words, tokens):
    assert [i for start, stop in windows for i in range(start, stop)] == list(range(len(subwords)))
    inner = {start for start, _ in documents.tolist()}
    for start, stop in windows:
        assert 1 <= stop - start <= words
        assert subwords[start:stop].sum() <= tokens
        assert not inner & set(range(start + 1, stop))


def test_passes_start_anywhere():
    limits = WindowLimits.of(np.ones(1000, int), 10, 99)
    starts = [passes(documents_of(1000), limits, np.random.default_rng(s))[1][0] for s in range(300)]
    assert set(starts) == set(range(1, 11))


@given(layouts(), *sizes[:2])
def test_sliding_against_a_literal_loop(layout, words, tokens):
    documents, subwords, _ = layout
    windows = sliding(documents, WindowLimits.of(subwords, words, tokens))
    assert windows.tolist() == slid(documents, subwords, words, tokens)
    assert windows.dtype == np.int32


@pytest.mark.parametrize(("sizes", "limits"), [((13, 3, 1), (5, 99)), ((30, 3), (20, 5))])
def test_sliding_shows_every_word_equally_often(sizes, limits):
    windows = sliding(documents_of(*sizes), WindowLimits.of(np.ones(sum(sizes), int), *limits)).tolist()
    seen = Counter(i for start, stop in windows for i in range(start, stop))
    assert seen == dict.fromkeys(range(sum(sizes)), 5)


@settings(deadline=None)
@given(layouts(), *sizes)
def test_uniform_windows_keep_their_limits_and_their_document(layout, words, tokens, seed):
    documents, subwords, _ = layout
    windows = uniform(documents, WindowLimits.of(subwords, words, tokens), np.random.default_rng(seed)).tolist()
    every = drawn(documents, subwords, words, tokens)
    assert all(tuple(window) in every for window in windows)
    assert len(windows) == len(every) // (words * tokens)  # as many words as the corpus has, in expectation
    for start, stop in windows:
        assert 1 <= stop - start <= words
        assert subwords[start:stop].sum() <= tokens
        assert any(first <= start and stop <= last for first, last in documents.tolist())


class Every:
    """A generator that draws each number once, in order, however many are asked for."""

    def integers(self, high, size):
        assert size == 0 or high >= size
        return np.arange(high)


@settings(deadline=None)
@given(layouts(), *sizes[:2])
def test_uniform_windows_at_all_places_against_a_literal_loop(layout, words, tokens):
    documents, subwords, _ = layout
    windows = uniform(documents, WindowLimits.of(subwords, words, tokens), Every())
    assert list(map(tuple, windows.tolist())) == drawn(documents, subwords, words, tokens)


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


@settings(deadline=None)
@given(layouts(), *sizes, st.integers(1, 12))
def test_sentences_against_a_literal_loop(layout, words, tokens, seed, most):
    documents, subwords, ends = layout
    places, limits = np.flatnonzero(ends) + 1, WindowLimits.of(subwords, words, tokens)
    windows = sentences(documents, limits, places, most, np.random.default_rng(seed))
    expected = joined(documents, subwords, ends, words, tokens, most, np.random.default_rng(seed))
    assert windows.tolist() == expected
    check_cover(windows, documents, subwords, words, tokens)
    assert all(ends[start : stop - 1].sum() < most for start, stop in windows.tolist())


def test_sentences_end_at_three_marks_and_with_a_document(tokenizer):
    marks = [{Mark.PERIOD, Mark.QUOTE}, {Mark.COMMA}, {Mark.QUESTION}, {Mark.ELLIPSIS}, {Mark.EXCLAMATION}, (), ()]
    flags = np.array([1, 0, 0, 0, 0, DOCUMENT_END, DOCUMENT_START + DOCUMENT_END], np.uint8)
    bits, zeros = np.array([mark_bits(there) for there in marks], np.uint16), np.zeros(len(marks), int)
    corpus = Corpus(Vocabulary.encode(["la"], tokenizer), zeros, zeros, bits, zeros, flags)
    assert sentence_ends(corpus).tolist() == [1, 3, 5, 6, 7]
    made = training_windows(
        corpus, TrainingConfig(windows=SamplingConfig("sentences", 1)), 9, 99, np.random.default_rng(0)
    )
    assert made.tolist() == [[0, 1], [1, 3], [3, 5], [5, 6], [6, 7]]


@pytest.mark.parametrize("way", WAYS)
def test_batches_are_functions_of_seed_epoch_and_place(corpus, tokenizer, way):
    config = tiny_config(windows={"kind": way}, epochs_per_pass=2)
    first, again = (PunctuationData(corpus, tokenizer, config, 64).epoch(3) for _ in range(2))
    other = PunctuationData(corpus, tokenizer, config, 64).epoch(2)
    assert len(first) == len(again)
    for i in reversed(range(len(first))):
        assert all((first[i].inputs[name] == again[i].inputs[name]).all() for name in first[i].inputs)
    assert [batch.inputs["input_ids"].tolist() for batch in first] != [
        batch.inputs["input_ids"].tolist() for batch in other
    ]


@pytest.mark.parametrize(("way", "times"), [("passes", 1), ("sentences", 1), ("sliding", 16)])
def test_the_epochs_of_a_pass_share_its_windows(corpus, tokenizer, way, times):
    data = PunctuationData(corpus, tokenizer, tiny_config(windows={"kind": way}, epochs_per_pass=5), 128)
    sizes = [sum(int(batch.counted.sum()) for batch in data.epoch(number)) for number in range(5)]
    assert sum(sizes) == times * len(data.train)
    assert min(sizes) > sum(sizes) / 10


@pytest.mark.parametrize(
    ("values", "message"), [({"kind": "all"}, "kind: found 'all'"), ({"sentences": 0}, "sentences must be 1 or more")]
)
def test_bad_values(values, message):
    with pytest.raises(ConfigError, match=message):
        from_mapping(TrainingConfig, {"windows": values}, "training")


@given(layouts(), st.floats(0, 1), st.integers(0, 99))
def test_cut_windows_have_the_same_words(layout, share, seed):
    documents, _, _ = layout
    found = cut(documents, share, np.random.default_rng(seed))
    words = [word for start, stop in found.tolist() for word in range(start, stop)]
    assert sorted(words) == list(range(int(documents[-1, 1])))
    assert (np.diff(found) > 0).all()
    owners = np.searchsorted(documents[:, 1], found[:, 0], side="right")
    assert all(documents[i, 0] <= a < b <= documents[i, 1] for i, (a, b) in zip(owners, found.tolist(), strict=True))
    assert share or sorted(found.tolist()) == documents.tolist()


def test_a_share_of_the_windows_is_cut():
    found = cut(documents_of(*[100] * 4000), 0.25, np.random.default_rng(0))
    assert len(found) == pytest.approx(4000 * (1 + 0.25 * 99 / CUT_EVERY), rel=0.02)


def test_cut_windows_of_a_corpus(corpus, tokenizer):
    config = from_mapping(TrainingConfig, {"windows": {"cut_share": 1.0}}, "training")
    read = read_corpus(corpus / "train.tsv", tokenizer)
    plain, shorter = (
        training_windows(read, value, 100, 400, np.random.default_rng(0)) for value in (TrainingConfig(), config)
    )
    assert len(shorter) > len(plain)
    assert np.diff(shorter).sum() == np.diff(plain).sum()
