"""Words to times by a CTC model whose log-probabilities are written by hand."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.align.ctc import align, targets_of
from asr_punct.align.emissions import CONTEXT, WINDOW, hop_of, windows
from asr_punct.align.spelling import UNKNOWN, Vocabulary, characters, pieces
from asr_punct.align.viterbi import FILLER
from asr_punct.errors import InputError, ModelError

SYMBOLS = {char: number for number, char in enumerate("_|abcdeñE")}
LETTERS = characters(SYMBOLS, len(SYMBOLS), 0, "|")
RATE, HOP = 1000, 20


class Written:
    """A model that hears the symbols of its script: frame number -> symbol, blanks elsewhere.

    The first sample of each frame tells the frame's number.
    """

    name, rate, hop, vocabulary = "written", RATE, HOP, LETTERS

    def __init__(self, script, frames, sure=8.0):
        self.frames = frames
        self.rows = np.full((frames, len(SYMBOLS)), -sure, np.float32)
        heard = [SYMBOLS[script[frame]] if frame in script else 0 for frame in range(frames)]
        self.rows[np.arange(frames), heard] = -0.01
        self.longest = 0

    def log_probs(self, samples):
        self.longest = max(self.longest, len(samples))
        return self.rows[np.round(samples[::HOP]).astype(int)]

    def blocks(self, size=700):
        samples = np.repeat(np.arange(self.frames), HOP).astype(np.float32)
        return [samples[i : i + size] for i in range(0, len(samples), size)]


def said(text, begin=5, step=3):
    """A script that says a character every so many frames."""
    return {begin + step * i: char for i, char in enumerate(text.replace(" ", "|"))}


def spans(words):
    return [(word.start, word.end) for word in words]


def frames(*pairs):
    return [(round(a * HOP / RATE, 3), round(b * HOP / RATE, 3)) for a, b in pairs]


def test_words_reach_half_a_symbol_beyond_the_middles_of_their_first_and_last():
    model = Written(said("abc de"), 60)
    found = align(model.blocks(), ["abc", "de"], model)
    assert [word.text for word in found] == ["abc", "de"]
    assert spans(found) == frames((4, 13), (16, 22))


def test_words_that_would_overlap_meet_half_way():
    model = Written({3: "a", 11: "b", 19: "c", 20: "|", 22: "d", 30: "e"}, 40)
    assert spans(align(model.blocks(), ["abc", "de"], model)) == frames((0, 21), (21, 34.5))
    model = Written({3: "a", 11: "b", 19: "c", 20: "|", 21: "d", 29: "e"}, 32)
    assert spans(align(model.blocks(), ["abc", "de"], model)) == frames((0, 20.5), (20.5, 32))


def test_frames_that_emit_a_symbol_are_its_words():
    model = Written({**dict.fromkeys(range(4, 12), "a"), 14: "|", 16: "b", 18: "c"}, 30)
    found = align(model.blocks(), ["a", "bc"], model)
    assert spans(found) == frames((4, 12), (15.5, 19.5))


@pytest.mark.parametrize(
    ("word", "heard"),
    [("99", "bed"), ("9", "b"), ("ж", "cc"), ("3€", "dab"), ("a9b", "aeb"), ("9b", "ddb"), ("b9", "baaa")],
)
def test_what_the_vocabulary_lacks_gets_times_and_shifts_no_other_word(word, heard):
    script = said(f"abc {heard} dea")
    model = Written(script, 80)
    known = align(model.blocks(), ["abc", heard, "dea"], model)
    found = align(model.blocks(), ["abc", word, "dea"], model)
    assert [found[0], found[2]] == [known[0], known[2]]
    assert known[0].end <= found[1].start < found[1].end <= found[2].start
    assert (found[1].start, found[1].end) == pytest.approx((known[1].start, known[1].end), abs=1.5 * HOP / RATE)


def test_unknown_words_in_silence_take_none_of_it_from_others():
    model = Written(said("abc|| dea"), 80)
    found = align(model.blocks(), ["abc", "99", "dea"], model)
    known = align(model.blocks(), ["abc", "", "dea"], model)
    assert [found[0], found[2]] == [known[0], known[2]]
    assert found[0].end <= found[1].start < found[1].end <= found[2].start


def test_unknown_words_that_touch_share_their_time_by_characters():
    vocabulary = Vocabulary(len(SYMBOLS), 0, None, LETTERS.encode)
    model = Written({5: "a", **dict.fromkeys(range(10, 30), "c"), 35: "b"}, 50)
    model.vocabulary = vocabulary
    found = align(model.blocks(), ["a", "9", "9999", "b"], model)
    assert spans(found)[1:3] == frames((10, 14), (14, 30))


def test_all_words_may_be_unknown():
    model = Written(said("abcde"), 40)
    (word,) = align(model.blocks(), ["2026"], model)
    assert spans([word]) == frames((5, 18))


def test_words_without_sound_get_no_length():
    model = Written(said("abc de"), 60)
    plain = align(model.blocks(), ["abc", "de"], model)
    found = align(model.blocks(), ["—", "abc", "—", "...", "de", "—"], model)
    assert [found[1], found[4]] == list(plain)
    assert found[0].start == found[0].end == plain[0].start
    assert found[2].start == found[3].end == plain[0].end
    assert found[5].start == found[5].end == plain[1].end
    assert spans(align(model.blocks(), ["—"], model)) == [(0.0, 0.0)]


@given(st.lists(st.text("abcdeñE9ж—€", min_size=1, max_size=5), min_size=1, max_size=8), st.integers(0, 10**6))
def test_times_are_in_order_within_the_audio_whatever_is_heard(words, seed):
    rng = np.random.default_rng(seed)
    model = Written({}, 120)
    model.rows = np.log(rng.dirichlet(np.ones(len(SYMBOLS)) * 0.3, 120) + 1e-9).astype(np.float32)
    found = align(model.blocks(), words, model)
    edges = [time for word in found for time in (word.start, word.end)]
    assert edges == sorted(edges)
    assert edges[0] >= 0
    assert edges[-1] <= 120 * HOP / RATE
    assert [word.text for word in found] == words


def test_characters_are_found_in_the_other_case_and_without_accents():
    vocabulary = characters({"<pad>": 0, "|": 1, "a": 2, "B": 3, "ñ": 4, "n": 5, "é": 9}, 6, 0, "|")
    assert vocabulary.encode("Abáñńé") == [2, 3, 2, 4, 5, UNKNOWN]
    assert vocabulary.encode("a-b's|") == [2, 3, UNKNOWN]
    assert (vocabulary.separator, characters({"a": 1}, 3, 2, "|").separator) == (1, None)


def test_pieces_are_those_of_the_spelling_with_the_fewest_unknown():
    table = {"hola": [3, 4], "HOLA": [3, 0], "cafe": [5], "café": [5, 0], "a-b": [6, 0, 7], "ab": [6, 7], "9": [0]}
    vocabulary = pieces(lambda word: table.get(word, [0, 0, 0]), 10, 9, 0)
    assert vocabulary.encode("HOLA") == [3, 4]
    assert vocabulary.encode("café") == [5]
    assert vocabulary.encode("a-b") == [6, 7]
    assert vocabulary.encode("9") == [UNKNOWN]
    assert vocabulary.encode("—") == []


def test_targets_of_words():
    targets = targets_of(["ab", "—", "a99b", "9"], LETTERS)
    assert targets.symbols.tolist() == [1, 2, 3]
    assert targets.columns.tolist() == [3, 4, 2, 3, FILLER, 4, 2, FILLER]
    assert targets.characters.tolist() == [1, 1, 1, 1, 2, 1, 1, 1]
    assert targets.words.tolist() == [[0, 2], [2, 2], [3, 6], [7, 8]]


def test_too_little_audio_is_told_in_one_line():
    model = Written({}, 13)
    with pytest.raises(InputError, match=r"^a\.wav: utterance 'u': found 13 frames of audio, expected 14 or more"):
        align(model.blocks(), ["abba", "abcde", "ab"], model, "a.wav: utterance 'u'")
    with pytest.raises(InputError, match="found 0 frames of audio, expected 1 or more"):
        align([], ["a"], model)
    assert align([], [], model) == ()


def test_numbers_that_are_none_are_told():
    for bad in (np.nan, np.inf):
        model = Written({}, 40)
        model.rows[7, 2] = bad
        with pytest.raises(InputError, match=r"^u: found log-probabilities of written that are no numbers, expected"):
            align(model.blocks(), ["a"], model, "u")


def test_words_of_probability_0_are_told():
    model = Written({}, 40)
    model.rows[:, SYMBOLS["a"]] = -np.inf
    with pytest.raises(InputError, match="found log-probabilities with no path through the text"):
        align(model.blocks(), ["a"], model)
    assert align(model.blocks(), ["b"], model)


def test_a_model_that_does_not_fit_its_vocabulary_is_told():
    model = Written({}, 40)
    model.rows = model.rows[:, :-1]
    with pytest.raises(ModelError, match=r"written: found log-probabilities of shape \(35, 8\) for 700 samples"):
        align(model.blocks()[:1], ["a"], model)
    model = Written({}, 40)
    model.hop = 40
    with pytest.raises(ModelError, match="expected"):
        align(model.blocks(), ["a"], model)


def test_long_audio_is_heard_in_windows():
    """Every frame once, in order, and no more samples at a time than a window and its context."""
    count = 100 * RATE // HOP + 7
    model = Written(said("abc de" * 20, step=20), count)
    for size in (333, 20000, count * HOP):
        model.longest = 0
        heard = np.concatenate(list(windows(model, model.blocks(size), "u")))
        assert np.array_equal(heard, model.rows)
        assert model.longest <= (WINDOW + 2 * CONTEXT) * RATE
    long = align(model.blocks(), ["abc", *["deabc"] * 19, "de"], model)
    assert long[1].start == 75.5 * HOP / RATE
    assert all(b.start - a.start == pytest.approx(6 * 20 * HOP / RATE) for a, b in pairwise(long[1:]))


@pytest.mark.parametrize("samples", [1, 19, 20, 21, 250, 251])
def test_short_audio_is_padded_and_its_padding_not_heard(samples):
    class Lengths(Written):
        def log_probs(self, given):
            assert len(given) >= 250
            return np.zeros((len(given) // HOP + 1, len(SYMBOLS)), np.float32)

    (heard,) = windows(Lengths({}, 1), [np.zeros(samples, np.float32)], "u")
    assert len(heard) == -(-samples // HOP)


def test_the_hop_is_found_by_trial():
    for hop, edge in ((320, -80), (640, 640), (1280, 1), (160, 0)):
        assert hop_of(lambda samples, hop=hop, edge=edge: np.zeros((len(samples) + edge) // hop), "m") == hop
    with pytest.raises(ModelError, match="m: found 5 frames of 81920 samples"):
        hop_of(lambda samples: np.zeros(5), "m")
