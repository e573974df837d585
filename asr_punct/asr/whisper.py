"""Whisper through faster-whisper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from asr_punct.asr.segments import LONGEST_SEGMENT
from asr_punct.asr.transcribe import recognised_words
from asr_punct.audio import Samples
from asr_punct.formats.word_parts import grouped, join_parts, part_sizes
from asr_punct.words import Seconds, TimeSource, Word


class FasterWhisper:
    """A model of faster-whisper by its size (`small`, `small.en`), directory, or name on the hub.

    The language is detected in each segment if it is None.

    Raises:
        OSError, RuntimeError, ValueError: faster-whisper cannot load it.
    """

    rate = 16000
    time_source: TimeSource = "whisper"
    merge_up_to: Seconds = LONGEST_SEGMENT

    def __init__(self, name: str, language: str | None, device: str = "cpu") -> None:
        from faster_whisper import WhisperModel

        kind, _, index = device.partition(":")
        self._model = WhisperModel(name, device=kind, device_index=int(index or 0))
        self.language = language

    def words(self, samples: Samples) -> Iterator[Word]:
        """Transcribe a segment; words have Whisper's marks and capitals."""
        segments, _ = self._model.transcribe(samples, language=self.language, word_timestamps=True)
        for segment in segments:
            yield from _joined((word.word, word.start, word.end, word.probability) for word in segment.words or ())


def _joined(entries: Iterable[tuple[str, float, float, float]]) -> Iterator[Word]:
    """Join the tokens of a segment (text, start, end, probability) to words."""
    found = list(entries)
    tokens = [word for entry in found for word in recognised_words(*entry)]
    return map(join_parts, grouped(tokens, part_sizes([text for text, *_ in found])))
