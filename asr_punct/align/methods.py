"""The ways to align a recording with its words, behind one interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from asr_punct import audio, progress
from asr_punct.align import ctc, dtw
from asr_punct.align.emissions import AcousticModel
from asr_punct.align.espeak import VoiceError
from asr_punct.align.template import RATE
from asr_punct.audio import Pathlike
from asr_punct.errors import InputError
from asr_punct.words import Seconds, TimeSource, Word


@dataclass(frozen=True)
class Clip:
    """A recording, or a part of it.

    Attributes:
        path: the audio file.
        name: of the utterance, for messages.
        start: where it begins in the file.
        end: where it ends, None for the file's end.
    """

    path: Pathlike
    name: str
    start: Seconds = 0.0
    end: Seconds | None = None


class Aligner(Protocol):
    """Finds when words are said."""

    @property
    def times(self) -> TimeSource:
        """What the times are: the provenance of utterances with them."""
        ...

    def align(self, clip: Clip, words: Sequence[str]) -> tuple[Word, ...]:
        """The words with start and end in seconds from the clip's start, in order and without overlaps.

        Raises:
            AudioError: the audio cannot be read.
            AsrPunctError: it does not go with the words.
        """
        ...


@dataclass(frozen=True)
class DtwAligner:
    """Against the speech of espeak-ng: `dtw.align`.

    Attributes:
        language: as it takes it.
    """

    language: str
    times: TimeSource = "aligner"

    def align(self, clip: Clip, words: Sequence[str]) -> tuple[Word, ...]:
        """The words with their times; the clip is held in memory. Raises InputError for an unknown language."""
        with progress.step("reading the audio"):
            samples = audio.read(clip.path, RATE, clip.start, clip.end)
        try:
            return dtw.align(samples, RATE, words, self.language)
        except VoiceError as error:
            raise InputError("--lang", error.found, error.expected) from None


@dataclass(frozen=True)
class CtcAligner:
    """By the log-probabilities of a CTC model: `ctc.align`.

    Attributes:
        model: it.
    """

    model: AcousticModel
    times: TimeSource = "ctc"

    def align(self, clip: Clip, words: Sequence[str]) -> tuple[Word, ...]:
        """The words with their times; the clip is read piece by piece."""
        blocks = audio.blocks(clip.path, self.model.rate, clip.start, clip.end)
        return ctc.align(blocks, words, self.model, f"{clip.path}: utterance {clip.name!r}")
