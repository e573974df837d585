"""A model directory: `config.json tokenizer.json model.onnx model.int8.onnx model.safetensors README.md`.

`config.json` names every other file with its SHA-256, so that a missing or altered file is told before it is used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from asr_punct.config import ModelConfig, as_mapping, from_mapping
from asr_punct.errors import AsrPunctError, ConfigError, ModelError
from asr_punct.io.files import read_text_file, write_file
from asr_punct.marks import MARKS, Mark
from asr_punct.subwords import SubwordTokenizer

CONFIG, TOKENIZER, CARD = "config.json", "tokenizer.json", "README.md"
WEIGHTS, ONNX, ONNX_INT8 = "model.safetensors", "model.onnx", "model.int8.onnx"
PRETRAINED = Path(__file__).parent / "pretrained"
_FORMAT = 1
_FILES = (TOKENIZER, WEIGHTS, ONNX, ONNX_INT8)


@dataclass(frozen=True)
class ModelInfo:
    """Content of a model directory's `config.json`.

    Attributes:
        model: the configuration.
        encoder: transformers' configuration of the encoder.
        thresholds: score from which a mark is set, by mark.
        training: what the model was trained on, for people.
        files: SHA-256 of the other files, by name.
    """

    model: ModelConfig
    encoder: Mapping[str, Any]
    thresholds: Mapping[Mark, float] = field(default_factory=lambda: dict.fromkeys(MARKS, 0.5))
    training: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def max_tokens(self) -> int:
        """Longest input in sub-words."""
        return min(int(self.encoder.get("max_position_embeddings", 512)), 512)


def write_info(directory: Path, info: ModelInfo) -> None:
    """Write `config.json` with the hashes of the files that stand in the directory."""
    present = [name for name in _FILES if (directory / name).is_file()]
    content = {
        "format": _FORMAT,
        "asr_punct": metadata.version("asr-punct"),
        "model": as_mapping(info.model),
        "encoder": dict(info.encoder),
        "thresholds": {str(mark): value for mark, value in info.thresholds.items()},
        "training": dict(info.training),
        "files": {name: _sha256(directory / name) for name in present},
    }
    with write_file(directory / CONFIG) as out:
        json.dump(content, out, indent=2, ensure_ascii=False)
        out.write("\n")


def read_info(directory: Path) -> ModelInfo:
    """Read `config.json`.

    Raises:
        ModelError: there is none, or it is not this project's.
    """
    place = directory / CONFIG
    if not place.is_file():
        raise ModelError(place, "no such file", "a model directory")
    try:
        content = json.loads(read_text_file(place))
        if content["format"] != _FORMAT:
            raise ModelError(place, f"format {content['format']!r}", f"format {_FORMAT}")
        return ModelInfo(
            model=from_mapping(ModelConfig, content["model"], f"{place}: model"),
            encoder=dict(content["encoder"]),
            thresholds={mark: float(content["thresholds"][mark]) for mark in MARKS},
            training=dict(content["training"]),
            files={str(name): str(value) for name, value in content["files"].items()},
        )
    except ConfigError:
        raise
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(place, f"{type(error).__name__} {error}", "a config.json written by asr-punct") from None


def has_file(info: ModelInfo, name: str) -> bool:
    """Whether the directory was written with that file."""
    return name in info.files


def checked_file(directory: Path, info: ModelInfo, name: str) -> Path:
    """Path of a file whose content is what `config.json` says.

    Raises:
        ModelError: the file is missing or altered.
    """
    path = directory / name
    if name not in info.files or not path.is_file():
        raise ModelError(path, "no such file", "the file that the model directory was written with")
    found = _sha256(path)
    if found != info.files[name]:
        raise ModelError(path, f"SHA-256 {found[:12]}…", f"{info.files[name][:12]}… as in {CONFIG}")
    return path


def load_tokenizer(directory: Path, info: ModelInfo) -> SubwordTokenizer:
    """The model's tokenizer. Raises ModelError where it is missing or altered."""
    path = checked_file(directory, info, TOKENIZER)
    return SubwordTokenizer.from_file(path, info.model.encoder.max_subwords)


def set_training(info: ModelInfo, facts: Mapping[str, Any]) -> ModelInfo:
    """The same information with other facts about the training."""
    return replace(info, training=dict(facts))


def shipped_models() -> list[str]:
    """Names of the models that came with the package."""
    return sorted(path.parent.name for path in PRETRAINED.glob(f"*/{CONFIG}"))


def find_model(name: str | None) -> Path:
    """Directory of a model: an existing directory, then a shipped name, then `org/name` of the Hugging Face hub.

    Raises:
        AsrPunctError: there is no such model.
    """
    shipped = shipped_models()
    if name is None:
        raise AsrPunctError(f"--model: found none, expected a model directory, {_choices(shipped)}org/name of the hub")
    if Path(name).is_dir():
        return Path(name)
    if name in shipped:
        return PRETRAINED / name
    if name.count("/") == 1 and not name.startswith((".", "/")):
        return _download(name)
    raise AsrPunctError(f"--model: found {name!r}, expected a model directory, {_choices(shipped)}org/name of the hub")


def _choices(shipped: Iterable[str]) -> str:
    return "".join(f"{name}, " for name in shipped) + "or "


def _download(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, allow_patterns=[CONFIG, CARD, *_FILES]))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise AsrPunctError(f"--model: {name!r} is no directory and could not be downloaded: {reason}") from None


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
