"""Check of a `.nemo` file, which is a tar, before it is unpacked."""

import lzma
import tarfile
import zlib
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from asr_punct.audio import Pathlike
from asr_punct.errors import ModelError

MAX_BYTES = 16 << 30


def check_archive(path: Pathlike, names: Collection[str] | None = None) -> None:
    """Check the members of a `.nemo` file. `names` are the files that it may contain, None for any.

    Raises ModelError for a missing file, one that is not a tar or has more than `MAX_BYTES` when unpacked, and a member
    that is a link or device, is outside the folder, or is not one of `names`.
    """
    if not Path(path).is_file():
        raise ModelError(path, "no such file", "a .nemo file")
    total = 0
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                name = PurePosixPath(member.name)
                if not (member.isreg() or member.isdir()) or name.is_absolute() or ".." in name.parts:
                    raise ModelError(path, f"member {member.name!r}", "plain files inside its folder")
                if names is not None and member.isreg() and str(name) not in names:
                    raise ModelError(path, f"member {member.name!r}", f"some of {', '.join(names)}")
                total += member.size
                if total > MAX_BYTES:
                    raise ModelError(path, f"{total} bytes or more when unpacked", f"at most {MAX_BYTES}")
    except (tarfile.TarError, OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise ModelError(path, str(error) or type(error).__name__, "a .nemo file, which is a tar") from None
