from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct.config import NoiseConfig
from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.marks import LEFT, MARKS
from asr_punct.pauses import BUCKETS, UNKNOWN
from asr_punct.training.confusions import CANDIDATES, Confusions, sound_keys
from asr_punct.training.corpus import Corpus, Vocabulary, WordArrays
from asr_punct.training.noise import add_noise

WORDS = ("la", "casa", "caza", "amaia", "vino", "bino", "xyzzy", "mesa", "pesa")
COUNTS = np.array([900, 50, 30, 40, 25, 3, 1, 60, 22])
NAMES = np.array([word == "amaia" for word in WORDS])
LA, CASA, CAZA, AMAIA, VINO, BINO, XYZZY, MESA, PESA = range(len(WORDS))
MARK_BITS = {mark: 1 << i for i, mark in enumerate(MARKS)}
LEFT_BITS = sum(MARK_BITS[mark] for mark in LEFT)
ALL = NoiseConfig(
    windows=1.0, substitution=0.3, name_substitution=0.5, deletion=0.4, repetition=0.3, filler=0.2, fillers="eh pues"
)


@pytest.fixture(scope="module", name="confusions")
def fixture_confusions():
    return confusions_of(("eh", "pues"))


def confusions_of(fillers=()):
    return Confusions.from_vocabulary(WORDS, COUNTS, NAMES, "es", fillers)


CONFUSIONS = confusions_of(("eh", "pues"))


def candidates(confusions, word):
    words = (*WORDS, *confusions.extra)
    return {words[i] for i in confusions.candidates[confusions.offsets[word] : confusions.offsets[word + 1]]}


def arrays(words, *, marks=None, cases=None, pauses=None, boundaries=None, rows=None):
    zeros = [0] * len(words)
    return WordArrays(
        np.array(words, np.int32),
        np.array(marks or zeros, np.uint16),
        np.array(cases or zeros, np.uint8),
        np.array(pauses or zeros, np.int16),
        np.array(boundaries or zeros, np.uint8),
        np.array(rows or zeros, np.int32),
    )


@st.composite
def batches(draw):
    lengths = draw(st.lists(st.integers(1, 12), min_size=1, max_size=6))
    n = sum(lengths)
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    return WordArrays(
        rng.integers(0, len(WORDS), n).astype(np.int32),
        (rng.integers(0, 2 ** len(MARKS), n) * (rng.random(n) < 0.3)).astype(np.uint16),
        rng.choice(3, n, p=[0.7, 0.2, 0.1]).astype(np.uint8),
        rng.choice([0, 3, 70, BUCKETS - 1, UNKNOWN], n).astype(np.int16),
        rng.choice(4, n, p=[0.7, 0.1, 0.1, 0.1]).astype(np.uint8),
        np.repeat(np.arange(len(lengths)), lengths).astype(np.int32),
    )


def bits(values, number):
    return [int((values >> i & 1).sum()) for i in range(number)]


def same(one, other):
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in fields(WordArrays))


@settings(deadline=None)
@given(batches(), st.integers(0, 99))
def test_without_rates_nothing_changes(batch, seed):
    assert same(add_noise(batch, NoiseConfig(), CONFUSIONS, np.random.default_rng(seed)), batch)
    still = replace(ALL, windows=0.0)
    assert same(add_noise(batch, still, CONFUSIONS, np.random.default_rng(seed)), batch)


@settings(deadline=None)
@given(batches(), st.integers(0, 99))
def test_labels_flags_and_windows_survive(batch, seed):
    before = WordArrays(*(getattr(batch, f.name).copy() for f in fields(batch)))
    noisy = add_noise(batch, ALL, CONFUSIONS, np.random.default_rng(seed))
    assert same(before, batch)
    assert bits(noisy.marks, len(MARKS)) == bits(batch.marks, len(MARKS))
    assert bits(noisy.boundaries, 2) == bits(batch.boundaries, 2)
    assert (np.diff(noisy.rows) >= 0).all()
    assert set(noisy.rows.tolist()) == set(batch.rows.tolist())
    for field in fields(batch):
        assert getattr(noisy, field.name).dtype == getattr(batch, field.name).dtype
        assert len(getattr(noisy, field.name)) == len(noisy.words)
    assert noisy.pauses.min() >= 0
    assert noisy.pauses.max() <= UNKNOWN
    assert noisy.words.max() < len(WORDS) + len(CONFUSIONS.extra)


@settings(deadline=None)
@given(batches(), st.integers(0, 99))
def test_marks_stay_in_order(batch, seed):
    """A mark never passes a word that has one."""
    noisy = add_noise(batch, ALL, CONFUSIONS, np.random.default_rng(seed))
    for side in (LEFT_BITS, ~LEFT_BITS & 0xFFFF):
        assert [m for m in (noisy.marks & side).tolist() if m] == [m for m in (batch.marks & side).tolist() if m]


@settings(deadline=None)
@given(batches(), st.integers(0, 99))
def test_the_generator_decides_alone(batch, seed):
    one, other = (add_noise(batch, ALL, CONFUSIONS, np.random.default_rng(seed)) for _ in range(2))
    assert same(one, other)


