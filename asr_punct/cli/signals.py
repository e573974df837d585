"""SIGINT and SIGTERM end a command soon, wherever it is."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from types import FrameType
from typing import NoReturn

from asr_punct.errors import signal_status
from asr_punct.partial import remove_own

_SIGNALS = signal.SIGINT, signal.SIGTERM
_GRACE_S = 1.5
"""Seconds to clean up in."""
_GRACE_OF_PART_S = 0.8
"""The same for a process of a training run: its launcher waits for it."""
_SHOW_CURSOR = b"\x1b[?25h\n"
"""For a terminal on which a progress bar has hidden the cursor."""


class _Ending:
    """The signal that ends this process, once the main thread has received it."""

    number = 0
    advice = ""


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """End the process with its `signal_status` if a signal arrives in the block.

    SystemExit is raised in the main thread, so that the block cleans up. That is not enough if the thread does not
    return to Python, as in a library's long computation, or if a library drops the exception, as some do in an import.
    So a thread removes the unfinished outputs and ends the process after a grace. Further signals are ignored.

    A library that sets handlers of its own, as the service does, ends in its own time.
    """
    before = {number: signal.signal(number, _raise) for number in _SIGNALS}
    with _watched():
        try:
            yield
        finally:
            if _Ending.number:
                _advise()
                for stream in filter(None, (sys.stdout, sys.stderr)):
                    with suppress(OSError, ValueError):
                        stream.flush()
                # the end of the interpreter, with large libraries, takes seconds
                os._exit(signal_status(_Ending.number))
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def advice_at_end(line: str) -> Iterator[None]:
    """Print a line on standard error if a signal ends the process in the block."""
    _Ending.advice = f"{line}\n" if line else ""
    try:
        yield
    finally:
        if not _Ending.number:
            _Ending.advice = ""


def _advise() -> None:
    """Print the advice, once."""
    advice, _Ending.advice = _Ending.advice, ""
    if advice and sys.stderr is not None:
        with suppress(OSError, ValueError):
            os.write(sys.stderr.fileno(), advice.encode())


if hasattr(os, "register_at_fork"):  # the thread does not run in a child, whose signals do not concern this process
    os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))


def _raise(number: int, frame: FrameType | None) -> NoReturn:
    _Ending.number = number
    for each in _SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    sys.unraisablehook = lambda _: None  # reports an exception that C code drops
    sys.exit(signal_status(number))


@contextmanager
def _watched() -> Iterator[None]:
    """Let a thread wait for signals. It is told of them by Python's C code, in whatever the main thread is."""
    if os.name != "posix":  # elsewhere it would need a socket
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    Thread(target=_watch, args=(reader,), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writer)


def _watch(reader: int) -> None:
    """End the process a grace after a signal that it does not handle in another way."""
    with open(reader, "rb", buffering=0) as signals:
        while arrived := signals.read(1):
            number = arrived[0]
            if number in _SIGNALS and (_Ending.number or signal.getsignal(number) is _raise):
                time.sleep(_GRACE_OF_PART_S if "LOCAL_RANK" in os.environ else _GRACE_S)
                remove_own()
                _advise()
                if sys.stderr is not None and sys.stderr.isatty():
                    os.write(sys.stderr.fileno(), _SHOW_CURSOR)
                os._exit(signal_status(number))
