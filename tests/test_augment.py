import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")

from dummies import tiny_config

from asr_punct.config import AugmentConfig, NoiseConfig, TrainingConfig, from_mapping
from asr_punct.errors import ConfigError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.pauses import BUCKETS, UNKNOWN
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.augment import augment
from asr_punct.training.corpus import Vocabulary, WordArrays
from asr_punct.training.datamodule import PunctuationData

WORDS = 50
UNKNOWN_WORD = range(WORDS, WORDS + 1)
MOST = AugmentConfig(rate=0.9, substitution=0.3, deletion=0.5)


@pytest.fixture(scope="module")
def tokenizer():
    return SubwordTokenizer(train_tokenizer(["la", "casa", "mira", "ana", "está", "dónde"], 40), 4)


def arrays(words, *, marks=None, cases=None, pauses=None, boundaries=None, rows=None):
    zeros = [0] * len(words)
    columns = words, marks or zeros, cases or zeros, pauses or zeros, boundaries or zeros, rows or zeros
    kinds = np.int32, np.uint16, np.uint8, np.int16, np.uint8, np.int32
    return WordArrays(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))


@st.composite
def batches(draw):
    """Windows of words of one document each, with any labels and pauses."""
    lengths = draw(st.lists(st.integers(1, 12), min_size=1, max_size=6))
    number, rng = sum(lengths), np.random.default_rng(draw(st.integers(0, 999)))
    edges = np.zeros(number, int)
    last = np.cumsum(lengths) - 1
    edges[last - np.array(lengths) + 1] += DOCUMENT_START * rng.integers(0, 2, len(lengths))
    edges[last] += DOCUMENT_END * rng.integers(0, 2, len(lengths))
    return arrays(
        rng.integers(0, WORDS, number),
        marks=(rng.integers(0, 2**13, number) * (rng.random(number) < 0.4)).tolist(),
        cases=rng.integers(0, 3, number).tolist(),
        pauses=rng.choice([0, 3, 70, BUCKETS - 1, UNKNOWN], number).tolist(),
        boundaries=edges.tolist(),
        rows=np.repeat(np.arange(len(lengths)), lengths).tolist(),
    )


configs = st.builds(
    lambda rate, substitution, share: AugmentConfig(rate, substitution, (1 - substitution) * share),
    *[st.floats(0, 1)] * 3,
)
seeds = st.integers(0, 99)


def generator(seed=0):
    return np.random.default_rng(seed)


def window(batch, row):
    """Rows of (word, marks, case, pause, flags)."""
    columns = batch.words, batch.marks, batch.cases, batch.pauses, batch.boundaries
    return [list(map(int, values)) for values in zip(*(c[batch.rows == row] for c in columns), strict=True)]


def changed(words, change, kind, drawn, config):
    """Literally, one word after the other: the window of these (word, marks, case, pause, flags) after its changes."""
    result, starts, ends = [], words[0][4] & DOCUMENT_START, words[-1][4] & DOCUMENT_END
    all_deleted = all(
        c < config.rate and config.substitution <= k < config.substitution + config.deletion
        for c, k in zip(change, kind, strict=True)
    )
    for i, (word, marks, case, pause, _) in enumerate(words):
        if change[i] >= config.rate or (i == 0 and all_deleted):
            result.append([word, marks, case, pause, 0])
        elif kind[i] < config.substitution:
            result.append([drawn[i], marks, case, pause, 0])
        elif kind[i] < config.substitution + config.deletion:
            if result:
                known = UNKNOWN not in (result[-1][3], pause)
                result[-1][3] = min(result[-1][3] + pause, BUCKETS - 1) if known else UNKNOWN
        else:
            result += [[drawn[i], 0, 0, UNKNOWN, 0], [word, marks, case, pause, 0]]
    result[0][4] += starts
    result[-1][4] += ends
    return result


