"""A model's weights in a safetensors file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from asr_punct.checkpoint import CONFIG, ModelInfo
from asr_punct.errors import ModelError
from asr_punct.model.encoder import encoder_from_settings
from asr_punct.model.tagger import Tagger, build_tagger


def save_tagger(model: Tagger, path: Path) -> None:
    """Write the weights; the file appears when it is complete."""
    partial = path.with_name(f".{path.name}.partial")
    save_file({name: tensor.contiguous() for name, tensor in model.state_dict().items()}, partial)
    os.replace(partial, path)


def load_tagger(path: Path, info: ModelInfo) -> Tagger:
    """The model of a directory, in evaluation mode.

    Raises:
        ModelError: the weights are not those of the configuration.
    """
    try:
        model = build_tagger(info.model, encoder_from_settings(info.encoder))
    except (TypeError, ValueError, KeyError) as error:
        found = str(error).splitlines()[0]
        raise ModelError(path.with_name(CONFIG), f"encoder: {found}", "what training wrote") from None
    try:
        weights = load_file(path)
    except (SafetensorError, OSError) as error:
        raise ModelError(path, str(error).splitlines()[0], "the weights of its config.json") from None
    difference = _difference(weights, model.state_dict())
    if difference:
        raise ModelError(path, difference, "the weights of its config.json")
    model.load_state_dict(weights)
    return model.eval()


def _difference(found: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> str | None:
    """The first weight that is missing, of another shape or of no use."""
    for name, tensor in expected.items():
        if name not in found:
            return f"no weight {name}"
        if found[name].shape != tensor.shape:
            return f"weight {name} of shape {tuple(found[name].shape)} instead of {tuple(tensor.shape)}"
    return next((f"unknown weight {name}" for name in found if name not in expected), None)
