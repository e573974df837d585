"""Names of files and folders that are not complete yet, and removal of those that killed processes have left."""

import os
import platform
import re
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_SUFFIX = ".partial"
_NAME = re.compile(rf"\.(.*)-(\d+)-[^-]*{re.escape(_SUFFIX)}", re.DOTALL)


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
