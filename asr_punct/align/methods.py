"""Align text with audio, for files and data directories, by `dtw` or `ctc`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from asr_punct import audio, progress
from asr_punct.align.ctc import ctc_align
from asr_punct.align.ctc_model import AcousticModel
from asr_punct.align.dtw import RATE, dtw_align
from asr_punct.audio import Pathlike
from asr_punct.errors import InputError
from asr_punct.files import read_text_file, recording_name
from asr_punct.formats.kaldi.ctm import RowsById
from asr_punct.formats.kaldi.tables import read_data_dir
from asr_punct.recordings import AudioFiles
from asr_punct.text import parse
from asr_punct.words import Seconds, TimeSource, Utterance, Word, shift


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
            samples = audio.read(path, RATE, start, end)
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


def align_file(recording: Pathlike, text: Pathlike, language: str, aligner: Aligner) -> Iterator[Utterance]:
    """Align a text with an audio file, as one utterance named after the audio file.

    Raises InputError for a missing file, or a text without words; AudioError if the audio cannot be read.
    """
    words = parse(" ".join(read_text_file(text).split()), language).words
    if not words:
        raise InputError(text, "no words", "the words spoken in the audio")
    name = recording_name(recording)
    timed = aligner.align(recording, words, name, 0.0, None)
    yield Utterance(timed, id=name, recording=name, time_source=aligner.time_source)


def align_data_dir(data_dir: Pathlike, language: str, aligner: Aligner) -> Iterator[Utterance]:
    """Align each utterance of a data directory with its segment of the recording.

    Raises InputError if the directory lacks audio or text, and AudioError if audio cannot be read.
    """
    items, files = list(read_data_dir(data_dir)), AudioFiles()
    for item in progress.track(items, "utterances", total=len(items)):
        if item.audio is None or item.text is None:
            missing = "text" if item.text is None else "audio"
            raise InputError(data_dir, f"no {missing} for {item.id!r}", "wav.scp and text")
        words = parse(item.text, language).words
        place = f"{data_dir}: utterance {item.id!r}"
        try:
            found = aligner.align(files.find(item.audio, place), words, item.id, item.start, item.end)
        except InputError as error:
            raise error if error.place.startswith(place) else error.at(f"{place}: {error.place}") from None
        timed = tuple(shift(word, item.start, decimals=3) for word in found)
        yield Utterance(timed, id=item.id, recording=item.recording, time_source=aligner.time_source, origin=RowsById())
