"""Whisper by faster-whisper, or where that is not installed by OpenAI's own package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec

from asr_punct.asr.segments import LONGEST
from asr_punct.asr.transcribe import heard
from asr_punct.audio import Samples
from asr_punct.formats.word_pieces import grouped, joined, piece_sizes
from asr_punct.words import Seconds, TimeSource, Word


class FasterWhisper:
    """A model by its size (`small`, `small.en`), its directory, or its name on the hub.

    Args:
        name: which.
        language: of what it writes, None where it finds out in each piece.
        device: `cpu`, `cuda` or `cuda:1`.

    Raises:
        OSError, RuntimeError, ValueError: faster-whisper cannot load it.
    """

    rate = 16000
    times: TimeSource = "whisper"
    joined: Seconds = LONGEST

    def __init__(self, name: str, language: str | None, device: str = "cpu") -> None:
        from faster_whisper import WhisperModel

        kind, _, index = device.partition(":")
        self._model = WhisperModel(name, device=kind, device_index=int(index or 0))
        self.language = language

    def words(self, samples: Samples) -> Iterator[Word]:
        """The words of a piece, with the marks and capitals that Whisper writes."""
        segments, _ = self._model.transcribe(samples, language=self.language, word_timestamps=True)
        for segment in segments:
            yield from _joined((word.word, word.start, word.end, word.probability) for word in segment.words or ())


class OpenAIWhisper:
    """A model by its name (`small`, `small.en`) or its file, as `FasterWhisper`."""

    rate = 16000
    times: TimeSource = "whisper"
    joined: Seconds = LONGEST

    def __init__(self, name: str, language: str | None, device: str = "cpu") -> None:
        from whisper import load_model

        self._on_cpu = device == "cpu"
        self._model = load_model(name, device=device)
        self.language = language

    def words(self, samples: Samples) -> Iterator[Word]:
        """The words of a piece, with the marks and capitals that Whisper writes."""
        options = {"language": self.language, "fp16": not self._on_cpu}
        for segment in self._model.transcribe(samples, word_timestamps=True, **options)["segments"]:
            yield from _joined(
                (word["word"], word["start"], word["end"], word["probability"]) for word in segment["words"]
            )


def _joined(entries: Iterable[tuple[str, float, float, float]]) -> Iterator[Word]:
    """The words of a segment, which come in pieces, each with its start, end and probability."""
    found = list(entries)
    pieces = [word for entry in found for word in heard(*entry)]
    return map(joined, grouped(pieces, piece_sizes([text for text, *_ in found])))


def open_whisper(name: str, language: str | None, device: str = "cpu") -> FasterWhisper | OpenAIWhisper:
    """The model by the package that is installed.

    Raises:
        ModuleNotFoundError: none is.
    """
    kind = OpenAIWhisper if find_spec("whisper") and not find_spec("faster_whisper") else FasterWhisper
    return kind(name, language, device)
