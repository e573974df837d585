"""Alignment against synthetic speech: true times of another voice are found, whatever is said and however long."""

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("espeakng_loader")
pytest.importorskip("librosa")

from asr_punct import audio
from asr_punct.align import dtw, template, warping
from asr_punct.align.espeak import synthesise
from asr_punct.align.warping import warp
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats.textgrid import read_textgrid

TEXTS = {
    "es": "Señora presidenta, la comisión votó ayer 3.500 enmiendas. ¿Qué haremos mañana, señorías?",
    "eu": "Egun on guztioi. Batzordeak hamabi lege aztertu ditu, eta EAEko aurrekontua onartu du.",
    "en": "The committee met at noon, and nobody left before the vote. What happens to the budget?",
}


def _speech(text, voice, seed=0, **kwargs):
    """Speech of another voice, with a little noise, and its words without marks."""
    speech = synthesise(text, voice, **kwargs)
    noise = np.random.default_rng(seed).standard_normal(len(speech.samples)).astype(np.float32)
    words = [word.text.strip(".,?¿!").lower() for word in speech.words]
    return speech.samples + 1e-3 * noise, speech.rate, words, speech.words


def _check(found, truth, within=0.05):
    errors = [abs(a.start - b.start) for a, b in zip(found, truth, strict=True)]
    assert np.median(errors) < 0.02
    assert np.mean(np.array(errors) < within) > 0.9
    _check_order(found)


def _check_order(found):
    assert all(word.start <= word.end for word in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


@pytest.mark.parametrize(("language", "variant"), [("es", "f2"), ("eu", "m7"), ("en", "f5")])
def test_words_and_pauses_of_another_voice(language, variant):
    samples, rate, words, truth = _speech(TEXTS[language], f"{language}+{variant}", words_per_minute=150)
    found = dtw.align(samples, rate, words, language)
    assert [word.text for word in found] == words
    _check(found, truth)
    for (a, b), (c, d) in zip(pairwise(found), pairwise(truth), strict=True):
        assert (b.start - a.end > 0.15) == (d.start - c.end > 0.15)


def test_of_two_languages_the_one_that_is_spoken_is_taken():
    samples, rate, words, truth = _speech(TEXTS["es"], "es+m2")
    found = dtw.align(samples, rate, words, "en+es")
    assert found == dtw.align(samples, rate, words, "es")
    assert found != dtw.align(samples, rate, words, "en")
    _check(found, truth)


def test_long_audio_is_cut_in_pauses(monkeypatch):
    monkeypatch.setattr(dtw, "_LONGEST_PIECE", 8.0)
    monkeypatch.setattr(dtw, "_SHORTEST_PIECE", 3.0)
    monkeypatch.setattr(template, "_WORDS_A_PASSAGE", 7)
    monkeypatch.setattr(warping, "BAND", 600)
    samples, rate, words, truth = _speech(" ".join([TEXTS["es"], TEXTS["es"][::-1]] * 3), "es+f2")
    assert len(samples) > 30 * rate
    pieces, cut = [], dtw._pieces
    monkeypatch.setattr(dtw, "_pieces", lambda *arguments: pieces.extend(cut(*arguments)) or pieces)
    _check(dtw.align(samples, rate, words, "es"), truth)
    assert len(pieces) > 3
    assert max(end - begin for begin, end, _, _ in pieces) <= 8.5 * 16000


def test_long_audio_that_is_mostly_silent(monkeypatch):
    monkeypatch.setattr(dtw, "_LONGEST_PIECE", 8.0)
    samples, rate, words, truth = _speech(TEXTS["es"], "es+f2")
    silence = 1e-3 * np.random.default_rng(2).standard_normal(30 * rate).astype(np.float32)
    found = dtw.align(np.concatenate([silence, samples, silence]), rate, words, "es")
    _check(found, [type(w)(w.text, w.start + 30, w.end + 30) for w in truth])


def test_words_without_sound_get_a_place_and_no_length():
    samples, rate, words, truth = _speech("sí - no - quizá", "es")
    found = dtw.align(samples, rate, ["—", *words, "—"], "es")
    _check_order(found)
    assert found[0].start == found[0].end == found[1].start
    assert found[2].start == found[2].end == found[1].end
    assert found[-1].start == found[-2].end
    assert found[3].start == pytest.approx(truth[2].start, abs=0.05)
    only = dtw.align(samples, rate, ["—", "—"], "es")
    assert all(0 <= word.start == word.end for word in only)


def _long(words):
    """Which pauses between the words are over 150 ms."""
    return np.array([round(b.start - a.end, 3) > 0.15 for a, b in pairwise(words)])


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(TEXTS))
def test_pauses_in_compressed_speech_of_other_voices(language, tmp_path):
    rng, pairs = np.random.default_rng(4), []
    for variant in ("f2", "m7", "klatt2", "f5"):
        for words_per_minute in (140, 180, 210):
            speech = _speech(
                TEXTS[language],
                f"{language}+{variant}",
                words_per_minute=words_per_minute,
                breaks={int(rng.integers(1, 4)): 0.3, int(rng.integers(6, 9)): 0.5},
            )
            audio.write(tmp_path / "a.m4a", speech[0], speech[1])
            found = dtw.align(audio.read(tmp_path / "a.m4a"), 16000, speech[2], language)
            pairs.append(np.stack([_long(speech[3]), _long(found)]))
            _check(found, speech[3], 0.1)
    true, found = np.concatenate(pairs, axis=1)
    assert 2 * (true & found).sum() / (true.sum() + found.sum()) >= 0.8


