"""Wait for lines of standard input: print a hint on a terminal, and report silence."""

import queue
import select
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from threading import Thread

import typer

from asr_punct.words import Seconds

_IDLE_S = 1.0
"""Seconds without a line until the hint is shown."""


def hint_if_idle(hint: str) -> None:
    """Print the hint if nothing is typed for a second; only if both streams are terminals, and not on Windows."""
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        Thread(target=_print_if_idle, args=(hint,), daemon=True).start()


def _print_if_idle(hint: str) -> None:
    with suppress(OSError, ValueError):  # standard input was closed; or on Windows, where `select` takes no terminal
        if not select.select([sys.stdin], [], [], _IDLE_S)[0]:
            typer.echo(hint, err=True)


_Line = tuple[int, str]


def with_silences(lines: Iterable[_Line], seconds: Seconds) -> Iterator[_Line | Seconds]:
    """Yield lines as they arrive, and `seconds` once in each silence of that length after a line, not before the first.

    A thread reads up to 64 lines ahead. Errors of `lines` are raised after the lines before them.
    """
    waiting = queue.Queue[_Line | BaseException | None](maxsize=64)

    def read() -> None:
        """Put the lines into the queue, then None, or the error that ended them."""
        try:
            for line in lines:
                waiting.put(line)
            waiting.put(None)
        except BaseException as error:
            waiting.put(error)

    Thread(target=read, daemon=True).start()
    is_silent = True
    while True:
        try:
            item = waiting.get(timeout=None if is_silent else seconds)
        except queue.Empty:
            is_silent = True
            yield seconds
            continue
        if item is None:
            return
        if isinstance(item, BaseException):
            raise item
        is_silent = False
        yield item
