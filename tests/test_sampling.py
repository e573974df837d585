import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

from dummies import tiny_config, utterances

from asr_punct.config import TrainingConfig
from asr_punct.errors import InputError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, WordInput
from asr_punct.io.tsv import write_tsv
from asr_punct.marks import CASES, MARKS
from asr_punct.pauses import UNKNOWN, buckets
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.corpus import mark_matrix, read_corpus
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.sampling import epoch_batches, epoch_windows, withhold


@pytest.fixture(scope="module")
def tokenizer():
    return SubwordTokenizer(train_tokenizer(["la", "casa", "mira", "ana"], 40), 4)


@st.composite
def layouts(draw):
    """Documents and the number of sub-words of each of their words."""
    sizes = draw(st.lists(st.integers(1, 60), min_size=1, max_size=5))
    stops = np.cumsum(sizes)
    documents = np.stack([stops - sizes, stops], axis=1)
    subwords = draw(st.lists(st.integers(1, 4), min_size=int(stops[-1]), max_size=int(stops[-1])))
    return documents, np.array(subwords)


@given(layouts(), st.integers(1, 20), st.integers(4, 40), st.integers(0, 99))
def test_windows_hold_every_word_once_within_their_limits(layout, words, tokens, seed):
    documents, subwords = layout
    windows = epoch_windows(documents, subwords, words, tokens, np.random.default_rng(seed))
    covered = [i for start, stop in windows for i in range(start, stop)]
    assert covered == list(range(len(subwords)))
    inner = {start for start, _ in documents.tolist()}
    for start, stop in windows:
        assert 1 <= stop - start <= words
        assert subwords[start:stop].sum() <= tokens
        assert not inner & set(range(start + 1, stop))


def test_windows_start_anywhere():
    documents, subwords = np.array([[0, 1000]]), np.ones(1000, dtype=int)
    starts = [epoch_windows(documents, subwords, 10, 99, np.random.default_rng(s))[1][0] for s in range(300)]
    assert set(starts) == set(range(1, 11))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=80), st.integers(1, 7), st.integers(0, 99))
def test_batches_hold_every_window_once(lengths, size, seed):
    windows = [(0, length) for length in lengths]
    batches = epoch_batches(windows, size, np.random.default_rng(seed))
    assert sorted(i for batch in batches for i in batch) == list(range(len(windows)))
    assert max(map(len, batches)) <= size


@pytest.mark.parametrize(
    ("name", "rate"),
    [("pause_dropout", 0.3), ("word_pause_dropout", 0.2), ("boundary_dropout", 0.4), ("subword_dropout", 0.25)],
)
def test_what_is_withheld_is_withheld_at_its_rate(name, rate):
    rates = dict.fromkeys(["pause_dropout", "word_pause_dropout", "boundary_dropout", "subword_dropout"], 0.0)
    config = TrainingConfig(**{**rates, name: rate})
    rng = np.random.default_rng(0)
    windows = [withhold([WordInput((5,), 5, 3)] * 20, config, 1, rng) for _ in range(2000)]
    signs = {"boundary_dropout": lambda word: word.boundary == 0, "subword_dropout": lambda word: word.subwords == (1,)}
    is_hidden = signs.get(name, lambda word: word.pause == UNKNOWN)
    hidden = [is_hidden(word) for window in windows for word in window]
    assert np.mean(hidden) == pytest.approx(rate, abs=0.04)
    whole = [all(word.pause == UNKNOWN for word in window) for window in windows]
    assert np.mean(whole) == pytest.approx(rate if name == "pause_dropout" else 0, abs=0.04)


def test_corpus_is_what_the_file_says(tmp_path, tokenizer):
    values = utterances(25, seed=3)
    path = tmp_path / "a.tsv"
    with open(path, "w", encoding="utf-8") as out:
        write_tsv(values, out)
    corpus = read_corpus(path, tokenizer)
    words = [word.text for value in values for word in value.words]
    labels = [label for value in values for label in value.labels]
    assert [corpus.vocabulary[i] for i in corpus.words] == tokenizer.encode(words)
    pauses = [round(pause, 3) for value in values for pause in value.pauses]
    assert corpus.pauses.tolist() == buckets(pauses).tolist()
    assert [CASES[i] for i in corpus.cases] == [label.case for label in labels]
    for row, label in zip(mark_matrix(corpus.marks), labels, strict=True):
        assert {mark for mark, there in zip(MARKS, row, strict=True) if there} == label.marks
    sizes = [sum(len(v.words) for v in values if v.recording == f"r3-{i}") for i in range(3)]
    assert np.diff(corpus.documents(), axis=1).ravel().tolist() == sizes


def test_a_single_word_is_a_document(tmp_path, tokenizer):
    (tmp_path / "a.tsv").write_text("la\tO\t-\tO\n")
    corpus = read_corpus(tmp_path / "a.tsv", tokenizer)
    assert corpus.boundaries.tolist() == [DOCUMENT_START + DOCUMENT_END]


def test_an_empty_corpus_is_told(tmp_path, tokenizer):
    (tmp_path / "a.tsv").write_text("\n")
    with pytest.raises(InputError, match="found no words"):
        read_corpus(tmp_path / "a.tsv", tokenizer)


def test_epochs_are_functions_of_seed_and_number(corpus, tokenizer):
    data = [PunctuationData(corpus, tokenizer, tiny_config(), 64) for _ in range(2)]
    first, again, other = data[0].epoch(1), data[1].epoch(1), data[0].epoch(2)
    assert len(first) == len(again)
    for i in range(len(first)):
        assert all((first[i].inputs[name] == again[i].inputs[name]).all() for name in first[i].inputs)
    different = [first[i].inputs["input_ids"].tolist() != other[i].inputs["input_ids"].tolist() for i in range(3)]
    assert any(different)


def test_development_batches_count_every_word_once(corpus, tokenizer):
    data = PunctuationData(corpus, tokenizer, tiny_config(), 64)
    batches = list(data.val_dataloader())
    assert sum(int(batch.counted.sum()) for batch in batches) == len(data.dev)
    right = sum(int(batch.marks[batch.counted].sum()) for batch in batches)
    assert right == int(mark_matrix(data.dev.marks).sum())
