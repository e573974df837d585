"""Checks of a recogniser's `.nemo` file before anything of it is unpacked."""

from __future__ import annotations

import tarfile
import zlib
from pathlib import Path, PurePosixPath

from asr_punct.audio import Pathlike
from asr_punct.errors import ModelError

MOST_GROWTH = 20
"""So many times as large as the file may be what a recogniser's holds: weights hardly shrink."""


def check_there(path: Pathlike) -> None:
    """Raise ModelError where there is no such file."""
    if not Path(path).is_file():
        raise ModelError(path, "no such file", "a .nemo file")


def check_recogniser(path: Pathlike) -> None:
    """Look through the `.nemo` file of a recogniser.

    Raises:
        ModelError: it is not there, no tar, too large when unpacked, or holds what is no plain file or would leave its
            folder.
    """
    check_there(path)
    try:
        limit, total = MOST_GROWTH * Path(path).stat().st_size, 0
        with tarfile.open(path, "r:*") as archive:
            for member in archive:
                place = PurePosixPath(member.name)
                plain = (member.isreg() and not member.issparse()) or member.isdir()
                if not plain or place.is_absolute() or ".." in place.parts:
                    raise ModelError(path, f"member {member.name!r}", "plain files that stay in their folder")
                total += member.size
                if total > limit:
                    found = f"more than {limit} bytes when unpacked"
                    raise ModelError(path, found, f"at most {MOST_GROWTH} times the file's own")
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise ModelError(path, str(error) or type(error).__name__, "a recogniser of NeMo, which is a tar") from None