@pytest.mark.real
@pytest.mark.skipif("ASR_PUNCT_DATA" not in os.environ, reason="ASR_PUNCT_DATA names no folder of real material")
def test_real_recordings():
    folder = Path(os.environ["ASR_PUNCT_DATA"], "speech", "ted")
    errors = []
    for path in sorted(folder.glob("*.TextGrid")):
        (truth,) = read_textgrid(path)
        words = [word.text for word in truth.words]
        found = dtw.align(audio.read(path.with_suffix(".wav")), 16000, words, "en")
        errors += [abs(a.start - b.start) for a, b in zip(found, truth.words, strict=True)]
    assert len(errors) == 65
    assert np.median(errors) <= 0.04
    assert np.mean(np.array(errors) <= 0.1) >= 0.8


def test_nothing_to_align():
    assert dtw.align(np.zeros(16000, np.float32), 16000, [], "es") == ()
    with pytest.raises(AsrPunctError, match="found no audio, expected the speech of 1 word"):
        dtw.align(np.zeros(0, np.float32), 16000, ["a"], "es")
    with pytest.raises(InputError, match="voice"):
        dtw.align(np.zeros(16000, np.float32), 16000, ["a"], "xx")


@pytest.mark.parametrize("seconds", [0.001, 0.02, 0.3, 2.0])
def test_silence_and_snippets_do_not_fail(seconds):
    samples = np.zeros(round(16000 * seconds), np.float32)
    found = dtw.align(samples, 16000, ["uno", "dos", "tres"], "es")
    _check_order(found)
    assert found[-1].end <= seconds + 0.001


def _reference_cost(distance, outside, starts):
    """The same grid filled cell by cell."""
    frames, spoken = distance.shape
    columns = []
    for index in range(spoken + 1):
        columns += [None] * (index in starts or index == spoken) + [index] * (index < spoken)
    cost = np.full((frames, len(columns)), np.inf)
    for i in range(frames):
        for j, column in enumerate(columns):
            enter = outside[i] if column is None else distance[i, column]
            right = 0.0 if column is None else distance[i, column]
            ways = [cost[i, j - 1] + right] if j else []
            if i:
                ways += [cost[i - 1, j] + enter] + ([cost[i - 1, j - 1] + enter] if j else [])
            elif j < 2:
                ways.append(enter)
            cost[i, j] = min(ways)
    return cost[-1, -1]


def test_warping_finds_the_cheapest_path():
    rng = np.random.default_rng(5)
    for _ in range(5):
        recording, spoken = (rng.standard_normal((n, 4)).astype(np.float32) for n in (19, 11))
        outside, starts = rng.uniform(0, 2, 19), np.array([0, 4, 9])
        distance = np.linalg.norm(recording[:, None] - spoken[None], axis=2)
        scale = np.median(distance.min(axis=1)) + 1e-6
        path = warp(recording, spoken, outside, starts, np.ones(19))
        expected = _reference_cost(distance, outside * scale, set(starts.tolist())) / 19
        assert path.cost == pytest.approx(expected, rel=1e-4)
        assert (path.first <= path.last).all()
        assert (path.last[:-1] <= path.first[1:]).all()


def test_a_band_around_the_expected_path_finds_the_same_one(monkeypatch):
    rng = np.random.default_rng(6)
    spoken = rng.standard_normal((400, 4)).astype(np.float32)
    recording = np.repeat(spoken, rng.integers(1, 4, 400), axis=0) + 0.1
    arguments = recording, spoken, np.full(len(recording), 2.0), np.arange(0, 400, 20), np.ones(len(recording))
    whole = warp(*arguments)
    monkeypatch.setattr(warping, "BAND", 100)
    banded = warp(*arguments)
    assert np.array_equal(whole.first, banded.first)
    assert banded.cost == pytest.approx(whole.cost)


@pytest.mark.parametrize("shape", [(1, 900), (2, 900), (7, 900), (900, 1), (900, 3)])
def test_a_band_reaches_from_corner_to_corner(monkeypatch, shape):
    monkeypatch.setattr(warping, "BAND", 20)
    rng = np.random.default_rng(7)
    recording, spoken = (rng.standard_normal((n, 4)).astype(np.float32) for n in shape)
    speech = rng.integers(0, 2, len(recording)).astype(np.float64)
    path = warp(recording, spoken, np.ones(len(recording)), np.array([0]), speech)
    assert np.isfinite(path.cost)
    assert (path.first >= 0).all()
    assert (path.last < len(recording)).all()
