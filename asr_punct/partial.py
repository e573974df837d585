"""Outputs that appear under their name when they are complete, and removal of those that killed processes have left."""

import gzip
import lzma
import os
import platform
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO, TypeVar, cast

from asr_punct.encoding import UTF8, TextForm, Undecoded, encodable, visible
from asr_punct.errors import ArgumentError, InputError

_Result = TypeVar("_Result")
STANDARD_STREAM = "-"
"""The path that stands for standard input or output."""
EXPECTED_OUTPUT = "a place where a file can be written"
_SUFFIX = ".partial"
_NAME = re.compile(rf"\.(.*)-(\d+)-[^-]*{re.escape(_SUFFIX)}", re.DOTALL)
_own: set[Path] = set()
"""Unfinished files and folders of this process."""


@contextmanager
def io_errors(name: object, expected: str) -> Iterator[None]:
    """Raise an InputError at `name` for an OSError in the block."""
    try:
        yield
    except FileNotFoundError as error:
        folder = Path(str(name)).parent
        found = f"no folder {folder}" if expected == EXPECTED_OUTPUT and not folder.exists() else _describe(error)
        raise InputError(name, found, expected) from None
    except OSError as error:
        raise InputError(name, _describe(error), expected) from None


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """Yield a path for a new file or directory, which gets its name at the end or is removed after an error.

    Create it inside the `with` block: then it is also removed if a signal arrives right afterwards.
    """
    path = target.parent / partial_name()
    _own.add(path)
    try:
        yield path
        with io_errors(target, EXPECTED_OUTPUT):
            os.replace(path, target)
    except BaseException:
        with suppress(OSError):
            _remove(path)
        raise
    finally:
        _own.discard(path)


def remove_own() -> None:
    """Remove the unfinished files and folders of this process, which ends without unwinding its stack."""
    for path in tuple(_own):
        with suppress(OSError):
            _remove(path)


def _describe(error: OSError) -> str:
    return error.strerror or str(error) or "an error"


def partial_name() -> str:
    """Return a new name for an unfinished file, with the machine and process that write it."""
    return f".{_machine()}-{os.getpid()}-{secrets.token_hex(4)}{_SUFFIX}"


def remove_abandoned(outputs: Iterable[str]) -> None:
    """Remove unfinished files of processes of this machine that have ended, from the folders of these files."""
    if os.name != "posix":  # elsewhere there is no safe test whether a process is alive
        return
    for folder in {os.path.dirname(output) for output in outputs}:
        with suppress(OSError), os.scandir(folder or ".") as entries:
            for entry in entries:
                match = _NAME.fullmatch(entry.name)
                if match and match[1] == _machine() and not _is_alive(int(match[2])):
                    _remove(Path(entry))


@contextmanager
def new_folders(outputs: Iterable[str]) -> Iterator[None]:
    """At the end of the block, remove the folders of outputs that did not exist before it and are empty."""
    parents = {parent for output in outputs for parent in Path(output).parents}
    missing = [parent for parent in parents if not parent.exists()]
    try:
        yield
    finally:
        for folder in sorted(missing, key=lambda path: len(path.parts), reverse=True):
            with suppress(OSError):  # it is not empty, or was not made
                folder.rmdir()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _machine() -> str:
    return platform.node().partition(".")[0][:32]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another user
        return True
    return True


class _Output:
    """A text stream that raises InputError for its own errors, not for the caller's; `failure` is its last OSError."""

    def __init__(self, stream: TextIO, name: object, undecoded: Undecoded, form: TextForm = UTF8) -> None:
        self._stream, self._name, self._undecoded, self._form = stream, name, undecoded, form
        self._mark = "\ufeff" if form.has_mark else ""
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        if self._undecoded == "replace":
            text = visible(text)
        text, self._mark = self._mark + text, ""
        try:
            return self._run(self._stream.write, text)
        except UnicodeEncodeError as error:  # lone surrogates, marks that the encoding lacks, or a terminal's encoding
            has_form = self._form.encoding != UTF8.encoding
            if not has_form and (self._undecoded == "refuse" or visible(text) == text):
                raise self._cannot_write(error) from None
        return self._write_bytes(encodable(text, self._form) if has_form else text)

    def _write_bytes(self, text: str) -> int:
        """Write a text with the bytes that its lone surrogates stand for."""
        self.flush()
        errors = "strict" if self._undecoded == "refuse" else "surrogateescape"
        text = text.replace("\n", self._form.line_end)
        try:
            return self._run(self._stream.buffer.write, text.encode(self._stream.encoding, errors))
        except UnicodeEncodeError as error:
            raise self._cannot_write(error) from None

    def _cannot_write(self, error: UnicodeEncodeError) -> InputError:
        found = repr(error.object[error.start : error.end])
        return InputError(self._name, found, f"text that {self._stream.encoding.upper()} can write")

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        self._run(self._stream.flush)

    def close(self) -> None:
        self._run(self._stream.close)

    def _run(self, function: Callable[..., _Result], *arguments: str | bytes) -> _Result:
        try:
            return function(*arguments)
        except OSError as error:
            self.failure = error
            raise InputError(self._name, _describe(error), EXPECTED_OUTPUT) from None


