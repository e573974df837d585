"""Training batches, and the memory-mapped arrays that they read."""

import os
import pickle
import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

from dummies import refused, tiny_config, utterances, write_corpus
from training_dummies import arrays, generator

from asr_punct.config import TrainingConfig
from asr_punct.errors import InputError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, WordInput, collate
from asr_punct.formats.lines.tsv import write_tsv
from asr_punct.marks import CASES, MARKS
from asr_punct.pauses import UNKNOWN_PAUSE, buckets
from asr_punct.text import parse
from asr_punct.training import corpus as corpus_module
from asr_punct.training import mapped, windows
from asr_punct.training.batches import add_generated_pauses, epoch_batches, hide_inputs, make_batch, truncate
from asr_punct.training.confusions import Confusions
from asr_punct.training.corpus import Vocabulary, mark_matrix
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.mapped import Corpora, StoredCorpus
from asr_punct.training.pause_model import MarkOdds
from asr_punct.words import Utterance, Word, annotate

window_sizes = st.tuples(st.integers(1, 9), st.integers(1, 3)).map(lambda size: (size[0], size[0] * size[1]))


@given(st.lists(window_sizes, min_size=1, max_size=80), st.integers(1, 40), st.integers(0, 99))
def test_batches_have_every_window_once(sizes, words, seed):
    lengths, subwords = np.array(sizes).T
    batches = epoch_batches(lengths, subwords, words, np.random.default_rng(seed))
    assert sorted(i for batch in batches for i in batch.tolist()) == list(range(len(sizes)))
    assert all(len(batch) == 1 or len(batch) * lengths[batch].max() <= words for batch in batches)


def test_windows_of_a_batch_have_similar_numbers_of_subwords():
    lengths, subwords = np.full(64, 10), np.tile([10, 20], 32)
    batches = epoch_batches(lengths, subwords, 40, generator())
    assert [len(set(subwords[batch])) for batch in batches] == [1] * 16


