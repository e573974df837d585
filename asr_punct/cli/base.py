"""The application, its help, and helpers of all commands."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from importlib import metadata
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

NAME = "asr-punct"
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Part(StrEnum):
    """Sections of `asr-punct --help`, in order."""

    RESTORING = "Marks and capitals"
    TIMES = "Times and pauses"
    TRAINING = "Corpora and training"
    RESULTS = "Scores and models"


_STATUSES = [
    ("0", "done; also if the reader of a pipe has gone"),
    ("1", "an internal error"),
    ("2", "bad input or usage: one line with place, found and expected; no output file is left"),
    ("130", "interrupted"),
]


_EPILOG = """\b
asr-punct COMMAND --help describes input and output, with examples.

\b
Shell completion of commands, options and values: install it
  asr-punct --install-completion
or load it for one session (zsh: source_zsh; fish: source_fish, into source)
  eval "$(_ASR_PUNCT_COMPLETE=source_bash asr-punct)"
"""


def _show_help(context: Any, _: Any, wanted: bool) -> None:
    """Print the help; a closed standard output is an error of one line."""
    if wanted and not context.resilient_parsing:
        print_text(f"{context.get_help()}\n")
        raise typer.Exit


def _with_show_help(help_option: Any) -> Any:
    """Return the parser's option --help with `_show_help` as its callback."""
    if help_option:
        help_option.callback = _show_help
    return help_option


class _Commands(TyperGroup):
    """Commands, listed by section."""

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option --help."""
        return _with_show_help(super().get_help_option(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the sections."""
        commands: list[Any] = [self.get_command(ctx, name) for name in self.list_commands(ctx)]
        limit = formatter.width - 6 - max(len(command.name) for command in commands)
        for part in Part:
            chosen = [command for command in commands if command.rich_help_panel == part]
            with formatter.section(part):
                formatter.write_dl([(command.name, command.get_short_help_str(limit)) for command in chosen])


class _Command(TyperCommand):
    """A command with exit statuses and examples in its help."""

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option --help."""
        return _with_show_help(super().get_help_option(ctx))

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the exit statuses and the examples."""
        with formatter.section("Exit status"):
            formatter.write_dl(_STATUSES)
        with formatter.section("Examples"):
            formatter.write("".join(f"  {line}\n" for line in (self.epilog or "").splitlines()))


app = typer.Typer(
    name=NAME,
    cls=_Commands,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EPILOG,
)


def command(part: Part, examples: Mapping[str, str]) -> Callable[[_Function], _Function]:
    """Register a function as a command; its docstring is the help.

    Args:
        part: its section of the help.
        examples: description and command line of each.
    """
    epilog = "\n".join(f"{description}:\n  {line}" for description, line in examples.items())
    return app.command(cls=_Command, rich_help_panel=part, epilog=epilog)


def _show_version(context: typer.Context, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        print_text(metadata.version(NAME) + "\n")
        raise typer.Exit


@app.callback()
def main_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Punctuation and capitals for speech recognition output, from the words and the pauses between them."""


class LogHandler(logging.Handler):
    """Print log records to the current standard error, above a progress bar if there is one."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record."""
        print(self.format(record), file=sys.stderr)


def log_progress(quiet: bool) -> None:
    """Set the log level: INFO, or WARNING if quiet."""
    logging.getLogger("asr_punct").setLevel(logging.WARNING if quiet else logging.INFO)


def print_text(text: str) -> None:
    """Print a text to standard output."""
    from asr_punct.formats.files import STANDARD_STREAM, write_file

    with write_file(STANDARD_STREAM) as out:
        out.write(text)


def print_summary(lines: list[str], quiet: bool) -> None:
    """Print lines to standard error, unless quiet."""
    if not quiet:
        for line in lines:
            typer.echo(line, err=True)
