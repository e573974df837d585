"""Audio files, read in blocks: with soundfile if it knows the format (wav, flac, ogg), else with PyAV (m4a, mp3 …)."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from asr_punct.errors import AudioError, InputError, MissingExtraError
from asr_punct.words import Seconds

Samples = npt.NDArray[np.float32]
Pathlike = str | PathLike[str]
FRAMES_A_SECOND = 100
"""Frames of `log_energy`: 10 ms each."""
_PYAV_SUFFIXES = frozenset((".m4a", ".mp4", ".aac", ".mp3"))
"""Files that are not tried with soundfile first, because it writes to stderr if an .mp3 is damaged."""
_RATE = 16000
_BLOCK: Seconds = 60.0
"""Length of the blocks in which a file is decoded."""
_CHUNK = 1 << 18
"""Samples that soundfile reads at a time."""
_SEEK_MARGIN: Seconds = 0.3
"""Decoded and discarded after a seek: the first frames of a compressed stream depend on those before them."""
_LENGTH_TOLERANCE: Seconds = 0.1
"""A file may be this much shorter than declared, and a segment may end this much after the end of its file."""
_UNKNOWN_BYTES = 0x7FFFF000
"""A wav header declares this many bytes or more if the file was written to a pipe."""
_AAC_BITS_A_SECOND = 64_000


def require(module: str, feature: str) -> Any:
    """Import a module of the extra "audio" that a feature needs. Raises MissingExtraError if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(feature, "audio", module) from None


def read_samples(
    path: Pathlike, rate: int = _RATE, start: Seconds = 0.0, end: Seconds | None = None, channel: int | None = None
) -> Samples:
    """Decode a file, or its part from `start` to `end`: float32 (samples,), in -1..1.

    `channel` is the index of a channel, None for the mean of all. Raises InputError for a missing file; AudioError if
    it is not audio, has no such channel, or ends before it declares or before `end`.
    """
    return np.concatenate([np.zeros(0, np.float32), *blocks(path, rate, start, end, channel)])


def blocks(
    path: Pathlike, rate: int = _RATE, start: Seconds = 0.0, end: Seconds | None = None, channel: int | None = None
) -> Iterator[Samples]:
    """Decode like `read_samples`, but yield blocks of `_BLOCK` seconds, the last one shorter."""
    with _open(Path(path)) as source:
        chunks = _resample(_decode(Path(path), source, start, end, channel), source.rate, rate)
        yield from regroup(chunks, round(_BLOCK * rate))


def regroup(chunks: Iterable[Samples], size: int) -> Iterator[Samples]:
    """Join and cut arrays along their first axis, so that all but the last have the length `size`."""
    held, length = list[Samples](), 0
    for chunk in chunks:
        held.append(chunk)
        length += len(chunk)
        if length >= size:
            joined = np.concatenate(held)
            cut = length - length % size
            for begin in range(0, cut, size):
                yield joined[begin : begin + size].copy()  # does not keep the other arrays in memory
            held, length = [joined[cut:]], length - cut
    if length:
        yield np.concatenate(held)


def duration(path: Pathlike) -> Seconds:
    """Return the length that a file declares; if none, decode it and count. Errors as for `read_samples`."""
    with _open(Path(path)) as source:
        samples = sum(map(len, source.chunks(0, None))) if source.length is None else source.length
        return samples / source.rate


def write_samples(path: Pathlike, samples: Samples, rate: int) -> None:
    """Write one channel, float32 (samples,) in -1..1: .m4a as AAC at 64 kbit/s, .wav in 16 bits, .flac, .ogg."""
    if Path(path).suffix.lower() != ".m4a":
        require("soundfile", "writing audio").write(path, samples, rate)
        return
    av = require("av", "writing .m4a")
    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples, np.float32)[None], format="fltp", layout="mono")
    frame.sample_rate, frame.time_base = rate, Fraction(1, rate)
    frame.pts = 0  # otherwise the encoder's delay is not declared, and the file plays 1024 samples late
    with av.open(str(path), "w") as container:
        # "fast" is as good as the default coder at this bit rate, and three times as fast
        stream = container.add_stream("aac", rate=rate, layout="mono", options={"aac_coder": "fast"})
        stream.bit_rate = _AAC_BITS_A_SECOND
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)


