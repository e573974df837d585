"""Models and part-of-speech taggers to and from safetensors files."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from asr_punct.checkpoint import CONFIG, WEIGHTS, ModelInfo, load_tokenizer
from asr_punct.config import ModelConfig
from asr_punct.errors import InputError, MissingPackageError, ModelError, first_line
from asr_punct.model.encoder import encoder_from_settings
from asr_punct.model.pos import PosTagger
from asr_punct.model.tagger import Tagger
from asr_punct.partial import EXPECTED_OUTPUT, unfinished
from asr_punct.subwords import SubwordTokenizer

_SCALE_SUFFIX = ".row_scale"
_MIN_ROW_MAXIMUM = 1e-6  # avoids a scale of 0 for a row of zeros


def save_tagger(model: nn.Module, path: Path) -> None:
    """Write a module's weights; the file appears when it is complete. Raises InputError if that fails."""
    weights = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
    with unfinished(path) as partial:
        try:
            save_file(weights, partial)
        except (OSError, SafetensorError) as error:
            raise InputError(path, first_line(error), EXPECTED_OUTPUT) from None


def load_tagger(path: Path, info: ModelInfo) -> Tagger:
    """Load a model, in evaluation mode, from its weights file and the configuration of its directory.

    Raises ModelError if the weights do not fit the configuration.
    """
    model = empty_tagger(info, path.with_name(CONFIG), _flair_tokenizer(path, info))
    _load(model, path, "the weights of its config.json")
    return model.eval()


def load_parts(path: Path, info: ModelInfo, config: ModelConfig) -> tuple[Tagger, list[str]]:
    """Load a model as `load_tagger`, but with the heads of `config`, and if it says so with vectors of speakers.

    In all else `config` is equal to `info.model`. Also return the names of the parts that have random weights because
    their classes, inputs or shapes differ.
    """
    trained = load_tagger(path, info)
    if config.speakers and not info.model.speakers:
        trained.learn_turns()
    if info.model.heads == config.heads:
        return trained, []
    model = empty_tagger(replace(info, model=config), path.with_name(CONFIG), _flair_tokenizer(path, info))
    changed = {
        "punctuation": info.model.heads.classes != config.heads.classes,
        "case": info.model.heads.case_vectors != config.heads.case_vectors,
    }
    new = []
    for name, part in trained.named_children():
        weights = part.state_dict()
        if changed.get(name) or _difference(weights, model.get_submodule(name).state_dict()):
            new.append(name)
        else:
            model.get_submodule(name).load_state_dict(weights)
    return model.eval(), new


def empty_tagger(info: ModelInfo, place: object, tokenizer: SubwordTokenizer | None = None) -> Tagger:
    """Return a model with random weights. Raises ModelError, with this place, if the configuration is invalid."""
    try:
        return Tagger(info.model, encoder_from_settings(info.encoder), tokenizer)
    except MissingPackageError:
        raise
    except (TypeError, ValueError, KeyError) as error:
        raise ModelError(place, f"encoder: {first_line(error)}", "a file that asr-punct train wrote") from None


def load_pos_tagger(tagger: PosTagger, path: Path) -> None:
    """Load the weights of a part-of-speech tagger from a directory or a file. Raises ModelError if they do not fit."""
    _load(tagger, path / WEIGHTS if path.is_dir() else path, "a tagger of model.pos for this encoder (recipes/pos.py)")


def _flair_tokenizer(path: Path, info: ModelInfo) -> SubwordTokenizer | None:
    return load_tokenizer(path.parent, info) if info.model.pos.tagger == "flair" else None


def _load(module: nn.Module, path: Path, expected: str) -> None:
    try:
        weights = dequantised(load_file(path))
    except (SafetensorError, OSError) as error:
        raise ModelError(path, first_line(error), expected) from None
    difference = _difference(weights, module.state_dict())
    if difference:
        raise ModelError(path, difference, expected)
    module.load_state_dict(weights)


def quantised(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return matrices as int8 with a scale for each row, in `NAME.row_scale`; other tensors stay."""
    stored = dict(weights)
    for name, tensor in weights.items():
        if tensor.ndim == 2 and tensor.is_floating_point():
            scale = tensor.float().abs().amax(dim=1, keepdim=True).clamp(min=_MIN_ROW_MAXIMUM) / 127
            stored[name], stored[name + _SCALE_SUFFIX] = (tensor.float() / scale).round().to(torch.int8), scale
    return stored


def dequantised(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Invert `quantised`: return its int8 matrices in fp32, and other tensors as they are."""
    scales = {key.removesuffix(_SCALE_SUFFIX): scale for key, scale in weights.items() if key.endswith(_SCALE_SUFFIX)}
    return {
        name: tensor * scales[name] if name in scales else tensor
        for name, tensor in weights.items()
        if not name.endswith(_SCALE_SUFFIX)
    }


def _difference(found: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> str | None:
    """Describe the first weight that is missing, unknown or of another shape, if any."""
    for name, tensor in expected.items():
        if name not in found:
            return f"no weight {name}"
        if found[name].shape != tensor.shape:
            return f"weight {name} of shape {tuple(found[name].shape)} instead of {tuple(tensor.shape)}"
    return next((f"unknown weight {name}" for name in found if name not in expected), None)
