"""Restore one file of a batch. Processes of this machine and of a cluster run the same code."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from asr_punct.batch.names import Item
from asr_punct.batch.storage import is_file, is_url, local_copies
from asr_punct.errors import AsrPunctError
from asr_punct.hints import Hint
from asr_punct.inference.punctuator import Punctuator
from asr_punct.restoring import PipelineOptions, restore_file


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one file.

    Attributes:
        words: number of words that were restored; 0 if the output existed before.
        error: why the output is not complete; None if it is.
        warnings: hints about the input, and lines that the package logged, such as warnings about the language.
    """

    item: Item
    words: int = 0
    error: AsrPunctError | None = None
    warnings: tuple[str | Hint, ...] = ()


@dataclass(frozen=True)
class BatchWork:
    """What each process of a batch does: it opens the model once, and restores one file after the other.

    Attributes:
        open_punctuator: opens the model; can be pickled.
        options: how files are read and written.
        overwrite: whether an existing output is written again.
    """

    open_punctuator: Callable[[], Punctuator]
    options: PipelineOptions
    overwrite: bool = False

    @cached_property
    def punctuator(self) -> Punctuator:
        """The model of this process. Raises AsrPunctError if it cannot be opened."""
        return self.open_punctuator()

    def restore(self, item: Item) -> Result:
        """Restore one file unless its output exists. Errors are returned, not raised."""
        exists = is_file if is_url(item.output) else os.path.isfile
        with _collected_warnings() as warnings:
            try:
                if not self.overwrite and exists(item.output):
                    return Result(item)
                with local_copies(item.source, item.output) as (source, output):
                    written = restore_file(
                        self.options.source(source),
                        output,
                        self.punctuator,
                        self.options,
                        warnings.append,
                        make_folder=True,
                    )
            except AsrPunctError as error:
                return Result(item, error=error)
            except Exception as error:  # a fault of one file must not end the batch
                found = f"an internal error ({type(error).__name__}: {error})"
                return Result(item, error=AsrPunctError(item.source, found, "none"))
        return Result(item, written.words, warnings=tuple(warnings))


@contextmanager
def _collected_warnings() -> Iterator[list[str | Hint]]:
    """Collect the package's warnings in the list, and do not print them."""
    logger, collector = logging.getLogger("asr_punct"), _Collector(logging.WARNING)
    propagated, logger.propagate = logger.propagate, False
    logger.addHandler(collector)
    try:
        yield collector.warnings
    finally:
        logger.removeHandler(collector)
        logger.propagate = propagated


class _Collector(logging.Handler):
    """Keeps the messages of log records."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.warnings: list[str | Hint] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.warnings.append(record.getMessage())
