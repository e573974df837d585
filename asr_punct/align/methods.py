"""Align text with audio, for files and data directories, by `dtw` or `ctc`."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from asr_punct import audio, progress
from asr_punct.align.ctc import ctc_align
from asr_punct.align.ctc_model import AcousticModel
from asr_punct.align.dtw import RATE, dtw_align
from asr_punct.align.espeak import VoiceError
from asr_punct.align.fit import NOTHING, PLAUSIBLE, fit
from asr_punct.audio import Pathlike
from asr_punct.errors import ArgumentError, InputError, plural
from asr_punct.files import read_text_file, recording_name
from asr_punct.formats.kaldi.ctm import RowsById
from asr_punct.formats.kaldi.tables import read_data_dir
from asr_punct.identifier import identify
from asr_punct.recordings import AudioFiles
from asr_punct.text import parse
from asr_punct.words import Seconds, TimeSource, Utterance, Word, shift

_LOG = logging.getLogger(__name__)
_LANGUAGE_WORDS = 100
"""The language of a text is identified by at most this many words."""


@dataclass(frozen=True)
class Aligner:
    """An alignment method.

    `align(path, words, name, start, end)` aligns the words of utterance `name` with an audio file from `start` to `end`
    seconds (None: its end). Times are relative to `start`, in order, without overlaps. It raises AudioError if the
    audio cannot be read, and AsrPunctError if there is too little for the words.
    """

    time_source: TimeSource
    align: Callable[[Pathlike, Sequence[str], str, Seconds, Seconds | None], tuple[Word, ...]]


def dtw_aligner(language: str) -> Aligner:
    """Return an aligner by `dtw_align`. It raises VoiceError for an unknown language."""

    def align(path: Pathlike, words: Sequence[str], name: str, start: Seconds, end: Seconds | None) -> tuple[Word, ...]:
        with progress.step("reading the audio"):
            samples = audio.read_samples(path, RATE, start, end)
        try:
            return dtw_align(samples, RATE, words, language)
        except InputError as error:
            raise error.at(_place(path, name)) from None

    return Aligner("aligner", align)


def ctc_aligner(model: AcousticModel) -> Aligner:
    """Return an aligner by `ctc_align`. It reads the audio in blocks."""

    def align(path: Pathlike, words: Sequence[str], name: str, start: Seconds, end: Seconds | None) -> tuple[Word, ...]:
        blocks = audio.blocks(path, model.rate, start, end)
        return ctc_align(blocks, words, model, _place(path, name))

    return Aligner("ctc", align)


def _place(path: Pathlike, name: str) -> str:
    return f"{path}: utterance {name!r}"


class Fits:
    """Measures how well utterances fit their audio (`align.fit`), in the language of their words."""

    def __init__(self, language: str) -> None:
        self._language = language
        self.rows: list[tuple[str, float | None]] = []
        """The name and the fit of each utterance; None if no word is pronounced, or the language has no voice."""

    def add(self, path: Pathlike, words: Sequence[Word], name: str, start: Seconds, end: Seconds | None) -> None:
        """Measure an utterance; times of words count from `start`. Raises InputError if it can be no speech of them."""

        def read(first: Seconds, last: Seconds | None) -> audio.Samples:
            return audio.read_samples(path, RATE, start + first, end if last is None else start + last)

        try:
            self.rows.append((name, fit(words, read, self._language)))
        except VoiceError:
            self.rows.append((name, None))
        except InputError as error:
            raise error.at(_place(path, name)) from None

    def report(self, place: Pathlike) -> None:
        """Log how many fits are doubtful. Raises InputError at the place if none is more than that of other words."""
        known = {name: value for name, value in self.rows if value is not None}
        doubtful = {name: value for name, value in known.items() if value < PLAUSIBLE}
        if known and max(known.values()) < NOTHING:
            found = f"words that fit no better than others (fit {max(known.values()):.3f})"
            raise InputError(place, found, f"those that are spoken (a fit of {PLAUSIBLE} or more)")
        if doubtful:
            first, value = next(iter(doubtful.items()))
            count = f"{len(doubtful)} of {plural(len(self.rows), 'utterance')}"
            message = "%s: the words may be others than those spoken in %s (first: %r, fit %.3f, expected %s or more)"
            _LOG.warning(message, place, count, first, value, PLAUSIBLE)


def identify_language(words: Iterable[str]) -> str:
    """Return the code of the language of a text. Raises ArgumentError if it cannot be identified."""
    guess = identify(islice(words, _LANGUAGE_WORDS))
    if guess is None:
        raise ArgumentError("language", "a text too short to identify it", "the code of its language, such as es")
    return guess.language


def align_file(
    recording: Pathlike, text: Pathlike, language: str, aligner: Aligner, fits: Fits | None = None
) -> Iterator[Utterance]:
    """Align a text with an audio file, as one utterance named after the audio file.

    Raises InputError for a missing file, a text without words, or one that does not fit; AudioError if the audio cannot
    be read.
    """
    words = parse(" ".join(read_text_file(text).split()), language).words
    if not words:
        raise InputError(text, "no words", "the words spoken in the audio")
    name = recording_name(recording)
    timed = aligner.align(recording, words, name, 0.0, None)
    if fits:
        fits.add(recording, timed, name, 0.0, None)
        fits.report(recording)
    yield Utterance(timed, id=name, recording=name, time_source=aligner.time_source)


def texts_of_data_dir(data_dir: Pathlike) -> Iterator[str]:
    """Yield the words of the texts of a data directory."""
    for item in read_data_dir(data_dir):
        yield from (item.text or "").split()


def align_data_dir(
    data_dir: Pathlike, language: str, aligner: Aligner, fits: Fits | None = None
) -> Iterator[Utterance]:
    """Align each utterance of a data directory with its segment of the recording.

    Raises InputError, which names the utterance, if the directory lacks audio or text, or an utterance cannot be that
    of its text; AudioError if audio cannot be read.
    """
    items, files = list(read_data_dir(data_dir)), AudioFiles()
    for item in progress.track(items, "utterances", total=len(items)):
        if item.audio is None or item.text is None:
            missing = "text" if item.text is None else "audio"
            raise InputError(data_dir, f"no {missing} for {item.id!r}", "wav.scp and text")
        words = parse(item.text, language).words
        place = f"{data_dir}: utterance {item.id!r}"
        try:
            path = files.find(item.audio, place)
            found = aligner.align(path, words, item.id, item.start, item.end)
            if fits:
                fits.add(path, found, item.id, item.start, item.end)
        except InputError as error:
            raise error if repr(item.id) in error.place else error.at(f"{place}: {error.place}") from None
        timed = tuple(shift(word, item.start, decimals=3) for word in found)
        yield Utterance(timed, id=item.id, recording=item.recording, time_source=aligner.time_source, origin=RowsById())
    if fits:
        fits.report(data_dir)
