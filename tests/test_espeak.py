"""Speech of espeak-ng: times for every word, silence exactly between the times."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("espeakng_loader")

from asr_punct.align.espeak import synthesise
from asr_punct.errors import InputError


def rms(speech, start, end):
    return float(np.sqrt(np.mean(speech.samples[round(start * speech.rate) : round(end * speech.rate)] ** 2)))


def check_order(speech):
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
    check_order(speech)
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
    with pytest.raises(InputError, match=r"voice: found .*, expected a voice of espeak-ng"):
        synthesise("hola", voice)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_words_of_any_text_are_in_order(text):
    speech = synthesise(text, "es")
    assert [word.text for word in speech.words] == text.split()
    assert speech.samples.dtype == np.float32
    check_order(speech)
