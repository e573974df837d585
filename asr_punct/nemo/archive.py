"""What is looked at in `.nemo` files before anything of them is unpacked.

One of ours is an uncompressed tar of NeMo's two files and those of a model directory that go with them.

What is not one of these files, or not a plain one (a link, a device, a sparse file), or too large, is refused, and so
are weights that are more than tensors. A recogniser's may hold any plain files, and be compressed, as old ones are.
"""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from asr_punct.asr.archive import check_there
from asr_punct.checkpoint import CARD, CASING, ONNX, ONNX_INT8, TOKENIZER
from asr_punct.errors import ModelError
from asr_punct.formats.files import Pathlike

NEMO_CONFIG, NEMO_WEIGHTS = "model_config.yaml", "model_weights.ckpt"
KEPT_FILES = (TOKENIZER, CASING, CARD, ONNX, ONNX_INT8)
"""Files of a model directory that an archive keeps as they are."""
MOST_BYTES = 8 << 30
MOST_CONFIG_BYTES = 1 << 20
_NAMES = (NEMO_CONFIG, NEMO_WEIGHTS, *KEPT_FILES)
_REFERENCE = re.compile(r"\$\{|(?:^|[\s,:\[{-])[&*]\w", re.MULTILINE)
"""What stands for something else in YAML, so that a few lines can mean any amount of memory."""


def check_archive(path: Pathlike) -> None:
    """Look through a `.nemo` file.

    Raises:
        ModelError: it is not there, no tar, compressed, or holds what no archive of ours does.
    """
    check_there(path)
    try:
        with tarfile.open(path, "r:") as archive:
            names = dict(_files(archive, path))
            for name in (NEMO_CONFIG, NEMO_WEIGHTS):
                if name not in names:
                    raise ModelError(path, f"no {name}", "a .nemo file of asr_punct")
            config = archive.extractfile(names[NEMO_CONFIG])
            text = config.read() if config else b""
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(path, str(error) or type(error).__name__, "an uncompressed tar, as NeMo writes it") from None
    if reference := _REFERENCE.search(text.decode("utf-8", "replace")):
        raise ModelError(f"{path}: {NEMO_CONFIG}", f"the reference {reference[0].strip()!r}", "plain values")


def _files(archive: tarfile.TarFile, path: Pathlike) -> Iterator[tuple[str, tarfile.TarInfo]]:
    """The members by name, but for the folder that they stand in."""
    total, seen = 0, set[str]()
    for member in archive:
        name = str(PurePosixPath(member.name))
        if member.isdir() and name == ".":
            continue
        if name not in _NAMES or name in seen or not member.isreg() or member.issparse():
            raise ModelError(path, f"member {member.name!r}", f"plain files, once each, of {', '.join(_NAMES)}")
        total += member.size
        limit = MOST_CONFIG_BYTES if name == NEMO_CONFIG else MOST_BYTES
        if member.size > limit or total > MOST_BYTES:
            raise ModelError(path, f"{name} of {member.size} bytes", f"{limit} bytes at most")
        seen.add(name)
        yield name, member


def check_weights(path: Path) -> None:
    """Refuse a checkpoint whose content is compressed: a small file could then fill the memory.

    Raises:
        ModelError: it is not what `torch.save` writes.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            stored = all(item.compress_type == zipfile.ZIP_STORED for item in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise ModelError(path.name, str(error), "weights as torch.save writes them") from None
    if not stored:
        raise ModelError(path.name, "compressed content", "weights as torch.save writes them")
