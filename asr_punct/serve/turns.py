"""Worker threads: the work of clients waits in a queue and is computed in turns."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, ParamSpec, TypeVar

from asr_punct.serve.service_errors import ServiceError, internal_error

_LOG = logging.getLogger(__name__)
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
_SLICE_S = 0.2
"""Time after which work that takes long lets other work be computed."""


@dataclass(eq=False)
class Work(Generic[Result]):
    """Work of one client: a document, or the next words of a stream.

    Attributes:
        size: bytes of a document, number of words of a message.
        result: is cancelled once the client no longer waits for it.
    """

    size: int
    result: Future[Result] = field(default_factory=Future, init=False)

    async def wait(self) -> Result:
        """Return the result when it is there; if the caller is cancelled, so is the work."""
        return await asyncio.wrap_future(self.result)

    def finish(self, make: Callable[Arguments, Result], *arguments: Arguments.args, **more: Arguments.kwargs) -> None:
        """Set the result that a call of `make` returns, or the error that it raises."""
        try:
            result = make(*arguments, **more)
        except Exception as error:
            self.fail(error)
        else:
            with suppress(InvalidStateError):  # it was cancelled
                self.result.set_result(result)

    def fail(self, error: Exception) -> None:
        """Set an error as the result if there is none; the client gets a ServiceError, others are logged."""
        if not isinstance(error, ServiceError):
            _LOG.error("internal error", exc_info=error)
            error = internal_error()
        with suppress(InvalidStateError):
            self.result.set_exception(error)


AnyWork = TypeVar("AnyWork", bound=Work)  # type: ignore[type-arg]


@dataclass(eq=False)
class _Run(Generic[AnyWork]):
    """Work that is computed together; `steps` computes it."""

    group: Sequence[AnyWork]
    steps: Iterator[None]

    @property
    def is_awaited(self) -> bool:
        """Whether a client waits for a result."""
        return not all(work.result.cancelled() for work in self.group)


class Worker(Generic[AnyWork]):
    """Threads that share a queue of work and compute it in turns.

    A turn takes all small work that waits; then larger work, the oldest first, while it fits in `together`, at least
    one. Work that takes longer than `_SLICE_S` is interrupted while other work waits: new work and interrupted work
    are computed alternately, so that a client with much work delays itself. Work that was cancelled is dropped.

    Args:
        settings: returns the settings of work. Work of a turn with equal settings is computed together; if this raises,
            the work fails.
        compute: computes such work and sets its results. It yields between parts, such as the windows of a document,
            and may be interrupted there; it is stopped there once no client waits for a result.
        small: maximum size of work that does not wait for larger work.
        together: maximum size of the larger work of a turn, unless it is a single one.
        room: maximum size of all work that is begun. Work begins if it takes at most half of what is left, so that
            there is always room for smaller work, or if no other is begun. None: no limit.
        threads: number of threads.
    """

    def __init__(
        self,
        settings: Callable[[AnyWork], Hashable],
        compute: Callable[[Sequence[AnyWork]], Iterable[None]],
        *,
        small: int = 0,
        together: int,
        room: int | None = None,
        threads: int = 1,
    ) -> None:
        self._settings, self._compute, self._small, self._together = settings, compute, small, together
        self._room, self._begun = room, 0
        self._waiting: list[AnyWork] = []
        self._interrupted = deque[_Run[AnyWork]]()
        self._is_new_next = True
        self._changed = threading.Condition()
        self._is_closed = False
        self._threads = [threading.Thread(target=self._run, name="worker", daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def put(self, work: AnyWork) -> None:
        """Add work to the queue."""
        with self._changed:
            self._waiting.append(work)
            self._changed.notify()

    def close(self) -> None:
        """Compute the work that is left, and end the threads."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while runs := self._next_runs():
            while runs:  # no variable keeps a run that has ended
                self._advance(runs.pop(0))

    def _next_runs(self) -> list[_Run[AnyWork]]:
        """Wait for the next turn and return its runs; [] at the end."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._can_begin() or self._interrupted or self._is_finished())
                if self._interrupted and not (self._is_new_next and self._can_begin()):
                    self._is_new_next = True
                    return [self._interrupted.popleft()]
                turn, self._waiting = self._split()
                self._is_new_next = False
                self._begun += sum(work.size for work in turn)
                if not turn and self._is_finished():
                    return []
            if runs := [_Run(group, iter(self._compute(group))) for group in self._by_settings(turn)]:
                return runs

    def _is_finished(self) -> bool:
        return self._is_closed and not (self._waiting or self._interrupted)

    def _can_begin(self) -> bool:
        """Drop cancelled work; return whether any of the rest can begin."""
        self._waiting = [work for work in self._waiting if not work.result.cancelled()]
        return any(work.size <= self._small or self._has_room(work, 0) for work in self._waiting)

    def _split(self) -> tuple[list[AnyWork], list[AnyWork]]:
        """Return the work of the next turn, and that which waits further."""
        turn, rest, size, is_full = list[AnyWork](), list[AnyWork](), 0, False
        for work in self._waiting:
            if work.size <= self._small:
                turn.append(work)
            elif not self._has_room(work, size):
                rest.append(work)
            elif not is_full and (not size or size + work.size <= self._together):
                turn.append(work)
                size += work.size
            else:
                rest.append(work)
                is_full = True
        return turn, rest

    def _has_room(self, work: AnyWork, size: int) -> bool:
        begun = self._begun + size
        return self._room is None or not begun or work.size <= (self._room - begun) / 2

    def _by_settings(self, turn: Iterable[AnyWork]) -> Iterable[list[AnyWork]]:
        groups = defaultdict[Hashable, list[AnyWork]](list)
        for work in turn:
            try:
                groups[self._settings(work)].append(work)
            except Exception as error:
                work.fail(error)
                self._end([work])
        return groups.values()

    def _advance(self, run: _Run[AnyWork]) -> None:
        """Compute a run to its end, or interrupt it while other work waits."""
        end = time.monotonic() + _SLICE_S
        try:
            for _ in run.steps:
                if not run.is_awaited:
                    break
                if time.monotonic() >= end and self._interrupt(run):
                    return
        except Exception as error:
            for work in run.group:
                work.fail(error)
        self._end(run.group)

    def _interrupt(self, run: _Run[AnyWork]) -> bool:
        """Put a run at the end of the queue if other work can be computed; return whether it is there."""
        with self._changed:
            if not (self._interrupted or self._can_begin()):
                return False
            self._is_new_next = self._is_new_next or not self._interrupted
            self._interrupted.append(run)
            self._changed.notify()
            return True

    def _end(self, group: Iterable[AnyWork]) -> None:
        """Make the room of finished work free."""
        with self._changed:
            self._begun -= sum(work.size for work in group)
            self._changed.notify_all()
