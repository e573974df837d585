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
    """Literally: all places of a window that hold a word of a document; before it, a window is as long as the first."""
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
    """Literally: the window at each place of the line of shares, of which a window takes `words * tokens`."""
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


def test_sliding_shows_the_words_at_the_edges_of_documents_as_often_where_tokens_bind():
    """Windows of 5 words, where 20 would be let: a word is in 5, in a document of 3 words too."""
    windows = sliding(documents_of(30, 3), Limits.of(np.full(33, 2), 20, 10)).tolist()
    seen = Counter(i for start, stop in windows for i in range(start, stop))
    assert seen == dict.fromkeys(range(33), 5)


@settings(deadline=None)
@given(layouts(), *sizes)
def test_uniform_windows_keep_their_limits_and_their_document(layout, words, tokens, seed):
    documents, subwords, _ = layout
    windows = uniform(documents, Limits.of(subwords, words, tokens), np.random.default_rng(seed)).tolist()
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
    windows = uniform(documents, Limits.of(subwords, words, tokens), Every())
    assert list(map(tuple, windows.tolist())) == drawn(documents, subwords, words, tokens)


@settings(deadline=None)
@given(layouts(), *sizes[:2])
def test_every_word_is_as_likely_in_uniform_windows(layout, words, tokens):
    """Of all places, those whose windows hold a word are one window's length, less what no whole word fits into."""
    documents, subwords, _ = layout
    seen = Counter(i for window in drawn(documents, subwords, words, tokens) for i in range(*window))
    rest = max(tokens, int(subwords.max()) * words)
    assert all(words * tokens - rest < seen[i] <= words * tokens for i in range(len(subwords)))


@settings(deadline=None)
@given(layouts(), st.integers(1, 20))
def test_uniform_windows_are_sliding_ones_where_words_bind_alone(layout, words):
    documents, subwords, _ = layout
    tokens = words * 4
    expected = Counter({tuple(window): 0 for window in slid(documents, subwords, words, tokens)})
    for window in slid(documents, subwords, words, tokens):
        expected[tuple(window)] += tokens
    assert Counter(drawn(documents, subwords, words, tokens)) == expected


@pytest.mark.parametrize(("size", "words", "number"), [(1000, 10, 100), (1001, 10, 101), (7, 20, 1), (1, 1, 1)])
def test_the_number_of_uniform_windows(size, words, number):
    """⌊|S| / L⌋ for one document, and one more where words are left over."""
    limits = Limits.of(np.ones(size, int), words, 99)
    assert len(uniform(documents_of(size), limits, np.random.default_rng(0))) == number


@pytest.mark.parametrize(
    ("subwords", "words", "tokens"),
    [([1] * 29, 5, 99), ([1] * 29, 9, 5), ([1, 3, 1, 2, 1, 1, 4, 1] * 3 + [2] * 5, 9, 9), ([1] * 19 + [3] * 10, 6, 12)],
    ids=["words", "tokens", "mixed", "long words after short ones"],
)
def test_uniform_windows_are_uniform(subwords, words, tokens):
    """Pearson's chi-square over all places of a window, and how often each word is in one."""
    documents, draws = documents_of(19, 2, 8), 4000
    limits, rng = Limits.of(np.array(subwords), words, tokens), np.random.default_rng(0)
    every = Counter(drawn(documents, np.array(subwords), words, tokens))
    windows = np.concatenate([uniform(documents, limits, rng) for _ in range(draws)])
    found = Counter(map(tuple, windows.tolist()))
    total, places = len(windows), sum(every.values())
    assert total == draws * (places // (words * tokens))
    assert found.keys() == every.keys()
    expected = {window: total * number / places for window, number in every.items()}
    square = sum((found[window] - amount) ** 2 / amount for window, amount in expected.items())
    freedom = len(every) - 1
    assert square < freedom + 4 * np.sqrt(2 * freedom)
    seen = Counter(i for start, stop in windows.tolist() for i in range(start, stop))
    most = words * tokens / places
    least = most - max(tokens, max(subwords) * words) / places
    assert all(0.94 * least < seen[i] / total < 1.06 * most for i in range(29))


def test_a_document_begins_as_often_as_it_goes_on_where_tokens_bind():
    """What a window of 256 sub-words shows of words that have 1.3 on average."""
    rng = np.random.default_rng(0)
    subwords = rng.choice([1, 2, 3], 2000, p=[0.76, 0.18, 0.06])
    limits, seen = Limits.of(subwords, 254, 254), np.zeros(2001)
    for _ in range(3000):
        starts, stops = uniform(documents_of(1500, 500), limits, rng).T
        np.add.at(seen, starts, 1)
        np.add.at(seen, stops, -1)
    parts = np.cumsum(seen)[:2000].reshape(-1, 100).mean(axis=1) / 3000
    assert parts == pytest.approx([1] * 20, abs=0.06)


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
        config = TrainingConfig(windows=SamplingConfig(way, 2))
        assert training_windows(corpus, config, 12, 30, rng(5)).tolist() == windows.tolist()
    assert TrainingConfig().windows.kind == "passes"


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
    ("values", "told"),
    [({"windows": {"kind": "all"}}, "kind: found 'all'"), ({"windows": {"sentences": 0}}, "sentences is 1 or more")],
)
def test_bad_values_are_told(values, told):
    with pytest.raises(ConfigError, match=told):
        from_mapping(TrainingConfig, values, "training")
