"""The typer application, its help, and helpers that all commands use."""

import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from functools import wraps
from importlib import metadata
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from asr_punct.cli.options import FieldOption, field_options
from asr_punct.errors import AsrPunctError, ExitStatus

NAME = "asr-punct"
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Section(StrEnum):
    """Sections of `asr-punct --help`, in this order."""

    RESTORING = "Marks and capitals"
    TIMES = "Times and pauses"
    TRAINING = "Corpora and training"
    RESULTS = "Scores and models"


_EPILOG = """\b
asr-punct COMMAND --help describes input and output, with examples.

\b
Shell completion of commands, options and values: install it
  asr-punct --install-completion
or load it for one session (zsh: source_zsh; fish: source_fish, into source)
  eval "$(_ASR_PUNCT_COMPLETE=source_bash asr-punct)"
"""


class _PrintedHelp:
    """Prints the help with `print_text`, which reports a full disk in one line and ignores a closed pipe."""

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)  # type: ignore[misc]
        option.callback = self._show_help
        return option

    @staticmethod
    def _show_help(context: Any, _: Any, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            print_text(f"{context.get_help()}\n")
            raise typer.Exit


class _Commands(_PrintedHelp, TyperGroup):
    """The commands, listed by section."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands: list[Any] = [self.get_command(ctx, name) for name in self.list_commands(ctx)]
        limit = formatter.width - 6 - max(len(command.name) for command in commands)  # as click computes it
        for section in Section:
            rows = [(c.name, c.get_short_help_str(limit)) for c in commands if c.rich_help_panel == section]
            with formatter.section(section):
                formatter.write_dl(rows)


class _Command(_PrintedHelp, TyperCommand):
    """A command whose help ends with exit statuses and examples."""

    expected_arguments = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line. Raises AsrPunctError for an extra argument."""
        ctx.allow_extra_args = True
        extra: list[str] = super().parse_args(ctx, args)
        if extra and not ctx.resilient_parsing:
            names = " ".join(
                str(each.metavar or each.name) for each in self.get_params(ctx) if each.param_type_name == "argument"
            )
            expected = self.expected_arguments or (f"only {names}" if names else "no arguments")
            raise AsrPunctError(self.name, f"a further argument {extra[0]!r}", expected)
        return extra

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Exit status"):
            formatter.write_dl([(str(int(status)), status.meaning) for status in ExitStatus])
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


def command(
    section: Section, examples: Mapping[str, str], expected_arguments: str = ""
) -> Callable[[_Function], _Function]:
    """Register a function as a command. Its docstring is the help, its parameters are options, and so are the fields of
    a parameter that is a dataclass (`groups`).

    `examples` are command lines by their descriptions. `expected_arguments` is for the error message about an extra
    argument; by default it names the command's arguments.
    """
    epilog = "\n".join(f"{description}:\n  {line}" for description, line in examples.items())
    cls = type("Command", (_Command,), {"expected_arguments": expected_arguments})

    def register(function: _Function) -> _Function:
        app.command(cls=cls, rich_help_panel=section, epilog=epilog)(_with_fields(function))
        return function

    return register


def _with_fields(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function whose parameters are those of `function`, with the fields of dataclasses in place of these."""
    groups, parameters = dict[str, tuple[type, list[FieldOption]]](), list[Parameter]()
    for parameter in signature(function, eval_str=True).parameters.values():
        if isinstance(group := parameter.annotation, type) and is_dataclass(group):
            own = list(field_options(group))
            groups[parameter.name] = group, own
            parameters += [
                Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type) for each in own
            ]
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))

    @wraps(function)
    def run(**arguments: Any) -> None:
        for name, (cls, own) in groups.items():
            arguments[name] = cls(**{each.name: each.value(arguments.pop(each.name)) for each in own})
        function(**arguments)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _show_version(context: typer.Context, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from asr_punct.hub import shipped_models

        print_text(f"{metadata.version(NAME)} (models: {' '.join(shipped_models())})\n")
        raise typer.Exit


@app.callback()
def main_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and the models.")
    ] = False,
) -> None:
    """Punctuation and capitals for speech recognition output, from the words and the pauses between them."""


class LogHandler(logging.Handler):
    """Print log records to standard error, above a progress bar if one is shown.

    Warnings of this package begin with `asr-punct:`, as its errors do.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record. `sys.stderr` is looked up for each record because the progress bar replaces it."""
        is_warning = record.levelno >= logging.WARNING and record.name.startswith("asr_punct")
        prefix = f"{NAME}: " if is_warning else ""
        print(prefix + self.format(record), file=sys.stderr)


def set_log_level(quiet: bool) -> None:
    """Log from level INFO on, or WARNING if quiet."""
    logging.getLogger("asr_punct").setLevel(logging.WARNING if quiet else logging.INFO)


def print_text(text: str) -> None:
    """Print a text to standard output."""
    from asr_punct.files import STANDARD_STREAM, write_file

    with write_file(STANDARD_STREAM) as out:
        out.write(text)


def print_summary(lines: list[str], quiet: bool) -> None:
    """Print lines to standard error, unless quiet."""
    if not quiet:
        for line in lines:
            typer.echo(line, err=True)
