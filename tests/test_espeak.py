"""Speech of espeak-ng: one pair of times a word, silence exactly where the times say so."""

import os
import signal
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("espeakng_loader")

from asr_punct.align import espeak
from asr_punct.align.espeak import synthesise
from asr_punct.errors import InputError, MissingExtraError


def _rms(speech, start, end):
    piece = speech.samples[round(start * speech.rate) : round(end * speech.rate)]
    return float(np.sqrt(np.mean(piece**2)))


@pytest.mark.parametrize(
    ("voice", "text"),
    [
        ("es", "Señorías, la sesión empieza ahora. EE. UU. vota el 3,5 % del gasto."),
        ("eu+f2", "Egun on, jaun-andreok. EAEko aurrekontua 3.500 eurokoa da!"),
        ("en-us+m3", "One of the members said: the BBC's 10:30 show is over. It ended."),
    ],
)
def test_every_word_has_its_times_and_pauses_are_silent(voice, text):
    speech = synthesise(text, voice)
    assert [word.text for word in speech.words] == text.split()
    timed = [word for word in speech.words if word.start is not None]
    assert [w.text for w in speech.words if w.start is None] == []
    assert all(0 <= word.start < word.end <= len(speech.samples) / speech.rate for word in timed)
    assert all(a.end <= b.start for a, b in pairwise(timed))
    for before, after in pairwise(timed):
        if after.start - before.end > 0.05:
            assert _rms(speech, before.end, after.start) < 0.02
    assert min(_rms(speech, word.start, word.end) for word in timed) > 0.02


def test_marks_and_breaks_make_pauses():
    words = synthesise("uno dos, tres cuatro", "es", breaks={2: 0.4}).words
    pauses = [b.start - a.end for a, b in pairwise(words)]
    assert pauses[0] == 0.0
    assert pauses[1] > 0.1
    assert pauses[2] == pytest.approx(0.4, abs=0.02)


def test_words_spoken_as_one_share_their_sound():
    *_, of, the, men = synthesise("one of the men", "en-us").words
    assert of.end == the.start
    assert the.end == men.start
    assert of.end - of.start > 0.03
    assert the.end - the.start > 0.03


def test_a_token_without_sound_has_no_times():
    words = synthesise("sí - no", "es").words
    assert (words[1].start, words[1].end) == (None, None)
    assert words[2].start is not None


def test_rate_pitch_and_voice_are_those_of_the_call():
    usual = synthesise("buenos días a todos", "es")
    fast = synthesise("buenos días a todos", "es", words_per_minute=300, pitch=90)
    again = synthesise("buenos días a todos", "es")
    assert len(fast.samples) < 0.75 * len(usual.samples)
    assert abs(len(again.samples) - len(usual.samples)) < 0.01 * usual.rate


def test_markup_in_the_text_is_text():
    assert len(synthesise('a <mark name="7"/> & b', "es").words) == 5


@pytest.mark.parametrize("text", ["", "  \n"])
def test_no_words_no_sound(text):
    speech = synthesise(text, "es")
    assert speech.words == ()
    assert speech.samples.dtype == np.float32


@pytest.mark.parametrize("voice", ["xx", "", "es+nobody", "../es"])
def test_an_unknown_voice_is_refused(voice):
    with pytest.raises(InputError, match=r"voice: found .*, expected a voice of espeak-ng"):
        synthesise("hola", voice)


@given(st.text(max_size=40))
def test_whatever_the_text_its_words_are_in_order(text):
    speech = synthesise(text, "es")
    assert [word.text for word in speech.words] == text.split()
    timed = [word for word in speech.words if word.start is not None]
    assert all(word.start < word.end <= len(speech.samples) / speech.rate + 1e-6 for word in timed)
    assert all(a.end <= b.start for a, b in pairwise(timed))


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "espeakng_loader", None)
    with pytest.raises(MissingExtraError, match=r"asr-punct\[audio\]"):
        synthesise("hola", "es")


def test_the_library_is_initialised_once(monkeypatch):
    synthesise("hola", "es")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "espeakng_loader", None)
        with pytest.raises(MissingExtraError):
            synthesise("hola", "es")
    assert espeak._initialise.cache_info().currsize == 1
    engine = espeak._engine()
    synthesise("hola", "eu")
    assert espeak._engine() is engine


def test_an_error_in_the_callback_is_raised_and_the_next_call_works(monkeypatch):
    def fail(event):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(espeak, "_name", fail)
        with pytest.raises(KeyboardInterrupt):
            synthesise("hola", "es")
    assert synthesise("hola", "es").words[0].start is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_speaks_though_another_thread_of_its_parent_did():
    synthesise("hola", "es")
    with espeak._LOCK:
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os._exit(0 if synthesise("hola", "es").words[0].end else 1)
    assert os.waitpid(child, 0)[1] == 0
