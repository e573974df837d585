"""The command line. Commands parse options, call other packages and write results. Functions import heavy packages.

`base` has the application and `options` the shared options. A new command is a function with
`@command(Section.…, examples)` in a module that `commands` imports: its docstring is the help, and tests parse or run
the examples.
"""

import logging
import sys
from typing import NoReturn

from asr_punct.cli.signals import ended_by_signals
from asr_punct.errors import AsrPunctError, ExitStatus, missing_extra_error


def main() -> NoReturn:
    """Run the command line and exit with an `ExitStatus`; errors of usage and input are one line on standard error."""
    with ended_by_signals():  # imports are in this block: they take a while
        import typer

        try:
            _run(sys.argv[1:] or ["--help"])
        except AsrPunctError as error:
            from asr_punct.cli.messages import error_line

            _fail(error_line(error, sys.argv[1:]))
        except ModuleNotFoundError as error:
            _fail(str(missing_extra_error(error, sys.argv[1:])))
        except (KeyboardInterrupt, typer.Abort):
            sys.exit(ExitStatus.INTERRUPTED)
        except Exception as error:
            if hasattr(error, "format_message"):  # a usage error; typer does not export its class
                _fail(error.format_message())
            raise


def _run(arguments: list[str]) -> NoReturn:
    from asr_punct.cli.base import NAME, LogHandler
    from asr_punct.cli.commands import app

    logging.basicConfig(handlers=[LogHandler()], level=logging.WARNING)
    sys.exit(app(arguments, prog_name=NAME, standalone_mode=False) or 0)


def _fail(message: str) -> NoReturn:
    print(f"asr-punct: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(ExitStatus.USAGE)
