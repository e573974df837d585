"""Errors that a user meets: one line that says where, what was found and what was expected."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

TIMES = "times (asr-punct align finds them in the audio)"
"""What an error expects of words without them."""


class AsrPunctError(ValueError):
    """Bad input or usage. The command line prints it on one line and exits with status 2."""


class InputError(AsrPunctError):
    """Input that does not have the form it should have.

    Args:
        place: file, and line or field where there is one (`a.ctm:12`).
        found: what stands there.
        expected: what should stand there.
    """

    def __init__(self, place: object, found: str, expected: str) -> None:
        self.place, self.found, self.expected = str(place), found, expected
        super().__init__(" ".join(f"{place}: found {found}, expected {expected}".split()))


class ConfigError(AsrPunctError):
    """A configuration whose keys or values do not go together."""


class ModelError(InputError):
    """A model directory with a missing, altered or foreign file."""


class AudioError(InputError):
    """Audio that cannot be read to its end."""


class MissingPackageError(AsrPunctError):
    """What is asked for needs a package that is not installed."""

    def __init__(self, what: str, package: str, command: str) -> None:
        super().__init__(f"{what} needs the package {package}, which is not installed: {command}")


class MissingExtraError(MissingPackageError):
    """A command needs packages that the core install does not bring."""

    def __init__(self, what: str, extra: str, package: str) -> None:
        commands = f"pip install 'asr-punct[{extra}]', or in a checkout pip install '.[{extra}]'"
        super().__init__(what, package, commands)


def counted_as(number: int, noun: str) -> str:
    """A number of things: `1 word`, `2 words`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def first_line(error: BaseException) -> str:
    """The first line of what another library's error says, or its kind where it says nothing."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def run_script(main: Callable[..., None]) -> None:
    """Run the function of a recipe's program. Its parameters are the arguments and options, as typer reads them.

    An `AsrPunctError` ends the program with one line on standard error and status 2.
    """
    try:
        if inspect.signature(main).parameters:
            import typer

            program = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
            program.command(help=inspect.getdoc(inspect.getmodule(main)))(main)
            program()
        else:
            main()
    except AsrPunctError as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(2)


def missing_extra(error: ModuleNotFoundError, arguments: Sequence[str]) -> MissingExtraError:
    """The error as the smallest extra to install, by the package's own metadata; raises it again where none brings it.

    Args:
        error: of a module that is not there.
        arguments: of the command line, which name the command.
    """
    package = (error.name or "").split(".")[0]
    extras: dict[str, list[str]] = {}
    for requirement in metadata.requires("asr-punct") or []:
        if match := re.match(r"([\w.-]+).*extra == ['\"](\w+)['\"]", requirement):
            extras.setdefault(match[2], []).append(match[1].replace("-", "_").lower())
    bringing = [extra for extra, packages in extras.items() if package.lower() in packages]
    if not bringing:
        raise error
    command = next((word for word in arguments if not word.startswith("-")), "this command")
    return MissingExtraError(command, min(bringing, key=lambda extra: len(extras[extra])), package)
