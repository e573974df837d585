"""Progress bars, shown only on a terminal.

A command opens the bar with `progress_bar`. Long-running functions show their progress on it with `track` and `step`;
if one calls another, only the progress of the outer one is shown.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import IO, TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")
Position = tuple[float | None, float | None]
"""Number of bytes read of a file, and its size; None if unknown."""
_UPDATE_INTERVAL_S = 0.1


class _Bar:
    """An open bar. It shows one task at a time."""

    def __init__(self, drawn: Progress) -> None:
        self._drawn, self.is_busy = drawn, False

    @contextmanager
    def task(self, title: str) -> Iterator[Callable[[Position, str], None]]:
        """Show a task. Yields a function that updates what is done, the total, and the title."""
        task, self.is_busy = self._drawn.add_task(title, total=None), True
        try:
            yield lambda done, title: self._drawn.update(task, completed=done[0], total=done[1], description=title)
        finally:
            self._drawn.remove_task(task)
            self.is_busy = False


_OPEN_BAR: ContextVar[_Bar | None] = ContextVar("open bar", default=None)
if hasattr(os, "register_at_fork"):  # the thread that draws the bar does not run in a child
    os.register_at_fork(after_in_child=lambda: _OPEN_BAR.set(None))


@contextmanager
def progress_bar(quiet: bool = False, *, source: object = None, output: object = None) -> Iterator[None]:
    """Open the bar on standard error, unless the terminal is also used for input or output.

    `source` and `output` are files; `-` is a standard stream. With `quiet` no bar is opened.
    """
    reads_terminal = str(source) == "-" and _is_terminal(sys.stdin)
    writes_terminal = str(output) == "-" and _is_terminal(sys.stdout)
    can_draw = _is_terminal(sys.stderr) and os.environ.get("TERM", "dumb") != "dumb"
    if quiet or reads_terminal or writes_terminal or _OPEN_BAR.get() or not can_draw:
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    text = TextColumn("{task.description}", markup=False)
    columns = (TaskProgressColumn(), BarColumn(20), text, TimeRemainingColumn(elapsed_when_finished=True))
    with Progress(*columns, console=Console(file=sys.stderr), transient=True, redirect_stdout=False) as drawn:
        before = _OPEN_BAR.set(_Bar(drawn))
        try:
            yield
        finally:
            _OPEN_BAR.reset(before)


def _is_terminal(stream: IO[str] | None) -> bool:
    return stream is not None and stream.isatty()  # None: the standard stream is closed


def is_free() -> bool:
    """Whether a bar is open that shows no task, so that it would show the next one."""
    bar = _OPEN_BAR.get()
    return bar is not None and not bar.is_busy


@contextmanager
def step(title: str) -> Iterator[Callable[[Position, str], None] | None]:
    """Show a title without a count. Yields a function that updates it; None if no bar is open or it shows a task."""
    bar = _OPEN_BAR.get()
    if bar is None or bar.is_busy:
        yield None
    else:
        with bar.task(title) as update:
            yield update


def track(
    items: Iterable[T],
    unit: str,
    *,
    size: Callable[[T], float] = lambda _: 1,
    total: float | None = None,
    position: Callable[[], Position] = lambda: (None, None),
    detail: Callable[[], str] = str,
) -> Iterator[T]:
    """Yield the items and show the count of their units, named in the plural (`words`), and the text of `detail`.

    `size` returns the number of units of an item; `total` is that of all items. Without `total`, the bar shows the
    share that was read of the file with the items, which `position` returns (`InputFile.position`).
    """
    with step(unit) as update:
        if update is None:
            yield from items
            return
        count, next_update = 0.0, 0.0
        for item in items:
            yield item
            count += size(item)
            if time.monotonic() >= next_update:
                next_update = time.monotonic() + _UPDATE_INTERVAL_S
                number = f"{count:,.0f}/{total:,.0f}" if total else f"{count:,.0f}"
                update((count, total) if total else position(), f"{number} {unit}{detail()}")