def log_energy(samples: Samples, rate: int) -> npt.NDArray[np.float32]:
    """Compute the variance of each 10 ms (power without the DC offset), float32 (frames,).

    It is in dB relative to full scale, at least -100 dB. The last frame may be shorter.
    """
    if not len(samples):
        return np.zeros(0, np.float32)
    frames = -(-len(samples) * FRAMES_A_SECOND // rate)
    # at 22,050 Hz frames have 220 or 221 samples, so that they do not drift from the clock
    begins = np.round(np.arange(frames) * rate / FRAMES_A_SECOND).astype(np.int64)
    lengths = np.diff(begins, append=len(samples))
    mean, mean_square = (np.add.reduceat(x, begins) / lengths for x in (samples.astype(np.float64), samples**2.0))
    return np.asarray(10 * np.log10(np.maximum(mean_square - mean**2, 1e-10)), np.float32)


def energy(path: Pathlike, channel: int | None = None) -> npt.NDArray[np.float32]:
    """Compute the `log_energy` of a file or one of its channels: float32 (frames,)."""
    parts = (log_energy(block, _RATE) for block in blocks(path, _RATE, channel=channel))
    return np.concatenate([np.zeros(0, np.float32), *parts])


def channel_count(path: Pathlike) -> int:
    """Return the number of channels that a file declares. Errors as for `read_samples`."""
    with _open(Path(path)) as source:
        return source.channels


def check_file(path: Pathlike) -> None:
    """Raise InputError if the path is not a file."""
    if not os.path.isfile(path):
        raise InputError(path, "a directory" if os.path.isdir(path) else "no such file", "an audio file")


@dataclass(frozen=True)
class _OpenAudio:
    """An open audio file.

    Attributes:
        rate: samples per second.
        channels: number of channels.
        length: number of samples that the file declares, or None.
        chunks: `chunks(first, last)` decodes samples, (samples, channels); `last` is exclusive, None for the end.
    """

    rate: int
    channels: int
    length: int | None
    chunks: Callable[[int, int | None], Iterator[Samples]]


@contextmanager
def _open(path: Path) -> Iterator[_OpenAudio]:
    """Open a file with the library that can read it. Errors of the system and the libraries become AudioError."""
    check_file(path)
    soundfile, av = require("soundfile", "reading audio"), require("av", "reading audio")
    try:
        if path.suffix.lower() not in _PYAV_SUFFIXES and (sound := _try_soundfile(soundfile, path)):
            with sound:
                length = _declared_length(sound)
                yield _OpenAudio(sound.samplerate, sound.channels, length, partial(_soundfile_chunks, sound))
        else:
            with av.open(str(path)) as container:
                yield _pyav_source(path, container)
    except (OSError, soundfile.LibsndfileError, av.FFmpegError, EOFError) as error:
        # libsndfile's errors have an error_string, those of FFmpeg and the system a strerror; some have words
        # around the reason that say nothing about the file
        reason = getattr(error, "error_string", None) or getattr(error, "strerror", None) or str(error)
        reason = str(reason).lower().removeprefix("error : ").removesuffix(" found when processing input").strip(" .")
        raise AudioError(path, reason, "audio that can be decoded to its end") from None


def _decode(
    path: Path, source: _OpenAudio, start: Seconds, end: Seconds | None, channel: int | None
) -> Iterator[Samples]:
    """Decode from `start` to `end`, (samples,). Raises AudioError if samples are missing or not finite."""
    if channel is not None and channel >= source.channels:
        raise AudioError(path, f"channels 1 to {source.channels}", f"a channel {channel + 1}")
    first, last = round(start * source.rate), None if end is None else round(end * source.rate)
    tolerance = round(_LENGTH_TOLERANCE * source.rate)
    if source.length == 0:
        raise AudioError(path, "no samples", "audio")
    if source.length is not None:
        if max(first, last or 0) - source.length > tolerance:
            raise AudioError(path, f"{source.length / source.rate:.2f} s of audio", f"{end or start:.2f} s or more")
        last = source.length if last is None else min(last, source.length)
    decoded = 0
    for channels in source.chunks(first, last):
        chunk = channels.mean(axis=1) if channel is None else np.ascontiguousarray(channels[:, channel])
        if not np.isfinite(chunk).all():
            raise AudioError(path, "samples that are not finite", "audio")
        decoded += len(chunk)
        yield chunk
    if last is not None and decoded < last - first - tolerance:
        found, expected = (samples / source.rate for samples in (first + decoded, last))
        raise AudioError(path, f"{found:.2f} s of audio and then the end", f"{expected:.2f} s")


def _resample(chunks: Iterator[Samples], source_rate: int, rate: int) -> Iterator[Samples]:
    if source_rate == rate:
        yield from chunks
        return
    stream = require("soxr", "resampling audio").ResampleStream(source_rate, rate, 1, dtype="float32")
    for chunk in chunks:
        yield stream.resample_chunk(chunk)
    yield stream.resample_chunk(np.zeros(0, np.float32), last=True)


def _try_soundfile(soundfile: Any, path: Path) -> Any:
    """Open the file; return None if soundfile does not know the format."""
    try:
        return soundfile.SoundFile(path)
    except TypeError:  # .raw
        return None
    except soundfile.LibsndfileError as error:
        if "not recognised" in error.error_string or "unknown format" in error.error_string.lower():
            return None
        raise


def _declared_length(sound: Any) -> int:
    """Return the number of samples that the file declares.

    For a truncated wav file `sound.frames` counts those present, and libsndfile's log has the bytes: `data : 96000
    (should be 48000)`.
    """
    match = re.search(r"^data : (\d+) \(should be (\d+)\)", sound.extra_info, re.MULTILINE)
    declared_bytes, present_bytes = map(int, match.groups()) if match else (0, 0)
    if present_bytes == 0 or declared_bytes >= _UNKNOWN_BYTES:
        return int(sound.frames)
    return int(sound.frames * declared_bytes // present_bytes)


def _soundfile_chunks(sound: Any, first: int, last: int | None) -> Iterator[Samples]:
    sound.seek(min(first, sound.frames))
    remaining = sound.frames - first if last is None else last - first
    while remaining > 0 and len(chunk := sound.read(min(remaining, _CHUNK), dtype="float32", always_2d=True)):
        remaining -= len(chunk)
        yield chunk


def _pyav_source(path: Path, container: Any) -> _OpenAudio:
    if not container.streams.audio:
        raise AudioError(path, "no sound track", "audio")
    stream = container.streams.audio[0]
    length = None if stream.duration is None else round(stream.duration * stream.time_base * stream.rate)
    return _OpenAudio(stream.rate, stream.channels, length, partial(_pyav_chunks, container, stream))


def _pyav_chunks(container: Any, stream: Any, first: int, last: int | None) -> Iterator[Samples]:
    """Decode from `_SEEK_MARGIN` before `first`. The frames' time stamps show where to cut."""
    start_time = stream.start_time or 0  # in units of `stream.time_base`, as `frame.pts`
    if first > _SEEK_MARGIN * stream.rate:
        seconds = Fraction(first, stream.rate) - Fraction(_SEEK_MARGIN)
        container.seek(start_time + int(seconds / stream.time_base), stream=stream)
    position: int | None = None
    for frame in container.decode(stream):
        if position is None:
            position = 0 if frame.pts is None else round((frame.pts - start_time) * stream.time_base * stream.rate)
        samples = _channels(frame)
        begin = max(first - position, 0)
        end = len(samples) if last is None else max(last - position, 0)
        position += len(samples)
        if begin < len(samples) and end > 0:
            yield samples[begin:end]
        if last is not None and position >= last:
            return


def _channels(frame: Any) -> Samples:
    """Return the samples of a frame, (samples, channels). Integers are scaled to -1..1."""
    samples = frame.to_ndarray()
    samples = samples.T if frame.format.is_planar else samples.reshape(-1, frame.layout.nb_channels)
    if np.issubdtype(samples.dtype, np.unsignedinteger):  # 8 bits: 128 is silence
        samples = samples / 128.0 - 1.0
    elif np.issubdtype(samples.dtype, np.integer):
        samples = samples / -float(np.iinfo(samples.dtype).min)
    return np.asarray(samples, np.float32)
