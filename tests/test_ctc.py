"""Alignment with a CTC model whose log-probabilities are written by hand."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.align.ctc import ctc_align
from asr_punct.align.ctc_model import (
    CONTEXT,
    UNKNOWN_SYMBOL,
    WINDOW,
    CtcVocabulary,
    character_vocabulary,
    measure_hop,
    subword_vocabulary,
    windowed_log_probs,
)
from asr_punct.errors import InputError, ModelError

SYMBOLS = {char: number for number, char in enumerate("_|abcdeñE")}
LETTERS = character_vocabulary(SYMBOLS, len(SYMBOLS), 0, "|")
RATE, HOP = 1000, 20


class Scripted:
    """A model that emits the symbols of a script (frame number -> symbol) and blanks elsewhere.

    The samples of each frame are its number.
    """

    name, rate, hop, vocabulary = "scripted", RATE, HOP, LETTERS

    def __init__(self, script, frames):
        self.frames = frames
        self.rows = np.full((frames, len(SYMBOLS)), -8.0, np.float32)
        self.rows[np.arange(frames), [SYMBOLS[script.get(frame, "_")] for frame in range(frames)]] = -0.01
        self.longest = 0

    def log_probs(self, samples):
        self.longest = max(self.longest, len(samples))
        return self.rows[np.round(samples[::HOP]).astype(int)]

    def blocks(self, size=700):
        samples = np.repeat(np.arange(self.frames), HOP).astype(np.float32)
        return [samples[i : i + size] for i in range(0, len(samples), size)]

    def align(self, *words):
        return ctc_align(self.blocks(), words, self, "u")


def spoken(text, begin=5, step=3):
    return {begin + step * i: char for i, char in enumerate(text.replace(" ", "|"))}


def spans(words):
    return [(word.start, word.end) for word in words]


def frames(*pairs):
    return [(round(a * HOP / RATE, 3), round(b * HOP / RATE, 3)) for a, b in pairs]


@pytest.mark.parametrize(
    ("script", "words", "expected"),
    [
        (spoken("abc de"), ["abc", "de"], [(4, 13), (16, 22)]),  # half a symbol around the outer symbols
        (  # half way
            {3: "a", 11: "b", 19: "c", 20: "|", 22: "d", 30: "e", 36: "|", 38: "a"},
            ["abc", "de", "a"],
            [(0, 21), (21, 34.5), (34.5, 40)],
        ),
        ({3: "a", 11: "b", 19: "c", 20: "|", 21: "d", 29: "e"}, ["abc", "de"], [(0, 20.5), (20.5, 33.5)]),
        ({**dict.fromkeys(range(4, 12), "a"), 14: "|", 16: "b", 18: "c"}, ["a", "bc"], [(4, 12), (15.5, 19.5)]),
        (spoken("abcde"), ["2026"], [(5, 18)]),
    ],
)
def test_edges_of_words(script, words, expected):
    found = Scripted(script, 40).align(*words)
    assert [word.text for word in found] == words
    assert spans(found) == frames(*expected)


@pytest.mark.parametrize(
    ("word", "sound"),
    [("99", ""), ("99", "bed"), ("9", "b"), ("ж", "cc"), ("3€", "dab"), ("a9b", "aeb"), ("9b", "ddb"), ("b9", "baaa")],
)
def test_unknown_symbols_get_times_and_shift_no_other_word(word, sound):
    model = Scripted(spoken(f"abc {sound} dea"), 80)
    known, found = model.align("abc", sound, "dea"), model.align("abc", word, "dea")
    assert [found[0], found[2]] == [known[0], known[2]]
    assert known[0].end <= found[1].start < found[1].end <= found[2].start
    if sound:
        assert spans(found)[1] == pytest.approx(spans(known)[1], abs=1.5 * HOP / RATE)


def test_adjacent_unknown_words_share_their_time_by_characters():
    model = Scripted({5: "a", **dict.fromkeys(range(10, 30), "c"), 35: "b"}, 50)
    model.vocabulary = CtcVocabulary(len(SYMBOLS), 0, None, LETTERS.encode)
    assert spans(model.align("a", "9", "9999", "b"))[1:3] == frames((10, 14), (14, 30))


def test_words_without_sound_get_no_length():
    model = Scripted(spoken("abc de"), 60)
    plain, found = model.align("abc", "de"), model.align("—", "abc", "—", "...", "de", "—")
    assert [found[1], found[4]] == list(plain)
    assert [found[i].start for i in (0, 2, 3, 5)] == [found[i].end for i in (0, 2, 3, 5)]
    assert [found[i].end for i in (0, 2, 3, 5)] == [plain[0].start, plain[0].end, plain[0].end, plain[1].end]
    assert spans(model.align("—")) == [(0.0, 0.0)]
    assert model.align() == ()


@given(st.lists(st.text("abcdeñE9ж—€", min_size=1, max_size=5), min_size=1, max_size=8), st.integers(0, 10**6))
def test_times_are_in_order_within_the_audio(words, seed):
    rng = np.random.default_rng(seed)
    model = Scripted({}, 120)
    model.rows = np.log(rng.dirichlet(np.ones(len(SYMBOLS)) * 0.3, 120) + 1e-9).astype(np.float32)
    found = model.align(*words)
    edges = [0.0, *(time for word in found for time in (word.start, word.end)), 120 * HOP / RATE]
    assert edges == sorted(edges)
    assert [word.text for word in found] == words


def test_characters_are_tried_in_the_other_case_and_without_accents():
    vocabulary = character_vocabulary({"<pad>": 0, "|": 1, "a": 2, "B": 3, "ñ": 4, "n": 5, "é": 9}, 6, 0, "|")
    assert vocabulary.encode("Abáñńé") == [2, 3, 2, 4, 5, UNKNOWN_SYMBOL]
    assert vocabulary.encode("a-b's|") == [2, 3, UNKNOWN_SYMBOL]
    assert (vocabulary.separator, character_vocabulary({"a": 1}, 3, 2, "|").separator) == (1, None)


@pytest.mark.parametrize(
    ("word", "ids"), [("HOLA", [3, 4]), ("café", [5]), ("a-b", [6, 7]), ("9", [UNKNOWN_SYMBOL]), ("—", [])]
)
def test_subwords_are_those_of_the_spelling_with_the_fewest_unknown(word, ids):
    table = {"hola": [3, 4], "HOLA": [3, 0], "cafe": [5], "café": [5, 0], "a-b": [6, 0, 7], "ab": [6, 7], "9": [0]}
    vocabulary = subword_vocabulary(lambda text: table.get(text, [0, 0, 0]), 10, 9, 0)
    assert vocabulary.encode(word) == ids


def test_too_little_audio_is_an_error():
    for words, frames, least in ((("abba", "abcde", "ab"), 13, 14), (("a",), 0, 1)):
        with pytest.raises(InputError) as error:
            Scripted({}, frames).align(*words)
        assert (error.value.place, error.value.found) == ("u", f"{frames} frames of audio")
        assert error.value.expected.startswith(f"{least} or more")


@pytest.mark.parametrize(
    ("place", "value", "found"),
    [
        ((7, 2), np.nan, "log-probabilities of scripted with NaN or inf"),
        ((7, 2), np.inf, "log-probabilities of scripted with NaN or inf"),
        ((slice(None), SYMBOLS["a"]), -np.inf, "log-probabilities with no path through the text"),
    ],
)
def test_unusable_log_probabilities_are_an_error(place, value, found):
    model = Scripted({}, 40)
    model.rows[place] = value
    with pytest.raises(InputError) as error:
        model.align("a")
    assert (error.value.place, error.value.found) == ("u", found)


def test_a_model_that_does_not_fit_its_vocabulary_or_hop_is_an_error():
    model = Scripted({}, 35)
    model.rows = model.rows[:, :-1]
    with pytest.raises(ModelError) as error:
        model.align("a")
    assert error.value.place == "scripted"
    assert error.value.found == "log-probabilities of shape (35, 8) for 700 samples"


def test_long_audio_is_processed_in_windows():
    """Every frame once, in order, and never more samples than a window and its context."""
    count = 100 * RATE // HOP + 7
    model = Scripted(spoken("abc de" * 20, step=20), count)
    for size in (333, 20000, count * HOP):
        assert np.array_equal(np.concatenate(list(windowed_log_probs(model, model.blocks(size), "u"))), model.rows)
    assert model.longest <= (WINDOW + 2 * CONTEXT) * RATE
    long = model.align("abc", *["deabc"] * 19, "de")
    assert long[1].start == 75.5 * HOP / RATE
    assert all(b.start - a.start == pytest.approx(6 * 20 * HOP / RATE) for a, b in pairwise(long[1:]))


@pytest.mark.parametrize("samples", [1, 19, 20, 21, 250, 251])
def test_short_audio_is_padded(samples):
    model = Scripted({}, 1)
    lengths = []
    model.log_probs = lambda given: lengths.append(len(given)) or np.zeros((len(given) // HOP + 1, len(SYMBOLS)))
    (found,) = windowed_log_probs(model, [np.zeros(samples, np.float32)], "u")
    assert len(found) == -(-samples // HOP)
    assert lengths[0] >= 250


@pytest.mark.parametrize(("hop", "edge"), [(320, -80), (640, 640), (1280, 1), (160, 0)])
def test_the_hop_is_measured(hop, edge):
    assert measure_hop(lambda samples: np.zeros((len(samples) + edge) // hop), "m") == hop
    with pytest.raises(ModelError) as error:
        measure_hop(lambda samples: np.zeros(5), "m")
    assert (error.value.place, error.value.found) == ("m", "5 frames of 81920 samples")
