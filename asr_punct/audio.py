"""Audio files in and out, lazily: soundfile for wav, flac and their kin, PyAV for m4a, mp3 and what else it decodes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from asr_punct.errors import AudioError, InputError, MissingExtraError
from asr_punct.words import Seconds, Utterance

Samples = npt.NDArray[np.float32]
Pathlike = str | PathLike[str]
FRAMES_A_SECOND = 100
"""Frames of `log_energy`: 10 ms each."""
_BY_PYAV = frozenset((".m4a", ".mp4", ".aac", ".mp3"))
"""Not tried with soundfile first: on a damaged .mp3 its decoder writes to stderr."""
_PIECE = 1 << 18
_SEEK_MARGIN: Seconds = 0.3
"""Decoded and thrown away after a seek: the first frames of a compressed stream need the ones before them."""
_TOLERANCE: Seconds = 0.1
"""A whole file may fall short of its declared length, or a segment reach beyond it, by so much."""
_UNKNOWN_BYTES = 0x7FFFF000
"""A wav header written into a pipe declares this many bytes or more."""
_AAC_BITS_A_SECOND = 64_000
_ROUNDING: Seconds = 0.5
"""So far a word may end after its audio: recognisers count in frames, and files of times are rounded."""

AudioOf = Callable[[Utterance], Path]
"""Finds the audio file of an utterance."""


def require(module: str, what: str) -> Any:
    """Import `module`, which the extra "audio" brings.

    Raises:
        MissingExtraError: it is not installed; `what` names who needs it.
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(what, "audio", module) from None


def read(path: Pathlike, rate: int = 16000, start: Seconds = 0.0, end: Seconds | None = None) -> Samples:
    """Decode a file, or its part from `start` to `end`, as one channel (the mean of all).

    Returns:
        float32 (samples,) at `rate`, in -1..1.

    Raises:
        InputError: no such file.
        AudioError: no audio, fewer samples than the file declares, or a part that reaches beyond its end.
    """
    return np.concatenate([np.zeros(0, np.float32), *blocks(path, rate, start, end)])


def blocks(
    path: Pathlike, rate: int = 16000, start: Seconds = 0.0, end: Seconds | None = None, *, block: Seconds = 60.0
) -> Iterator[Samples]:
    """What `read` returns, in pieces of `block` seconds (the last one shorter): memory does not grow with the length.

    Yields:
        float32 (samples,).
    """
    size, held, parts = round(block * rate), 0, list[Samples]()
    with _open(Path(path)) as source:
        for piece in _resample(_checked(Path(path), source, start, end), source.rate, rate):
            parts.append(piece)
            held += len(piece)
            if held >= size:
                joined = np.concatenate(parts)
                cut = held - held % size
                yield from np.split(joined[:cut], cut // size)
                parts, held = [joined[cut:]], held - cut
    if held:
        yield np.concatenate(parts)


def duration(path: Pathlike) -> Seconds:
    """Length in seconds as the file declares it; decoded and counted where it declares none.

    Raises:
        InputError: no such file.
        AudioError: it is no audio.
    """
    with _open(Path(path)) as source:
        frames = source.length
        if frames is None:
            frames = sum(len(piece) for piece in source.pieces(0, None))
        return frames / source.rate


def write(path: Pathlike, samples: Samples, rate: int) -> None:
    """Write one channel: .m4a as AAC at 64 kbit/s, everything else by its suffix through soundfile (.wav in 16 bits).

    Args:
        samples: float32 (samples,), in -1..1.
    """
    if Path(path).suffix.lower() != ".m4a":
        require("soundfile", "writing audio").write(path, samples, rate)
        return
    av = require("av", "writing .m4a")
    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples, np.float32)[None], format="fltp", layout="mono")
    frame.sample_rate, frame.time_base = rate, Fraction(1, rate)
    frame.pts = 0  # without it the encoder's delay is not declared, and everything is heard 1024 samples late
    with av.open(str(path), "w") as container:
        # its fast search is as good at this rate, and three times as fast in all
        stream = container.add_stream("aac", rate=rate, layout="mono", options={"aac_coder": "fast"})
        stream.bit_rate = _AAC_BITS_A_SECOND
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)


