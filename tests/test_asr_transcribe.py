"""Transcription of recordings by any recogniser: segments of the sound, words with times of the recording."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

pytest.importorskip("soundfile")

from dummies import bare_words, refused

from asr_punct import audio
from asr_punct.asr.transcribe import (
    LONGEST_SEGMENT,
    check_recordings,
    parse_channel,
    plan_segments,
    read_audio_segments,
    recognise,
)
from asr_punct.errors import AudioError, InputError
from asr_punct.words import Word

RATE = 16000


def energy(*stretches):
    """Energy in dB of alternating speech and silence, lengths in seconds."""
    levels = [np.full(round(seconds * 100), -20.0 if i % 2 == 0 else -70.0) for i, seconds in enumerate(stretches)]
    return np.concatenate(levels) + np.random.default_rng(0).normal(0, 0.5, sum(map(len, levels)))


def test_segments_are_the_stretches_between_pauses():
    (begin, end), (second, last) = plan_segments(energy(2, 0.3, 2, 1, 3))
    assert (begin, last) == (0, 830)
    assert (end, second) == (pytest.approx(455, abs=3), pytest.approx(505, abs=3))


def test_neighbours_are_merged_as_long_as_they_fit():
    talk = energy(10, 1, 10, 1, 10, 1, 10)
    assert len(plan_segments(talk)) == 4
    assert [round((last - first) / 100) for first, last in plan_segments(talk, 30.0)] == [21, 21]


def test_long_stretches_are_cut_where_it_is_quiet():
    spans = plan_segments(energy(20, 0.4, 100))
    assert all(last - first <= LONGEST_SEGMENT * 100 for first, last in spans)
    assert spans[0][0] == 0
    assert 2000 <= spans[0][1] <= 2040
    assert [first for first, _ in spans[1:]] == [last for _, last in spans[:-1]]


@settings(max_examples=50)
@given(st.lists(st.integers(5, 400), min_size=1, max_size=12), st.sampled_from([0.0, 5.0, 30.0]))
@example([5, 5, 5, 5, 5, 5, 54, 7, 400, 400, 400, 25], 0.0).via("a minute with hardly any pause, then a short one")
def test_segments_are_in_order_and_contain_all_speech(lengths, merge_segments_up_to):
    talk = energy(*(length / 10 if i % 2 == 0 else length / 100 for i, length in enumerate(lengths)))
    spans = plan_segments(talk, merge_segments_up_to)
    assert all(0 <= first < last <= min(len(talk), first + LONGEST_SEGMENT * 100) for first, last in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    inside = np.zeros(len(talk), bool)
    for first, last in spans:
        inside[first:last] = True
    assert inside[talk > -40].mean() > 0.99


@pytest.mark.parametrize("rate", [8000, 16000, 22050])
def test_segments_are_parts_of_the_file(tmp_path, rate):
    noise = np.random.default_rng(0).normal(0, 0.1, 70 * RATE).astype(np.float32)
    audio.write_samples(tmp_path / "a.wav", noise, RATE)
    samples = audio.read_samples(tmp_path / "a.wav", rate)
    spans = [(0, 130), (140, 141), (5900, 6100), (6100, 7000)]  # a block is a minute
    for segment, (first, last) in zip(read_audio_segments(tmp_path / "a.wav", rate, spans), spans, strict=True):
        assert segment.start == first / 100
        np.testing.assert_array_equal(segment.samples, samples[first * rate // 100 : last * rate // 100])


@dataclass
class HalfSeconds:
    """A recogniser that finds a word in each half second."""

    rate: int = RATE
    time_source: str = "asr"
    language: str | None = None
    merge_segments_up_to: float = 0.0
    lengths: list[int] = field(default_factory=list)

    def words(self, samples):
        self.lengths.append(len(samples))
        for i in range(int(len(samples) / self.rate * 2)):
            yield Word(f"w{i}", i / 2, i / 2 + 0.4, 0.5)


def test_words_have_times_of_the_recording(talk):
    recogniser = HalfSeconds()
    values = list(recognise(talk, recogniser))
    assert [value.id for value in values] == ["talk-1", "talk-2", "talk-3"]
    assert {(value.recording, value.audio, value.time_source) for value in values} == {("talk", str(talk), "asr")}
    assert [value.words[0].start for value in values] == pytest.approx([0, 1.75, 4.75], abs=0.03)
    assert bare_words(values[0])[1] == Word("w1", 0.5, 0.9, 0.5)
    assert sum(recogniser.lengths) / RATE == pytest.approx(1.25 + 2.5 + 1.25, abs=0.1)
    assert values[0].pauses[-1] == pytest.approx(1.0, abs=0.06)
    assert values[1].pause_before == values[0].pauses[-1]


def test_words_stay_in_their_segment_and_in_order(talk):
    class Wild(HalfSeconds):
        def words(self, samples):
            yield from [Word("a", 0.5, 9.0), Word("b", 0.2, 0.1), Word("c"), Word("d", 7.0, None)]

    for value in recognise(talk, Wild(time_source="whisper")):
        starts = [word.start for word in value.words]
        assert starts == sorted(starts)
        assert all(word.start <= word.end for word in value.words)
        assert value.words[-1].end <= 6
        assert value.time_source == "whisper"


def test_silence(talk, tmp_path, caplog):
    class SecondSegmentOn(HalfSeconds):
        def words(self, samples):
            found = list(super().words(samples))
            return found if len(self.lengths) > 1 else []

    assert [value.id for value in recognise(talk, SecondSegmentOn())] == ["talk-1", "talk-2"]
    caplog.set_level("INFO", "asr_punct")
    audio.write_samples(tmp_path / "silent.wav", np.zeros(RATE, np.float32), RATE)
    assert not list(recognise(tmp_path / "silent.wav", HalfSeconds()))
    assert caplog.messages == [f"{tmp_path / 'silent.wav'}: no words were recognised"]


def test_a_recogniser_gets_its_rate_and_merged_segments(talk):
    recogniser = HalfSeconds(rate=8000, merge_segments_up_to=30.0)
    (value,) = recognise(talk, recogniser)
    assert recogniser.lengths == [pytest.approx(6 * 8000, abs=100)]
    assert value.words[-1].end <= 6


class Loud(HalfSeconds):
    """A recogniser of one word: how loud the segment is."""

    def words(self, samples):
        yield Word("loud" if np.abs(samples).max() > 0.2 else "quiet", 0.0, len(samples) / self.rate)


def stereo(path, left, right):
    """Two channels of noise in these stretches (seconds) at 0.3 and 0.1, with a little of each in the other one."""
    samples = np.random.default_rng(0).normal(0, 1e-4, (6 * RATE, 2))
    for channel, stretches in enumerate((left, right)):
        for start, end in stretches:
            sound = np.random.default_rng(start).uniform(-1, 1, (end - start) * RATE) * (0.3, 0.1)[channel]
            samples[start * RATE : end * RATE, channel] += sound
            samples[start * RATE : end * RATE, 1 - channel] += sound / 50
    audio.write_samples(path, samples.astype(np.float32), RATE)
    return path


def test_channels_with_speech_of_their_own_are_transcribed_one_by_one(tmp_path, caplog):
    call = stereo(tmp_path / "call.wav", [(0, 1), (4, 5)], [(2, 3)])
    found = [(value.id, value.channel, value.words[0].text) for value in recognise(call, Loud())]
    assert found == [("call-1", "1", "loud"), ("call-2", "2", "quiet"), ("call-3", "1", "loud")]
    (message,) = caplog.messages
    assert "two channels" in message
    for channel, words in (("1", ["loud", "loud"]), ("2", ["quiet"]), ("mix", ["quiet", "quiet", "quiet"])):
        assert [value.words[0].text for value in recognise(call, Loud(), channel)] == words
    with refused("call.wav", "channels 1 to 2"):
        list(recognise(call, Loud(), "3"))
    for channel in ("0", "left", "-1"):
        with refused("channel", repr(channel)):
            parse_channel(channel)


@pytest.mark.parametrize("right", [[(0, 1), (2, 3), (4, 5)], []])
def test_other_channels_are_mixed(tmp_path, right, caplog):
    both = stereo(tmp_path / "both.wav", [(0, 1), (2, 3), (4, 5)], right)
    assert [value.channel for value in recognise(both, Loud())] == ["1", "1", "1"]
    assert not caplog.messages


def test_recordings_are_checked_before_the_work(talk, tmp_path):
    check_recordings([talk], one=True)
    twin = tmp_path / "other" / "talk.wav"
    twin.parent.mkdir()
    twin.write_bytes(talk.read_bytes())
    (tmp_path / "text.wav").write_text("hola\n")
    for paths, one, error, message in (
        ([talk, twin], False, InputError, r"other/talk\.wav: found the name of .*/talk\.wav"),
        ([talk, twin], True, InputError, "found 2 recordings, expected one"),
        ([talk, tmp_path / "none.wav"], False, InputError, r"none\.wav: found no such file"),
        ([tmp_path / "text.wav"], False, AudioError, r"text\.wav"),
    ):
        with pytest.raises(error, match=message):
            check_recordings(paths, one)
