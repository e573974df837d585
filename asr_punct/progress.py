"""Progress bars, shown only on a terminal: a command opens the bar, long work reports to it by `counted` and `step`.

Nested progress is not shown.
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
_UPDATE_S = 0.1
_bar: Progress | None = None
_busy = False
_open_files: dict[str, IO[bytes]] = {}


@contextmanager
def on_terminal(quiet: bool = False, *, source: object = None, output: object = None) -> Iterator[None]:
    """Open the bar on standard error, unless words are typed (`source` is `-`) or shown (`output` is `-`) there."""
    global _bar
    typed = str(source) == "-" and sys.stdin.isatty()
    shown = str(output) == "-" and sys.stdout.isatty()
    if quiet or typed or shown or _bar or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    text = TextColumn("{task.description}", markup=False)
    columns = (TaskProgressColumn(), BarColumn(20), text, TimeRemainingColumn(elapsed_when_finished=True))
    try:
        with Progress(*columns, console=Console(file=sys.stderr), transient=True, redirect_stdout=False) as _bar:
            yield
    finally:
        _forget()


def _forget() -> None:
    global _bar, _busy
    _bar, _busy = None, False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # a child process has the bar but not the thread that draws it


@contextmanager
def step(title: str) -> Iterator[TaskID | None]:
    """Show the title of work in which nothing is counted; yields None if the bar is closed or has another task."""
    global _busy
    if _bar is None or _busy:
        yield None
        return
    bar, task, _busy = _bar, _bar.add_task(title, total=None), True
    try:
        yield task
    finally:
        bar.remove_task(task)
        _busy = False


def counted(
    items: Iterable[T],
    unit: str,
    *,
    size: Callable[[T], float] = lambda _: 1,
    total: float | None = None,
    source: object = None,
) -> Iterator[T]:
    """Pass the items on and show their number.

    Args:
        items: any items.
        unit: name of what is counted, in the plural.
        size: how many units an item counts for.
        total: the last count.
        source: file that the items are read from (`reading`): without a total, its bytes measure the progress.
    """
    with step(unit) as task:
        if task is None or _bar is None:
            yield from items
            return
        bar, count, due = _bar, 0.0, 0.0
        for item in items:
            yield item
            count += size(item)
            if time.monotonic() >= due:
                due = time.monotonic() + _UPDATE_S
                number = f"{count:,.0f}/{total:,.0f}" if total else f"{count:,.0f}"
                done, end = (count, total) if total else _position(str(source))
                bar.update(task, completed=done, total=end, description=f"{number} {unit}")


@contextmanager
def reading(path: object, file: IO[bytes]) -> Iterator[None]:
    """Make an open file known to `counted(…, source=path)`."""
    _open_files[str(path)] = file
    try:
        yield
    finally:
        _open_files.pop(str(path), None)


def _position(source: str) -> tuple[float | None, float | None]:
    """Bytes read from a file and its size; None if unknown."""
    with suppress(KeyError, OSError, ValueError):  # a closed file, a pipe, a file without a descriptor
        descriptor = _open_files[source].fileno()
        return os.lseek(descriptor, 0, os.SEEK_CUR), os.fstat(descriptor).st_size or None
    return None, None
