"""The command line: each command parses, calls one function, writes. Heavy imports stay inside the commands.

`base` has the application and `options` the shared options; the other modules have the commands of one section of the
help. A new command is a function with `@command(Part.…, examples)`: its docstring is the help, and tests parse or run
the examples.
"""

from __future__ import annotations

import logging
import signal
import sys
from typing import NoReturn

import typer

from asr_punct.cli import recognition, restoring, results, times, training  # noqa: F401 - each registers its commands
from asr_punct.cli.base import NAME, LogHandler, app
from asr_punct.errors import AsrPunctError, missing_extra


def main() -> NoReturn:
    """Run the command line: status 0 done, 2 bad input or usage with one line on standard error, 1 an internal error.

    SIGINT ends it with status 130, SIGTERM with 143.
    """
    signal.signal(signal.SIGTERM, _terminated)
    logging.basicConfig(handlers=[LogHandler()], level=logging.WARNING)
    try:
        sys.exit(app(sys.argv[1:] or ["--help"], prog_name=NAME, standalone_mode=False) or 0)
    except AsrPunctError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        _fail(str(missing_extra(error, sys.argv[1:])))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except Exception as error:
        if hasattr(error, "format_message"):  # usage errors of the parser
            _fail(error.format_message())
        raise


def _terminated(number: int, frame: object) -> NoReturn:
    """Leave through SystemExit, so that unfinished output is removed; ignore further signals while doing so."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def _fail(message: str) -> NoReturn:
    typer.echo(f"{NAME}: {' '.join(message.split())}", err=True)
    sys.exit(2)
