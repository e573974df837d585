"""Errors and hints as the command line writes them: parameters of Python functions are its options."""

from collections.abc import Sequence

import typer

from asr_punct.cli.base import NAME
from asr_punct.errors import ArgumentError, AsrPunctError, Setting
from asr_punct.files import Pathlike, display_name
from asr_punct.hints import CAPITALS_STAY, Hint

_OPTIONS = {
    "case": "--no-case",
    "graph": "--int8",
    "language": "--lang",
    "list_file": "--list",
    "name": "--model",
    "output": "-o",
    "source_format": "--from",
    "target_format": "--to",
    "tiers": "--tier",
}
"""Options with other names than the parameters; all others are as `--class-weights` for `class_weights`."""
_OPTIONS_OF_COMMAND = {
    "score": {"source_format": "--ref-from or --hyp-from"},
    "evaluate": {"model": "MODEL"},
    "info": {"model": "MODEL"},
    "export": {"model": "MODEL_DIR"},
    "tune": {"model": "MODEL_DIR"},
}
"""Other names in one command."""


def option_name(parameter: str, command: str = "") -> str:
    """Return the option of a parameter, in messages of a command."""
    own = _OPTIONS_OF_COMMAND.get(command, {})
    return own.get(parameter) or _OPTIONS.get(parameter) or f"--{parameter.replace('_', '-')}"


def option_text(setting: Setting, command: str = "") -> str:
    """Return a setting as an option with its value."""
    return f"{option_name(setting.name, command)} {setting.value}".rstrip()


def error_line(error: AsrPunctError, arguments: Sequence[str] = ()) -> str:
    """Return an error in one line. `arguments` is the command line without the program."""
    command = arguments[0] if arguments else ""
    place = option_name(error.place, command) if isinstance(error, ArgumentError) else None
    return error.line(place, option_text(error.setting, command) if error.setting else None)


def print_about(file: Pathlike, text: str) -> None:
    """Print a line about a file on standard error."""
    typer.echo(f"{NAME}: {display_name(file)}: {text}", err=True)


def print_hint(file: Pathlike, hint: Hint, quiet: bool = False, no_case: bool = False) -> None:
    """Print a hint about an input, unless `quiet`; that capitals stay is none if no capitals are added."""
    if not (quiet or (no_case and hint == CAPITALS_STAY)):
        remedy = f" ({hint.remedy}: {option_text(hint.setting)})" if hint.setting else ""
        print_about(file, hint.found + remedy)
