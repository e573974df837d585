"""Model directories: `config.json`, the files of `FILES`, `README.md` and `scores.json`.

`config.json` has the SHA-256 of the files of `FILES`, so that a missing or altered file is detected before it is used.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from asr_punct.config import MAX_TOKENS, ModelConfig, as_mapping, from_mapping
from asr_punct.decode import DecodeSettings
from asr_punct.decode.settings import check_stored
from asr_punct.errors import ModelError
from asr_punct.files import read_text_file, write_json_file
from asr_punct.subwords import SubwordTokenizer

CONFIG, TOKENIZER, CARD, SCORES = "config.json", "tokenizer.json", "README.md", "scores.json"
CASING = "casing.txt"
"""Words with irregular capitals such as `EiTB` (`asr_punct.casing`)."""
WEIGHTS, ONNX, ONNX_INT8 = "model.safetensors", "model.onnx", "model.int8.onnx"
FILES = (TOKENIZER, WEIGHTS, ONNX, ONNX_INT8, CASING)
"""Files whose SHA-256 is in `config.json` if they exist."""
_FORMAT = 1
_DECODING = [each.name for each in fields(DecodeSettings) if each.metadata.get("is_stored", True)]
"""Keys of the stored settings."""
_EXPECTED = "a config.json written by asr-punct"
_PADDED_POSITIONS = frozenset({"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "longformer"})
"""Types of encoders whose first position is the one after the number of the padding token."""


@dataclass(frozen=True)
class ModelInfo:
    """Content of a model directory's `config.json`."""

    model: ModelConfig
    encoder: Mapping[str, Any]
    """Arguments that build the encoder without its checkpoint: a transformers configuration, or the sizes of tables."""
    decoding: DecodeSettings = field(default_factory=DecodeSettings)
    training: Mapping[str, Any] = field(default_factory=dict)
    """Facts about the training, for users."""
    files: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of the other files by name."""

    @property
    def max_tokens(self) -> int:
        """Longest input in sub-words: the smallest of the encoder's positions, `window.tokens` and `MAX_TOKENS`."""
        positions = int(self.encoder.get("max_position_embeddings", MAX_TOKENS))
        if self.encoder.get("model_type") in _PADDED_POSITIONS and "max_position_embeddings" in self.encoder:
            positions -= int(self.encoder.get("pad_token_id", 0)) + 1
        return min(positions, self.model.window.tokens, MAX_TOKENS)


def write_info(directory: Path, info: ModelInfo) -> None:
    """Write `config.json` with the hashes of the files in the directory."""
    files = {name: file_sha256(directory / name) for name in FILES if (directory / name).is_file()}
    write_json_file(directory / CONFIG, info_mapping(replace(info, files=files)))


def read_info(directory: Path) -> ModelInfo:
    """Read `config.json`. Raises AsrPunctError if the file is missing or invalid."""
    place = directory / CONFIG
    if not place.is_file():
        raise ModelError(place, "no such file", "a model directory")
    try:
        content = json.loads(read_text_file(place))
    except (RecursionError, ValueError) as error:
        raise ModelError(place, f"{type(error).__name__} {error}", _EXPECTED) from None
    return info_from_mapping(content, place)


def info_mapping(info: ModelInfo) -> dict[str, Any]:
    """Return the content of `config.json` as nested dictionaries of JSON values."""
    content = as_mapping(info)
    decoding = content.pop("decoding")  # at the top level of the file, because released models have it there
    stored = {name: decoding[name] for name in _DECODING}
    return {"format": _FORMAT, "asr_punct": metadata.version("asr-punct"), **stored, **content}


def info_from_mapping(content: Any, place: object) -> ModelInfo:
    """Inverse of `info_mapping`. Raises AsrPunctError, with the path `place`, if the content is invalid.

    Unknown keys at the top level, such as the version that wrote the file, are ignored.
    """
    if not isinstance(content, Mapping) or "format" not in content:
        raise ModelError(place, "no key 'format'", _EXPECTED)
    if content["format"] != _FORMAT:
        raise ModelError(place, f"format {content['format']!r}", f"format {_FORMAT}")
    decoding = {name: content[name] for name in _DECODING if name in content}
    names = [each.name for each in fields(ModelInfo) if each.name != "decoding"]
    others = {name: content[name] for name in names if name in content}
    info = from_mapping(ModelInfo, others, place)
    settings = from_mapping(DecodeSettings, decoding, place)
    check_stored(settings, info.model.heads.classes, str(place))
    kind, padding = info.encoder.get("model_type"), info.encoder.get("pad_token_id", 0)
    if not isinstance(kind, str | None):
        raise ModelError(f"{place}: encoder.model_type", repr(kind)[:80], "a name")
    if kind in _PADDED_POSITIONS and type(padding) is not int:
        raise ModelError(f"{place}: encoder.pad_token_id", repr(padding)[:80], "a whole number")
    for name in ("max_position_embeddings", "vocab_size"):
        size = info.encoder.get(name, 1)
        if type(size) is not int or size < 1:
            raise ModelError(f"{place}: encoder.{name}", repr(size), "a whole number above 0")
    for name, digest in info.files.items():
        if name not in FILES:
            raise ModelError(f"{place}: files.{name}", repr(digest), f"the SHA-256 of one of {', '.join(FILES)}")
    return replace(info, decoding=settings)


def existing_file(directory: Path, info: ModelInfo, name: str) -> Path:
    """Return the path of a file. Raises ModelError if it is missing or not listed in `config.json`."""
    path = directory / name
    if not path.is_file():
        raise ModelError(path, "no such file", "the file that the model directory was written with")
    if name not in info.files:
        raise ModelError(path, f"a file not listed in {CONFIG}", f"its SHA-256 in {CONFIG}")
    return path


def verified_file(directory: Path, info: ModelInfo, name: str) -> Path:
    """Return the path of a file whose hash matches. Raises ModelError if it is missing or altered."""
    path = existing_file(directory, info, name)
    found = file_sha256(path)
    if found != info.files[name]:
        raise ModelError(path, f"SHA-256 {found[:12]}…", f"{info.files[name][:12]}… as in {CONFIG}")
    return path


def load_tokenizer(directory: Path, info: ModelInfo) -> SubwordTokenizer:
    """Load the model's tokenizer. Raises ModelError if it is missing or altered."""
    path = verified_file(directory, info, TOKENIZER)
    return SubwordTokenizer.from_file(path, info.model.encoder.max_subwords)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
