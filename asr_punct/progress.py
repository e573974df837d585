"""Progress bars, shown only on a terminal.

A command opens the bar with `progress_bar`. Long-running functions show their progress on it with `track` and `step`;
if one calls another, only the progress of the outer one is shown.
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
_UPDATE_INTERVAL_S = 0.1
_bar: Progress | None = None
_has_task = False  # whether a task is shown, so that tasks inside it are not
_open_files: dict[str, IO[bytes]] = {}  # by path


@contextmanager
def progress_bar(quiet: bool = False, *, source: object = None, output: object = None) -> Iterator[None]:
    """Open the bar on standard error, unless the terminal is also used for input or output.

    `source` and `output` are files; `-` is a standard stream. With `quiet` no bar is opened.
    """
    global _bar
    reads_terminal = str(source) == "-" and _is_terminal(sys.stdin)
    writes_terminal = str(output) == "-" and _is_terminal(sys.stdout)
    can_draw = _is_terminal(sys.stderr) and os.environ.get("TERM", "dumb") != "dumb"
    if quiet or reads_terminal or writes_terminal or _bar or not can_draw:
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
        _reset()


def _is_terminal(stream: IO[str] | None) -> bool:
    return stream is not None and stream.isatty()  # None: the standard stream is closed


def _reset() -> None:
    global _bar, _has_task
    _bar, _has_task = None, False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset)  # the thread that draws the bar does not run in a child


@contextmanager
def step(title: str) -> Iterator[TaskID | None]:
    """Show a title without a count. Yields None if no bar is open or another task is shown."""
    global _has_task
    if _bar is None or _has_task:
        yield None
        return
    bar, task, _has_task = _bar, _bar.add_task(title, total=None), True
    try:
        yield task
    finally:
        bar.remove_task(task)
        _has_task = False


def track(
    items: Iterable[T],
    unit: str,
    *,
    size: Callable[[T], float] = lambda _: 1,
    total: float | None = None,
    source: object = None,
    detail: Callable[[], str] = str,
) -> Iterator[T]:
    """Yield the items and show the count of their units, named in the plural (`words`), and the text of `detail`.

    `size` returns the number of units of an item; `total` is that of all items. Without `total`, the bar shows the
    share of bytes read of `source`, the file with the items, which must be registered by `reading`.
    """
    with step(unit) as task:
        if task is None or _bar is None:
            yield from items
            return
        bar, count, next_update = _bar, 0.0, 0.0
        for item in items:
            yield item
            count += size(item)
            if time.monotonic() >= next_update:
                next_update = time.monotonic() + _UPDATE_INTERVAL_S
                number = f"{count:,.0f}/{total:,.0f}" if total else f"{count:,.0f}"
                done, end = (count, total) if total else _position(str(source))
                bar.update(task, completed=done, total=end, description=f"{number} {unit}{detail()}")


@contextmanager
def reading(path: object, file: IO[bytes]) -> Iterator[None]:
    """Register an open file for `track(…, source=path)`."""
    _open_files[str(path)] = file
    try:
        yield
    finally:
        _open_files.pop(str(path), None)


def _position(source: str) -> tuple[float | None, float | None]:
    """Return the number of bytes read from a file, and its size; None if unknown."""
    with suppress(KeyError, OSError, ValueError):  # not registered, a pipe, or without a descriptor
        descriptor = _open_files[source].fileno()
        return os.lseek(descriptor, 0, os.SEEK_CUR), os.fstat(descriptor).st_size or None
    return None, None
