"""Errors of a recogniser in training windows, and the confusions of words that they draw from."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_dummies import arrays, batches, check_form, copied, equal, generator, seeds

from asr_punct.config import NoiseConfig
from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.marks import LEFT, MARKS, Mark, mark_bits
from asr_punct.pauses import UNKNOWN_PAUSE
from asr_punct.training.augment import add_noise
from asr_punct.training.confusions import CANDIDATES, Confusions, sound_keys
from asr_punct.training.corpus import Corpus, Vocabulary

WORDS = ("la", "casa", "caza", "amaia", "vino", "bino", "xyzzy", "mesa", "pesa")
COUNTS = np.array([900, 50, 30, 40, 25, 3, 1, 60, 22])
LA, CASA, CAZA, AMAIA, VINO, BINO, XYZZY, MESA, PESA = range(len(WORDS))
COMMA, OPEN_QUES = mark_bits({Mark.COMMA}), mark_bits({Mark.OPEN_QUES})
CONFUSIONS = Confusions.from_vocabulary(
    WORDS, COUNTS, np.array([word == "amaia" for word in WORDS]), "es", ("eh", "pues")
)
EXTENDED = (*WORDS, *CONFUSIONS.extra)
ALL = NoiseConfig(
    windows=1.0, substitution=0.3, name_substitution=0.5, deletion=0.4, repetition=0.3, filler=0.2, fillers="eh pues"
)
windows = batches(len(WORDS))


def with_noise(batch, seed=0, confusions=CONFUSIONS, **rates):
    return add_noise(batch, NoiseConfig(**{"windows": 1.0, **rates}), confusions, generator(seed))


def candidates(confusions, word, words=WORDS):
    places = confusions.candidates[confusions.offsets[word] : confusions.offsets[word + 1]]
    return {(*words, *confusions.extra)[place] for place in places}


@given(windows, seeds)
def test_marks_and_windows_survive_and_the_seed_decides(batch, seed):
    before = copied(batch)
    changed, again = (add_noise(batch, ALL, CONFUSIONS, generator(seed)) for _ in range(2))
    assert equal(changed, again)
    assert equal(batch, before)
    check_form(changed, batch)
    assert changed.words.max() < len(EXTENDED)
    for side in (mark_bits(LEFT), mark_bits(set(MARKS) - set(LEFT))):  # every mark, in the same order
        assert [m for m in (changed.marks & side).tolist() if m] == [m for m in (batch.marks & side).tolist() if m]
    assert equal(add_noise(batch, replace(ALL, windows=0.0), CONFUSIONS, generator(seed)), batch)
    assert equal(add_noise(batch, NoiseConfig(), CONFUSIONS, generator(seed)), batch)


def test_only_common_words_without_labels_are_deleted():
    batch = arrays([LA, LA, XYZZY, LA, LA], pauses=[5, 7, 1, 2, UNKNOWN_PAUSE], marks=[0, 0, 0, 1, 0])
    confusions = replace(CONFUSIONS, common=np.arange(len(WORDS)) == LA)
    changed = with_noise(batch, confusions=confusions, deletion=1.0)
    assert changed.words.tolist() == [LA, XYZZY, LA]
    assert changed.pauses.tolist() == [12, 1, UNKNOWN_PAUSE]
    assert changed.marks.tolist() == [0, 0, 1]


def test_the_copies_of_a_repeated_word_share_its_labels():
    batch = arrays(
        [CASA, AMAIA, MESA],
        marks=[OPEN_QUES | COMMA, 0, COMMA],
        cases=[1, 1, 2],
        pauses=[30, 0, UNKNOWN_PAUSE],
        boundaries=[DOCUMENT_START, 0, DOCUMENT_END],
    )
    changed = with_noise(batch, repetition=1.0)
    assert changed.words.tolist() == [CASA, CASA, AMAIA, AMAIA, MESA, MESA]
    assert changed.marks.tolist() == [OPEN_QUES, COMMA, 0, 0, 0, COMMA]
    assert changed.cases.tolist() == [1, 0, 1, 1, 2, 2]
    assert changed.pauses.tolist() == [30, 30, 0, 0, UNKNOWN_PAUSE, UNKNOWN_PAUSE]
    assert changed.boundaries.tolist() == [DOCUMENT_START, 0, 0, 0, 0, DOCUMENT_END]


def test_fillers_have_no_labels():
    batch = arrays([CASA, AMAIA], marks=[0, 1], cases=[0, 1], boundaries=[0, DOCUMENT_END], pauses=[4, UNKNOWN_PAUSE])
    changed = with_noise(batch, filler=1.0, fillers="eh pues")
    assert changed.words[::2].tolist() == [CASA, AMAIA]
    assert {EXTENDED[word] for word in changed.words[1::2].tolist()} <= {"eh", "pues"}
    assert changed.marks.tolist() == changed.cases.tolist() == [0, 0, 1, 0]
    assert changed.boundaries.tolist() == [0, 0, 0, DOCUMENT_END]


def test_substitutes_are_candidates_or_words_by_their_frequency():
    batch = arrays([CASA] * 4000)
    similar = with_noise(batch, substitution=1.0, any_word=0.0)
    assert {EXTENDED[word] for word in similar.words.tolist()} == candidates(CONFUSIONS, CASA)
    drawn = with_noise(batch, substitution=1.0, any_word=1.0).words
    assert np.bincount(drawn, minlength=len(WORDS)) / 4000 == pytest.approx(COUNTS / COUNTS.sum(), abs=0.03)
    lonely = arrays([XYZZY] * 50)  # has no candidates
    assert equal(with_noise(lonely, substitution=1.0, any_word=0.0), lonely)


def test_rates():
    words = [LA, CASA, AMAIA, MESA] * 5000
    batch = arrays(words, rows=np.repeat(np.arange(2000), 10))
    rates = {"substitution": 0.2, "any_word": 0.0, "name_substitution": 0.6}
    changed = with_noise(batch, windows=0.5, **rates).words != batch.words
    assert changed[batch.words == AMAIA].mean() == pytest.approx(0.3, abs=0.03)
    assert changed[np.isin(batch.words, [CASA, MESA])].mean() == pytest.approx(0.1, abs=0.02)
    longer = with_noise(batch, repetition=0.1, filler=0.05, fillers="eh")
    assert len(longer.words) == pytest.approx(1.15 * len(words), rel=0.02)


# Confusions


@pytest.mark.parametrize(
    ("language", "pairs"),
    [
        ("es", "vaca baca, hola ola, casa caza, halla haya, girar jirar, queso keso, verdad verdá, perro pero"),
        ("es+eu", "etxe eche, atzo atso, honako onako, plantilla plantiya"),
        ("en", "knight night, write right, phone fone, which wich, city sity, judge juge, like lyke, nation nashun"),
    ],
)
def test_words_that_sound_alike(language, pairs):
    for pair in pairs.split(", "):
        one, other = sound_keys(pair.split(), language)
        assert one == other, pair
    casa, cosa = sound_keys(["casa", "cosa"], language)
    assert casa != cosa or language == "en"


def test_names_and_frequent_words_are_misspelt():
    words = ("donostia", "zarautz", "mesa")
    confusions = Confusions.from_vocabulary(words, np.array([5, 1, 9]), np.array([True, True, False]), "eu")
    for place, name in enumerate(words[:2]):
        forms = candidates(confusions, place, words)
        assert 1 <= len(forms) <= 2
        assert name not in forms
    assert candidates(confusions, 2, words) == set()
    words = ("gobierno", "gobernua", "cheese")
    confusions = Confusions.from_vocabulary(words, np.array([20, 19, 500]), np.zeros(3, bool), "es")
    assert np.diff(confusions.offsets).tolist() == [1, 0, 1]
    assert sound_keys(confusions.extra, "es") == sound_keys([words[0], words[2]], "es")


def test_names_are_capitalised_inside_sentences():
    words, period = ("gora", "amaia", "da"), mark_bits({Mark.PERIOD})
    corpus = Corpus(
        vocabulary=Vocabulary(words, np.zeros(3, np.int32), np.arange(4), (0, 0, 0), 0),
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


@given(st.lists(st.tuples(WORD, st.integers(1, 60)), min_size=1, max_size=40, unique_by=lambda pair: pair[0]))
def test_candidates_against_brute_force(entries):
    words, counts = zip(*entries, strict=True)
    confusions = Confusions.from_vocabulary(words, np.array(counts), np.zeros(len(words), bool), "es")
    keys = sound_keys(words, "es")

    def confused(i, j):
        near = min(counts[i], counts[j]) >= 20 and one_edit(words[i], words[j])
        return i != j and ((bool(keys[i]) and keys[i] == keys[j]) or near)

    for i in range(len(words)):
        near = {j for j in range(len(words)) if confused(i, j)}
        found = confusions.candidates[confusions.offsets[i] : confusions.offsets[i + 1]].tolist()
        assert len(found) == min(len(near), CANDIDATES)
        assert set(found) <= near
        assert sorted((counts[j] for j in found), reverse=True) == sorted((counts[j] for j in near), reverse=True)[:8]


def one_edit(one, other):
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) == len(longer):
        return sum(a != b for a, b in zip(one, other, strict=True)) == 1
    return any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))
