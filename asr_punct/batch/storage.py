"""Files at URLs (`s3://…`, `gs://…`), which fsspec reads and writes."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import has_magic
from itertools import takewhile
from typing import TYPE_CHECKING

from asr_punct.errors import AsrPunctError, InputError, MissingExtraError, first_line
from asr_punct.partial import partial_name

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_URL = re.compile(r"[a-z][a-z0-9+.-]+://")
_RENAMING = frozenset(("file", "local", "hdfs", "webhdfs", "arrow_hdfs", "sftp", "ssh", "smb"))
"""File systems on which an output is written under another name and then renamed. On all others, which are object
stores, a file appears only when it is complete."""


def is_url(path: str) -> bool:
    """Return whether a path is a URL such as `s3://bucket/file`."""
    return _URL.match(path) is not None


def full_url(path: str) -> str:
    """Return a URL in the form that `list_files` yields, and any other path unchanged."""
    if not is_url(path):
        return path
    system, bare = _open(path)
    return str(system.unstrip_protocol(bare))


def list_files(url: str, *, is_glob: bool = False) -> Iterator[tuple[str, str, int]]:
    """Yield URL, path in the folder and size in bytes of each file of a folder and its subfolders.

    Of a glob, yield the files that match; their paths are from the first folder with a wildcard. Raises InputError if
    the file system cannot be reached.
    """
    system, path = _open(url)
    with _errors(url, "files that can be read"):
        system.invalidate_cache()
        found = (system.glob if is_glob else system.find)(path, detail=True)
    folder = "/".join(takewhile(lambda part: not has_magic(part), path.split("/"))) if is_glob else path
    for name, info in sorted(found.items()):
        if info["type"] == "file":
            yield system.unstrip_protocol(name), name.removeprefix(folder).lstrip("/"), int(info.get("size") or 0)


def is_file(url: str) -> bool:
    """Return whether there is a file at a URL. Raises InputError if the file system cannot be reached."""
    system, path = _open(url)
    with _errors(url, "a file system that can be read"):
        return bool(system.isfile(path))


@contextmanager
def local_copies(source: str, output: str) -> Iterator[tuple[str, str]]:
    """Yield the paths of local files for an input and an output; those that are no URLs are themselves.

    The input is copied first; the output is stored at the end, where it appears when it is complete. Raises InputError
    if a file system cannot be reached; errors of the context have the URL instead of the copy.
    """
    if not (is_url(source) or is_url(output)):
        yield source, output
        return
    with tempfile.TemporaryDirectory() as folder:
        local_source, local_output = source, output
        if is_url(source):
            os.mkdir(os.path.join(folder, "in"))
            local_source = os.path.join(folder, "in", os.path.basename(source))
            system, path = _open(source)
            with _errors(source, "a file to read"):
                system.get_file(path, local_source)
        if is_url(output):
            local_output = os.path.join(folder, "out", os.path.basename(output))
        try:
            yield local_source, local_output
        except InputError as error:
            raise error.at(error.place.replace(local_source, source).replace(local_output, output)) from None
        if is_url(output):
            _store(local_output, output)


def _store(local: str, url: str) -> None:
    """Copy a local file to a URL, where it appears when it is complete."""
    system, path = _open(url)
    folder, _, _ = path.rpartition("/")
    protocols = {system.protocol} if isinstance(system.protocol, str) else set(system.protocol)
    with _errors(url, "a place to write to"):
        if not protocols & _RENAMING:
            system.put_file(local, path)
            return
        system.makedirs(folder, exist_ok=True)
        unfinished = f"{folder}/{partial_name()}"
        try:
            system.put_file(local, unfinished)
            system.mv(unfinished, path)
        except BaseException:
            with suppress(Exception):
                system.rm_file(unfinished)
            raise


def _open(url: str) -> tuple[AbstractFileSystem, str]:
    """Return the file system of a URL, and the path in it."""
    try:
        import fsspec
    except ModuleNotFoundError:
        raise MissingExtraError("a URL", "ray", "fsspec") from None
    try:
        system, path = fsspec.url_to_fs(url)
    except ImportError as error:  # the package of this kind of file system, such as s3fs
        raise InputError(url, first_line(error), "a file system whose package is installed") from None
    except ValueError as error:
        raise InputError(url, first_line(error), "a URL of a file system that fsspec knows") from None
    return system, str(path)


@contextmanager
def _errors(url: str, expected: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InputError(url, "no such file or folder", expected) from None
    except AsrPunctError:
        raise
    except Exception as error:  # file systems raise errors of their libraries
        raise InputError(url, f"{type(error).__name__}: {first_line(error)}", expected) from None
