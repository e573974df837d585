#!/usr/bin/env python3
"""Divide a trained and exported model into what runs, for the wheel, and what training starts from.

local/ship_model.py --licence NAME --trainable DIR MODEL_DIR RUNS_DIR

RUNS_DIR gets the int8 graph, DIR the weights in fp16; both get the tokenizer and whatever else the model consists of,
and a config.json that tells the licence and the number of parameters, and not where the training text stood.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from asr_punct.checkpoint import ONNX, ONNX_INT8, WEIGHTS, ModelInfo, checked_file, read_info, write_info
from asr_punct.errors import InputError, run_script


def ship(source: Path, licence: str, runs: Path, trainable: Path) -> None:
    """Write the two directories.

    Raises:
        AsrPunctError: the model was not exported to int8, is damaged, or has weights that fp16 cannot hold.
    """
    info = read_info(source)
    weights = _half(load_file(checked_file(source, info, WEIGHTS)), source)
    facts = {"licence": licence, "parameters": sum(tensor.numel() for tensor in weights.values())}
    others = info.files.keys() - {WEIGHTS, ONNX, ONNX_INT8}
    _copy(source, info, {*others, ONNX_INT8}, runs)
    _copy(source, info, others, trainable)
    save_file(weights, trainable / WEIGHTS)
    _describe(runs, info, facts)
    _describe(trainable, info, facts)


def _half(weights: Mapping[str, Tensor], place: Path) -> dict[str, Tensor]:
    half = {name: tensor.half() if tensor.is_floating_point() else tensor for name, tensor in weights.items()}
    for name, tensor in half.items():
        if not torch.isfinite(tensor).all():
            raise InputError(place / WEIGHTS, f"values in {name} that are no fp16 numbers", "65504 at most")
    return half


def _copy(source: Path, info: ModelInfo, names: Collection[str], target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for name in sorted(names):
        shutil.copyfile(checked_file(source, info, name), target / name)


def _describe(directory: Path, info: ModelInfo, facts: Mapping[str, Any]) -> None:
    known = {name: value for name, value in info.training.items() if name != "data"}
    write_info(directory, replace(info, training={**known, **facts}))


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="directory of the trained and exported model")
    parser.add_argument("runs", type=Path, help="directory for what runs")
    parser.add_argument("--trainable", type=Path, required=True, help="directory for what training starts from")
    parser.add_argument("--licence", required=True, help="licence of the weights, such as 'CC BY-SA 4.0'")
    options = parser.parse_args()
    ship(options.model, options.licence, options.runs, options.trainable)


if __name__ == "__main__":
    run_script(main)
