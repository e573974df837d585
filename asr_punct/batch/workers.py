"""Processes that restore the files of a batch on this machine."""

import gc
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread
from types import FrameType
from typing import NoReturn, cast

from asr_punct.batch.names import Item
from asr_punct.batch.work import BatchWork, Result
from asr_punct.errors import ArgumentError, AsrPunctError, signal_status
from asr_punct.inference.backend import THREADS_VARIABLE
from asr_punct.partial import remove_abandoned

_CONTEXT = multiprocessing.get_context("spawn")  # a fork would copy threads of the progress bar and of libraries
_MAX_FAILED_STARTS = 3
"""Number of workers in a row that may end before they have opened the model."""
_TERMINATION_S = 1.0
"""Seconds that workers have to end."""


class _Worker:
    """One process, the connection to it, the file that it works on, and whether it has opened the model."""

    def __init__(self, work: BatchWork) -> None:
        self.connection, worker_end = _CONTEXT.Pipe()
        self.process: BaseProcess = _CONTEXT.Process(target=_run, args=(worker_end, work), daemon=True)
        self.item: Item | None = None
        self.is_open = False
        with _environment_of_workers():
            self.process.start()
        worker_end.close()  # otherwise the end of the process would not be noticed

    def give(self, queue: deque[Item]) -> None:
        """Send the next file, or if there is none, end the process."""
        self.item = queue.popleft() if queue else None
        with suppress(OSError):  # the process has died: noticed when its result is received
            self.connection.send(self.item)

    def fate(self) -> str:
        """Wait for the end of a process that has died; return how it ended, for an error message."""
        self.process.join()
        code = self.process.exitcode or 0
        if code < 0:
            return f"a worker process killed by {signal.Signals(-code).name}"
        return f"a worker process that ended with status {code}"

    def terminate(self) -> None:
        self.connection.close()
        if self.process.is_alive():
            self.process.terminate()

    def remove(self) -> None:
        """Wait for the end of the terminated process, or kill it, and remove its unfinished output."""
        self.process.join(_TERMINATION_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        if self.item is not None:
            remove_abandoned([self.item.output])


def restore_files(items: Sequence[Item], jobs: int, work: BatchWork) -> Generator[Result, None, None]:
    """Restore files in processes of one thread each; yield the result of each file as soon as it is ready.

    Large files are restored first, so that no process is left with a long one at the end. If a process dies, only
    its file fails, and another process is started. All processes end with the iteration.

    Raises AsrPunctError if the model cannot be opened.
    """
    queue = deque(sorted(items, key=lambda item: item.size, reverse=True))
    pool = _Pool(queue, work)
    try:
        pool.start(min(jobs, len(items)))
        while pool.workers:
            for connection in wait(list(pool.workers)):
                worker = pool.workers[cast(Connection, connection)]
                result = pool.receive(worker)
                if result is not None:
                    yield result
    finally:
        for worker in pool.workers.values():
            worker.terminate()
        for worker in pool.workers.values():
            worker.remove()


class _Pool:
    """Worker processes and the files that are left for them."""

    def __init__(self, queue: deque[Item], work: BatchWork) -> None:
        self._queue, self._work = queue, work
        self._failed_starts = 0
        self.workers: dict[Connection, _Worker] = {}

    def start(self, count: int) -> None:
        for _ in range(count):
            worker = _Worker(self._work)
            self.workers[worker.connection] = worker

    def receive(self, worker: _Worker) -> Result | None:
        """Receive a worker's message and send it the next file; replace it if it has died.

        Raises AsrPunctError if the worker cannot open the model.
        """
        try:
            message: AsrPunctError | Result | None = worker.connection.recv()
        except (EOFError, OSError):
            return self._replace(worker)
        if isinstance(message, AsrPunctError):
            raise message
        if message is None:  # the first one: the model is open
            worker.is_open, self._failed_starts = True, 0
        worker.give(self._queue)
        return message

    def _replace(self, worker: _Worker) -> Result | None:
        """Replace a worker that has died, if files are left. Return the failure of its file, or None if it had none.

        Raises AsrPunctError after too many failed starts.
        """
        del self.workers[worker.connection]
        worker.connection.close()
        self._failed_starts += not worker.is_open
        if self._failed_starts == _MAX_FAILED_STARTS:
            raise ArgumentError("jobs", f"{worker.fate()} while it opened the model", "enough memory")
        if self._queue:
            self.start(1)
        if worker.item is None:
            return None
        error = AsrPunctError(worker.item.source, worker.fate(), "it to finish (out of memory?)")
        remove_abandoned([worker.item.output])
        return Result(worker.item, error=error)


@contextmanager
def _environment_of_workers() -> Iterator[None]:
    """While workers start: set one thread for each, and block Ctrl-C in them, because this process handles it."""
    before = os.environ.get(THREADS_VARIABLE)
    os.environ[THREADS_VARIABLE] = "1"
    blocks = hasattr(signal, "pthread_sigmask")  # not on Windows
    if blocks:  # workers inherit it; in this process a signal waits
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        if blocks:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        if before is None:
            del os.environ[THREADS_VARIABLE]
        else:
            os.environ[THREADS_VARIABLE] = before


def _run(connection: Connection, work: BatchWork) -> None:
    """Send None when the model is open, else the error; then restore each file that is received, until None is."""
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):  # the parent has ended
        try:
            _ = work.punctuator
        except AsrPunctError as error:
            connection.send(error)
            return
        signal.signal(signal.SIGTERM, _exit)  # not before: in an import an exception would become another one
        gc.freeze()  # objects of the model and of imports, most objects, are not searched for garbage again
        connection.send(None)
        while (item := connection.recv()) is not None:
            connection.send(work.restore(item))


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    """Raise SystemExit, so that an unfinished output is removed.

    Python reports and drops an exception that is raised in a callback of the garbage collector. Then nothing is printed
    here, and the parent kills this process.
    """
    sys.unraisablehook = lambda _: None
    raise SystemExit(signal_status(number))


def _end_with_parent() -> None:
    """End this process when its parent is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