@settings(deadline=None)
@given(batches(), configs, seeds)
def test_augmentation_against_a_literal_loop(batch, config, seed):
    rng = generator(seed)
    change, kind = rng.random((2, len(batch.words)))
    drawn = rng.integers(0, WORDS, len(batch.words), dtype=np.int32)
    found = augment(batch, config, range(WORDS), generator(seed))
    for row in range(int(batch.rows[-1]) + 1):
        own = batch.rows == row
        expected = changed(window(batch, row), change[own], kind[own], drawn[own].tolist(), config)
        assert window(found, row) == expected


@settings(deadline=None)
@given(batches(), seeds)
def test_without_a_rate_nothing_changes(batch, seed):
    same = augment(batch, AugmentConfig(), UNKNOWN_WORD, generator(seed))
    for field in dataclasses.fields(WordArrays):
        assert np.array_equal(getattr(same, field.name), getattr(batch, field.name))


@settings(deadline=None)
@given(batches(), configs, seeds)
def test_windows_labels_and_edges(batch, config, seed):
    before = dataclasses.replace(batch, **{name: column.copy() for name, column in vars(batch).items()})
    made = augment(batch, config, UNKNOWN_WORD, generator(seed))
    for name, column in vars(made).items():
        assert column.dtype == getattr(batch, name).dtype
        assert len(column) == len(made.words)
        assert np.array_equal(getattr(batch, name), getattr(before, name))
    assert sorted(set(made.rows.tolist())) == sorted(set(batch.rows.tolist()))
    assert (np.diff(made.rows) >= 0).all()
    for flag in (DOCUMENT_START, DOCUMENT_END):
        assert made.rows[made.boundaries & flag > 0].tolist() == batch.rows[batch.boundaries & flag > 0].tolist()
    own = made.words < WORDS
    for row in range(int(batch.rows[-1]) + 1):
        kept = [tuple(word[:3]) for word in window(made.at(own), row)]
        all_words = iter([tuple(word[:3]) for word in window(batch, row)])
        assert all(word in all_words for word in kept)  # in the same order, with the same labels


@settings(deadline=None)
@given(batches(), seeds)
def test_substitution_alone_keeps_all_but_words(batch, seed):
    made = augment(batch, AugmentConfig(rate=1.0, substitution=1.0, deletion=0.0), UNKNOWN_WORD, generator(seed))
    assert set(made.words.tolist()) == set(UNKNOWN_WORD)
    for name in ("marks", "cases", "pauses", "boundaries", "rows"):
        assert np.array_equal(getattr(made, name), getattr(batch, name))


@settings(deadline=None)
@given(batches(), seeds)
def test_insertion_alone_adds_words_without_labels(batch, seed):
    made = augment(batch, AugmentConfig(rate=1.0, substitution=0.0, deletion=0.0), UNKNOWN_WORD, generator(seed))
    assert np.array_equal(made.words[1::2], batch.words)
    assert np.array_equal(made.marks[1::2], batch.marks)
    new = made.at(np.arange(0, len(made.words), 2))
    assert not new.marks.any()
    assert not new.cases.any()
    assert set(new.pauses.tolist()) == {UNKNOWN}


def test_a_window_that_would_lose_all_keeps_its_first_word():
    batch = arrays(
        [4, 5, 6, 7, 8],
        marks=[1, 2, 3, 4, 5],
        pauses=[10, 20, 30, 40, UNKNOWN],
        boundaries=[DOCUMENT_START, 0, DOCUMENT_END, DOCUMENT_START, DOCUMENT_END],
        rows=[0, 0, 0, 1, 1],
    )
    made = augment(batch, AugmentConfig(rate=1.0, substitution=0.0, deletion=1.0), UNKNOWN_WORD, generator())
    assert window(made, 0) == [[4, 1, 0, 60, DOCUMENT_START + DOCUMENT_END]]
    assert window(made, 1) == [[7, 4, 0, UNKNOWN, DOCUMENT_START + DOCUMENT_END]]


