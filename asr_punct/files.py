"""Read and write UTF-8 text files; errors have line numbers, and an output file appears when it is complete."""

import codecs
import gzip
import json
import lzma
import os
import shutil
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO, TextIOWrapper
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar, cast

from asr_punct import progress
from asr_punct.errors import InputError
from asr_punct.partial import WRITABLE, io_errors, unfinished

Pathlike = str | PathLike[str]
Lines = Iterator[tuple[int, str]]
"""Line numbers, from 1, and lines of a text file, as `read_lines` yields them."""
STANDARD_STREAM = "-"
AUDIO_SUFFIXES = frozenset((".wav", ".flac", ".mp3", ".m4a", ".ogg", ".opus", ".sph", ".aac", ".mp4", ".webm"))
"""Suffixes of audio files, in lower case."""
_Result = TypeVar("_Result")
MAX_LINE = 64 * 2**20
"""Maximum length of a line in bytes: in a manifest, ten hours of speech with character-level timestamps are 50 MB."""
MAX_FILE = 128 * 2**20
"""Maximum size in bytes of a file that is read at once, about half a million words (50 hours) of JSON."""
MAX_KEPT = 100_000
"""Maximum number of consecutive lines without words. Readers hold them until the next utterance; writers copy them."""
_READABLE = "a file that can be read"


@dataclass(frozen=True)
class _NamedFile(PathLike[str]):
    """A path that is not opened; error messages, format and recording are taken from its `name`."""

    name: str

    def __fspath__(self) -> str:
        return self.name

    __str__ = __fspath__


@dataclass(frozen=True)
class MemoryFile(_NamedFile):
    """The content of a file in memory, not compressed, which `formats.read` accepts as a path."""

    content: bytes = field(repr=False)


@dataclass(frozen=True)
class StartedFile(_NamedFile):
    """A stream whose first lines were already read to detect its format; `read_lines` yields all `lines`, once."""

    lines: Lines = field(repr=False)


def _write_gzip(path: Path, mode: str) -> gzip.GzipFile:
    """Open a file to write, without name and time in its header, so that equal content gives equal files."""
    raw = open(path, "wb")  # noqa: SIM115
    file = gzip.GzipFile(filename="", mode=mode, fileobj=raw, mtime=0)
    file.myfileobj = raw  # type: ignore[assignment]  # is closed with it
    return file


_READERS: Mapping[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}
_WRITERS: Mapping[str, Callable[..., Any]] = {".gz": _write_gzip, ".xz": lzma.open}
"""Functions that open a compressed file, by its suffix."""


def display_name(path: Pathlike) -> str:
    """Return the name of an input in error messages."""
    return "standard input" if str(path) == STANDARD_STREAM else str(path)


def uncompressed_name(path: Pathlike) -> str:
    """Return the file's name without the suffix of its compression."""
    name = Path(path)
    return name.stem if name.suffix in _READERS else name.name


def _describe(error: OSError) -> str:
    return error.strerror or str(error) or "an error"


def _standard_input() -> BinaryIO:
    """Return standard input with a buffer of its own.

    A thread may still be reading it when the program ends, and Python would then crash on the lock of `sys.stdin`.
    """
    if sys.stdin is None:
        raise InputError("standard input", "a closed file", "an open one")
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except OSError:  # sys.stdin was replaced by a stream without a file
        return sys.stdin.buffer


@contextmanager
def _open_bytes(path: Pathlike) -> Iterator[BinaryIO]:
    if isinstance(path, MemoryFile):
        yield BytesIO(path.content)
        return
    if str(path) == STANDARD_STREAM:
        file = _standard_input()
        with io_errors(display_name(path), _READABLE), progress.reading(path, file):
            yield file
        return
    if not os.path.exists(path):
        raise InputError(path, "no such file", "a file to read")
    if os.path.isdir(path):
        raise InputError(path, "a directory", "a file to read")
    open_file = _READERS.get(Path(path).suffix, open)
    with io_errors(path, _READABLE), open_file(path, "rb") as file:
        try:
            with progress.reading(path, file):
                yield file
        except (lzma.LZMAError, zlib.error, EOFError) as error:
            expected = f"{Path(path).suffix.removeprefix('.')} data that can be read to its end"
            raise InputError(path, str(error).rstrip("."), expected) from None


def read_lines(path: Pathlike) -> Lines:
    r"""Yield the lines of a UTF-8 text file and their numbers from 1; `-` is standard input.

    A line ends only at `\n`; a carriage return before it and a byte order mark are dropped. `.xz` and `.gz` files are
    decompressed. Raises InputError for a file that cannot be read, or a line that is not UTF-8 or too long.
    """
    if isinstance(path, StartedFile):
        yield from path.lines
        return
    with _open_bytes(path) as file:
        for number, raw in enumerate(iter(partial(file.readline, MAX_LINE + 1), b""), start=1):
            if len(raw) > MAX_LINE:
                place = f"{display_name(path)}:{number}"
                raise InputError(place, f"a line of more than {MAX_LINE} bytes", "at most that many")
            line = _decoded(raw, path, number)
            if number == 1:
                line = line.removeprefix("\ufeff")
            yield number, line.removesuffix("\n").removesuffix("\r")


def keep_line(kept: list[str], line: str, place: str) -> None:
    """Append a line without words to `kept`. Raises InputError if it has `MAX_KEPT` lines."""
    if len(kept) == MAX_KEPT:
        raise InputError(place, f"more than {MAX_KEPT} lines without a word", "at most that many")
    kept.append(line)


