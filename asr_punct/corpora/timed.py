"""Corpora for `asr-punct pauses`: words with times get pauses, and labels from the text of a data directory."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from asr_punct import formats, progress
from asr_punct.errors import EXPECTED_TIMES, InputError, plural
from asr_punct.files import Pathlike
from asr_punct.formats.kaldi.tables import DataUtterance, read_data_dir
from asr_punct.formats.labelled import labelled
from asr_punct.formats.source import Source
from asr_punct.formats.time_sources import named_time_source
from asr_punct.formats.times import SEGMENT_TOLERANCE
from asr_punct.pauses import with_pauses
from asr_punct.recordings import AudioFiles, single_recording, with_pauses_from_audio
from asr_punct.scoring.projection import project
from asr_punct.words import Utterance, split_words


class TimedCorpus:
    """A corpus of recognised or aligned words, labelled with the text of a data directory.

    Times count from the beginning of the audio file. `language` is that of the directory's `text`, which must have
    punctuation and capitals. `time_source` is a name of `words.TIME_SOURCES`; None: the one that the input names, else
    the default of its format. `audio` is one file with all words; None: the directory's `wav.scp`. With
    `strict` times that make no sense are an error. Raises AsrPunctError for an unknown time source.
    """

    def __init__(
        self, language: str, time_source: str | None, audio: Path | None, data_dir: Path | None, *, strict: bool = False
    ) -> None:
        self._language, self._audio, self._data_dir, self._strict = language, audio, data_dir, strict
        self._time_source = None if time_source is None else named_time_source(time_source)
        self._items = {item.id: item for item in read_data_dir(data_dir)} if data_dir else {}
        self._audio_files = AudioFiles()
        self._has_audio = audio is not None or any(item.audio for item in self._items.values())
        self._pause_counts: Counter[str] = Counter()
        """Counts of `with_pauses`: "pauses", "unknown", "overlaps"."""
        self._empty_utterances = self._moved_marks = self._lost_marks = 0

    def read(self, source: Pathlike, format_name: str | None = None, tiers: Sequence[str] = ()) -> Iterator[Utterance]:
        """Read utterances with pauses, and with labels if the data directory has text.

        `tiers` are those of a `Source`. With a data directory all are read into memory and yielded in its order. Raises
        InputError for a malformed file, an utterance that the directory lacks, or no times at all.
        """
        opened = Source(source, format_name, tiers)
        utterances: Iterable[Utterance] = formats.read(opened, times=self._time_source, strict=self._strict)
        if self._data_dir is not None:
            utterances = map(self._with_data, self._in_order(utterances))
        if self._has_audio:
            audio_of = single_recording(self._audio) if self._audio else self._audio_of_item
            timed = with_pauses_from_audio(utterances, audio_of, self._pause_counts)
        else:
            timed = with_pauses(utterances, self._pause_counts)
        total = len(self._items) or None
        yield from progress.track(timed, "utterances", total=total, position=opened.file.position)
        if not self._pause_counts["pauses"]:
            raise InputError(str(source), "words without times", EXPECTED_TIMES)

    def _in_order(self, utterances: Iterable[Utterance]) -> Iterator[Utterance]:
        by_id: dict[str, list[Utterance]] = {}
        for utterance in utterances:
            by_id.setdefault(self._item(utterance).id, []).append(utterance)
        self._empty_utterances += len(self._items) - len(by_id)
        for utterance_id in self._items:
            yield from by_id.get(utterance_id, [])

    def _item(self, utterance: Utterance) -> DataUtterance:
        if utterance.id not in self._items:
            expected = "names of utterances of the data directory, not of recordings"
            raise InputError(str(self._data_dir), f"no utterance {utterance.id!r}", expected)
        return self._items[utterance.id]

    def _with_data(self, utterance: Utterance) -> Utterance:
        item = self._item(utterance)
        start = min((word.start for word in utterance.words if word.start is not None), default=item.start)
        if item.end is not None and not item.start - SEGMENT_TOLERANCE <= start <= item.end + SEGMENT_TOLERANCE:
            place, found = f"utterance {utterance.id!r}", f"a word at {start} s"
            expected = f"words in its segment from {item.start} to {item.end} s: times from the audio file's beginning"
            raise InputError(place, found, expected)
        utterance = replace(utterance, document=item.document, recording=item.recording)
        if item.text is None:
            return utterance
        reference = labelled(Utterance(split_words(item.text)), self._language)
        words = tuple(replace(word, text=word.text.lower()) for word in utterance.words)  # case is in the labels
        projection = project(reference, replace(utterance, words=words))
        self._moved_marks += projection.moved
        self._lost_marks += len(projection.lost)
        return projection.utterance

    def _audio_of_item(self, utterance: Utterance) -> Path:
        audio = self._item(utterance).audio
        if audio is None:
            raise InputError(str(self._data_dir), f"no audio for {utterance.id!r}", "a line in wav.scp")
        return self._audio_files.find(audio, f"{self._data_dir}: utterance {utterance.id!r}")

    def summary(self) -> list[str]:
        """Return lines with the numbers of pauses and of moved and lost marks."""
        empty, counts, moved, lost = self._empty_utterances, self._pause_counts, self._moved_marks, self._lost_marks
        pauses = f"{plural(counts['pauses'], 'pause')}, of which {counts['unknown']} unknown"
        return [
            *([f"{plural(empty, 'utterance')} without words"] if empty else ()),
            f"{pauses} and {counts['overlaps']} set to 0 because the words overlap",
            *([f"marks of unrecognised words: {moved} moved to a neighbour, {lost} lost"] if moved or lost else ()),
        ]
