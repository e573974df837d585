"""Whisper models run by faster-whisper."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from asr_punct.asr.transcribe import LONGEST_SEGMENT, recognised_words, whisper_language
from asr_punct.audio import Samples
from asr_punct.formats.entries import grouped, join_parts, part_sizes
from asr_punct.words import Seconds, TimeSource, Word


@contextmanager
def _only_errors() -> Iterator[None]:
    """Keep the note from ctranslate2 away that it converts 16-bit weights on a CPU, each time a model is opened."""
    try:
        import ctranslate2
    except ImportError:
        yield
        return
    level = ctranslate2.get_log_level()
    ctranslate2.set_log_level(logging.ERROR)
    try:
        yield
    finally:
        ctranslate2.set_log_level(level)


class FasterWhisper:
    """A Whisper model as a `Recogniser`.

    `name` is a size (`small`, `small.en`), a directory, or a name on the hub; `device` is `cpu`, `cuda` or
    `cuda:INDEX`.
    """

    rate = 16000
    time_source: TimeSource = "whisper"
    merge_segments_up_to: Seconds = LONGEST_SEGMENT

    def __init__(self, name: str, language: str | None, device: str) -> None:
        from faster_whisper import WhisperModel

        kind, _, index = device.partition(":")
        with _only_errors():
            self._model = WhisperModel(name, device=kind, device_index=int(index or 0))
        self.language = language

    def words(self, samples: Samples) -> Iterator[Word]:
        """Transcribe a segment. Words have the punctuation and capitals that Whisper writes."""
        language = whisper_language(self.language)
        segments, _ = self._model.transcribe(samples, language=language, word_timestamps=True)
        for tokens in (segment.words or () for segment in segments):
            parts = [part for t in tokens for part in recognised_words(t.word, t.start, t.end, t.probability)]
            # Several tokens may be one word: ` self`, `-made`.
            yield from map(join_parts, grouped(parts, part_sizes([token.word for token in tokens])))
