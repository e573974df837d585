"""A model's weights in a safetensors file."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from asr_punct.checkpoint import CONFIG, WEIGHTS, ModelInfo, load_tokenizer
from asr_punct.errors import MissingPackageError, ModelError, first_line
from asr_punct.model.encoder import encoder_from_settings
from asr_punct.model.pos import PosTagger
from asr_punct.model.tagger import Tagger, build_tagger
from asr_punct.subwords import SubwordTokenizer


def save_tagger(model: Tagger, path: Path) -> None:
    """Write the weights; the file appears when it is complete."""
    _save(model, path)


def _save(module: nn.Module, path: Path) -> None:
    partial = path.with_name(f".{path.name}.partial")
    save_file({name: tensor.contiguous() for name, tensor in module.state_dict().items()}, partial)
    os.replace(partial, path)


def load_tagger(path: Path, info: ModelInfo) -> Tagger:
    """The model of a directory, in evaluation mode.

    Raises:
        ModelError: the weights are not those of the configuration.
        MissingPackageError: the configuration names a tagger of flair, which is not installed.
    """
    reads_words = info.model.pos.tagger == "flair"
    tokenizer = load_tokenizer(path.parent, info) if reads_words else None
    model = empty_tagger(info, path.with_name(CONFIG), tokenizer)
    _load(model, path, "the weights of its config.json")
    return model.eval()


def empty_tagger(info: ModelInfo, place: object, tokenizer: SubwordTokenizer | None = None) -> Tagger:
    """A model to load weights into.

    Args:
        info: its configuration.
        place: what errors name.
        tokenizer: the encoder's, for a tagger of parts of speech that reads words.

    Raises:
        ModelError: the configuration builds none.
        MissingPackageError: it names a tagger of flair, which is not installed.
    """
    try:
        return build_tagger(info.model, encoder_from_settings(info.encoder), tokenizer)
    except MissingPackageError:
        raise
    except (TypeError, ValueError, KeyError) as error:
        raise ModelError(place, f"encoder: {first_line(error)}", "what training wrote") from None


def save_pos_tagger(tagger: PosTagger, directory: Path) -> None:
    """Write a tagger of parts of speech into a directory, in half precision; the file appears when it is complete."""
    _save(copy.deepcopy(tagger).half(), directory / WEIGHTS)


def load_pos_tagger(tagger: PosTagger, path: Path) -> None:
    """Inverse of `save_pos_tagger`: a tagger takes the weights of a directory, or of a file.

    Raises:
        ModelError: there are none, or they are of other sizes: of the tagger, or of the encoder's vocabulary.
    """
    file = path / WEIGHTS if path.is_dir() else path
    _load(tagger, file, "a tagger of model.pos for this encoder (recipes/pos.py)")


def _load(module: nn.Module, path: Path, expected: str) -> None:
    try:
        weights = load_file(path)
    except (SafetensorError, OSError) as error:
        raise ModelError(path, first_line(error), expected) from None
    difference = _difference(weights, module.state_dict())
    if difference:
        raise ModelError(path, difference, expected)
    module.load_state_dict(weights)


def _difference(found: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> str | None:
    """The first weight that is missing, of another shape or of no use."""
    for name, tensor in expected.items():
        if name not in found:
            return f"no weight {name}"
        if found[name].shape != tensor.shape:
            return f"weight {name} of shape {tuple(found[name].shape)} instead of {tuple(tensor.shape)}"
    return next((f"unknown weight {name}" for name in found if name not in expected), None)
