"""How far long work is: one line on a terminal, nothing anywhere else.

A command opens the line (`on_terminal`); work that can be long tells of itself where it is done (`counted`, `step`).
Where no line is open that costs nothing; where one is, an item costs an addition, and a thread draws the line some
times a second, however many items pass. Of work inside other work only the outer one is told.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, TextIO, TypeVar

T = TypeVar("T")
REFRESH_S = 0.2
_SHORTEST_BAR, _LONGEST_BAR, _TEXT_COLUMNS = 8, 40, 50
_LEAST_ELAPSED_S = 2
"""Before that it is not told how long it takes yet."""
_SPINNER = "|/-\\"
_CLEAR = "\r\x1b[K"


@dataclass
class Task:
    """Work that is told of.

    Attributes:
        what: what is counted (`words`), or what is done.
        total: of the count, or None where that is not known.
        source: name of the file that is read meanwhile, whose size then is the measure.
        in_parts: whether what is counted is only taken up, and done in parts.
        count: what was taken up.
        complete: whether nothing is left to take up: the source was read while items passed, and is closed.
        handed: of that, what was handed in before the parts that are now worked on, and with them.
        parts: how many these are, and how many of them are done.
        began: time in seconds.
    """

    what: str
    total: float | None = None
    source: str | None = None
    in_parts: bool = False
    count: float = 0
    complete: bool = False
    handed: tuple[float, float] = (0, 0)
    parts: tuple[int, int] = (0, 0)
    began: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> float:
        """How much of the count is done."""
        if not self.in_parts:
            return self.count
        before, with_these = self.handed
        parts, finished = self.parts
        return before + (with_these - before) * finished / parts if parts else before

    @property
    def share(self) -> float:
        """How much is done of what was taken up, from 0 to 1."""
        return self.done / self.count if self.count else 0.0


class Line:
    """The line of a terminal that tells how far work is.

    Args:
        stream: the terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self.task: Task | None = None
        self._stream = stream
        self._descriptor: int | None = None  # of the file that is read
        self._lock = threading.Lock()
        self._drawn = False
        self._turn = 0

    def run(self, items: Iterable[T], task: Task, size: Callable[[T], float] | None) -> Iterator[T]:
        """The items, counted as soon as the next one is asked for."""
        if self.task is not None:
            yield from items
            return
        with self.telling(task):
            for item in items:
                yield item
                task.count += 1 if size is None else size(item)

    @contextmanager
    def telling(self, task: Task) -> Iterator[None]:
        """Tell of a task as long as it lasts, unless another one is told of."""
        if self.task is not None:
            yield
            return
        self.task = task
        try:
            yield
        finally:
            with self.aside():
                self.task = None

    @contextmanager
    def reading(self, path: str, file: IO[bytes]) -> Iterator[None]:
        """A file is read, which may be the task's source."""
        task = self.task
        if task is None or task.source != path:
            yield
            return
        with suppress(OSError):  # it has no descriptor
            self._descriptor = file.fileno()
        try:
            yield
        finally:
            with self._lock:
                self._descriptor = None
                task.complete = task.count > 0

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Room for other lines on the terminal: this one is wiped out until it is drawn again."""
        with self._lock:
            if self._drawn:
                self._stream.write(_CLEAR)
                self._stream.flush()
                self._drawn = False
            yield

    def draw(self) -> None:
        """Draw the line as things stand."""
        with self._lock:
            if self.task is None:
                return
            columns = os.get_terminal_size(self._stream.fileno()).columns or 80
            self._turn += 1
            self._stream.write(_CLEAR + self._text(self.task, columns - 1))
            self._stream.flush()
            self._drawn = True

    def _text(self, task: Task, columns: int) -> str:
        fraction = self._fraction(task)
        elapsed = time.monotonic() - task.began
        return drawn_text(task, fraction, elapsed, columns, _SPINNER[self._turn % len(_SPINNER)])

    def _fraction(self, task: Task) -> float | None:
        """How much is done, by the total or by the place in the source; None where neither is known.

        A file that is closed before the first item passed was read as a whole, and tells nothing.
        """
        if task.total:
            return min(1.0, task.done / task.total)
        if self._descriptor is None:
            return task.share if task.complete else None
        try:
            size = os.fstat(self._descriptor).st_size
            place = os.lseek(self._descriptor, 0, os.SEEK_CUR)
            return min(1.0, place / size) * task.share if size else None
        except OSError:  # a pipe has no places
            return None


def drawn_text(task: Task, fraction: float | None, elapsed: float, columns: int, turn: str) -> str:
    """The line of a task in so many columns; what has no room is left out, the rate first.

    Args:
        task: what is told of.
        fraction: how much of it is done, or None.
        elapsed: seconds since it began.
        columns: of the terminal.
        turn: a character that shows that time passes.
    """
    count = task.done
    of = f"{count:,.0f}/{task.total:,.0f}" if task.total else f"{count:,.0f}"
    counted = f"{of} {task.what}" if task.count or task.total or task.source else task.what
    clock = _clock(elapsed)
    if fraction and elapsed > _LEAST_ELAPSED_S:
        clock = f"{_clock(elapsed * (1 - fraction) / fraction)} left"
    head = turn if fraction is None else f"{fraction:4.0%}"
    rate = [f"{count / elapsed:,.0f}/s"] if count >= 1 and elapsed >= 1 else []
    text = "  ".join([head, counted, *rate, clock])
    if len(text) > columns:
        text = "  ".join([head, counted, clock])
    room = min(columns - _TEXT_COLUMNS, _LONGEST_BAR)
    if fraction is None or room < _SHORTEST_BAR:
        return text[:columns]
    return f"[{'#' * round(room * fraction):<{room}}]  {text}"[:columns]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


_line: Line | None = None


def _forget() -> None:
    """A child process tells nothing: it has the line, and not the thread."""
    global _line
    _line = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@contextmanager
def on_terminal(quiet: bool = False, *, source: object = None, output: object = None) -> Iterator[None]:
    """Show how far work is, on standard error if that is a terminal that can move its cursor.

    Nothing is shown where the words themselves are typed or shown on a terminal.

    Args:
        quiet: show nothing.
        source: what is read; `-` is standard input.
        output: what is written; `-` is standard output.
    """
    global _line
    typed = str(source) == "-" and sys.stdin.isatty()
    shown = str(output) == "-" and sys.stdout.isatty()
    if quiet or typed or shown or _line or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    _line = line = Line(sys.stderr)
    stop = threading.Event()
    thread = threading.Thread(target=_keep_drawing, args=(line, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        _line = None
        stop.set()
        thread.join()
        with suppress(OSError), line.aside():
            pass


def _keep_drawing(line: Line, stop: threading.Event) -> None:
    with suppress(OSError):  # the terminal has gone
        while not stop.wait(REFRESH_S):
            line.draw()


def counted(
    items: Iterable[T],
    what: str,
    *,
    size: Callable[[T], float] | None = None,
    total: float | None = None,
    source: object = None,
    in_parts: bool = False,
) -> Iterable[T]:
    """The same items, lazily, counted on the line where one is open.

    Args:
        items: what passes.
        what: name of what is counted, in the plural.
        size: how much of it an item is; 1 by default.
        total: of the count.
        source: file that the items are read from, as it is opened; its size is the measure where there is no total.
        in_parts: whether passing is not being done: the work tells what is (`expect`, `advance`).
    """
    if _line is None:
        return items
    return _line.run(items, Task(what, total, None if source is None else str(source), in_parts), size)


@contextmanager
def step(what: str) -> Iterator[None]:
    """Work of which nothing is counted."""
    if _line is None:
        yield
        return
    with _line.telling(Task(what)):
        yield


@contextmanager
def reading(path: object, file: IO[bytes]) -> Iterator[None]:
    """A file is read; tells how much of it, where it is the source of what is counted."""
    if _line is None:
        yield
        return
    with _line.reading(str(path), file):
        yield


def expect(parts: int) -> None:
    """All that was counted up to now is worked on in so many parts; what was before it is done."""
    if _line is not None and (task := _line.task):
        task.handed, task.parts = (task.handed[1], task.count), (parts, 0)


def advance(parts: int) -> None:
    """So many parts are done."""
    if _line is not None and (task := _line.task):
        task.parts = task.parts[0], task.parts[1] + parts


@contextmanager
def aside() -> Iterator[None]:
    """Room for other lines on the terminal."""
    if _line is None:
        yield
        return
    with _line.aside():
        yield