def _decoded(raw: bytes, path: Pathlike, number: int) -> str:
    """Decode bytes of a file that begin at line `number`."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line, column = number + before.count(b"\n"), error.start - before.rfind(b"\n")
        found = f"byte 0x{raw[error.start]:02x} at column {column}"
        raise InputError(f"{display_name(path)}:{line}", found, "UTF-8 text") from None


def read_text_file(path: Pathlike, *, may_be_utf16: bool = False) -> str:
    """Return the text of a UTF-8 file without a byte order mark and its last line feed; CRLF becomes LF.

    With `may_be_utf16` a file with the byte order mark of UTF-16 is read as such. Raises InputError as `read_lines`,
    and for more than `MAX_FILE` bytes.
    """
    with _open_bytes(path) as file:
        raw = file.read(MAX_FILE + 1)
    if len(raw) > MAX_FILE:
        raise InputError(display_name(path), f"more than {MAX_FILE} bytes", "at most that many in such a file")
    if may_be_utf16 and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            text = raw.decode("utf-16")
        except UnicodeDecodeError as error:
            found = f"byte 0x{raw[error.start]:02x} at byte {error.start + 1}"
            raise InputError(display_name(path), found, "UTF-16 text") from None
    else:
        text = _decoded(raw, path, 1)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")


class _Output:
    """A text stream that raises InputError for its own errors, not for the caller's; `failure` is its last OSError."""

    def __init__(self, stream: TextIO, name: Pathlike) -> None:
        self._stream, self._name = stream, name
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        return self._run(self._stream.write, text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        self._run(self._stream.flush)

    def close(self) -> None:
        self._run(self._stream.close)

    def _run(self, function: Callable[..., _Result], *arguments: str) -> _Result:
        try:
            return function(*arguments)
        except OSError as error:
            self.failure = error
            raise InputError(self._name, _describe(error), WRITABLE) from None
        except UnicodeEncodeError as error:  # surrogate escapes of a file name, or a terminal, not in UTF-8
            found = repr(error.object[error.start : error.end])
            raise InputError(self._name, found, f"text that {error.encoding} can write") from None


@contextmanager
def write_file(path: Pathlike) -> Iterator[TextIO]:
    """Open a text file that appears under its name when it is complete; `-` is standard output.

    `.xz` and `.gz` files are compressed. If the caller's code raises, no file appears. The stream has only the methods
    `write`, `writelines`, `flush` and `close`. Raises InputError if the file cannot be written.
    """
    target = Path(path)
    if str(path) == STANDARD_STREAM:
        output: AbstractContextManager[_Output] = _standard_output()
    elif os.path.exists(target) and not os.path.isfile(target):  # /dev/stdout or a named pipe cannot be replaced
        output = closing(_open_output(target, target))
    else:
        output = _replacing(target)
    with output as out:
        yield cast(TextIO, out)


def write_json_file(path: Pathlike, value: Any) -> None:
    """Write a JSON value, indented, with `write_file`."""
    with write_file(path) as out:
        json.dump(value, out, indent=2, ensure_ascii=False)
        out.write("\n")


def read_json_file(path: Pathlike) -> Any:
    """Return the value of a JSON file. Raises InputError as `read_text_file`, or if the content is not JSON."""
    text = read_text_file(path)
    try:
        return json.loads(text)
    except (RecursionError, ValueError) as error:
        raise InputError(path, f"{type(error).__name__} {error}", "JSON") from None


def _open_output(file: Path, name: Path) -> _Output:
    with io_errors(name, WRITABLE):
        stream = _WRITERS.get(name.suffix, open)(file, "wb")
        return _Output(TextIOWrapper(stream, encoding="utf-8", newline="\n"), name)


@contextmanager
def _standard_output() -> Iterator[_Output]:
    if sys.stdout is None:
        raise InputError("standard output", "a closed file", "an open one")
    out = _Output(sys.stdout, "standard output")
    try:
        yield out
        out.flush()
    except InputError:
        if out.failure:
            _discard_buffer()
        if not isinstance(out.failure, BrokenPipeError):  # the reader closed the pipe: not an error
            raise


def _discard_buffer() -> None:
    """Send the buffered rest of standard output to /dev/null, because Python flushes it again at exit."""
    with suppress(OSError), open(os.devnull, "wb") as null:  # OSError: standard output has no descriptor
        os.dup2(null.fileno(), sys.stdout.fileno())


@contextmanager
def _replacing(target: Path) -> Iterator[_Output]:
    with unfinished(target) as path, closing(_open_output(path, target)) as out:
        yield out


def copy_file(source: Path, target: Path) -> None:
    """Copy a file. Raises InputError if that fails."""
    with io_errors(target, WRITABLE):
        shutil.copy(source, target)


@contextmanager
def write_directory(path: Pathlike) -> Iterator[Path]:
    """Make a directory that appears under its name when it is complete; one that exists must be empty."""
    target = Path(path)
    expected = "a directory that is new or empty"
    if str(path) == STANDARD_STREAM:
        raise InputError("-o", "standard output", expected)
    if os.path.isfile(target) or (os.path.isdir(target) and any(target.iterdir())):
        raise InputError(path, "existing files", expected)
    with unfinished(target) as partial_directory:
        with io_errors(target, WRITABLE):
            partial_directory.mkdir()
        yield partial_directory


def make_directory(path: Path) -> None:
    """Make a directory and its parents if they do not exist. Raises InputError if it is a file or cannot be made."""
    with io_errors(path, "a directory to write into"):
        path.mkdir(parents=True, exist_ok=True)
