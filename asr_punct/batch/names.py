"""The inputs of a batch, and the names of their outputs."""

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from os.path import normpath
from pathlib import Path

from asr_punct.batch.storage import full_url, is_file, is_url, list_files
from asr_punct.errors import ArgumentError, InputError, Setting
from asr_punct.files import Pathlike, display_name, read_lines, uncompressed_name
from asr_punct.formats.registry import FORMATS, READABLE, format_by_name

_HIDDEN_PREFIX = "."


@dataclass(frozen=True, slots=True)
class Item:
    """One file of a batch: path or URL of input and output, and the input's size in bytes, 0 if it is unknown."""

    source: str
    output: str
    size: int = field(default=0, compare=False)


class Inputs:
    """The inputs of a batch: files, folders and globs, or their URLs, and the paths in `list_file`.

    The path of an output, relative to the output directory, is the name of a single input file; the path in the folder
    for a file of a folder; the path after the folders without wildcards for a file of a glob; and the complete path for
    a file of `list_file`.

    Args:
        sources: files, folders and globs, or their URLs. Hidden files in folders are left out, and so are files of
            unknown formats, which `ignored` counts.
        output: output directory or its URL. Files in it are not inputs.
        list_file: a file with one path per line; `-` is standard input.
        any_format: whether to keep files of unknown formats in folders, because the user gives the format.

    Raises InputError if a source does not exist or has no files, ArgumentError if the output directory is the folder of
    a source.
    """

    def __init__(
        self, sources: Sequence[str], output: Pathlike, list_file: str | None = None, any_format: bool = False
    ) -> None:
        self._output, self._output_folder = full_url(str(output)), os.path.realpath(output)
        self._any_format = any_format
        self.ignored = 0
        found = [each for source in sources for each in self._expand(source if is_url(source) else normpath(source))]
        if list_file is not None:
            found += _listed(list_file)
        self._found = list(dict.fromkeys(found))  # with outputs relative to the output directory

    def items(self, format_name: str | None = None) -> list[Item]:
        """Return the inputs with their outputs.

        The format of the outputs sets their suffix; without one they keep the names of the inputs. Raises ArgumentError
        if two inputs would have the same output, or an output is an input.
        """
        items = [
            replace(item, output=os.path.join(self._output, output_name(item.output, format_name)))
            for item in self._found
        ]
        _check_outputs(items)
        return items

    def _expand(self, source: str) -> Iterator[Item]:
        found: Iterable[Item]
        if is_url(source):
            found = self._remote_files(source)
        elif os.path.isdir(source):
            self._check_folder(source, source)
            found = self._files(source)
        elif os.path.isfile(source):
            found = [Item(source, os.path.basename(source), _size(source))]
        elif glob.has_magic(source):
            found = self._matches(source)
        else:
            found_instead = "a device or a named pipe" if os.path.exists(source) else "no such file or folder"
            raise InputError(source, found_instead, "a file, a folder or a glob")
        found = list(found)
        if not found:
            kind = "matching file" if glob.has_magic(source) else "file of a known format"
            raise InputError(source, f"no {kind}", "at least one")
        yield from found

    def _files(self, folder: str) -> Iterator[Item]:
        for parent, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if self._is_searched(os.path.join(parent, name)))
            for name in sorted(names):
                path = os.path.join(parent, name)
                is_special = os.path.exists(path) and not os.path.isfile(path)  # a named pipe would be waited for
                if not is_special and self._is_input(name):
                    yield Item(path, os.path.relpath(path, folder), _size(path))

    def _remote_files(self, url: str) -> Iterator[Item]:
        if glob.has_magic(url):
            yield from (Item(*found) for found in list_files(url, is_glob=True))
        elif is_file(url):
            yield from (Item(path, os.path.basename(url), size) for path, _, size in list_files(url))
        else:
            output = self._output.rstrip("/") + "/"
            for path, name, size in list_files(url):
                is_hidden = any(part.startswith(_HIDDEN_PREFIX) for part in name.split("/")[:-1])
                if not (is_hidden or path.startswith(output)) and self._is_input(os.path.basename(name)):
                    yield Item(path, name, size)

    def _is_input(self, name: str) -> bool:
        """Whether a file in a folder is an input, by its name. Files of unknown formats are counted in `ignored`."""
        if name.startswith(_HIDDEN_PREFIX):
            return False
        is_known = self._any_format or format_by_name(uncompressed_name(name)) in READABLE
        self.ignored += not is_known
        return is_known

    def _is_searched(self, folder: str) -> bool:
        hidden = os.path.basename(folder).startswith(_HIDDEN_PREFIX)
        return not hidden and os.path.realpath(folder) != self._output_folder

    def _check_folder(self, folder: str, source: str) -> None:
        """Raise ArgumentError if the folder is the output directory: a repeat would take its outputs for inputs."""
        if os.path.realpath(folder) == self._output_folder:
            raise ArgumentError("output", f"{self._output}, the folder of the input {source}", "another folder")

    def _matches(self, pattern: str) -> Iterator[Item]:
        folder = Path(*takewhile(lambda part: not glob.has_magic(part), Path(pattern).parts))
        self._check_folder(str(folder), pattern)
        for path in sorted(glob.glob(pattern, recursive=True)):
            if os.path.isfile(path) and not os.path.realpath(path).startswith(self._output_folder + os.sep):
                yield Item(path, os.path.relpath(path, folder), _size(path))


def _listed(list_file: str) -> Iterator[Item]:
    """Yield the files of a list. Their existence is not checked."""
    for number, line in read_lines(list_file):
        if path := line.strip():
            normal = path if is_url(path) else normpath(path)
            name = normal.partition("://")[2] if is_url(path) else normal.lstrip(os.sep)
            if name.split(os.sep)[0] == os.pardir:
                raise InputError(f"{display_name(list_file)}:{number}", repr(path), "a path without ..")
            yield Item(normal, name, 0 if is_url(path) else _size(path))


def complete_outputs(items: Sequence[Item], output: Pathlike) -> set[str]:
    """Return the outputs that exist. For a URL, return all files below it: one listing, not a request for each."""
    if is_url(str(output)):
        return {path for path, _, _ in list_files(full_url(str(output)))}
    return {item.output for item in items if os.path.isfile(item.output)}


def output_name(name: str, format_name: str | None) -> str:
    """Return the name of an output: that of the input, with the suffix of the output's format.

    It is compressed in the same way. Without a format the name does not change.
    """
    if format_name is None:
        return name
    bare = uncompressed_name(name)
    compression = Path(name).name.removeprefix(bare)
    stem = Path(bare).stem if Path(bare).suffix else bare
    return os.path.join(os.path.dirname(name), stem + FORMATS[format_name].suffixes[0].lower() + compression)


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _real_path(path: str) -> str:
    return path if is_url(path) else os.path.realpath(path)


def _check_outputs(items: Sequence[Item]) -> None:
    """Raise ArgumentError if two inputs have the same output, or an output is an input."""
    sources = {_real_path(item.source) for item in items}
    source_of: dict[str, str] = {}
    for item in items:
        if _real_path(item.output) in sources:
            raise ArgumentError("output", f"{item.output}, which is also an input", "another folder")
        other = source_of.setdefault(item.output, item.source)
        if other != item.source:
            found = f"the output {item.output} for {other} and {item.source}"
            expected = "different names (a folder, a quoted glob and a list keep the folders of their files)"
            raise ArgumentError("output", found, expected, Setting("list_file"))
