"""A model's weights in a safetensors file."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from asr_punct.checkpoint import CONFIG, WEIGHTS, ModelInfo, load_tokenizer
from asr_punct.config import ModelConfig
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
    model = empty_tagger(info, path.with_name(CONFIG), _tokenizer_of(path, info))
    _load(model, path, "the weights of its config.json")
    return model.eval()


def _tokenizer_of(path: Path, info: ModelInfo) -> SubwordTokenizer | None:
    """The tokenizer beside a model's weights, where its tagger of parts of speech reads words."""
    return load_tokenizer(path.parent, info) if info.model.pos.tagger == "flair" else None


def load_parts(path: Path, info: ModelInfo, config: ModelConfig) -> tuple[Tagger, list[str]]:
    """The model of a directory, in evaluation mode, with other heads where its configuration is to have others.

    Args:
        path: its weights.
        info: what it is.
        config: what it is to be, which differs in `heads` at most.

    Returns:
        The model, and the names of its parts that are new: a punctuation head of other classes, a case head that reads
        other vectors, and all whose weights are of other shapes (a sequence layer has a score for each class).

    Raises:
        AsrPunctError: as `load_tagger`.
    """
    trained = load_tagger(path, info)
    if info.model.heads == config.heads:
        return trained, []
    model = empty_tagger(replace(info, model=config), path.with_name(CONFIG), _tokenizer_of(path, info))
    other = {
        "punctuation": info.model.heads.classes != config.heads.classes,
        "case": info.model.heads.case_vectors != config.heads.case_vectors,
    }
    new = []
    for name, part in trained.named_children():
        weights = part.state_dict()
        if other.get(name) or _difference(weights, model.get_submodule(name).state_dict()):
            new.append(name)
        else:
            model.get_submodule(name).load_state_dict(weights)
    return model.eval(), new


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
