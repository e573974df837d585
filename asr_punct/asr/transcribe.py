"""A recording to words: its pieces through a recogniser, and the pauses between the words refined on the sound."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from asr_punct import audio as sound
from asr_punct import progress
from asr_punct.asr.segments import Piece, plan_pieces, read_pieces
from asr_punct.audio import Pathlike, Samples
from asr_punct.errors import InputError
from asr_punct.formats.entries import entry_words, recording_name
from asr_punct.formats.sources import source_of
from asr_punct.pauses import with_refined_pauses
from asr_punct.words import Seconds, TimeSource, Utterance, Word

_LOG = logging.getLogger(__name__)


class Recogniser(Protocol):
    """A speech recogniser, which hears one piece of a recording at a time.

    Attributes:
        rate: samples a second that it takes.
        times: where the times of its words come from.
        language: code of the language that it writes (`en`), None where it does not say.
        joined: it gets stretches of speech together, up to so many seconds; 0: each one alone.
    """

    rate: int
    times: TimeSource
    language: str | None
    joined: Seconds

    def words(self, samples: Samples) -> Iterable[Word]:
        """The words that are said, their times in seconds from the first sample.

        Args:
            samples: float32 (samples,) at `rate`, in -1..1.
        """


def heard(text: str, start: Seconds | None, end: Seconds | None, confidence: float | None = None) -> Iterator[Word]:
    """The words of what a recogniser gives as one, most often one, with numbers of any kind (numpy's, torch's).

    Whisper ends some words before they start: such an end is taken as not known, and so is a confidence that is NaN.
    """
    first, last, known = (None if value is None else float(value) for value in (start, end, confidence))
    if first is not None and last is not None and last < first:
        last = None
    if known is not None and math.isnan(known):
        known = None
    yield from entry_words(text, first, last, known, "the recogniser")


def transcribe(audio: Pathlike, recogniser: Recogniser) -> Iterator[Utterance]:
    """The words of a recording, an utterance for each piece with words, named like the file, whose path they keep.

    Their times are the recogniser's, from the beginning of the file, and within the piece; their pauses are refined on
    the sound (`pauses.refine`). Where no word is heard there are none, and that is logged. The words of the whole
    recording are held in memory, its sound is not.

    Args:
        audio: the file.
        recogniser: what hears it.

    Raises:
        InputError: no such file.
        AudioError: the audio cannot be read.
    """
    with progress.step(f"looking for speech in {audio}"):
        energy = sound.energy(audio)
    spans = plan_pieces(energy, recogniser.joined)
    name, path = recording_name(audio), str(audio).encode(errors="replace").decode()
    pieces = progress.counted(read_pieces(audio, recogniser.rate, spans), f"pieces of {name}", total=len(spans))
    found = (_placed(recogniser.words(piece.samples), piece, recogniser.rate) for piece in pieces)
    held = [
        Utterance(words, f"{name}-{number}", recording=name, time_source=source_of(words, recogniser.times), audio=path)
        for number, words in enumerate(filter(None, found), start=1)
    ]
    if held:
        yield from with_refined_pauses(held, energy)
    else:
        _LOG.info("%s: no words were heard in it", audio)


def _placed(words: Iterable[Word], piece: Piece, rate: int) -> tuple[Word, ...]:
    """The words with times from the beginning of the recording, in order and inside their piece.

    Whisper places words after the end of what it heard, and leaves the end of a last one open.
    """
    placed, last, length = list[Word](), 0.0, len(piece.samples) / rate
    for word in words:
        start = last if word.start is None else min(max(word.start, last), length)
        end = length if word.end is None else min(max(word.end, start), length)
        placed.append(replace(word, start=round(piece.start + start, 3), end=round(piece.start + end, 3)))
        last = start
    return tuple(placed)


def check_recordings(audio: Sequence[Pathlike], one: bool) -> None:
    """Look at the files before the work begins: all must be audio, and have names of their own.

    Args:
        audio: the files.
        one: whether what is written holds one recording.

    Raises:
        InputError: a file is missing, two have one name, or there are several and `one` is true.
        AudioError: a file is no audio.
    """
    if one and len(audio) > 1:
        raise InputError("AUDIO", f"{len(audio)} recordings", "one, for a file of this format")
    seen: dict[str, Pathlike] = {}
    for path in audio:
        sound.duration(path)
        other = seen.setdefault(recording_name(path), path)
        if other is not path:
            raise InputError(path, f"the name of {other}", "recordings with names of their own")
