"""The command line. Commands parse options, call other packages and write results. Functions import heavy packages.

`base` has the application and `options` the shared options. A new command is a function with
`@command(Section.…, examples)`: its docstring is the help, and tests parse or run the examples.
"""

import logging
import signal
import sys
from typing import NoReturn

import typer

# Each of these modules registers its commands.
from asr_punct.cli import batch, recognition, restore, results, serving, times, training  # noqa: F401
from asr_punct.cli.base import NAME, LogHandler, app
from asr_punct.cli.messages import error_line
from asr_punct.errors import AsrPunctError, missing_extra_error


def main() -> NoReturn:
    """Run the command line and exit with a status.

    0: done. 1: internal error. 2: bad input or usage, with one line on standard error. 130: SIGINT. 143: SIGTERM.
    """
    signal.signal(signal.SIGTERM, _exit_on_signal)
    logging.basicConfig(handlers=[LogHandler()], level=logging.WARNING)
    try:
        sys.exit(app(sys.argv[1:] or ["--help"], prog_name=NAME, standalone_mode=False) or 0)
    except AsrPunctError as error:
        _fail(error_line(error, sys.argv[1:]))
    except ModuleNotFoundError as error:
        _fail(str(missing_extra_error(error, sys.argv[1:])))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except Exception as error:
        if hasattr(error, "format_message"):  # a usage error; typer does not export its class
            _fail(error.format_message())
        raise


def _exit_on_signal(number: int, frame: object) -> NoReturn:
    """Raise SystemExit, so that unfinished output is removed, and ignore the same signal from now on."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def _fail(message: str) -> NoReturn:
    typer.echo(f"{NAME}: {' '.join(message.split())}", err=True)
    sys.exit(2)
