"""Outputs that appear under their name when they are complete, and removal of those that killed processes have left."""

import os
import platform
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from asr_punct.errors import InputError

WRITABLE = "a place where a file can be written"
_SUFFIX = ".partial"
_NAME = re.compile(rf"\.(.*)-(\d+)-[^-]*{re.escape(_SUFFIX)}", re.DOTALL)
_own: set[Path] = set()
"""Unfinished files and folders of this process."""


@contextmanager
def io_errors(name: object, expected: str) -> Iterator[None]:
    """Raise an InputError at `name` for an OSError in the block."""
    try:
        yield
    except OSError as error:
        raise InputError(name, error.strerror or str(error) or "an error", expected) from None


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """Yield a path for a new file or directory, which gets its name at the end or is removed after an error.

    Create it inside the `with` block: then it is also removed if a signal arrives right afterwards.
    """
    path = target.parent / partial_name()
    _own.add(path)
    try:
        yield path
        with io_errors(target, WRITABLE):
            os.replace(path, target)
    except BaseException:
        with suppress(OSError):
            remove_unfinished(path)
        raise
    finally:
        _own.discard(path)


def remove_own() -> None:
    """Remove the unfinished files and folders of this process, which ends without unwinding its stack."""
    for path in tuple(_own):
        with suppress(OSError):
            remove_unfinished(path)


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
                    remove_unfinished(Path(entry))


def remove_unfinished(path: Path) -> None:
    """Remove an unfinished file or folder, if it exists. Raises OSError if a file cannot be removed."""
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
