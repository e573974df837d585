"""The parts of an `AsrPunctModel`: made for training, or read from a model directory or an unpacked `.nemo` file."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from omegaconf import MISSING

from asr_punct.checkpoint import (
    CARD,
    CASING,
    ONNX,
    ONNX_INT8,
    TOKENIZER,
    WEIGHTS,
    ModelInfo,
    info_from_mapping,
    info_mapping,
    load_tokenizer,
    read_info,
    verified_file,
)
from asr_punct.config import Config, TrainingConfig, as_mapping, from_mapping
from asr_punct.errors import ConfigError
from asr_punct.hub import find_trainable_model
from asr_punct.model.tagger import Tagger
from asr_punct.model.weights import empty_tagger, load_tagger
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.configuration import named_heads, read_config
from asr_punct.training.mapped import Corpora
from asr_punct.training.start import start_config, start_model, with_classes

NEMO_CONFIG, NEMO_WEIGHTS = "model_config.yaml", "model_weights.ckpt"
KEPT_FILES = (TOKENIZER, CASING, CARD, ONNX, ONNX_INT8)
"""Files of a model directory that a `.nemo` file contains."""
NO_DATA = "model.data", "nothing", "a directory of train.tsv and dev.tsv"
"""ModelParts of the error if the configuration names no corpus."""
_GRAPHS = (ONNX, ONNX_INT8)


@dataclass(frozen=True)
class ModelParts:
    """The parts of a model. `tagger` is None if there is only an ONNX graph, `tokenizer` until a checkpoint is loaded.

    `files` are the contents of `KEPT_FILES` by name, without the tokenizer; a graph only if there are no weights.
    """

    info: ModelInfo
    training: TrainingConfig
    tagger: Tagger | None
    tokenizer: SubwordTokenizer | None
    files: Mapping[str, bytes]

    def mapping(self) -> dict[str, Any]:
        """Return the configuration that `restore_parts` reads."""
        return {"info": info_mapping(replace(self.info, files={})), "training": as_mapping(self.training)}


def new_parts(values: Mapping[str, Any], epochs: int | None) -> ModelParts:
    """Make a model for training, in `epochs` epochs; None or -1 for those of the configuration.

    The keys of `values` are `config` (name or path of a training configuration), `settings` (changes to it), `data`
    (directory of the corpora) and `init` (model to start from). Raises AsrPunctError for an unusable configuration or
    data, or an unknown model.
    """
    if values.get("data") in (None, "", MISSING):
        raise ConfigError(*NO_DATA)
    corpora = Corpora.open(Path(values["data"]))
    settings = tuple(values.get("settings") or ())
    config = read_config(values["config"], settings)
    init = find_trainable_model(values["init"]) if values.get("init") else None
    if init:
        config = replace(config, model=start_config(init, config.model, named_heads(settings)))
    config = with_classes(Config(config.model, _training_config(config.training, epochs)), corpora)
    torch.manual_seed(config.training.seed)
    tagger, tokenizer = start_model(config, corpora, init)
    return ModelParts(ModelInfo(config.model, tagger.encoder.settings), config.training, tagger, tokenizer, {})


def read_parts(directory: Path) -> ModelParts:
    """Read a model directory: its weights, or its graph if it has no weights. Raises ModelError if it is damaged."""
    info = read_info(directory)
    tokenizer = load_tokenizer(directory, info)
    kept = {name: directory / name for name in KEPT_FILES if name not in (TOKENIZER, *_GRAPHS)}
    tagger = load_tagger(verified_file(directory, info, WEIGHTS), info) if WEIGHTS in info.files else None
    if tagger is None:
        graph = next((name for name in _GRAPHS if name in info.files), WEIGHTS)  # neither: weights are missing
        kept[graph] = verified_file(directory, info, graph)
    files = {name: path.read_bytes() for name, path in kept.items() if path.is_file()}
    return ModelParts(info, TrainingConfig(), tagger, tokenizer, files)


def restore_parts(values: Mapping[str, Any], folder: Path | None, epochs: int | None) -> ModelParts:
    """Make a model from the configuration of `ModelParts.mapping`. NeMo loads its weights afterwards.

    `folder` is the unpacked `.nemo` file; None for a checkpoint, which contains the files itself. `epochs` are as in
    `new_parts`. Raises ModelError for an invalid configuration or file.
    """
    info = info_from_mapping(values["info"], NEMO_CONFIG)
    training = from_mapping(TrainingConfig, values.get("training", {}), f"{NEMO_CONFIG}: training")
    files = {name: (folder / name).read_bytes() for name in KEPT_FILES if folder and (folder / name).is_file()}
    tokenizer = SubwordTokenizer.from_file(folder / TOKENIZER, info.model.encoder.max_subwords) if folder else None
    graph = any(name in files for name in _GRAPHS)
    tagger = None if graph else empty_tagger(info, NEMO_CONFIG, tokenizer).eval()
    files.pop(TOKENIZER, None)
    return ModelParts(info, _training_config(training, epochs), tagger, tokenizer, files)


def _training_config(training: TrainingConfig, epochs: int | None) -> TrainingConfig:
    """Return the configuration with the trainer's number of epochs. Raises ConfigError if it averages the weights."""
    decay = training.optimizer.ema_decay
    if decay:
        raise ConfigError("training.optimizer.ema_decay", str(decay), "0: under NeMo exp_manager.ema averages")
    return replace(training, epochs=epochs) if epochs and epochs > 0 else training