def windows_of(lengths, **columns):
    """Windows of equal words."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    values = {"words": 0, "pauses": 5, **columns}
    return arrays(rows=rows, **{name: np.full(len(rows), value) for name, value in values.items()})


@pytest.mark.parametrize(
    ("name", "rate"),
    [("pause_dropout", 0.3), ("word_pause_dropout", 0.2), ("boundary_dropout", 0.4), ("speaker_dropout", 0.4)],
)
def test_rates_of_hidden_pauses_and_edges(name, rate):
    rates = dict.fromkeys(["pause_dropout", "word_pause_dropout", "boundary_dropout", "speaker_dropout"], 0.0)
    batch = hide_inputs(windows_of([20] * 2000, boundaries=15), TrainingConfig(**{**rates, name: rate}), generator())
    left = {"boundary_dropout": 12, "speaker_dropout": 3}.get(name)
    hidden = batch.boundaries == left if left else batch.pauses == UNKNOWN_PAUSE
    assert np.mean(hidden) == pytest.approx(rate, abs=0.04)
    whole = (batch.pauses == UNKNOWN_PAUSE).reshape(-1, 20).all(axis=1)
    assert np.mean(whole) == pytest.approx(rate if name == "pause_dropout" else 0, abs=0.04)


def test_the_rate_of_unknown_subwords(tokenizer):
    vocabulary = Vocabulary.encode(["la", "casa"], tokenizer)
    batch = make_batch(windows_of([20] * 500), vocabulary, dropout=(0.25, generator()))
    lost = batch.inputs["input_ids"][:, 1:-1] == tokenizer.unknown
    assert lost.float().mean() == pytest.approx(0.25, abs=0.03)


def test_a_batch_has_the_words_of_its_windows(tokenizer):
    words = ["la", "casa", "mira", "ana"]
    vocabulary = Vocabulary.encode(words, tokenizer)
    batch = arrays([1, 2, 3], marks=[1, 0, 6], cases=[0, 1, 2], pauses=[7, 8, 9], boundaries=[1, 0, 3], rows=[0, 0, 1])
    made = make_batch(batch, vocabulary, label_mask=np.array([True, False, True]))
    expected = collate(
        [
            [WordInput(tokenizer.encode([words[i]])[0], pause, edge) for i, pause, edge in window]
            for window in ([(1, 7, 1), (2, 8, 0)], [(3, 9, 3)])
        ],
        tokenizer.start,
        tokenizer.end,
        tokenizer.pad,
    )
    for name, array in expected.inputs().items():
        assert made.inputs[name].tolist() == array.tolist()
    assert made.cases.tolist() == [[0, 1], [2, 0]]
    assert made.label_mask.tolist() == [[True, False], [True, False]]
    assert made.marks[:, :, :3].tolist() == [[[1, 0, 0], [0, 0, 0]], [[0, 1, 1], [0, 0, 0]]]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(1, 9), st.integers(4, 20))
def test_windows_are_cut(tokenizer, lengths, words, tokens):
    vocabulary = Vocabulary.encode(["la", "casa"], tokenizer)
    batch = windows_of(lengths, words=1)
    size = int(vocabulary.counts(np.array([1]))[0])
    cut_batch = truncate(batch, vocabulary, words, tokens)
    assert np.bincount(cut_batch.rows).tolist() == [min(length, words, tokens // size) for length in lengths]


EVEN = MarkOdds(np.zeros(2, np.float32), np.zeros(2, np.float32))
"""Marks that are equally likely between all words."""


def test_windows_without_pauses_are_given_drawn_ones():
    batch = windows_of([60, 60], marks=2, pauses=UNKNOWN_PAUSE)
    batch.pauses[70] = 300
    batch.boundaries[59] = DOCUMENT_END
    spoken = add_generated_pauses(batch, EVEN, generator()).pauses
    assert (spoken[:59] != UNKNOWN_PAUSE).all()
    assert len(set(spoken[:59].tolist())) > 5
    assert spoken[59] == UNKNOWN_PAUSE
    assert np.flatnonzero(spoken[60:] != UNKNOWN_PAUSE).tolist() == [10]


def test_known_pauses_get_the_errors_of_a_source_of_times():
    batch = windows_of([10] * 300, marks=0, pauses=100)
    spoken = add_generated_pauses(batch, EVEN, generator()).pauses.reshape(300, 10)
    hidden = (spoken < 50).all(axis=1)  # by sources that stretch words
    assert 0.05 < hidden.mean() < 0.4
    assert abs(np.median(spoken[~hidden]) - 100) <= 4
    assert len(np.unique(spoken[~hidden])) > 5


def test_speakers_hesitate_where_a_mark_would_be_possible():
    batch = windows_of([20] * 500, marks=0, pauses=UNKNOWN_PAUSE)
    batch.words[::2] = 1
    often_before_the_first_word = MarkOdds(np.zeros(2, np.float32), np.array([3, -5], np.float32))
    paused = add_generated_pauses(batch, often_before_the_first_word, generator()).pauses > 20
    assert paused[0:-1:2].mean() > 2 * paused[1:-1:2].mean()


@pytest.fixture
def tsv(tmp_path):
    path = tmp_path / "train.tsv"
    with open(path, "w", encoding="utf-8") as out:
        write_tsv(utterances(25, seed=3), out)
    return path


def test_the_odds_of_hesitations_follow_the_marks_of_the_words(tmp_path, tokenizer):
    path = tmp_path / "train.tsv"
    parsed = parse("la casa vieja, pero la mesa, pero la casa vieja", "es")
    utterance = annotate(Utterance(tuple(map(Word, parsed.words))), labels=parsed.labels)
    with open(path, "w", encoding="utf-8") as out:
        write_tsv([replace(utterance, id=str(number), document=str(number)) for number in range(30)], out)
    corpus = StoredCorpus.open(path).encode(tokenizer)
    found = MarkOdds.from_corpus(corpus)
    la, casa, vieja, pero, mesa = map(corpus.vocabulary.words.index, ["la", "casa", "vieja", "pero", "mesa"])
    assert found.before[pero] == max(found.before)
    assert found.after[mesa] > max(found.after[casa], found.after[la])
    unmarked = [(la, casa), (casa, vieja), (pero, la), (la, mesa), (pero, la), (la, casa), (casa, vieja)]
    assert np.mean(found.unmarked_odds(*np.array(unmarked).T)) == pytest.approx(1)
    assert found.unmarked_odds(vieja, pero) > 1


def test_a_corpus_has_the_values_of_its_file(tsv, tokenizer):
    values, corpus = utterances(25, seed=3), StoredCorpus.open(tsv).encode(tokenizer)
    words = [word.text for value in values for word in value.words]
    labels = [label for value in values for label in value.labels]
    assert [corpus.vocabulary.words[i] for i in corpus.words] == words
    assert corpus.vocabulary.gather(corpus.words).tolist() == [i for word in tokenizer.encode(words) for i in word]
    assert [word.subwords for word in corpus.inputs()] == tokenizer.encode(words)
    pauses = [round(pause, 3) for value in values for pause in value.pauses]
    assert corpus.pauses.tolist() == buckets(pauses).tolist()
    assert [CASES[i] for i in corpus.cases] == [label.case for label in labels]
    for row, label in zip(mark_matrix(corpus.marks), labels, strict=True):
        assert {mark for mark, there in zip(MARKS, row, strict=True) if there} == label.marks
    sizes = [sum(len(v.words) for v in values if v.recording == f"r3-{i}") for i in range(3)]
    assert np.diff(corpus.documents(), axis=1).ravel().tolist() == sizes


def test_a_corpus_of_one_word(tmp_path, tokenizer):
    (tmp_path / "a.tsv").write_text("la\tO\t-\tO\n")
    assert StoredCorpus.open(tmp_path / "a.tsv").encode(tokenizer).boundaries.tolist() == [
        DOCUMENT_START + DOCUMENT_END
    ]


def test_development_batches_count_every_word_once(corpus, tokenizer):
    data = PunctuationData(Corpora.open(corpus), tokenizer, tiny_config(), 64)
    batches = list(data.val_dataloader())
    assert sum(int(batch.label_mask.sum()) for batch in batches) == len(data.dev)
    right = sum(int(batch.marks[batch.label_mask].sum()) for batch in batches)
    assert right == int(mark_matrix(data.dev.marks).sum())


# Corpora as memory-mapped arrays


COLUMNS = ("words", "marks", "cases", "pauses", "boundaries")


def test_arrays_are_used_again_until_the_file_changes(tsv, tokenizer):
    directory = StoredCorpus.open(tsv).directory
    status, made = tsv.stat(), directory.stat().st_ino
    assert StoredCorpus.open(tsv).directory.stat().st_ino == made
    mapped_before = StoredCorpus.open(tsv).encode(tokenizer).words
    tsv.write_text(tsv.read_text().replace("mira", "miro"))  # equal size and time
    os.utime(tsv, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert tsv.stat().st_size == status.st_size
    assert StoredCorpus.open(tsv).directory != directory
    assert "miro" in set(StoredCorpus.open(tsv).words())
    assert not directory.exists()
    assert len(mapped_before) == len(StoredCorpus.open(tsv).encode(tokenizer))  # a run that has the old made keeps them


def test_a_pickle_names_the_arrays(corpus):
    """As the leader of a distributed run sends them."""
    opened = Corpora.open(corpus)
    count = len(opened.train.columns)
    content = pickle.dumps(opened)
    assert len(content) < 1000
    assert len(pickle.loads(content).train.columns) == count


def test_arrays_of_a_longer_name_stay(tsv):
    other = StoredCorpus.open(shutil.copy(tsv, tsv.with_name("train.es.tsv")))
    StoredCorpus.open(tsv)
    assert other.directory.is_dir()


def test_arrays_of_a_name_with_brackets_are_found(tsv):
    copy = tsv.with_name("a[1].tsv")
    made = StoredCorpus.open(shutil.move(tsv, copy))
    copy.unlink()
    assert StoredCorpus.open(copy) == made


def test_arrays_without_their_file(tsv, tokenizer):
    before = StoredCorpus.open(tsv).encode(tokenizer)
    made = StoredCorpus.open(tsv).directory
    tsv.unlink()
    assert StoredCorpus.open(tsv).encode(tokenizer).words.tolist() == before.words.tolist()
    shutil.copytree(made, made.with_name("train.0123456789ab.arrays"))
    with refused("train.tsv", "no such file", InputError):
        StoredCorpus.open(tsv)


@pytest.mark.parametrize(
    ("content", "place", "found"),
    [("la\tO\t-\tO\nla\tO\n", "train.tsv:2", "2 columns"), ("\n", "train.tsv", "no words")],
)
def test_a_bad_file_leaves_no_arrays(tmp_path, content, place, found):
    (tmp_path / "train.tsv").write_text(content)
    with refused(place, found, InputError):
        StoredCorpus.open(tmp_path / "train.tsv")
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["train.tsv"]
    assert not list(tmp_path.glob(".*partial"))


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"x")])
def test_damaged_arrays(tsv, tokenizer, damage):
    damage(StoredCorpus.open(tsv).directory / "marks.npy")
    with refused("marks.npy", "no array", InputError):
        StoredCorpus.open(tsv).encode(tokenizer)


@pytest.mark.parametrize("kind", ["passes", "uniform", "sliding", "sentences"])
def test_blocks_do_not_change_anything(tmp_path, tokenizer, monkeypatch, kind):
    noise = {"windows": 0.5, "substitution": 0.2, "fillers": "eh", "filler": 0.1}
    config = tiny_config(windows={"kind": kind, "cut_share": 0.5}, noise=noise)
    results = []
    for name, size in (("large", 2**16), ("small", 5)):
        for module in (corpus_module, mapped):
            monkeypatch.setattr(module, "BLOCK_WORDS", size)
        monkeypatch.setattr(windows, "BLOCK_SPANS", size)
        data = PunctuationData(Corpora.open(write_corpus(tmp_path / name)), tokenizer, config, 64)
        epoch = data.epoch(0)
        made = [getattr(data.train, column) for column in COLUMNS]
        made += [data.train.documents(), Confusions.from_corpus(data.train, "es").cumulative, data.confusions.names]
        made += [epoch[i].inputs["input_ids"].numpy() for i in range(len(epoch))]
        results.append(made)
    for large, small in zip(*results, strict=True):
        assert np.array_equal(large, small)
