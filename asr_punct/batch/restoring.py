"""Restore one file of a batch. Processes of this machine and of a cluster run the same code."""

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from logging.handlers import BufferingHandler
from pathlib import Path

from asr_punct import formats
from asr_punct.audio import AudioOf, recording_table
from asr_punct.batch.names import Item
from asr_punct.batch.storage import is_file, is_url, restore_remote
from asr_punct.errors import AsrPunctError
from asr_punct.files import make_directory
from asr_punct.formats.cues.writers import parse_limits_option
from asr_punct.formats.kaldi.tables import read_wav_scp
from asr_punct.formats.source import Source
from asr_punct.inference.punctuator import Punctuator
from asr_punct.pauses import with_pauses_from_audio
from asr_punct.words import Utterance, lowercased, with_hints

_LOG = logging.getLogger(__name__)
OpenPunctuator = Callable[[], Punctuator]
"""Opens a model; each worker calls it once."""


@dataclass(frozen=True)
class FileOptions:
    """How the files of a batch are read and written.

    Attributes:
        source_format: format of the inputs; None: detected.
        target_format: format of the outputs; None: that of each input.
        subtitles: limits of subtitles, as `subtitles.parse_limits` reads them; None: cues of the input, or the default.
        times: source of the words' times, one of `words.TIME_SOURCES`; None: as in the file.
        wav_scp: table of the recordings on which pauses are refined; None: pauses are computed from the times only.
        ignore_labels: whether marks and capitals of the input are removed.
        lowercase: whether words are read in lower case.
        probabilities: whether the probabilities of labels are written; only for the format `json`.
        hint_labels: whether to warn of labels that stay in the output.
        hint_capitals: whether to warn of files whose words are all in capitals.
        overwrite: whether an existing output is written again.
    """

    source_format: str | None = None
    target_format: str | None = None
    subtitles: str | None = None
    times: str | None = None
    wav_scp: Path | None = None
    ignore_labels: bool = False
    lowercase: bool = False
    probabilities: bool = False
    hint_labels: bool = True
    hint_capitals: bool = True
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one file.

    Attributes:
        words: number of words that were restored; 0 if the output existed before.
        error: one line with place, found and expected; "" if the output is complete.
        warnings: lines that the package logged, such as warnings about the language.
    """

    item: Item
    words: int = 0
    error: str = ""
    warnings: tuple[str, ...] = ()


class Restorer:
    """Restores files with one model."""

    def __init__(self, punctuator: Punctuator, options: FileOptions) -> None:
        self._punctuator, self._options = punctuator, options

    def run(self, item: Item) -> Result:
        """Restore one file unless its output exists. Errors are returned, not raised."""
        paths = item.source, item.output
        is_remote = any(map(is_url, paths))
        exists = is_file if is_url(item.output) else os.path.isfile
        with _warnings() as warnings:
            try:
                if not self._options.overwrite and exists(item.output):
                    return Result(item)
                words = restore_remote(*paths, self.restore) if is_remote else self.restore(*paths)
            except AsrPunctError as error:
                message = str(error) if item.source in str(error) else f"{item.source}: {error}"
                return Result(item, error=message)
            except Exception as error:  # a fault of one file must not end the batch
                found = f"an internal error ({type(error).__name__}: {error})"
                return Result(item, error=f"{item.source}: found {' '.join(found.split())}, expected none")
        return Result(item, words, warnings=tuple(record.getMessage() for record in warnings))

    def restore(self, source: str, output: str) -> int:
        """Restore a file, make the output's folder if there is none, and return the number of words.

        Raises AsrPunctError if the input is missing or malformed, or the output cannot be written.
        """
        options, count = self._options, 0
        opened = Source(source, options.source_format)
        format_name = formats.output_format(output, options.target_format, None if options.probabilities else opened)
        limits = parse_limits_option(options.subtitles, format_name)
        utterances = self._prepared(formats.read(opened, may_be_empty=True, times=options.times))
        make_directory(Path(output).parent)

        def counted(restored: Iterable[Utterance]) -> Iterator[Utterance]:
            nonlocal count
            for utterance in restored:
                count += len(utterance.words)
                yield utterance

        restored = counted(self._punctuator.restore(utterances, probabilities=options.probabilities))
        restored, glyphs = formats.with_glyphs(restored, self._punctuator.glyphs)
        formats.write(restored, output, glyphs, format_name, limits)
        return count

    def _prepared(self, utterances: Iterable[Utterance]) -> Iterable[Utterance]:
        """Apply the options that change labels, words and pauses."""
        options = self._options
        if options.ignore_labels:
            utterances = self._punctuator.without_marks(utterances)
        if options.lowercase:
            utterances = lowercased(utterances)
        utterances = with_hints(
            utterances, _LOG.warning, about_labels=options.hint_labels, about_capitals=options.hint_capitals
        )
        return with_pauses_from_audio(utterances, self._audio_of) if self._audio_of else utterances

    @cached_property
    def _audio_of(self) -> AudioOf | None:
        path = self._options.wav_scp
        return None if path is None else recording_table(read_wav_scp(path), path)


@contextmanager
def _warnings() -> Iterator[list[logging.LogRecord]]:
    """Collect the package's warnings in the list, and do not print them."""
    logger, handler = logging.getLogger("asr_punct"), BufferingHandler(capacity=sys.maxsize)
    handler.setLevel(logging.WARNING)
    propagated, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield handler.buffer
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagated
