"""Read and write text files; errors have line numbers, and an output file appears when it is complete."""

import gzip
import json
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from asr_punct.binary import binary_kind
from asr_punct.encoding import STRICT, UTF8, ByteDecoder, Encoding, TextForm, Undecoded, first_blocks, form_of
from asr_punct.errors import InputError
from asr_punct.partial import EXPECTED_OUTPUT, io_errors, opened_output, standard_output, unfinished, unfinished_output
from asr_punct.partial import STANDARD_STREAM as STANDARD_STREAM
from asr_punct.progress import Position

Pathlike = str | PathLike[str]
Lines = Iterator[tuple[int, str]]
"""Line numbers, from 1, and lines of a text file, as `read_lines` yields them."""
AUDIO_SUFFIXES = frozenset((".wav", ".flac", ".mp3", ".m4a", ".ogg", ".opus", ".sph", ".aac", ".mp4", ".webm"))
"""Suffixes of audio files, in lower case."""
MAX_LINE = 64 * 2**20
"""Maximum length of a line in bytes: in a manifest, ten hours of speech with character-level timestamps are 50 MB."""
MAX_FILE = 128 * 2**20
"""Maximum size in bytes of a file that is read at once, about half a million words (50 hours) of JSON."""
_BEGINNING = 4096
"""Number of bytes by which it is seen that a file is no text."""
_READABLE = "a file that can be read"


_READERS: Mapping[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}
"""Functions that open a compressed file, by its suffix."""


def display_name(path: Pathlike) -> str:
    """Return the name of an input in error messages."""
    return "standard input" if str(path) == STANDARD_STREAM else str(path)


def uncompressed_name(path: Pathlike) -> str:
    """Return the file's name without the suffix of its compression."""
    name = Path(path)
    return name.stem if name.suffix in _READERS else name.name


def recording_name(path: Pathlike) -> str:
    """Return the file's name without suffixes; bytes that are not UTF-8 become `?`."""
    return Path(uncompressed_name(path)).stem.encode(errors="replace").decode()


@dataclass(frozen=True)
class MemoryFile(PathLike[str]):
    """The content of a file in memory, not compressed. Functions that read files accept it as a path.

    Error messages, format and recording are taken from its `name`; no file of that name is opened.
    """

    name: str
    content: bytes = field(repr=False)

    def __fspath__(self) -> str:
        return self.name

    __str__ = __fspath__


class InputFile(PathLike[str]):
    """A text file to read, which knows how much of it has been read; the path `-` is standard input.

    Functions that read files accept it as a path.
    """

    def __init__(self, path: Pathlike, encoding: Encoding = STRICT) -> None:
        self._path, self._encoding = path, encoding
        self._opened: BinaryIO | None = None
        self._started: Lines | None = None
        self._parts: list[InputFile] = []
        self._decoder = self._new_decoder()

    @classmethod
    def of(cls, path: Pathlike, encoding: Encoding = STRICT) -> "InputFile":
        """Return the file itself, or a new one in this encoding for another path."""
        return path if isinstance(path, cls) else cls(path, encoding)

    def __fspath__(self) -> str:
        return os.fspath(self._path)

    __str__ = __fspath__

    def inside(self, name: str) -> "InputFile":
        """Return the file of this name in the directory, in the same encoding; `undecoded` counts its bytes too."""
        self._parts.append(InputFile(os.path.join(self, name), self._encoding))
        return self._parts[-1]

    @property
    def is_in_memory(self) -> bool:
        """Whether the content is in memory."""
        return isinstance(self._path, MemoryFile)

    @property
    def is_stream(self) -> bool:
        """Whether the file can be read only once: standard input, a named pipe."""
        is_special = os.path.exists(self) and not os.path.isfile(self) and not os.path.isdir(self)
        return not self.is_in_memory and (is_special or str(self) == STANDARD_STREAM)

    def position(self) -> Position:
        """Return the number of bytes read, and the file's size; None if unknown, as for a pipe."""
        with suppress(AttributeError, OSError, ValueError):  # not opened, a pipe, or closed
            descriptor = cast(BinaryIO, self._opened).fileno()
            return os.lseek(descriptor, 0, os.SEEK_CUR), os.fstat(descriptor).st_size or None
        return None, None

    def first_lines(self, count: int) -> Iterator[str]:
        """Yield at most `count` lines. `lines` yields them again, also those of a stream, which is read only once.

        An unreadable line ends them; `lines` raises the error.
        """
        lines = self.lines()
        if self.is_stream:
            first = list(islice(lines, count))
            self._started = chain(first, lines)
            yield from (line for _, line in first)
        else:
            with suppress(InputError):
                yield from (line for _, line in islice(lines, count))

    def lines(self) -> Lines:
        """Yield the lines as `read_lines`."""
        started, self._started = self._started, None
        return started or self._read_lines()

    @property
    def undecoded(self) -> tuple[int, str]:
        """The number of bytes that were read last, are not UTF-8 and were kept, and the place of the first one."""
        decoders = [file._decoder for file in (self, *self._parts)]
        return sum(each.count for each in decoders), next((each.first for each in decoders if each.first), "")

    @property
    def form(self) -> TextForm:
        """The form of the text, as far as it was read."""
        return self._decoder.form

    def _new_decoder(self, first: bytes = b"", other: bytes = b"") -> ByteDecoder:
        """Return a decoder of a text, by its blocks as in `form_of`. Raises InputError if it is no text."""
        form = form_of(first, other, self._encoding)
        may_be_binary = not (form.has_mark or self._encoding.name or form.encoding.startswith("utf-16"))
        kind = binary_kind(first[:_BEGINNING]) if may_be_binary else ""
        if kind:
            expected = "words (asr-punct transcribe reads audio)" if "audio" in kind else "text"
            raise InputError(display_name(self), f"what looks like {kind}", expected)
        return ByteDecoder(form, display_name(self), keeps_bytes=self._encoding.keeps_bytes)

    def _read_lines(self) -> Lines:
        pending, number = "", 1
        with self.open_bytes() as file:
            self._decoder = decoder = self._new_decoder(*first_blocks(file))
            for raw in iter(partial(file.readline, MAX_LINE + 1), b""):
                if len(raw) + len(pending) > MAX_LINE:
                    place = f"{display_name(self)}:{number}"
                    raise InputError(place, f"a line of more than {MAX_LINE} bytes", "at most that many")
                *lines, pending = (pending + decoder.decode(raw, number)).split("\n")
                for line in lines:
                    yield number, line.removesuffix("\r")
                    number += 1
        if pending := pending + decoder.decode(b"", number, is_last=True):
            yield number, pending.removesuffix("\r")

    def read(self) -> str:
        """Return the whole text. Raises InputError as `read_lines`, and for more than `MAX_FILE` bytes.

        Of a stream whose first lines were read, line ends are line feeds.
        """
        if self._started is not None:
            return "".join(f"{line}\n" for _, line in self.lines())
        with self.open_bytes() as file:
            raw = file.read(MAX_FILE + 1)
        if len(raw) > MAX_FILE:
            raise InputError(display_name(self), f"more than {MAX_FILE} bytes", "at most that many in such a file")
        self._decoder = self._new_decoder(raw, raw)
        return self._decoder.decode(raw, 1, is_last=True)

    @contextmanager
    def open_bytes(self) -> Iterator[BinaryIO]:
        """Open the file, decompressed. Raises InputError if it cannot be read, also inside the block."""
        suffix = Path(self).suffix
        if isinstance(self._path, MemoryFile):
            yield BytesIO(self._path.content)
        elif str(self) == STANDARD_STREAM:
            self._opened = _standard_input()
            with io_errors(display_name(self), _READABLE):
                yield self._opened
        elif not os.path.exists(self):
            raise InputError(self, "no such file", "a file to read")
        elif os.path.isdir(self):
            raise InputError(self, "a directory", "a file to read")
        else:
            with io_errors(self, _READABLE), _READERS.get(suffix, open)(self, "rb") as self._opened:
                try:
                    yield cast(BinaryIO, self._opened)
                except (lzma.LZMAError, zlib.error, EOFError) as error:
                    expected = f"{suffix.removeprefix('.')} data that can be read to its end"
                    raise InputError(self, str(error).rstrip("."), expected) from None


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


def read_lines(path: Pathlike) -> Lines:
    r"""Yield the lines of a text file and their numbers from 1; `-` is standard input.

    The encoding is that of an `InputFile`, else that of the byte order mark, else UTF-8. A line ends only at `\n`; a
    carriage return before it and a byte order mark are dropped. `.xz` and `.gz` files are decompressed. Raises
    InputError for a file that cannot be read, or a line that cannot be decoded or is too long.
    """
    return InputFile.of(path).lines()


def read_text_file(path: Pathlike) -> str:
    """Return the text of a file without a byte order mark and its last line feed; CRLF becomes LF.

    Its encoding is as in `read_lines`. Raises InputError as `read_lines`, and for more than `MAX_FILE` bytes.
    """
    return InputFile.of(path).read().replace("\r\n", "\n").removesuffix("\n")


def read_json_file(path: Pathlike) -> Any:
    """Return the value of a JSON file. Raises InputError as `read_text_file`, or if the content is not JSON."""
    text = read_text_file(path)
    try:
        return json.loads(text)
    except (RecursionError, ValueError) as error:
        raise InputError(path, f"{type(error).__name__} {error}", "JSON") from None


def write_file(
    path: Pathlike, undecoded: Undecoded = "refuse", form: TextForm = UTF8
) -> AbstractContextManager[TextIO]:
    """Open a file of this form that appears under its name when it is complete; `-` is standard output.

    `undecoded` says what happens to lone surrogates, which stand for bytes that were not UTF-8. `.xz` and `.gz` files
    are compressed. If the caller's code raises, no file appears. The stream has only the methods `write`, `writelines`,
    `flush` and `close`. Raises InputError if the file cannot be written.
    """
    target = Path(path)
    if str(path) == STANDARD_STREAM:
        return standard_output(undecoded, form)
    if _is_special(target):
        return opened_output(target, target, undecoded, form)
    return unfinished_output(target, undecoded, form)


def _is_special(path: Pathlike) -> bool:
    """Whether an output is a device such as /dev/stdout or a named pipe, which cannot be replaced by a new file."""
    return os.path.exists(path) and not os.path.isfile(path)


def write_bytes(path: Pathlike, content: bytes) -> None:
    """Write a file, as `write_file` does, but with this content, not compressed. Raises InputError if that fails."""
    if str(path) == STANDARD_STREAM:
        with io_errors("standard output", EXPECTED_OUTPUT):
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
    elif _is_special(path):
        with io_errors(path, EXPECTED_OUTPUT):
            Path(path).write_bytes(content)
    else:
        with unfinished(Path(path)) as file, io_errors(path, EXPECTED_OUTPUT):
            file.write_bytes(content)


def write_json_file(path: Pathlike, value: Any) -> None:
    """Write a JSON value, indented, with `write_file`."""
    with write_file(path) as out:
        json.dump(value, out, indent=2, ensure_ascii=False)
        out.write("\n")
