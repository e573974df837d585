"""Audio and words brought together: alignment of files and data directories, pauses refined on the recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import cast

from asr_punct import audio as sound
from asr_punct import progress
from asr_punct.align.edit import project
from asr_punct.align.methods import Aligner, Clip
from asr_punct.errors import TIMES, InputError, counted_as
from asr_punct.formats import read_utterances
from asr_punct.formats.ctm import OwnName
from asr_punct.formats.entries import SLACK, recording_name
from asr_punct.formats.files import Pathlike, read_text_file
from asr_punct.formats.kaldi import DataUtterance, read_data_dir, read_wav_scp
from asr_punct.formats.labelled import labelled
from asr_punct.pauses import Floats, refine, with_pauses
from asr_punct.text import parse
from asr_punct.words import Seconds, Utterance, Word, has_times, later, time_source

_ROUNDING: Seconds = 0.5
"""So far a word may end after its audio: recognisers count in frames, and files of times are rounded."""
AudioOf = Callable[[Utterance], Path]


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
    yield Utterance(timed, id=name, recording=name, times=aligner.times)


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
        timed = tuple(later(word, item.start, decimals=3) for word in found)
        yield Utterance(timed, id=item.id, recording=item.recording, times=aligner.times, rest=OwnName())


def audio_of_recordings(audio: Path | None, wav_scp: Path | None) -> AudioOf:
    """Which audio an utterance is in: `audio`, which holds one recording, or what `wav_scp` says of its recording.

    What is returned is for one reading of the utterances.
    """
    if audio is not None:
        return _audio_of_one(audio)
    table = read_wav_scp(cast(Path, wav_scp))

    def find(utterance: Utterance) -> Path:
        if utterance.recording not in table:
            raise InputError(cast(Path, wav_scp), f"no recording {utterance.recording!r}", "a line for each recording")
        return table[utterance.recording]

    return find


def _audio_of_one(audio: Path) -> AudioOf:
    """For one reading of the utterances: it remembers their recording."""
    names: set[str] = set()

    def find(utterance: Utterance) -> Path:
        names.add(utterance.recording)
        if len(names) > 1:
            raise InputError(audio, f"recordings {' and '.join(map(repr, sorted(names)))}", "words of one recording")
        return audio

    return find


def refined(
    utterances: Iterable[Utterance], audio_of: AudioOf, counts: Counter[str] | None = None
) -> Iterator[Utterance]:
    """The utterances with pauses that are refined on their audio; words and times stay as they are.

    The audio of utterances that all have an aligner's times is not read: nothing is refined, and nothing checked.

    Raises:
        InputError: an utterance has no times, or words after the end of its audio.
        AudioError: audio cannot be read.
    """
    for path, group in groupby(utterances, key=audio_of):
        held = list(group)
        for utterance in held:
            if utterance.words and not has_times(utterance.words):
                place = f"utterance {utterance.id!r}"
                raise InputError(place, "words without times", TIMES)
        if any(utterance.times != "aligner" for utterance in held):  # refine leaves an aligner's times as they are
            energy = sound.energy(path)
            check_ends(held, path, len(energy) / sound.FRAMES_A_SECOND)
            yield from with_refined_pauses(held, energy, counts)
        else:
            yield from with_pauses(held, counts)


def with_refined_pauses(
    utterances: Sequence[Utterance], energy: Floats, counts: Counter[str] | None = None
) -> Iterator[Utterance]:
    """Consecutive utterances of one recording with pauses that are refined on its sound; words and times stay.

    Args:
        utterances: as for `pauses.refine`.
        energy: (frames,) of the recording, from `audio.log_energy`.
        counts: as for `pauses.with_pauses`.
    """
    moved = with_pauses(refine(utterances, energy), counts)
    for utterance, other in zip(utterances, moved, strict=True):
        yield replace(utterance, pauses=other.pauses, pause_before=other.pause_before)


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


class TimedCorpus:
    """Recognised or aligned words turned into a corpus: labels from the text, pauses from times and audio.

    Times count from the beginning of the audio file. So the pause after an utterance's last word is known only where
    the next utterance is in the same file; the utterances of a document may be in different ones.

    Args:
        language: of the data directory's text.
        times: where the times come from; None leaves what the input says.
        audio: one recording that all words are in, or None.
        data_dir: audio, text and documents of the utterances, or None.

    Raises:
        AsrPunctError: no such source of times.
    """

    def __init__(self, language: str, times: str | None, audio: Path | None, data_dir: Path | None) -> None:
        self._language, self._audio, self._data_dir = language, audio, data_dir
        self._times = None if times is None else time_source(times)
        self._items = {item.id: item for item in read_data_dir(data_dir)} if data_dir else {}
        self._heard = audio is not None or any(item.audio for item in self._items.values())
        self._counts: Counter[str] = Counter()

    def read(self, source: Pathlike, format_name: str | None = None) -> Iterator[Utterance]:
        """Utterances of a file with pauses, and with labels where the data directory has text.

        With a data directory they come in its order, whatever the file's is: the file is held in memory.

        Raises:
            InputError: a malformed file, or an utterance that the data directory does not have.
        """
        utterances: Iterable[Utterance] = read_utterances(source, format_name, times=self._times)
        if self._data_dir is not None:
            utterances = self._in_order(utterances)
        utterances = map(self._described, utterances)
        if self._heard:
            audio_of = _audio_of_one(self._audio) if self._audio else self._audio_of_item
            utterances = refined(utterances, audio_of, self._counts)
        timed = map(self._in_document, with_pauses(utterances, self._counts))
        yield from progress.counted(timed, "utterances", total=len(self._items) or None, source=source)
        if not self._counts["pauses"]:
            raise InputError(str(source), "words without times", TIMES)

    def _in_order(self, utterances: Iterable[Utterance]) -> Iterator[Utterance]:
        held: dict[str, list[Utterance]] = {}
        for utterance in utterances:
            self._item(utterance)
            held.setdefault(utterance.id, []).append(utterance)
        self._counts["silent"] += len(self._items) - len(held)
        for name in self._items:
            yield from held.get(name, [])

    def _described(self, utterance: Utterance) -> Utterance:
        if self._data_dir is None:
            return utterance
        item = self._item(utterance)
        starts = [word.start for word in utterance.words if word.start is not None]
        if item.end is not None and starts and not item.start - SLACK <= min(starts) <= item.end + SLACK:
            place, found = f"utterance {utterance.id!r}", f"a word at {min(starts)} s"
            expected = f"words in its segment from {item.start} to {item.end} s: times from the audio file's beginning"
            raise InputError(place, found, expected)
        utterance = replace(utterance, recording=item.recording)
        return utterance if item.text is None else self._labelled(utterance, item.text)

    def _in_document(self, utterance: Utterance) -> Utterance:
        return replace(utterance, recording=self._item(utterance).document) if self._data_dir else utterance

    def _item(self, utterance: Utterance) -> DataUtterance:
        if utterance.id not in self._items:
            expected = "names of utterances of the data directory (not of recordings with segments)"
            raise InputError(str(self._data_dir), f"no utterance {utterance.id!r}", expected)
        return self._items[utterance.id]

    def _labelled(self, utterance: Utterance, text: str) -> Utterance:
        reference = labelled(Utterance(tuple(map(Word, text.split()))), self._language)
        words = tuple(replace(word, text=word.text.lower()) for word in utterance.words)
        projection = project(reference, replace(utterance, words=words))
        self._counts["moved"] += projection.moved
        self._counts["lost"] += len(projection.lost)
        return projection.utterance

    def _audio_of_item(self, utterance: Utterance) -> Path:
        path = self._item(utterance).audio
        if path is None:
            raise InputError(str(self._data_dir), f"no audio for {utterance.id!r}", "a line in wav.scp")
        return path

    def summary(self) -> list[str]:
        """What was counted, for people."""
        counts = self._counts
        lines = []
        if counts["silent"]:
            lines.append(f"{counted_as(counts['silent'], 'utterance')} without words")
        found, overlaps = counted_as(counts["pauses"], "pause"), counted_as(counts["overlaps"], "overlap")
        lines.append(f"{found}: {counts['unknown']} unknown, {overlaps} set to 0")
        if counts["moved"] or counts["lost"]:
            lines.append(f"marks of unrecognised words: {counts['moved']} moved to a neighbour, {counts['lost']} lost")
        return lines
