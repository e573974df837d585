"""What an `AsrPunctModel` is made of: new from a configuration, from a model directory, or from what NeMo restores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from asr_punct.checkpoint import (
    ONNX,
    ONNX_INT8,
    TOKENIZER,
    WEIGHTS,
    ModelInfo,
    checked_file,
    has_file,
    info_from_mapping,
    info_mapping,
    load_tokenizer,
    read_info,
)
from asr_punct.config import Config, TrainingConfig, as_mapping, from_mapping
from asr_punct.errors import ConfigError, ModelError
from asr_punct.find import find_trainable_model
from asr_punct.model.tagger import Tagger
from asr_punct.model.weights import empty_tagger, load_tagger
from asr_punct.nemo.archive import KEPT_FILES, NEMO_CONFIG, NEMO_WEIGHTS
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.configuration import named_heads, read_config
from asr_punct.training.fit import model_of, start_model, with_classes
from asr_punct.training.run import check_data

_GRAPHS = (ONNX, ONNX_INT8)
_SPARE_BYTES = 1 << 20


@dataclass(frozen=True)
class Parts:
    """A model before NeMo has it.

    Attributes:
        info: its configuration.
        training: how it is trained.
        tagger: what is trained; None where the model is a graph alone.
        tokenizer: its tokenizer; None where a checkpoint will bring it.
        files: `archive.KEPT_FILES` of its directory, without the tokenizer, and a graph only where it is one alone.
    """

    info: ModelInfo
    training: TrainingConfig
    tagger: Tagger | None
    tokenizer: SubwordTokenizer | None
    files: Mapping[str, bytes]

    def mapping(self) -> dict[str, Any]:
        """What `restored` makes the same model of, but for its weights and files."""
        return {"info": info_mapping(replace(self.info, files={})), "training": as_mapping(self.training)}


def new(values: Mapping[str, Any], epochs: int | None) -> Parts:
    """A model that is to be trained.

    Args:
        values: `config`, the name or path of a configuration; `settings`, changes to it; `data`, the directory of the
            corpora; `init`, a model whose weights are the start.
        epochs: those of the trainer, where there is one.

    Raises:
        AsrPunctError: the configuration or the data cannot be used, or there is no such model.
    """
    if not values.get("data"):
        raise ConfigError("model.data: found nothing, expected a directory of train.tsv and dev.tsv")
    data = Path(values["data"])
    check_data(data)
    settings = tuple(values.get("settings") or ())
    config = read_config(values["config"], settings)
    init = find_trainable_model(values["init"]) if values.get("init") else None
    if init:
        config = replace(config, model=model_of(init, config.model, named_heads(settings)))
    config = with_classes(Config(config.model, _checked(config.training, epochs)), data)
    torch.manual_seed(config.training.seed)
    tagger, tokenizer = start_model(config, data, init)
    return Parts(ModelInfo(config.model, tagger.encoder.settings), config.training, tagger, tokenizer, {})


def of_directory(directory: Path) -> Parts:
    """The model of a directory: its weights, or its graph where it has none. Raises ModelError where it is damaged."""
    info = read_info(directory)
    tokenizer = load_tokenizer(directory, info)
    kept = {name: directory / name for name in KEPT_FILES if name not in (TOKENIZER, *_GRAPHS)}
    tagger = load_tagger(checked_file(directory, info, WEIGHTS), info) if has_file(info, WEIGHTS) else None
    if tagger is None:
        graph = next((name for name in _GRAPHS if has_file(info, name)), WEIGHTS)
        kept[graph] = checked_file(directory, info, graph)
    files = {name: path.read_bytes() for name, path in kept.items() if path.is_file()}
    return Parts(info, TrainingConfig(), tagger, tokenizer, files)


def restored(values: Mapping[str, Any], folder: Path | None, epochs: int | None) -> Parts:
    """The model, with weights that are yet to come, of a configuration with `Parts.mapping`.

    Args:
        values: the configuration.
        folder: where the files of an archive are; None where a checkpoint is restored, which brings them.
        epochs: those of the trainer, where there is one.

    Raises:
        ModelError: the configuration or a file is not ours.
    """
    info = info_from_mapping(values["info"], NEMO_CONFIG)
    training = from_mapping(TrainingConfig, values.get("training", {}), f"{NEMO_CONFIG}: training")
    files = {name: (folder / name).read_bytes() for name in KEPT_FILES if folder and (folder / name).is_file()}
    tokenizer = SubwordTokenizer.from_file(folder / TOKENIZER, info.model.encoder.max_subwords) if folder else None
    graph = any(name in files for name in _GRAPHS)
    if folder and not graph:
        _check_size(info, tokenizer, (folder / NEMO_WEIGHTS).stat().st_size)
    tagger = None if graph else empty_tagger(info, NEMO_CONFIG, tokenizer).eval()
    files.pop(TOKENIZER, None)
    return Parts(info, _checked(training, epochs), tagger, tokenizer, files)


def _check_size(info: ModelInfo, tokenizer: SubwordTokenizer | None, stored: int) -> None:
    """Refuse a configuration of a model that is far larger than its weights: it could fill the memory."""
    with torch.device("meta"):
        tagger = empty_tagger(info, NEMO_CONFIG, tokenizer)
    size = sum(weight.numel() * weight.element_size() for weight in tagger.parameters())
    if size > 2 * stored + _SPARE_BYTES:
        raise ModelError(NEMO_CONFIG, f"a model of {size} bytes", f"one that {NEMO_WEIGHTS} of {stored} bytes holds")


def _checked(training: TrainingConfig, epochs: int | None) -> TrainingConfig:
    if training.average:
        raise ConfigError(f"training: average is {training.average}, expected 0: under NeMo exp_manager.ema averages")
    return replace(training, epochs=epochs) if epochs and epochs > 0 else training
