"""Alignment with synthetic speech: finds the true times of other voices, for any text and length."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("espeakng_loader")
pytest.importorskip("librosa")

from asr_punct.align.dtw import dtw_align
from asr_punct.align.espeak import VoiceError, synthesise
from asr_punct.align.warping import BAND, warp
from asr_punct.errors import InputError

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
    errors = errors_of(found, truth, shift)
    assert np.median(errors) < 0.02
    assert np.mean(errors < 0.05) > 0.9
    check_order(found)


def errors_of(found, truth, shift=0.0):
    return np.abs([a.start - b.start - shift for a, b in zip(found, truth, strict=True)])


def check_order(found):
    edges = [time for word in found for time in (word.start, word.end)]
    assert edges == sorted(edges)


def long_pauses(words):
    return np.array([round(b.start - a.end, 3) > 0.15 for a, b in pairwise(words)])


@pytest.mark.parametrize(("language", "variant"), [("es", "f2"), ("eu", "m7"), ("en", "f5")])
def test_words_and_pauses_of_another_voice(language, variant):
    samples, rate, words, truth = speak(TEXTS[language], f"{language}+{variant}", words_per_minute=150)
    found = dtw_align(samples, rate, words, language)
    assert [word.text for word in found] == words
    check(found, truth)
    assert np.array_equal(long_pauses(found), long_pauses(truth))


def test_a_language_code_without_a_voice_of_its_own_has_that_of_its_language():
    samples, rate, words, truth = speak(TEXTS["es"], "es+f2")
    for language in ("spa", "es_ES", "en-US+es-ES"):
        check(dtw_align(samples, rate, words, language), truth)


def test_of_two_languages_the_spoken_one_is_used():
    samples, rate, words, truth = speak(TEXTS["es"], "es+m2")
    found = dtw_align(samples, rate, words, "en+es")
    check(found, truth)
    assert errors_of(found, truth).mean() < errors_of(dtw_align(samples, rate, words, "en"), truth).mean() / 2


@pytest.mark.parametrize(("copies", "silence_s"), [(14, 0), (1, 40)])
def test_audio_of_over_a_minute(copies, silence_s):
    samples, rate, words, truth = speak(" ".join([TEXTS["es"]] * copies), "es+f2", words_per_minute=140)
    silence = 1e-3 * np.random.default_rng(2).standard_normal(silence_s * rate).astype(np.float32)
    samples = np.concatenate([silence, samples, silence])
    assert len(samples) > 80 * rate
    check(dtw_align(samples, rate, words, "es"), truth, shift=silence_s)


def test_words_without_sound_get_a_place_and_no_length():
    samples, rate, words, truth = speak("sí - no - quizá", "es")
    found = dtw_align(samples, rate, ["—", *words, "—"], "es")
    check_order(found)
    assert found[0].start == found[0].end == found[1].start
    assert found[2].start == found[2].end == found[1].end
    assert found[-1].start == found[-2].end
    assert found[3].start == pytest.approx(truth[2].start, abs=0.05)
    assert all(0 <= word.start == word.end for word in dtw_align(samples, rate, ["—", "—"], "es"))


@pytest.mark.parametrize("seconds", [0.001, 0.02, 0.3, 2.0])
def test_silence_and_snippets(seconds):
    found = dtw_align(np.zeros(round(16000 * seconds), np.float32), 16000, ["uno", "dos", "tres"], "es")
    check_order(found)
    assert found[-1].end <= seconds + 0.001


def test_nothing_to_align():
    assert dtw_align(np.zeros(16000, np.float32), 16000, [], "es") == ()
    with pytest.raises(InputError) as error:
        dtw_align(np.zeros(0, np.float32), 16000, ["a"], "es")
    assert (error.value.found, error.value.expected) == ("no samples", "the speech of 1 word")
    with pytest.raises(VoiceError) as error:
        dtw_align(np.zeros(16000, np.float32), 16000, ["a"], "xx-YY")
    assert (error.value.place, error.value.found) == ("language", "'xx'")


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


# Speech of espeak-ng


def rms(speech, start, end):
    return float(np.sqrt(np.mean(speech.samples[round(start * speech.rate) : round(end * speech.rate)] ** 2)))


def check_spoken_order(speech):
    timed = [word for word in speech.words if word.start is not None]
    assert all(0 <= word.start < word.end <= len(speech.samples) / speech.rate + 1e-6 for word in timed)
    assert all(a.end <= b.start for a, b in pairwise(timed))


@pytest.mark.parametrize(
    ("voice", "text"),
    [
        ("es", "Señorías, la sesión empieza ahora. EE. UU. vota el 3,5 % del gasto."),
        ("eu+f2", "Egun on, jaun-andreok. EAEko aurrekontua 3.500 eurokoa da!"),
        ("en-us+m3", "One of the members said: the BBC's 10:30 show is over. It ended."),
    ],
)
def test_every_word_has_times_and_pauses_are_silent(voice, text):
    speech = synthesise(text, voice)
    assert [word.text for word in speech.words] == text.split()
    assert all(word.start is not None for word in speech.words)
    check_spoken_order(speech)
    for before, after in pairwise(speech.words):
        assert after.start - before.end <= 0.05 or rms(speech, before.end, after.start) < 0.02
    assert min(rms(speech, word.start, word.end) for word in speech.words) > 0.02


def test_marks_and_breaks_make_pauses():
    words = synthesise("uno dos, tres cuatro", "es", breaks={2: 0.4}).words
    pauses = [b.start - a.end for a, b in pairwise(words)]
    assert pauses[0] == 0.0
    assert pauses[1] > 0.1
    assert pauses[2] == pytest.approx(0.4, abs=0.02)


def test_words_pronounced_as_one_share_their_sound():
    *_, of, the, men = synthesise("one of the men", "en-us").words
    assert (of.end, the.end) == (the.start, men.start)
    assert min(of.end - of.start, the.end - the.start) > 0.03


def test_a_token_without_sound_has_no_times():
    words = synthesise("sí - no", "es").words
    assert (words[1].start, words[1].end) == (None, None)
    assert words[2].start is not None


def test_settings_hold_for_one_call():
    usual = synthesise("buenos días a todos", "es")
    fast = synthesise("buenos días a todos", "es", words_per_minute=300, pitch=90)
    again = synthesise("buenos días a todos", "es")
    assert len(fast.samples) < 0.75 * len(usual.samples)
    assert abs(len(again.samples) - len(usual.samples)) < 0.01 * usual.rate


def test_markup_in_the_text_is_text():
    assert len(synthesise('a <mark name="7"/> & b', "es").words) == 5


@pytest.mark.parametrize("voice", ["xx", "", "es+nobody", "../es"])
def test_an_unknown_voice_is_an_error(voice):
    with pytest.raises(VoiceError) as error:
        synthesise("hola", voice)
    assert (error.value.place, error.value.found) == ("voice", repr(voice))


@given(st.text(max_size=40))
def test_words_of_any_text_are_in_order(text):
    speech = synthesise(text, "es")
    assert [word.text for word in speech.words] == text.split()
    assert speech.samples.dtype == np.float32
    check_spoken_order(speech)
