"""Audio in and out: what is written is read, and half a file is an error."""

import sys

import numpy as np
import pytest

pytest.importorskip("soundfile")
pytest.importorskip("av")

import av
import soundfile
from dummies import refused

from asr_punct import audio
from asr_punct.errors import AudioError, InputError, MissingExtraError

RATE = 16000


def tone(seconds, rate=RATE):
    """Bursts of a tone of growing strength, so that a shift in time shows."""
    t = np.arange(round(seconds * rate)) / rate
    return (0.4 * np.sin(2 * np.pi * 440 * t) * (t % 0.5 < 0.25) * (0.3 + 0.7 * t / seconds)).astype(np.float32)


def write(path, seconds):
    """A tone; .mp3 has a second, silent channel, `front.m4a` its index at the front, as files for the web."""
    if path.suffix == ".mp3":
        soundfile.write(path, np.stack([tone(seconds), np.zeros(round(seconds * RATE))], axis=1), RATE)
    elif path.name == "front.m4a":
        frame = av.AudioFrame.from_ndarray(tone(seconds)[None], format="fltp", layout="mono")
        frame.sample_rate, frame.pts = RATE, 0
        with av.open(str(path), "w", options={"movflags": "+faststart"}) as container:
            stream = container.add_stream("aac", rate=RATE, layout="mono")
            for packet in (*stream.encode(frame), *stream.encode(None)):
                container.mux(packet)
    else:
        audio.write_samples(path, tone(seconds), RATE)
    return path


@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.ogg", "a.m4a"])
def test_written_audio_is_read_at_the_same_times(tmp_path, name):
    back, written = audio.read_samples(write(tmp_path / name, 3.0)), tone(3.0)
    assert back.dtype == np.float32
    assert abs(len(back) - 3 * RATE) <= 1024
    assert audio.duration(tmp_path / name) == pytest.approx(3.0, abs=0.07)
    shifts = np.arange(-1500, 1501)
    misfit = [np.square(back[15000 + s : 21000 + s] - written[15000:21000]).sum() for s in shifts]
    assert abs(shifts[int(np.argmin(misfit))]) <= 1


def test_channels_are_averaged_or_read_alone(tmp_path):
    write(tmp_path / "a.mp3", 2.0)
    soundfile.write(tmp_path / "a.wav", np.stack([tone(2.0), np.zeros(2 * RATE)], axis=1), RATE)
    for name in ("a.mp3", "a.wav"):
        back = audio.read_samples(tmp_path / name)
        assert len(back) == 2 * RATE
        assert np.abs(back[3000:] - tone(2.0)[3000:] / 2).max() < 0.02
        assert audio.channel_count(tmp_path / name) == 2
        for channel, expected in ((0, tone(2.0)), (1, np.zeros(2 * RATE))):
            back = audio.read_samples(tmp_path / name, channel=channel)
            assert np.abs(back[3000:] - expected[3000:]).max() < 0.04
        with refused(name, "channels 1 to 2"):
            audio.read_samples(tmp_path / name, channel=2)


def test_samples_of_eight_bits_in_a_video(tmp_path):
    frame = av.AudioFrame.from_ndarray((tone(1.0)[None] * 127 + 128).astype(np.uint8), format="u8", layout="mono")
    frame.sample_rate, frame.pts = RATE, 0
    with av.open(str(tmp_path / "a.mkv"), "w") as container:
        stream = container.add_stream("pcm_u8", rate=RATE, layout="mono")
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)
    assert np.abs(audio.read_samples(tmp_path / "a.mkv") - tone(1.0)).max() < 0.02


@pytest.mark.parametrize("name", ["a.wav", "a.mp3", "a.m4a"])
@pytest.mark.parametrize("rate", [8000, 16000])
def test_a_part_equals_that_part_of_the_file(tmp_path, name, rate):
    full = audio.read_samples(write(tmp_path / name, 5.0), rate)
    part = audio.read_samples(tmp_path / name, rate, start=1.5, end=3.0)
    assert len(part) == 1.5 * rate
    assert np.abs(part - full[round(1.5 * rate) : 3 * rate])[100:-100].max() < 2e-3


@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.mp3", "a.m4a", "front.m4a"])
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_half_a_file_is_an_error(tmp_path, name, share):
    path = write(tmp_path / name, 4.0)
    audio.read_samples(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(AudioError, match=rf"{name}: found .*, expected ") as error:
        audio.read_samples(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["a.wav", "a.m4a", "a.raw", "a.txt"])
@pytest.mark.parametrize("data", [b"", b"these are words, not sound\n" * 9])
@pytest.mark.parametrize("call", [audio.read_samples, audio.duration])
def test_a_file_without_audio_is_an_error(tmp_path, name, data, call):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(AudioError, match=name):
        call(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "part", "kind", "error"),
    [
        ("none.wav", {}, InputError, "none.wav: found no such file"),
        ("x" * 300, {}, InputError, "found no such file"),
        (".", {}, InputError, "found a directory, expected an audio file"),
        ("a.wav", {"start": 0.5, "end": 3.0}, AudioError, "found 1.00 s of audio, expected 3.00 s or more"),
        ("empty.wav", {}, AudioError, "no samples"),
        ("nan.wav", {}, AudioError, "nan.wav: found samples that are not finite, expected audio"),
    ],
)
def test_missing_audio_is_an_error(tmp_path, name, part, kind, error):
    write(tmp_path / "a.wav", 1.0)
    soundfile.write(tmp_path / "empty.wav", np.zeros(0), RATE)
    soundfile.write(tmp_path / "nan.wav", np.full(RATE, np.nan, np.float32), RATE, subtype="FLOAT")
    assert len(audio.read_samples(tmp_path / "a.wav", start=0.5, end=1.05)) == 8000
    with pytest.raises(kind, match=error):
        audio.read_samples(tmp_path / name, **part)


def test_blocks_and_energy_are_those_of_the_file(tmp_path):
    audio.write_samples(tmp_path / "a.flac", np.tile(tone(2.5, 22050), 30), 22050)
    samples, blocks = audio.read_samples(tmp_path / "a.flac"), list(audio.blocks(tmp_path / "a.flac"))
    assert [len(block) for block in blocks] == [60 * RATE, len(samples) - 60 * RATE]
    assert np.array_equal(np.concatenate(blocks), samples)
    assert np.array_equal(audio.energy(tmp_path / "a.flac"), audio.log_energy(samples, RATE))


def test_energy_in_decibels():
    sine = np.sqrt(2).astype(np.float32) * 0.1 * np.sin(np.arange(RATE) * 2 * np.pi * 400 / RATE).astype(np.float32)
    loud = audio.log_energy(sine + 0.3, RATE)
    assert loud.shape == (100,)
    assert loud == pytest.approx(-20.0, abs=0.01)
    assert audio.log_energy(np.zeros(161, np.float32), RATE).tolist() == [-100.0, -100.0]
    assert audio.log_energy(np.zeros(0, np.float32), RATE).shape == (0,)
    assert len(audio.log_energy(np.ones(22050, np.float32), 22050)) == 100


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    write(tmp_path / "a.wav", 0.1)
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(MissingExtraError, match=r"asr-punct\[audio\]"):
        audio.read_samples(tmp_path / "a.wav")