@settings(deadline=None)
@given(batches(), st.integers(0, 99))
def test_deletion_removes_common_bare_words_and_joins_pauses(batch, seed):
    noisy = add_noise(batch, NoiseConfig(windows=1.0, deletion=0.8), CONFUSIONS, np.random.default_rng(seed))
    assert Counter(batch.words[batch.cases > 0].tolist()) == Counter(noisy.words[noisy.cases > 0].tolist())
    for row in range(int(batch.rows[-1]) + 1):
        old, new = batch.rows == row, noisy.rows == row
        assert batch.words[old][0] == noisy.words[new][0]
        if UNKNOWN not in batch.pauses[old]:
            total = batch.pauses[old].sum()
            assert noisy.pauses[new].sum() == total or BUCKETS - 1 in noisy.pauses[new]


def test_deletion_of_every_common_word():
    batch = arrays([LA, LA, XYZZY, LA, LA], pauses=[5, 7, 1, 2, UNKNOWN], marks=[0, 0, 0, 1, 0], rows=[0, 0, 0, 0, 0])
    confusions = replace(CONFUSIONS, common=np.array([word == LA for word in range(len(WORDS))]))
    noisy = add_noise(batch, NoiseConfig(windows=1.0, deletion=1.0), confusions, np.random.default_rng(0))
    assert noisy.words.tolist() == [LA, XYZZY, LA]
    assert noisy.pauses.tolist() == [12, 1, UNKNOWN]
    assert noisy.marks.tolist() == [0, 0, 1]


def test_repeated_words_share_their_labels():
    open_question, comma = MARK_BITS["OPEN_QUES"], MARK_BITS["COMMA"]
    batch = arrays(
        [CASA, AMAIA, MESA],
        marks=[open_question | comma, 0, comma],
        cases=[1, 1, 2],
        pauses=[30, 0, UNKNOWN],
        boundaries=[DOCUMENT_START, 0, DOCUMENT_END],
    )
    noisy = add_noise(batch, NoiseConfig(windows=1.0, repetition=1.0), CONFUSIONS, np.random.default_rng(0))
    assert noisy.words.tolist() == [CASA, CASA, AMAIA, AMAIA, MESA, MESA]
    assert noisy.marks.tolist() == [open_question, comma, 0, 0, 0, comma]
    assert noisy.cases.tolist() == [1, 0, 1, 1, 2, 2]
    assert noisy.pauses.tolist() == [30, 30, 0, 0, UNKNOWN, UNKNOWN]
    assert noisy.boundaries.tolist() == [DOCUMENT_START, 0, 0, 0, 0, DOCUMENT_END]


def test_fillers_have_no_labels():
    batch = arrays([CASA, AMAIA], marks=[0, 1], cases=[0, 1], boundaries=[0, DOCUMENT_END], pauses=[4, UNKNOWN])
    config = NoiseConfig(windows=1.0, filler=1.0, fillers="eh pues")
    noisy = add_noise(batch, config, CONFUSIONS, np.random.default_rng(0))
    assert noisy.words[::2].tolist() == [CASA, AMAIA]
    assert {CONFUSIONS.extra[word - len(WORDS)] for word in noisy.words[1::2].tolist()} <= {"eh", "pues"}
    assert noisy.marks.tolist() == [0, 0, 1, 0]
    assert noisy.cases.tolist() == [0, 0, 1, 0]
    assert noisy.boundaries.tolist() == [0, 0, 0, DOCUMENT_END]


def test_a_word_without_candidates_stays():
    batch = arrays([XYZZY] * 50)
    config = NoiseConfig(windows=1.0, substitution=1.0, any_word=0.0)
    assert same(add_noise(batch, config, CONFUSIONS, np.random.default_rng(0)), batch)


def test_substitutes_are_candidates_or_frequent_words():
    batch = arrays([CASA] * 4000)
    confusions, rng = CONFUSIONS, np.random.default_rng(0)
    alike = add_noise(batch, NoiseConfig(windows=1.0, substitution=1.0, any_word=0.0), confusions, rng)
    extended = (*WORDS, *confusions.extra)
    assert {extended[word] for word in alike.words.tolist()} == candidates(confusions, CASA)
    drawn = add_noise(batch, NoiseConfig(windows=1.0, substitution=1.0, any_word=1.0), confusions, rng)
    shares = np.bincount(drawn.words, minlength=len(WORDS)) / len(drawn.words)
    assert shares == pytest.approx(COUNTS / COUNTS.sum(), abs=0.03)


def test_rates_hold():
    words = [LA, CASA, AMAIA, MESA] * 5000
    batch = arrays(words, rows=np.repeat(np.arange(2000), 10).tolist())
    rng = np.random.default_rng(0)
    rates = NoiseConfig(windows=0.5, substitution=0.2, any_word=0.0, name_substitution=0.6)
    changed = add_noise(batch, rates, CONFUSIONS, rng).words != batch.words
    assert changed[batch.words == AMAIA].mean() == pytest.approx(0.3, abs=0.03)
    assert changed[np.isin(batch.words, [CASA, MESA])].mean() == pytest.approx(0.1, abs=0.02)
    longer = add_noise(batch, NoiseConfig(windows=1.0, repetition=0.1, filler=0.05, fillers="eh"), CONFUSIONS, rng)
    assert len(longer.words) == pytest.approx(1.15 * len(words), rel=0.02)