def log_energy(samples: Samples, rate: int) -> npt.NDArray[np.float32]:
    """Power of each 10 ms, without its mean (DC and rumble), in dB relative to full scale and not below -100.

    Args:
        samples: float32 (samples,).

    Returns:
        float32 (frames,); frame i covers the seconds from i / 100 to (i + 1) / 100, the last one what is left.
    """
    if not len(samples):
        return np.zeros(0, np.float32)
    frames = -(-len(samples) * FRAMES_A_SECOND // rate)
    begins = np.round(np.arange(frames) * rate / FRAMES_A_SECOND).astype(np.int64)
    lengths = np.diff(begins, append=len(samples))
    mean, square = (np.add.reduceat(x, begins) / lengths for x in (samples.astype(np.float64), samples**2.0))
    return np.asarray(10 * np.log10(np.maximum(square - mean**2, 1e-10)), np.float32)


def energy(path: Pathlike, rate: int = 16000) -> npt.NDArray[np.float32]:
    """`log_energy` of a whole file, read piece by piece: float32 (frames,), 1.4 MB an hour."""
    return np.concatenate([np.zeros(0, np.float32), *(log_energy(block, rate) for block in blocks(path, rate))])


def check_file(path: Pathlike) -> None:
    """See that there is such a file, whatever it holds. Raises InputError else."""
    if not os.path.isfile(path):
        raise InputError(path, "a directory" if os.path.isdir(path) else "no such file", "an audio file")


def check_ends(utterances: Iterable[Utterance], audio: Path, length: Seconds) -> None:
    """See that words are said before the end of their audio, or are rounded to half a second after it.

    Args:
        utterances: of one recording.
        audio: its file, for the error.
        length: how long that is.

    Raises:
        InputError: a word ends later.
    """
    ends = ((word.end, utterance.id) for utterance in utterances for word in utterance.words if word.end is not None)
    end, name = max(ends, default=(0.0, ""))
    if end > length + _ROUNDING:
        found = f"{length:.2f} s of audio, and a word{f' of {name!r}' if name else ''} ends at {end:.2f} s"
        raise InputError(audio, found, "the recording that the times are of")


def single_recording(audio: Path) -> AudioOf:
    """The look-up of utterances that are all in one file, for one reading of them.

    It raises InputError for an utterance of a second recording.
    """
    names: set[str] = set()

    def find(utterance: Utterance) -> Path:
        names.add(utterance.recording)
        if len(names) > 1:
            raise InputError(audio, f"recordings {' and '.join(map(repr, sorted(names)))}", "words of one recording")
        return audio

    return find


def recording_table(table: Mapping[str, Path], place: Pathlike) -> AudioOf:
    """The look-up of an utterance's file by its recording; InputError where the table has none.

    Args:
        table: file of each recording.
        place: the `wav.scp` that the table was read from, for the error.
    """

    def find(utterance: Utterance) -> Path:
        if utterance.recording not in table:
            raise InputError(place, f"no recording {utterance.recording!r}", "a line for each recording")
        return table[utterance.recording]

    return find


@dataclass(frozen=True)
class _Source:
    """An open file.

    Attributes:
        rate: its own sample rate.
        length: samples it declares, None where it does not say.
        pieces: (first sample, sample after the last or None) -> float32 pieces, one channel, at its own rate.
    """

    rate: int
    length: int | None
    pieces: Callable[[int, int | None], Iterator[Samples]]


@contextmanager
def _open(path: Path) -> Iterator[_Source]:
    """The file through the library that can read it; what the system and the libraries raise becomes an AudioError."""
    check_file(path)
    soundfile, av = require("soundfile", "reading audio"), require("av", "reading audio")
    try:
        if path.suffix.lower() not in _BY_PYAV and (sound := _try_soundfile(soundfile, path)):
            with sound:
                yield _Source(sound.samplerate, _declared_length(sound), lambda a, b: _soundfile_pieces(sound, a, b))
        else:
            with av.open(str(path)) as container:
                yield _pyav_source(path, container)
    except (OSError, soundfile.LibsndfileError, av.FFmpegError, EOFError) as error:
        raise AudioError(path, _reason(error), "audio that can be decoded to its end") from None


def _reason(error: Exception) -> str:
    """What a library says, without its own prefix and the file's name."""
    text = getattr(error, "error_string", None) or getattr(error, "strerror", None) or str(error)
    return str(text).lower().removeprefix("error : ").strip(" .")


def _checked(path: Path, source: _Source, start: Seconds, end: Seconds | None) -> Iterator[Samples]:
    """The pieces from `start` to `end`, an error if they are fewer samples than there should be."""
    first, last = round(start * source.rate), None if end is None else round(end * source.rate)
    slack = round(_TOLERANCE * source.rate)
    if source.length == 0:
        raise AudioError(path, "no samples", "audio")
    if source.length is not None:
        beyond = max(first, last or 0) - source.length
        if beyond > slack:
            raise AudioError(path, f"{source.length / source.rate:.2f} s of audio", f"{end or start:.2f} s or more")
        last = source.length if last is None else min(last, source.length)
    decoded = 0
    for piece in source.pieces(first, last):
        decoded += len(piece)
        yield piece
    if last is not None and decoded < last - first - slack:
        found, expected = (frames / source.rate for frames in (first + decoded, last))
        raise AudioError(path, f"{found:.2f} s of audio and then the end", f"{expected:.2f} s")


def _resample(pieces: Iterator[Samples], own: int, rate: int) -> Iterator[Samples]:
    if own == rate:
        yield from pieces
        return
    stream = require("soxr", "resampling audio").ResampleStream(own, rate, 1, dtype="float32")
    for piece in pieces:
        yield stream.resample_chunk(piece)
    yield stream.resample_chunk(np.zeros(0, np.float32), last=True)


def _try_soundfile(soundfile: Any, path: Path) -> Any:
    """The open file, or None if soundfile does not know the format."""
    try:
        return soundfile.SoundFile(path)
    except soundfile.LibsndfileError as error:
        if "not recognised" in error.error_string or "unknown format" in error.error_string.lower():
            return None
        raise


def _declared_length(sound: Any) -> int:
    """Samples by the header; of a cut wav file `sound.frames` says only what is left, its log says both."""
    declared = re.search(r"^data : (\d+) \(should be (\d+)\)", sound.extra_info, re.MULTILINE)
    if declared is None or int(declared[1]) >= _UNKNOWN_BYTES or int(declared[2]) == 0:
        return int(sound.frames)
    return int(sound.frames * int(declared[1]) // int(declared[2]))


def _soundfile_pieces(sound: Any, first: int, last: int | None) -> Iterator[Samples]:
    sound.seek(min(first, sound.frames))
    left = sound.frames - first if last is None else last - first
    while left > 0 and len(piece := sound.read(min(left, _PIECE), dtype="float32", always_2d=True)):
        left -= len(piece)
        yield piece.mean(axis=1)


def _pyav_source(path: Path, container: Any) -> _Source:
    if not container.streams.audio:
        raise AudioError(path, "no sound track", "audio")
    stream = container.streams.audio[0]
    length = None if stream.duration is None else round(stream.duration * stream.time_base * stream.rate)
    return _Source(stream.rate, length, lambda a, b: _pyav_pieces(container, stream, a, b))


def _pyav_pieces(container: Any, stream: Any, first: int, last: int | None) -> Iterator[Samples]:
    """Decode from just before `first`, and leave out what is not wanted by the frames' own times."""
    zero = stream.start_time or 0
    if first > _SEEK_MARGIN * stream.rate:
        seconds = Fraction(first, stream.rate) - Fraction(_SEEK_MARGIN)
        container.seek(zero + int(seconds / stream.time_base), stream=stream)
    position: int | None = None
    for frame in container.decode(stream):
        if position is None:
            position = 0 if frame.pts is None else round((frame.pts - zero) * stream.time_base * stream.rate)
        samples = _one_channel(frame)
        begin = max(first - position, 0)
        end = len(samples) if last is None else max(last - position, 0)
        position += len(samples)
        if begin < len(samples) and end > 0:
            yield samples[begin:end]
        if last is not None and position >= last:
            return


def _one_channel(frame: Any) -> Samples:
    """Mean of a frame's channels, integers scaled to -1..1."""
    samples = frame.to_ndarray()
    if not frame.format.is_planar:
        samples = samples.reshape(-1, frame.layout.nb_channels).T
    mean = samples.mean(axis=0)
    if np.issubdtype(samples.dtype, np.integer):
        mean = mean / -float(np.iinfo(samples.dtype).min)
    return np.asarray(mean, np.float32)
