#!/usr/bin/env python3
"""Divide a trained and exported model into the files for inference, for the wheel, and those for further training.

PACKAGE gets the int8 graph, --trainable the weights in fp16, with the matrices in int8 if fp16 needs more than 25 MB.
Both get the tokenizer and the other files of the model, and a config.json with the licence and the number of
parameters, and without the paths of the training text and, with --encoder, of the encoder.
"""

import shutil
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from typer import Option

from asr_punct.checkpoint import ONNX, ONNX_INT8, WEIGHTS, ModelInfo, read_info, verified_file, write_info
from asr_punct.errors import InputError, run_script
from asr_punct.model.weights import quantised

_MAX_BYTES = 25_000_000


def ship(source: Path, licence: str, package: Path, trainable: Path, encoder: str | None = None) -> None:
    """Write the two directories.

    Raises AsrPunctError if the model was not exported to int8, is damaged, or has weights that fp16 cannot represent.
    """
    info = read_info(source)
    if encoder:
        info = replace(info, model=replace(info.model, encoder=replace(info.model.encoder, name=encoder)))
    weights = _half(load_file(verified_file(source, info, WEIGHTS)), source)
    facts = {"licence": licence, "parameters": sum(tensor.numel() for tensor in weights.values())}
    others = info.files.keys() - {WEIGHTS, ONNX, ONNX_INT8}
    _copy(source, info, {*others, ONNX_INT8}, package)
    _copy(source, info, others, trainable)
    if sum(tensor.nbytes for tensor in weights.values()) > _MAX_BYTES:
        weights = quantised(weights)
    save_file(weights, trainable / WEIGHTS)
    known = {name: value for name, value in info.training.items() if name != "data"}
    for directory in (package, trainable):
        write_info(directory, replace(info, training={**known, **facts}))


def _half(weights: Mapping[str, Tensor], place: Path) -> dict[str, Tensor]:
    half = {name: tensor.half() if tensor.is_floating_point() else tensor for name, tensor in weights.items()}
    for name, tensor in half.items():
        if not torch.isfinite(tensor).all():
            raise InputError(place / WEIGHTS, f"values in {name} that are no fp16 numbers", "65504 at most")
    return half


def _copy(source: Path, info: ModelInfo, names: Collection[str], target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for name in sorted(names):
        shutil.copyfile(verified_file(source, info, name), target / name)


def main(
    model: Path,
    package: Path,
    trainable: Annotated[Path, Option(help="Directory for the weights.")],
    licence: Annotated[str, Option(help="Licence of the weights, such as 'CC BY-SA 4.0'.")],
    encoder: Annotated[str | None, Option(help="Name of the encoder that the model's was made from.")] = None,
) -> None:
    ship(model, licence, package, trainable, encoder)


if __name__ == "__main__":
    run_script(main)
