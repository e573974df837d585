"""Worker threads: the work of clients waits in a queue and is computed in turns."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, ParamSpec, TypeVar

from asr_punct.serve.service_errors import ServiceError, internal_error

_LOG = logging.getLogger(__name__)
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


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
            if self._is_awaited():
                self.result.set_result(result)

    def fail(self, error: Exception) -> None:
        """Set an error as the result if there is none; the client gets a ServiceError, others are logged."""
        if not isinstance(error, ServiceError):
            _LOG.error("internal error", exc_info=error)
            error = internal_error()
        if self._is_awaited():
            self.result.set_exception(error)

    def _is_awaited(self) -> bool:
        return not self.result.done() and self.result.set_running_or_notify_cancel()


AnyWork = TypeVar("AnyWork", bound=Work)  # type: ignore[type-arg]


class Worker(Generic[AnyWork]):
    """Threads that share a queue of work and compute it in turns.

    A turn takes all small work that waits; then larger work, the oldest first, while it fits in `together`, at least
    one. Thus a client that sends much delays itself. Work that was cancelled is dropped.

    Args:
        settings: returns the settings of work. Work of a turn with equal settings is computed together; if this raises,
            the work fails.
        compute: computes such work and sets its results. It yields between parts, such as the utterances of a document,
            and is stopped there once no client waits for a result.
        small: maximum size of work that does not wait for larger work.
        together: maximum size of the larger work of a turn, unless it is a single one.
        threads: number of threads.
    """

    def __init__(
        self,
        settings: Callable[[AnyWork], Hashable],
        compute: Callable[[Sequence[AnyWork]], Iterable[None]],
        *,
        small: int = 0,
        together: int,
        threads: int = 1,
    ) -> None:
        self._settings, self._compute, self._small, self._together = settings, compute, small, together
        self._waiting: list[AnyWork] = []
        self._changed = threading.Condition()
        self._is_closed = False
        for _ in range(threads):
            threading.Thread(target=self._run, name="worker", daemon=True).start()

    def put(self, work: AnyWork) -> None:
        """Add work to the queue."""
        with self._changed:
            self._waiting.append(work)
            self._changed.notify()

    def close(self) -> None:
        """Stop the threads once no work is left."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _run(self) -> None:
        while self._run_turn():
            pass

    def _run_turn(self) -> bool:
        """Wait for work and compute that of one turn; return False at the end."""
        turn = self._take()
        for group in self._by_settings(turn):
            try:
                for _ in self._compute(group):
                    if all(work.result.cancelled() for work in group):
                        break
            except Exception as error:
                for work in group:
                    work.fail(error)
        return bool(turn)

    def _take(self) -> list[AnyWork]:
        """Wait for work and return that of the next turn; [] at the end."""
        turn: list[AnyWork] = []
        with self._changed:
            while not turn and (self._waiting or not self._is_closed):
                self._changed.wait_for(lambda: self._waiting or self._is_closed)
                turn, self._waiting = self._split()
        return turn

    def _split(self) -> tuple[list[AnyWork], list[AnyWork]]:
        """Return the work of the next turn, and that which waits further, both without cancelled work."""
        turn, rest, size = list[AnyWork](), list[AnyWork](), 0
        for work in self._waiting:
            if work.result.cancelled():
                continue
            if work.size <= self._small:
                turn.append(work)
            elif not rest and (not size or size + work.size <= self._together):
                turn.append(work)
                size += work.size
            else:
                rest.append(work)
        return turn, rest

    def _by_settings(self, turn: Iterable[AnyWork]) -> Iterable[list[AnyWork]]:
        groups = defaultdict[Hashable, list[AnyWork]](list)
        for work in turn:
            try:
                groups[self._settings(work)].append(work)
            except Exception as error:
                work.fail(error)
        return groups.values()
