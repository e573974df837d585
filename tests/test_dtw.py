"""Alignment with synthetic speech: finds the true times of other voices, for any text and length."""

from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("espeakng_loader")
pytest.importorskip("librosa")

from asr_punct.align import dtw
from asr_punct.align.espeak import synthesise
from asr_punct.align.warping import BAND, warp
from asr_punct.errors import AsrPunctError, InputError

TEXTS = {
    "es": "Señora presidenta, la comisión votó ayer 3.500 enmiendas. ¿Qué haremos mañana, señorías?",
    "eu": "Egun on guztioi. Batzordeak hamabi lege aztertu ditu, eta EAEko aurrekontua onartu du.",
    "en": "The committee met at noon, and nobody left before the vote. What happens to the budget?",
}


def speak(text, voice, **settings):
    """Samples with a little noise, their rate, the words without marks, and the words with true times."""
    speech = synthesise(text, voice, **settings)
    noise = np.random.default_rng(0).standard_normal(len(speech.samples)).astype(np.float32)
    words = [word.text.strip(".,?¿!").lower() for word in speech.words]
    return speech.samples + 1e-3 * noise, speech.rate, words, speech.words


def check(found, truth, shift=0.0):
    errors = np.abs([a.start - b.start - shift for a, b in zip(found, truth, strict=True)])
    assert np.median(errors) < 0.02
    assert np.mean(errors < 0.05) > 0.9
    check_order(found)


def check_order(found):
    edges = [time for word in found for time in (word.start, word.end)]
    assert edges == sorted(edges)


def long_pauses(words):
    return np.array([round(b.start - a.end, 3) > 0.15 for a, b in pairwise(words)])


@pytest.mark.parametrize(("language", "variant"), [("es", "f2"), ("eu", "m7"), ("en", "f5")])
def test_words_and_pauses_of_another_voice(language, variant):
    samples, rate, words, truth = speak(TEXTS[language], f"{language}+{variant}", words_per_minute=150)
    found = dtw.align(samples, rate, words, language)
    assert [word.text for word in found] == words
    check(found, truth)
    assert np.array_equal(long_pauses(found), long_pauses(truth))


def test_of_two_languages_the_spoken_one_is_used():
    samples, rate, words, truth = speak(TEXTS["es"], "es+m2")
    check(dtw.align(samples, rate, words, "en+es"), truth)
    with pytest.raises(AssertionError):
        check(dtw.align(samples, rate, words, "en"), truth)


@pytest.mark.parametrize(("copies", "silence_s"), [(14, 0), (1, 40)])
def test_audio_of_over_a_minute(copies, silence_s):
    samples, rate, words, truth = speak(" ".join([TEXTS["es"]] * copies), "es+f2", words_per_minute=140)
    silence = 1e-3 * np.random.default_rng(2).standard_normal(silence_s * rate).astype(np.float32)
    samples = np.concatenate([silence, samples, silence])
    assert len(samples) > 80 * rate
    check(dtw.align(samples, rate, words, "es"), truth, shift=silence_s)


def test_words_without_sound_get_a_place_and_no_length():
    samples, rate, words, truth = speak("sí - no - quizá", "es")
    found = dtw.align(samples, rate, ["—", *words, "—"], "es")
    check_order(found)
    assert found[0].start == found[0].end == found[1].start
    assert found[2].start == found[2].end == found[1].end
    assert found[-1].start == found[-2].end
    assert found[3].start == pytest.approx(truth[2].start, abs=0.05)
    assert all(0 <= word.start == word.end for word in dtw.align(samples, rate, ["—", "—"], "es"))


@pytest.mark.parametrize("seconds", [0.001, 0.02, 0.3, 2.0])
def test_silence_and_snippets(seconds):
    found = dtw.align(np.zeros(round(16000 * seconds), np.float32), 16000, ["uno", "dos", "tres"], "es")
    check_order(found)
    assert found[-1].end <= seconds + 0.001


def test_nothing_to_align():
    assert dtw.align(np.zeros(16000, np.float32), 16000, [], "es") == ()
    with pytest.raises(AsrPunctError, match="found no audio, expected the speech of 1 word"):
        dtw.align(np.zeros(0, np.float32), 16000, ["a"], "es")
    with pytest.raises(InputError, match="voice"):
        dtw.align(np.zeros(16000, np.float32), 16000, ["a"], "xx")


def reference_cost(distance, outside, starts):
    """Cost of the best path on the same grid, filled cell by cell."""
    frames, synthetic = distance.shape
    columns = []
    for index in range(synthetic + 1):
        columns += [None] * (index in starts or index == synthetic) + [index] * (index < synthetic)
    cost = np.full((frames, len(columns)), np.inf)
    for i in range(frames):
        for j, column in enumerate(columns):
            enter = outside[i] if column is None else distance[i, column]
            ways = [cost[i, j - 1] + (0.0 if column is None else enter)] if j else []
            if i:
                ways += [cost[i - 1, j] + enter] + ([cost[i - 1, j - 1] + enter] if j else [])
            elif j < 2:
                ways.append(enter)
            cost[i, j] = min(ways)
    return cost[-1, -1]


@pytest.mark.parametrize("seed", range(5))
def test_warping_finds_the_cheapest_path(seed):
    rng = np.random.default_rng(seed)
    recording, synthetic = (rng.standard_normal((n, 4)).astype(np.float32) for n in (19, 11))
    outside, starts = rng.uniform(0, 2, 19), np.array([0, 4, 9])
    distance = np.linalg.norm(recording[:, None] - synthetic[None], axis=2)
    scale = np.median(distance.min(axis=1)) + 1e-6
    path = warp(recording, synthetic, outside, starts, np.ones(19))
    assert path.cost == pytest.approx(reference_cost(distance, outside * scale, {0, 4, 9}) / 19, rel=1e-4)
    assert (path.first <= path.last).all()
    assert (path.last[:-1] <= path.first[1:]).all()


@pytest.mark.parametrize("shape", [(1, 900), (2, 2 * BAND), (900, 1), (900, 3)])
def test_the_band_reaches_from_corner_to_corner(shape):
    rng = np.random.default_rng(7)
    recording, synthetic = (rng.standard_normal((n, 4)).astype(np.float32) for n in shape)
    speech = rng.integers(0, 2, len(recording)).astype(np.float64)
    path = warp(recording, synthetic, np.ones(len(recording)), np.array([0]), speech)
    assert np.isfinite(path.cost)
    assert (path.first >= 0).all()
    assert (path.last < len(recording)).all()
