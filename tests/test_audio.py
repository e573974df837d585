"""Audio in and out: what is written is read, and half a file is an error."""

import sys

import numpy as np
import pytest

pytest.importorskip("soundfile")
pytest.importorskip("av")

import av
import soundfile

from asr_punct import audio
from asr_punct.errors import AudioError, InputError, MissingExtraError

RATE = 16000


def _tone(seconds, rate=RATE):
    """Bursts of a tone whose strength grows, so that a shift in time shows."""
    t = np.arange(round(seconds * rate)) / rate
    return (0.4 * np.sin(2 * np.pi * 440 * t) * (t % 0.5 < 0.25) * (0.3 + 0.7 * t / seconds)).astype(np.float32)


def _write_stereo_mp3(path, seconds):
    soundfile.write(path, np.stack([_tone(seconds), np.zeros(round(seconds * RATE))], axis=1), RATE)


@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.ogg", "a.m4a"])
def test_what_is_written_is_read_at_the_same_times(tmp_path, name):
    tone = _tone(3.0)
    audio.write(tmp_path / name, tone, RATE)
    back = audio.read(tmp_path / name)
    assert back.dtype == np.float32
    assert abs(len(back) - len(tone)) <= 1024
    assert audio.duration(tmp_path / name) == pytest.approx(3.0, abs=0.07)
    shifts = np.arange(-1500, 1501)
    misfit = [np.square(back[15000 + s : 21000 + s] - tone[15000:21000]).sum() for s in shifts]
    assert abs(shifts[int(np.argmin(misfit))]) <= 1


def test_channels_are_averaged(tmp_path):
    _write_stereo_mp3(tmp_path / "a.mp3", 2.0)
    soundfile.write(tmp_path / "a.wav", np.stack([_tone(2.0), np.zeros(2 * RATE)], axis=1), RATE)
    for name in ("a.mp3", "a.wav"):
        back = audio.read(tmp_path / name)
        assert len(back) == 2 * RATE
        assert np.abs(back[3000:] - _tone(2.0)[3000:] / 2).max() < 0.02


@pytest.mark.parametrize("name", ["a.wav", "a.mp3", "a.m4a"])
@pytest.mark.parametrize("rate", [8000, 16000])
def test_a_part_is_the_same_part_of_the_whole(tmp_path, name, rate):
    if name == "a.mp3":
        _write_stereo_mp3(tmp_path / name, 5.0)
    else:
        audio.write(tmp_path / name, _tone(5.0), RATE)
    whole = audio.read(tmp_path / name, rate)
    part = audio.read(tmp_path / name, rate, start=1.5, end=3.0)
    assert len(part) == 1.5 * rate
    assert np.abs(part - whole[round(1.5 * rate) : 3 * rate])[100:-100].max() < 2e-3


def test_blocks_are_of_equal_length(tmp_path):
    audio.write(tmp_path / "a.wav", _tone(5.0, 22050), 22050)
    pieces = list(audio.blocks(tmp_path / "a.wav", block=0.7))
    assert [len(p) for p in pieces[:-1]] == [11200] * 7
    assert np.array_equal(np.concatenate(pieces), audio.read(tmp_path / "a.wav"))
    assert abs(sum(map(len, pieces)) - 5 * RATE) <= 1


def _m4a_front(path, seconds):
    """An .m4a with its index at the front, as files for the web have it."""
    tone = _tone(seconds)
    frame = av.AudioFrame.from_ndarray(tone[None], format="fltp", layout="mono")
    frame.sample_rate, frame.pts = RATE, 0
    with av.open(str(path), "w", options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("aac", rate=RATE, layout="mono")
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)


@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.mp3", "a.m4a", "front.m4a"])
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_half_a_file_is_an_error(tmp_path, name, share):
    path = tmp_path / name
    if name == "front.m4a":
        _m4a_front(path, 4.0)
    elif name == "a.mp3":
        _write_stereo_mp3(path, 4.0)
    else:
        audio.write(path, _tone(4.0), RATE)
    audio.read(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(AudioError, match=rf"{name}: found .*, expected ") as error:
        audio.read(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["a.wav", "a.m4a", "a.txt"])
@pytest.mark.parametrize("data", [b"", b"these are words, not sound\n" * 9])
def test_what_is_no_audio_is_an_error(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    for call in (audio.read, audio.duration):
        with pytest.raises(AudioError, match=name):
            call(tmp_path / name)


def test_a_missing_file_and_a_part_beyond_the_end(tmp_path):
    with pytest.raises(InputError, match=r"found no such file"):
        audio.read(tmp_path / "none.wav")
    with pytest.raises(InputError, match=r"found a directory, expected an audio file"):
        audio.read(tmp_path)
    audio.write(tmp_path / "a.wav", _tone(1.0), RATE)
    assert len(audio.read(tmp_path / "a.wav", start=0.5, end=1.05)) == 8000
    with pytest.raises(AudioError, match=r"found 1.00 s of audio, expected 3.00 s or more"):
        audio.read(tmp_path / "a.wav", start=0.5, end=3.0)
    soundfile.write(tmp_path / "b.wav", np.zeros(0), RATE)
    with pytest.raises(AudioError, match="no samples"):
        audio.read(tmp_path / "b.wav")


def test_a_file_that_may_not_be_read_is_told(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    audio.write(tmp_path / "a.wav", _tone(1.0), RATE)
    monkeypatch.setattr(soundfile, "SoundFile", refuse)
    with pytest.raises(AudioError, match=r"a\.wav: found permission denied, expected audio that can be decoded"):
        audio.read(tmp_path / "a.wav")
    with pytest.raises(InputError, match="found no such file"):
        audio.read("x" * 300)


def test_energy_in_decibels():
    sine = np.sqrt(2).astype(np.float32) * 0.1 * np.sin(np.arange(RATE) * 2 * np.pi * 400 / RATE).astype(np.float32)
    loud = audio.log_energy(sine + 0.3, RATE)
    assert loud.shape == (100,)
    assert loud == pytest.approx(-20.0, abs=0.01)
    assert audio.log_energy(np.zeros(161, np.float32), RATE).tolist() == [-100.0, -100.0]
    assert audio.log_energy(np.zeros(0, np.float32), RATE).shape == (0,)
    assert len(audio.log_energy(np.ones(22050, np.float32), 22050)) == 100


def test_energy_of_a_file_is_that_of_its_samples(tmp_path, monkeypatch):
    audio.write(tmp_path / "a.flac", _tone(2.5), RATE)
    whole = audio.log_energy(audio.read(tmp_path / "a.flac"), RATE)
    monkeypatch.setitem(audio.blocks.__kwdefaults__, "block", 0.4)
    assert np.array_equal(audio.energy(tmp_path / "a.flac"), whole)


def test_without_the_extra_the_error_names_it(tmp_path, monkeypatch):
    audio.write(tmp_path / "a.wav", _tone(0.1), RATE)
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(MissingExtraError, match=r"asr-punct\[audio\]"):
        audio.read(tmp_path / "a.wav")