class _GzipFile(gzip.GzipFile):
    """A new .gz file without name and time in its header, so that equal content gives equal files."""

    def __init__(self, path: Path, mode: str) -> None:
        self._compressed = open(path, mode)  # noqa: SIM115
        super().__init__(filename="", mode=mode, fileobj=self._compressed, mtime=0)

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._compressed.close()


_WRITERS: Mapping[str, Callable[..., Any]] = {".gz": _GzipFile, ".xz": lzma.open}
"""Functions that open a compressed file, by its suffix."""


@contextmanager
def opened_output(file: Path, name: Path, undecoded: Undecoded = "refuse", form: TextForm = UTF8) -> Iterator[TextIO]:
    """Open a file to write, compressed as its `name` says, which errors also show."""
    with io_errors(name, EXPECTED_OUTPUT):
        stream = _WRITERS.get(name.suffix, open)(file, "wb")
        out = _Output(TextIOWrapper(stream, form.encoding, newline=form.line_end), name, undecoded, form)
    with closing(out):
        yield cast(TextIO, out)


@contextmanager
def unfinished_output(target: Path, undecoded: Undecoded, form: TextForm) -> Iterator[TextIO]:
    """Open a file that gets its name at the end, or is removed after an error."""
    with unfinished(target) as path, opened_output(path, target, undecoded, form) as out:
        yield out


@contextmanager
def standard_output(undecoded: Undecoded, form: TextForm = UTF8) -> Iterator[TextIO]:
    """Open standard output. If the program that reads it has ended, what is left is discarded without an error.

    A terminal has a form of its own.
    """
    if sys.stdout is None:
        raise InputError("standard output", "a closed file", "an open one")
    has_form = replace(form, is_guessed=False) != UTF8 and not sys.stdout.isatty()
    wrapper = TextIOWrapper(sys.stdout.buffer, form.encoding, newline=form.line_end) if has_form else None
    out = _Output(wrapper or sys.stdout, "standard output", undecoded, form if has_form else UTF8)
    try:
        yield cast(TextIO, out)
        out.flush()
    except InputError:
        if out.failure:
            _discard_buffer()
        if not isinstance(out.failure, BrokenPipeError):
            raise
    finally:
        if wrapper:
            with suppress(OSError):
                wrapper.detach()  # it would close standard output


def _discard_buffer() -> None:
    """Send the buffered rest of standard output to /dev/null, because Python flushes it again at exit."""
    with suppress(OSError), open(os.devnull, "wb") as null:  # OSError: standard output has no descriptor
        os.dup2(null.fileno(), sys.stdout.fileno())


def copy_file(source: Path, target: Path) -> None:
    """Copy a file. Raises InputError if that fails."""
    with io_errors(target, EXPECTED_OUTPUT):
        shutil.copy(source, target)


@contextmanager
def write_directory(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Make a directory that appears under its name when it is complete; one that exists must be empty."""
    target = Path(path)
    expected = "a directory that is new or empty"
    if str(path) == STANDARD_STREAM:
        raise ArgumentError("output", "standard output", expected)
    if os.path.isfile(target) or (os.path.isdir(target) and any(target.iterdir())):
        raise InputError(path, "existing files", expected)
    with unfinished(target) as folder:
        with io_errors(target, EXPECTED_OUTPUT):
            folder.mkdir()
        yield folder


def make_directory(path: Path) -> None:
    """Make a directory and its parents if they do not exist. Raises InputError if it is a file or cannot be made."""
    with io_errors(path, "a directory to write into"):
        path.mkdir(parents=True, exist_ok=True)
