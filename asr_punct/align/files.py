"""Alignment of an audio file with its text, and of the utterances of a data directory."""

from __future__ import annotations

from collections.abc import Iterator

from asr_punct import progress
from asr_punct.align.methods import Aligner, Clip
from asr_punct.errors import InputError
from asr_punct.formats.ctm import OwnName
from asr_punct.formats.entries import recording_name
from asr_punct.formats.files import Pathlike, read_text_file
from asr_punct.formats.kaldi import read_data_dir
from asr_punct.text import parse
from asr_punct.words import Utterance, shift


def align_file(audio: Pathlike, text: Pathlike, language: str, aligner: Aligner) -> Iterator[Utterance]:
    """The words of a text file with their times in an audio file, as one utterance named like the audio.

    Raises:
        InputError: a file is missing, or the text has no words.
        AudioError: the audio cannot be read.
    """
    words = parse(" ".join(read_text_file(text).split()), language).words
    if not words:
        raise InputError(text, "no words", "what is said in the audio")
    name = recording_name(audio)
    timed = aligner.align(Clip(audio, name), words)
    yield Utterance(timed, id=name, recording=name, time_source=aligner.times)


def align_data_dir(data_dir: Pathlike, language: str, aligner: Aligner) -> Iterator[Utterance]:
    """The words of each utterance of a data directory with their times in its recording.

    Raises:
        InputError: the directory lacks audio or text.
        AudioError: audio cannot be read.
    """
    items = list(read_data_dir(data_dir))
    for item in progress.counted(items, "utterances", total=len(items)):
        if item.audio is None or item.text is None:
            raise InputError(data_dir, f"no {'audio' if item.text else 'text'} for {item.id!r}", "wav.scp and text")
        words = parse(item.text, language).words
        found = aligner.align(Clip(item.audio, item.id, item.start, item.end), words)
        timed = tuple(shift(word, item.start, decimals=3) for word in found)
        yield Utterance(timed, id=item.id, recording=item.recording, time_source=aligner.times, origin=OwnName())
