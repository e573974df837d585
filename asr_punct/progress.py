"""How far long work is: a bar on a terminal, nothing anywhere else.

A command opens the bar (`on_terminal`); work that can be long tells of itself where it is done (`counted`, `step`).
Where none is open that costs nothing; where one is, an item costs a look at the clock, however many pass. Of work
inside other work only the outer one is told.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

T = TypeVar("T")
REFRESH_S = 0.1
_BAR_COLUMNS = 20


class Bar:
    """The bar of one piece of work after the other.

    Args:
        progress: what draws it.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._busy = False
        self._source: str | None = None
        self._file: IO[bytes] | None = None

    @contextmanager
    def telling(self, what: str, total: float | None = None, source: str | None = None) -> Iterator[TaskID | None]:
        """Tell of a task as long as it lasts; None where another one is told of."""
        if self._busy:
            yield None
            return
        self._busy, self._source = True, source
        task = self._progress.add_task(what, total=total)
        try:
            yield task
        finally:
            self._progress.remove_task(task)
            self._busy, self._source = False, None

    def run(
        self,
        items: Iterable[T],
        what: str,
        size: Callable[[T], float] | None,
        total: float | None,
        source: str | None,
    ) -> Iterator[T]:
        """The items, counted as soon as the next one is asked for."""
        with self.telling(what, total, source) as task:
            if task is None:
                yield from items
                return
            count, due = 0.0, 0.0
            for item in items:
                yield item
                count += 1 if size is None else size(item)
                now = time.monotonic()
                if now >= due:
                    due = now + REFRESH_S
                    done, of = (count, total) if total else self._place()
                    told = f"{count:,.0f}/{total:,.0f} {what}" if total else f"{count:,.0f} {what}"
                    self._progress.update(task, completed=done, total=of, description=told)

    def _place(self) -> tuple[float | None, float | None]:
        """Bytes of the source that are read, and that it has; none where that is not known or all are read."""
        with suppress(OSError, ValueError):  # a pipe has no places, and some files no descriptor
            if self._file is not None:
                descriptor = self._file.fileno()
                return os.lseek(descriptor, 0, os.SEEK_CUR), os.fstat(descriptor).st_size or None
        return None, None

    @contextmanager
    def reading(self, path: str, file: IO[bytes]) -> Iterator[None]:
        """A file is read, which may be the task's source."""
        if path != self._source:
            yield
            return
        self._file = file
        try:
            yield
        finally:
            self._file = None


_bar: Bar | None = None


def _forget() -> None:
    """A child process tells nothing: it has the bar, and not the thread that draws it."""
    global _bar
    _bar = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@contextmanager
def on_terminal(quiet: bool = False, *, source: object = None, output: object = None) -> Iterator[None]:
    """Show how far work is, on standard error if that is a terminal that can move its cursor.

    Nothing is shown where the words themselves are typed or shown on a terminal. What is written to standard error
    meanwhile stands above the bar.

    Args:
        quiet: show nothing.
        source: what is read; `-` is standard input.
        output: what is written; `-` is standard output.
    """
    global _bar
    typed = str(source) == "-" and sys.stdin.isatty()
    shown = str(output) == "-" and sys.stdout.isatty()
    if quiet or typed or shown or _bar or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TaskProgressColumn(),
        BarColumn(_BAR_COLUMNS),
        TextColumn("{task.description}", markup=False),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    console = Console(file=sys.stderr)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as progress:
        _bar = Bar(progress)
        try:
            yield
        finally:
            _bar = None


def counted(
    items: Iterable[T],
    what: str,
    *,
    size: Callable[[T], float] | None = None,
    total: float | None = None,
    source: object = None,
) -> Iterable[T]:
    """The same items, lazily, counted on the bar where one is open.

    Args:
        items: what passes.
        what: name of what is counted, in the plural.
        size: how much of it an item is; 1 by default.
        total: of the count.
        source: file that the items are read from, as it is opened; its size is the measure where there is no total.
    """
    if _bar is None:
        return items
    return _bar.run(items, what, size, total, None if source is None else str(source))


@contextmanager
def step(what: str) -> Iterator[None]:
    """Work of which nothing is counted."""
    if _bar is None:
        yield
        return
    with _bar.telling(what):
        yield


@contextmanager
def reading(path: object, file: IO[bytes]) -> Iterator[None]:
    """A file is read; tells how much of it, where it is the source of what is counted."""
    if _bar is None:
        yield
        return
    with _bar.reading(str(path), file):
        yield
