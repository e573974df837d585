"""A hint on a terminal where a command waits for standard input."""

from __future__ import annotations

import select
import sys
from contextlib import suppress
from threading import Thread

import typer

_SILENCE_S = 1.0
"""Seconds without a line until the hint is shown."""
END_OF_INPUT = "Ctrl-Z and Enter end" if sys.platform == "win32" else "Ctrl-D ends"


def hint_at_silence(hint: str) -> None:
    """Print the hint to standard error if nothing is typed for a second; only if both streams are a terminal."""
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        Thread(target=_print_at_silence, args=(hint,), daemon=True).start()


def _print_at_silence(hint: str) -> None:
    with suppress(OSError, ValueError):  # standard input was closed; on Windows a terminal cannot be waited for
        if not select.select([sys.stdin], [], [], _SILENCE_S)[0]:
            typer.echo(hint, err=True)
