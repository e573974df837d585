"""The application that the commands belong to, and what they share."""

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
    """The parts of `asr-punct --help`, in their order."""

    RESTORING = "Marks and capitals"
    TIMES = "Times and pauses"
    TRAINING = "Corpora and training"
    RESULTS = "Scores and models"


_STATUSES = [
    ("0", "done; also where the reader of a pipe has gone"),
    ("1", "a fault of asr-punct's own"),
    ("2", "bad input or usage: one line tells place, found and expected; no output file is left behind"),
    ("130", "interrupted"),
]


_EPILOG = """\b
asr-punct COMMAND --help tells what a command reads and writes, with examples.

\b
Completion by the shell of commands, options and values: once and for all
  asr-punct --install-completion
or for a session (zsh: source_zsh; fish: source_fish, into source)
  eval "$(_ASR_PUNCT_COMPLETE=source_bash asr-punct)"
"""


def _show_help(context: Any, _: Any, wanted: bool) -> None:
    """As the parser's own, but told in one line where standard output takes no more."""
    if wanted and not context.resilient_parsing:
        print_text(f"{context.get_help()}\n")
        raise typer.Exit


def _told(help_option: Any) -> Any:
    """The parser's option --help, if there is one, with `_show_help` for its own way."""
    if help_option:
        help_option.callback = _show_help
    return help_option


class _Commands(TyperGroup):
    """The commands, listed by the parts that they belong to."""

    def get_help_option(self, ctx: Any) -> Any:
        """The option --help."""
        return _told(super().get_help_option(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each part."""
        commands: list[Any] = [self.get_command(ctx, name) for name in self.list_commands(ctx)]
        limit = formatter.width - 6 - max(len(command.name) for command in commands)
        for part in Part:
            chosen = [command for command in commands if command.rich_help_panel == part]
            with formatter.section(part):
                formatter.write_dl([(command.name, command.get_short_help_str(limit)) for command in chosen])


class _Command(TyperCommand):
    """A command whose epilog is examples: command lines, each with what it does on the line before."""

    def get_help_option(self, ctx: Any) -> Any:
        """The option --help."""
        return _told(super().get_help_option(ctx))

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the statuses and the examples."""
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
    """Make a function the command of its name; its docstring is the help.

    Args:
        part: of the help that lists it.
        examples: what each does, and its command line.
    """
    epilog = "\n".join(f"{told}:\n  {line}" for told, line in examples.items())
    return app.command(cls=_Command, rich_help_panel=part, epilog=epilog)


def _show_version(context: typer.Context, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        print_text(metadata.version(NAME) + "\n")
        raise typer.Exit


@app.callback()
def main_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Punctuation and capitals for speech recognition output, from the words and the pauses between them."""


class LogHandler(logging.Handler):
    """Writes what is logged to standard error as it is now: above the bar of progress where there is one."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        print(self.format(record), file=sys.stderr)


def log_progress(quiet: bool) -> None:
    """What the package logs goes to standard error, unless quiet."""
    logging.getLogger("asr_punct").setLevel(logging.WARNING if quiet else logging.INFO)


def print_text(text: str) -> None:
    """Write a text to standard output."""
    from asr_punct.formats.files import STANDARD_STREAM, write_file

    with write_file(STANDARD_STREAM) as out:
        out.write(text)


def tell(lines: list[str], quiet: bool) -> None:
    """Write lines to standard error, unless quiet."""
    if not quiet:
        for line in lines:
            typer.echo(line, err=True)
