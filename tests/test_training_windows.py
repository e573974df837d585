from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")

from dummies import tiny_config

from asr_punct.config import TrainingConfig, from_mapping
from asr_punct.errors import ConfigError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.marks import Mark, mark_bits
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.corpus import Corpus, Vocabulary
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.windows import (
    Limits,
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
    """Literally: words are taken one by one while they fit; the first one always does."""
    end = start + 1
    while end < stop and end - start < words and sum(subwords[start : end + 1]) <= tokens:
        end += 1
    return end


def slid(documents, subwords, words, tokens):
    """Literally: all places of a window that hold a word of a document."""
    windows = []
    for first, last in documents.tolist():
        for place in range(first - words + 1, last):
            inside = [i for i in range(place, place + words) if first <= i < last]
            windows.append([inside[0], longest(subwords, inside[0], inside[-1] + 1, words, tokens)])
    return windows


@given(layouts(), *sizes)
def test_passes_hold_every_word_once_within_their_limits(layout, words, tokens, seed):
    documents, subwords, _ = layout
    windows = passes(documents, Limits.of(subwords, words, tokens), np.random.default_rng(seed))
    check_cover(windows, documents, subwords, words, tokens)


def check_cover(windows, documents, subwords, words, tokens):
    assert [i for start, stop in windows for i in range(start, stop)] == list(range(len(subwords)))
    inner = {start for start, _ in documents.tolist()}
    for start, stop in windows:
        assert 1 <= stop - start <= words
        assert subwords[start:stop].sum() <= tokens
        assert not inner & set(range(start + 1, stop))


def test_passes_start_anywhere():
    limits = Limits.of(np.ones(1000, int), 10, 99)
    starts = [passes(documents_of(1000), limits, np.random.default_rng(s))[1][0] for s in range(300)]
    assert set(starts) == set(range(1, 11))


@given(layouts(), *sizes[:2])
def test_sliding_against_a_literal_loop(layout, words, tokens):
    documents, subwords, _ = layout
    windows = sliding(documents, Limits.of(subwords, words, tokens))
    assert windows.tolist() == slid(documents, subwords, words, tokens)
    assert windows.dtype == np.int32


def test_sliding_shows_each_word_as_often_as_a_window_has_words():
    documents = documents_of(13, 3, 1)
    windows = sliding(documents, Limits.of(np.ones(17, int), 5, 99)).tolist()
    seen = Counter(i for start, stop in windows for i in range(start, stop))
    assert seen == dict.fromkeys(range(17), 5)
    assert {(6, start) for start in range(2, 7)} == {(6, start) for start, stop in windows if start <= 6 < stop}


@settings(deadline=None)
@given(layouts(), *sizes)
def test_uniform_windows_are_sliding_ones(layout, words, tokens, seed):
    documents, subwords, _ = layout
    windows = uniform(documents, Limits.of(subwords, words, tokens), np.random.default_rng(seed)).tolist()
    every = slid(documents, subwords, words, tokens)
    assert all(window in every for window in windows)
    held = sum(stop - start for start, stop in every)
    assert len(windows) == len(every) * len(subwords) // held  # as many words as the corpus has, in expectation


@pytest.mark.parametrize(("size", "words", "number"), [(1000, 10, 100), (1001, 10, 101), (7, 20, 1), (1, 1, 1)])
def test_the_number_of_uniform_windows(size, words, number):
    """⌊|S| / L⌋ for one document, and one more where words are left over."""
    limits = Limits.of(np.ones(size, int), words, 99)
    assert len(uniform(documents_of(size), limits, np.random.default_rng(0))) == number


def test_uniform_windows_are_uniform():
    """Pearson's chi-square over all places of a window, of which each but those of the short document differs."""
    documents, words, draws = documents_of(19, 2, 8), 5, 6000
    limits, rng = Limits.of(np.ones(29, int), words, 99), np.random.default_rng(0)
    every = Counter(map(tuple, slid(documents, [1] * 29, words, 99)))
    windows = np.concatenate([uniform(documents, limits, rng) for _ in range(draws)])
    found = Counter(map(tuple, windows.tolist()))
    total, places = len(windows), sum(every.values())
    assert total == draws * (places // words)
    assert found.keys() == every.keys()
    expected = {window: total * number / places for window, number in every.items()}
    square = sum((found[window] - amount) ** 2 / amount for window, amount in expected.items())
    freedom = len(every) - 1
    assert square < freedom + 4 * np.sqrt(2 * freedom)
    seen = Counter(i for start, stop in windows.tolist() for i in range(start, stop))
    assert [seen[i] / draws for i in range(29)] == pytest.approx([1] * 29, abs=0.05)


def joined(documents, subwords, ends, words, tokens, most, rng):
    """Literally: sentences of each document, taken one by one."""
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
    places, limits = np.flatnonzero(ends) + 1, Limits.of(subwords, words, tokens)
    windows = sentences(documents, limits, places, most, np.random.default_rng(seed))
    expected = joined(documents, subwords, ends, words, tokens, most, np.random.default_rng(seed))
    assert windows.tolist() == expected
    check_cover(windows, documents, subwords, words, tokens)
    assert all(ends[start : stop - 1].sum() < most for start, stop in windows.tolist())


def test_any_number_of_sentences_is_joined():
    limits, places = Limits.of(np.ones(3000, int), 50, 99), np.arange(3, 3001, 3)
    windows = sentences(documents_of(3000), limits, places, 4, np.random.default_rng(0))
    shares = np.bincount((windows[:-1, 1] - windows[:-1, 0]) // 3)[1:] / (len(windows) - 1)
    assert shares == pytest.approx([0.25] * 4, abs=0.06)


def corpus_of(marks, boundaries, tokenizer):
    zeros = np.zeros(len(marks), int)
    bits = np.array([mark_bits(there) for there in marks], np.uint16)
    return Corpus(Vocabulary.encode(["la"], tokenizer), zeros, zeros, bits, zeros, np.array(boundaries, np.uint8))


def test_sentences_end_at_three_marks_and_with_a_document(tokenizer):
    marks = [{Mark.PERIOD, Mark.QUOTE}, {Mark.COMMA}, {Mark.QUESTION}, {Mark.ELLIPSIS}, {Mark.EXCLAMATION}, (), ()]
    corpus = corpus_of(marks, [1, 0, 0, 0, 0, DOCUMENT_END, DOCUMENT_START + DOCUMENT_END], tokenizer)
    assert sentence_ends(corpus).tolist() == [1, 3, 5, 6, 7]


def test_the_configuration_names_the_way(tokenizer):
    stops = [{Mark.PERIOD} if i % 4 == 3 else () for i in range(40)]
    corpus = corpus_of(stops, [DOCUMENT_START, *[0] * 38, DOCUMENT_END], tokenizer)
    limits = Limits.of(corpus.vocabulary.counts(corpus.words), 12, 30)
    documents, rng = corpus.documents(), np.random.default_rng
    expected = {
        "passes": passes(documents, limits, rng(5)),
        "uniform": uniform(documents, limits, rng(5)),
        "sliding": sliding(documents, limits),
        "sentences": sentences(documents, limits, sentence_ends(corpus), 2, rng(5)),
    }
    for way, windows in expected.items():
        config = TrainingConfig(windows=way, sentences=2)
        assert training_windows(corpus, config, 12, 30, rng(5)).tolist() == windows.tolist()
    assert TrainingConfig().windows == "passes"


@pytest.mark.parametrize("way", WAYS)
def test_batches_are_functions_of_seed_epoch_and_place(corpus, tokenizer, way):
    config = tiny_config(windows=way, epochs_per_pass=2)
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
    data = PunctuationData(corpus, tokenizer, tiny_config(windows=way, epochs_per_pass=5), 128)
    sizes = [sum(int(batch.counted.sum()) for batch in data.epoch(number)) for number in range(5)]
    assert sum(sizes) == times * len(data.train)
    assert min(sizes) > sum(sizes) / 10


@pytest.mark.parametrize(
    ("values", "told"), [({"windows": "all"}, "windows: found 'all'"), ({"sentences": 0}, "sentences is 1 or more")]
)
def test_bad_values_are_told(values, told):
    with pytest.raises(ConfigError, match=told):
        from_mapping(TrainingConfig, values, "training")