def test_rates_hold():
    number, config = 40_000, AugmentConfig(rate=0.15, substitution=0.4, deletion=0.4)
    rows = np.repeat(np.arange(number // 50), 50).tolist()
    batch = arrays([1] * number, marks=[1] * number, rows=rows)
    made = augment(batch, config, UNKNOWN_WORD, generator())
    new = made.words == WORDS
    substituted, inserted = (new & (made.marks == 1)).sum(), (new & (made.marks == 0)).sum()
    deleted = number + inserted - len(made.words)
    expected = np.array([0.06, 0.06, 0.03])
    errors = 4 * np.sqrt(expected * (1 - expected) / number)
    assert (np.abs(np.array([substituted, deleted, inserted]) / number - expected) < errors).all()


def test_random_words_are_any_of_the_vocabulary():
    batch = arrays([1] * 20_000)
    made = augment(batch, AugmentConfig(1.0, 1.0, 0.0, "random"), range(20), generator())
    counts = np.bincount(made.words, minlength=20)
    assert counts == pytest.approx([1000] * 20, abs=130)


def test_the_unknown_word_is_a_single_unknown_subword(tokenizer):
    vocabulary = Vocabulary.encode(["la", "casa"], tokenizer)
    more = vocabulary.with_unknown(tokenizer.unknown)
    places = np.array([0, 2, 1])
    assert more.counts(places)[1] == 1
    expected = [*vocabulary.gather(places[:1]), tokenizer.unknown, *vocabulary.gather(places[2:])]
    assert more.gather(places).tolist() == expected


def batches_of(corpus, tokenizer, max_tokens=64, **training):
    return list(PunctuationData(corpus, tokenizer, tiny_config(**training), max_tokens).epoch(0))


def unknown_share(batches, tokenizer):
    words = sum(int(batch.counted.sum()) for batch in batches)
    return sum(int((batch.inputs["input_ids"] == tokenizer.unknown).sum()) for batch in batches) / words


@pytest.mark.parametrize(("replacement", "share"), [("unknown", 0.4), ("random", 0.0)])
def test_training_batches_have_changed_words(corpus, replacement, share):
    words = [word.lower() for word in (corpus / "train.tsv").read_text(encoding="utf-8").split()]
    tokenizer = SubwordTokenizer(train_tokenizer(words, 200), 4)
    rates = {"rate": 0.4, "substitution": 0.5, "deletion": 0.0, "replacement": replacement}
    plain, made = (batches_of(corpus, tokenizer, augment=augment) for augment in ({}, rates))
    assert unknown_share(plain, tokenizer) == 0
    # of 100 words 20 are substituted and 20 inserted, of which windows that are full lose a sixth
    assert unknown_share(made, tokenizer) == pytest.approx(share / 1.2, abs=0.05)
    assert all(batch.cases.shape[1] <= 16 for batch in made)


def test_changes_go_with_noise_and_windows(corpus, tokenizer):
    noise = NoiseConfig(windows=1, repetition=0.5, filler=0.5, fillers="eh", substitution=0.2, deletion=0.1)
    values = {"noise": dataclasses.asdict(noise), "augment": dataclasses.asdict(MOST), "windows": {"kind": "sentences"}}
    once, twice = (batches_of(corpus, tokenizer, 40, **values) for _ in range(2))
    for one, other in zip(once, twice, strict=True):
        assert one.cases.shape[1] <= 16
        assert one.inputs["input_ids"].shape[1] <= 40
        assert all((one.inputs[name] == other.inputs[name]).all() for name in one.inputs)
        assert (one.marks == other.marks).all()


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"rate": 1.5}, "rate is a probability, found 1.5"),
        ({"substitution": 0.7, "deletion": 0.4}, "1 together at most, found 0.7 and 0.4"),
        ({"replacement": "none"}, "expected one of unknown, random"),
    ],
)
def test_bad_values_are_told(values, told):
    with pytest.raises(ConfigError, match=told):
        from_mapping(TrainingConfig, {"augment": values}, "training")


def test_shares_may_sum_to_one():
    assert AugmentConfig(substitution=0.7, deletion=0.3).deletion == 0.3
