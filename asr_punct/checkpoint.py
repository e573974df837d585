"""A model directory: `config.json tokenizer.json casing.txt model.onnx model.int8.onnx model.safetensors README.md`.

`config.json` names every other file with its SHA-256, so that a missing or altered file is told before it is used.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from asr_punct import shipped
from asr_punct.config import MAX_TOKENS, ModelConfig, as_mapping, from_mapping
from asr_punct.decode import Calibration, DecodeSettings
from asr_punct.errors import AsrPunctError, ModelError
from asr_punct.formats.files import read_text_file, write_json_file
from asr_punct.marks import CASES, MARKS, Case, Mark
from asr_punct.subwords import SubwordTokenizer

CONFIG = shipped.MODEL_CONFIG
TOKENIZER, CARD, SCORES = "tokenizer.json", "README.md", "scores.json"
CASING = "casing.txt"
WEIGHTS, ONNX, ONNX_INT8 = "model.safetensors", "model.onnx", "model.int8.onnx"
_FORMAT = 1
_EXPECTED = "a config.json written by asr-punct"
_Name = TypeVar("_Name", Mark, Case, str)
_SMALLEST_SCALE = 1e-3
_SMALLEST_WEIGHT = 1e-9
FILES = (TOKENIZER, WEIGHTS, ONNX, ONNX_INT8, CASING)
"""What stands beside `config.json` and the card."""


@dataclass(frozen=True)
class ModelInfo:
    """Content of a model directory's `config.json`.

    Attributes:
        model: the configuration.
        encoder: transformers' configuration of the encoder.
        decoding: how its probabilities become labels.
        training: what the model was trained on, for people.
        files: SHA-256 of the other files, by name.
    """

    model: ModelConfig
    encoder: Mapping[str, Any]
    decoding: DecodeSettings = field(default_factory=DecodeSettings)
    training: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def max_tokens(self) -> int:
        """Longest input in sub-words: what the encoder takes, and the most that a window holds."""
        encoder = int(self.encoder.get("max_position_embeddings", MAX_TOKENS))
        return min(encoder, self.model.window.tokens, MAX_TOKENS)


def write_info(directory: Path, info: ModelInfo) -> None:
    """Write `config.json` with the hashes of the files that stand in the directory."""
    files = {name: _sha256(directory / name) for name in FILES if (directory / name).is_file()}
    write_json_file(directory / CONFIG, info_mapping(replace(info, files=files)))


def info_mapping(info: ModelInfo) -> dict[str, Any]:
    """Nested dictionaries of plain values, as `config.json` has them."""
    return {
        "format": _FORMAT,
        "asr_punct": metadata.version("asr-punct"),
        "model": as_mapping(info.model),
        "encoder": dict(info.encoder),
        **_decoding_mapping(info.decoding),
        "training": dict(info.training),
        "files": dict(info.files),
    }


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
    except (RecursionError, ValueError) as error:
        raise ModelError(place, f"{type(error).__name__} {error}", _EXPECTED) from None
    return info_from_mapping(content, place)


def info_from_mapping(content: Any, place: object) -> ModelInfo:
    """Inverse of `info_mapping`.

    Raises:
        ModelError: `content`, of `place`, is not this project's.
    """
    try:
        if content["format"] != _FORMAT:
            raise ModelError(place, f"format {content['format']!r}", f"format {_FORMAT}")
        model = from_mapping(ModelConfig, content["model"], f"{place}: model")
        return ModelInfo(
            model=model,
            encoder=_encoder(content["encoder"], f"{place}: encoder"),
            decoding=_decoding(content, model.heads.classes, place),
            training=_mapping(content["training"], f"{place}: training"),
            files=_files(content["files"], f"{place}: files"),
        )
    except AsrPunctError:
        raise
    except (RecursionError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(place, f"{type(error).__name__} {error}", _EXPECTED) from None


def _mapping(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ModelError(place, repr(value), "keys and values")
    return value


def _encoder(value: Any, place: str) -> dict[str, Any]:
    for name, number in _mapping(value, place).items():
        if name in ("max_position_embeddings", "vocab_size") and not (type(number) is int and number > 0):
            raise ModelError(f"{place}: {name}", repr(number), "a whole number above 0")
    return dict(value)


def _decoding_mapping(decoding: DecodeSettings) -> dict[str, Any]:
    return {
        "thresholds": _named(decoding.thresholds),
        "unopened": _named(decoding.unopened),
        "case_bias": _named(decoding.case_bias),
        "sentence_capitals": decoding.sentence_capitals,
        "class_weights": _named(decoding.class_weights),
        "calibration": {
            "scale": _named(decoding.calibration.scale),
            "bias": _named(decoding.calibration.bias),
            "case_temperature": decoding.calibration.case_temperature,
        },
    }


def _named(values: Mapping[Any, float]) -> dict[str, float]:
    return {str(name): value for name, value in values.items()}


def _decoding(content: Mapping[str, Any], classes: tuple[str, ...], place: object) -> DecodeSettings:
    """Settings of decoding; a directory without the keys that came later has their defaults."""
    default = DecodeSettings()
    given = content.get("calibration", _decoding_mapping(default)["calibration"])
    calibration = _mapping(given, f"{place}: calibration")
    temperature = calibration["case_temperature"]
    within = f"{place}: calibration"
    return DecodeSettings(
        thresholds=_numbers(content["thresholds"], MARKS, f"{place}: thresholds", 0, 1),
        unopened=_numbers(content.get("unopened", default.unopened), tuple(default.unopened), f"{place}: unopened", 0),
        calibration=Calibration(
            scale=_numbers(calibration["scale"], MARKS, f"{within}: scale", _SMALLEST_SCALE),
            bias=_numbers(calibration["bias"], MARKS, f"{within}: bias"),
            case_temperature=_number(temperature, f"{within}: case_temperature", _SMALLEST_SCALE),
        ),
        case_bias=_numbers(content.get("case_bias", default.case_bias), CASES, f"{place}: case_bias"),
        sentence_capitals=_truth(
            content.get("sentence_capitals", default.sentence_capitals), f"{place}: sentence_capitals"
        ),
        class_weights=_class_weights(content.get("class_weights", {}), classes, f"{place}: class_weights"),
    )


def _class_weights(value: Any, classes: tuple[str, ...], place: str) -> dict[str, float]:
    unknown = [name for name in _mapping(value, place) if name not in classes]
    if unknown:
        raise ModelError(place, repr(unknown[0]), f"names from {' '.join(classes) or 'no class'}")
    return _numbers(value, tuple(value), place, _SMALLEST_WEIGHT)


def _truth(value: Any, place: str) -> bool:
    if type(value) is not bool:
        raise ModelError(place, repr(value), "true or false")
    return value


def _numbers(
    value: Any, names: tuple[_Name, ...], place: str, low: float = -math.inf, high: float = math.inf
) -> dict[_Name, float]:
    found = {name: _mapping(value, place)[name] for name in names}
    return {name: _number(number, f"{place}: {name}", low, high) for name, number in found.items()}


def _number(value: Any, place: str, low: float = -math.inf, high: float = math.inf) -> float:
    if type(value) not in (int, float) or not low <= value <= high or math.isinf(value):
        limits = f" from {low:g} to {high:g}" if high < math.inf else f" from {low:g}" if low > -math.inf else ""
        raise ModelError(place, repr(value), f"a number{limits}")
    return float(value)


def _files(value: Any, place: str) -> dict[str, str]:
    for name, digest in _mapping(value, place).items():
        if name not in FILES or not isinstance(digest, str):
            raise ModelError(f"{place}: {name}", repr(digest), f"the SHA-256 of one of {', '.join(FILES)}")
    return dict(value)


def has_file(info: ModelInfo, name: str) -> bool:
    """Whether the directory was written with that file."""
    return name in info.files


def present_file(directory: Path, info: ModelInfo, name: str) -> Path:
    """Path of a file that the directory was written with. Raises ModelError where it is missing."""
    path = directory / name
    if not has_file(info, name) or not path.is_file():
        raise ModelError(path, "no such file", "the file that the model directory was written with")
    return path


def checked_file(directory: Path, info: ModelInfo, name: str) -> Path:
    """Path of a file whose content is what `config.json` says.

    Raises:
        ModelError: the file is missing or altered.
    """
    path = present_file(directory, info, name)
    found = _sha256(path)
    if found != info.files[name]:
        raise ModelError(path, f"SHA-256 {found[:12]}…", f"{info.files[name][:12]}… as in {CONFIG}")
    return path


def load_tokenizer(directory: Path, info: ModelInfo) -> SubwordTokenizer:
    """The model's tokenizer. Raises ModelError where it is missing or altered."""
    path = checked_file(directory, info, TOKENIZER)
    return SubwordTokenizer.from_file(path, info.model.encoder.max_subwords)


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
