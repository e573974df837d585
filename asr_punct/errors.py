"""Errors of the user's input or usage: one line with place, found and expected."""

import inspect
import re
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from enum import IntEnum
from importlib import metadata
from pathlib import Path
from typing import Any, Self

EXPECTED_TIMES = "times (asr-punct align finds them in the audio)"
"""The `expected` part of error messages about words without times."""


def signal_status(number: int) -> int:
    """Return the exit status of a process that the signal ends."""
    return 128 + number


class ExitStatus(IntEnum):
    """Exit statuses of the commands, beside those of other signals.

    Attributes:
        meaning: its line in the help of the commands.
    """

    DONE = 0, "done; also if the program that reads the output has ended"
    FAILED = 1, "an internal error; of batch: some files could not be restored"
    USAGE = 2, "bad input or usage: one line with place, found and expected; no output file is left"
    INTERRUPTED = signal_status(signal.SIGINT), "interrupted"
    TERMINATED = signal_status(signal.SIGTERM), "ended by SIGTERM"

    meaning: str

    def __new__(cls, number: int, meaning: str) -> Self:
        status = int.__new__(cls, number)
        status._value_, status.meaning = number, meaning
        return status


@dataclass(frozen=True, slots=True)
class Setting:
    """A parameter with a value that would make the input valid, such as `source_format=ctm`.

    The command line writes it as an option, the service as a parameter of the request.
    """

    name: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.name}={self.value}" if self.value else self.name


class AsrPunctError(ValueError):
    """Bad input or usage, in one line: `place: found found, expected expected`.

    The command line exits with status 2, the service answers 422. Nobody parses the text: the parts are attributes.

    Attributes:
        place: where the error is; "" if the caller knows (see `at`).
        found: what is there.
        expected: what should be there.
        setting: a parameter that helps, or None.
    """

    def __init__(self, place: object, found: str, expected: str, setting: Setting | None = None) -> None:
        self.place, self.found, self.expected, self.setting = str(place), found, expected, setting
        super().__init__(self.line())

    def line(self, place: str | None = None, setting: str | None = None) -> str:
        """Return the error in one line, with another place or name of the setting if they are given."""
        where = self.place if place is None else place
        remedy = setting or self.setting
        text = f"{where}: " if where else ""
        text += f"found {self.found}, expected {self.expected}"
        return " ".join(f"{text} ({remedy})".split() if remedy else text.split())

    def __reduce__(self) -> tuple[Any, ...]:
        return BaseException.__new__, (type(self), *self.args), self.__dict__

    def at(self, place: object) -> Self:
        """Return the same error at another place, such as the line of the file with the bad value."""
        changed = copy(self)
        AsrPunctError.__init__(changed, place, self.found, self.expected, self.setting)
        return changed


class ArgumentError(AsrPunctError):
    """A bad argument; `place` is the name of the Python parameter (`class_weights`).

    The command line writes its option (`--class-weights`), the service its key of JSON.
    """


class InputError(AsrPunctError):
    """Malformed or missing input; `place` is a file, with a line or field if there is one (`a.ctm:12`)."""


class ConfigError(AsrPunctError):
    """A bad key of a configuration, or keys that contradict each other; `place` is the key (`encoder.width`)."""


class ModelError(InputError):
    """A model that is damaged, lacks a file, or gives unexpected output."""


class AudioError(InputError):
    """Audio that cannot be read, or ends too early."""


class MissingPackageError(AsrPunctError):
    """A command or feature needs a package that is not installed."""

    def __init__(self, feature: str, package: str, how_to_install: str) -> None:
        super().__init__(feature, f"no package {package}", f"it installed: {how_to_install}")


class MissingExtraError(MissingPackageError):
    """A command or feature needs a package that only an extra of asr_punct installs."""

    def __init__(self, feature: str, extra: str, package: str) -> None:
        commands = f"pip install 'asr-punct[{extra}]', or in a checkout pip install '.[{extra}]'"
        super().__init__(feature, package, commands)


def plural(number: int, noun: str) -> str:
    """Return `1 word`, `2 words`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def either(names: Iterable[str]) -> str:
    """Return `a, b or c`; there are two names or more."""
    *others, last = names
    return f"{', '.join(others)} or {last}"


def first_line(error: BaseException) -> str:
    """Return the first line of another library's error message, or its type if the message is empty."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def one_line(error: BaseException) -> str:
    """Return another library's error message in one line, or its type if the message is empty."""
    return " ".join(str(error).split()) or type(error).__name__


def run_script(main: Callable[..., object]) -> None:
    """Run the main function of a recipe's program.

    Typer turns its parameters into arguments and options; a function without parameters parses them itself. An
    `AsrPunctError` ends the program with one line on standard error and status 2.
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
        sys.exit(ExitStatus.USAGE)


def missing_extra_error(error: ModuleNotFoundError, arguments: Sequence[str]) -> MissingExtraError:
    """Return an error that names the smallest extra with the missing package; raise `error` again if there is none.

    `error` is a failed import, `arguments` the command line without the program.
    """
    package = (error.name or "").split(".")[0]
    extras: dict[str, list[str]] = {}
    for requirement in metadata.requires("asr-punct") or []:
        if match := re.match(r"([\w.-]+).*extra == ['\"](\w+)['\"]", requirement):
            extras.setdefault(match[2], []).append(match[1].replace("-", "_").lower())
    candidates = [extra for extra, packages in extras.items() if package.lower() in packages]
    if not candidates:
        raise error
    command = next((word for word in arguments if not word.startswith("-")), "this command")
    # an extra that contains others of asr_punct is larger than its own list
    smallest = min(candidates, key=lambda extra: ("asr_punct" in extras[extra], len(extras[extra])))
    return MissingExtraError(command, smallest, package)