@pytest.mark.parametrize(
    ("language", "pairs"),
    [
        ("es", ["vaca baca", "hola ola", "casa caza", "cena sena", "halla haya", "girar jirar", "queso keso"]),
        ("es", ["verdad verdá", "perro pero", "campo canpo", "rey rei", "quiso kiso"]),
        ("es+eu", ["etxe eche", "atzo atso", "honako onako", "hamahiru hamairu", "plantilla plantiya"]),
        ("en", ["knight night", "write right", "phone fone", "their there", "back bak", "which wich"]),
        ("en", ["city sity", "judge juge", "like lyke", "lamb lam", "nation nashun"]),
    ],
)
def test_words_that_sound_alike(language, pairs):
    for pair in pairs:
        one, other = sound_keys(pair.split(), language)
        assert one == other, pair


@pytest.mark.parametrize(("language", "pair"), [("es", "casa cosa"), ("es", "gato jato"), ("en", "cat cap")])
def test_words_that_sound_different(language, pair):
    one, other = sound_keys(pair.split(), language)
    assert one != other


def test_candidates_sound_alike_or_differ_by_a_letter(confusions):
    assert candidates(confusions, CASA) == {"caza"}
    assert candidates(confusions, VINO) == {"bino"}
    assert candidates(confusions, MESA) == {"pesa", "meza"}
    assert candidates(confusions, XYZZY) == set()


def test_names_are_misspelt():
    words = ("donostia", "zarautz", "mesa")
    confusions = Confusions.from_vocabulary(words, np.array([5, 1, 9]), np.array([True, True, False]), "eu")
    assert confusions.names.tolist() == [True, True, False]
    for place, name in enumerate(words[:2]):
        forms = confusions.candidates[confusions.offsets[place] : confusions.offsets[place + 1]]
        spelt = {(*words, *confusions.extra)[form] for form in forms}
        assert 1 <= len(spelt) <= 2
        assert name not in spelt
    assert confusions.offsets[3] == confusions.offsets[2]


def test_frequent_words_are_misspelt_by_ear():
    words, counts = ("gobierno", "gobernua", "cheese"), np.array([20, 19, 500])
    confusions = Confusions.from_vocabulary(words, counts, np.zeros(3, bool), "es")
    assert np.diff(confusions.offsets).tolist() == [1, 0, 1]
    assert sound_keys(confusions.extra, "es") == sound_keys([words[0], words[2]], "es")


def test_names_are_capitalised_inside_sentences():
    words = ("gora", "amaia", "da")
    period = MARK_BITS["PERIOD"]
    corpus = Corpus(
        vocabulary=Vocabulary(words, np.zeros(3, np.int32), np.arange(4)),
        words=np.array([0, 1, 2, 0, 2, 1, 0], np.int32),
        pauses=np.zeros(7, np.int16),
        marks=np.array([0, 0, period, 0, 0, period, 0], np.uint16),
        cases=np.array([1, 1, 0, 1, 0, 1, 1], np.uint8),
        boundaries=np.array([DOCUMENT_START, 0, 0, 0, 0, 0, DOCUMENT_END], np.uint8),
    )
    confusions = Confusions.from_corpus(corpus, "eu", ("ba", "da"))
    assert confusions.names.tolist() == [False, True, False]
    assert [(*words, *confusions.extra)[place] for place in confusions.fillers] == ["ba", "da"]


WORD = st.text("abceghsz", min_size=1, max_size=3)


@settings(deadline=None)
@given(st.lists(st.tuples(WORD, st.integers(1, 60)), min_size=1, max_size=40, unique_by=lambda pair: pair[0]))
def test_candidates_against_brute_force(entries):
    words, counts = zip(*entries, strict=True)
    confusions = Confusions.from_vocabulary(words, np.array(counts), np.zeros(len(words), bool), "es")
    keys = sound_keys(words, "es")
    assert not confusions.extra
    for i in range(len(words)):
        near = {
            j
            for j in range(len(words))
            if i != j
            and ((keys[i] and keys[i] == keys[j]) or (min(counts[i], counts[j]) >= 20 and near_by(words[i], words[j])))
        }
        found = confusions.candidates[confusions.offsets[i] : confusions.offsets[i + 1]].tolist()
        assert len(found) == min(len(near), CANDIDATES)
        assert set(found) <= near
        assert sorted((counts[j] for j in found), reverse=True) == sorted((counts[j] for j in near), reverse=True)[:8]


def near_by(one, other):
    """Whether one edit makes one word of the other."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) == len(longer):
        return sum(a != b for a, b in zip(one, other, strict=True)) == 1
    return any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))
