"""Train a model: the stage that `asr-punct train` calls."""

from __future__ import annotations

import json
import logging
import re
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import lightning
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from lightning.pytorch.loggers import TensorBoardLogger

from asr_punct.checkpoint import (
    TOKENIZER,
    WEIGHTS,
    ModelInfo,
    checked_file,
    load_tokenizer,
    read_info,
)
from asr_punct.config import Config, EncoderConfig, as_mapping
from asr_punct.errors import AsrPunctError, ConfigError, InputError
from asr_punct.io.files import write_file
from asr_punct.model.encoder import new_encoder, pretrained_encoder, pretrained_tokenizer
from asr_punct.model.tagger import Tagger, build_tagger
from asr_punct.model.weights import load_tagger
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.callbacks import EpochLines, KeepBest, SafeCheckpointIO
from asr_punct.training.card import write_card
from asr_punct.training.corpus import read_words
from asr_punct.training.datamodule import DEV, TRAIN, PunctuationData
from asr_punct.training.lightning_module import DEV_F1, PunctuationModule

log = logging.getLogger(__name__)
_CHECKPOINT = "last"


@dataclass(frozen=True)
class Run:
    """Where a run keeps what it needs to go on: `training/` in the model directory."""

    directory: Path

    @property
    def state(self) -> Path:
        """The run's own directory."""
        return self.directory / "training"

    @property
    def checkpoint(self) -> Path:
        """Checkpoint of the last whole epoch."""
        return self.state / f"{_CHECKPOINT}.ckpt"

    @property
    def settings(self) -> Path:
        """Configuration that the run was started with."""
        return self.state / "config.json"


def train(
    config: Config,
    data: Path,
    output: Path,
    *,
    init: Path | None = None,
    resume: bool = False,
    device: str | None = None,
    progress: bool = False,
) -> ModelInfo:
    """Train on `data/train.tsv`, choose by `data/dev.tsv`, and leave the best model in `output`.

    Args:
        config: model and training.
        data: directory of the two corpora.
        output: the model directory to make.
        init: model directory whose tokenizer and weights are the start; its model configuration holds.
        resume: go on from the last whole epoch of a killed run; a finished one is left as it is.
        device: `cpu`, `cuda` or another torch device; a GPU where there is one by default.
        progress: show a progress bar.

    Raises:
        AsrPunctError: the output is there already, the run was started with another configuration, or the device or
            the data cannot be used; then nothing is written.
    """
    run = Run(output)
    place = resolve_device(device)
    if init:
        config = replace(config, model=read_info(init).model)
    if _is_finished(run, config, resume):
        log.info("%s is trained already", output)
        return read_info(output)
    _check_data(data)
    torch.manual_seed(config.training.seed)
    model, tokenizer = _start(config, data, run, init)
    info = ModelInfo(config.model, model.encoder.settings)
    corpora = PunctuationData(data, tokenizer, config, info.max_tokens)
    facts = {"data": str(data), "words": len(corpora.train), "dev_words": len(corpora.dev)}
    keep = KeepBest(output, replace(info, training={**facts, "seed": config.training.seed}))
    trainer = _trainer(config, run, keep, place, progress)
    module = PunctuationModule(model, config.training, steps_per_epoch=len(corpora.epoch(0)))
    if config.training.compile:
        module.model.compile(dynamic=True)
    _make_directories(run, config, tokenizer)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="lightning")  # hints about workers and sanity checks
        trainer.fit(module, corpora, ckpt_path=run.checkpoint if run.checkpoint.exists() else None)
    if trainer.interrupted:
        raise AsrPunctError(f"{output}: training was interrupted; --resume goes on from the last whole epoch")
    keep.write(finished=True)
    write_card(output)
    return read_info(output)


def _is_finished(run: Run, config: Config, resume: bool) -> bool:
    """Whether nothing is left to do; refuses to go on from, or write over, anything else than this very run."""
    if run.directory.exists() and not run.directory.is_dir():
        raise AsrPunctError(f"{run.directory}: found a file, expected a new directory")
    if not run.settings.exists():
        if run.directory.exists() and any(run.directory.iterdir()):
            raise AsrPunctError(f"{run.directory}: found files of another origin, expected a new directory")
        return False
    if not resume:
        raise AsrPunctError(f"{run.directory}: found a training run, expected a new directory (or --resume)")
    if json.loads(run.settings.read_text(encoding="utf-8")) != as_mapping(config):
        raise ConfigError(f"{run.settings}: the run was started with another configuration; expected the same")
    if not (run.directory / "config.json").exists():
        return False
    return bool(read_info(run.directory).training.get("finished"))


def _check_data(data: Path) -> None:
    for name in (TRAIN, DEV):
        if not (data / name).is_file():
            raise InputError(data / name, "no such file", f"a directory with {TRAIN} and {DEV}")


def _start(config: Config, data: Path, run: Run, init: Path | None) -> tuple[Tagger, SubwordTokenizer]:
    """Model and tokenizer as they are before the first step; a resumed run then loads its checkpoint over them."""
    encoder = config.model.encoder
    if init:
        info = read_info(init)
        tokenizer = load_tokenizer(init, info)
        model = load_tagger(checked_file(init, info, WEIGHTS), info)
    else:
        tokenizer = _tokenizer(encoder, data, run)
        name = encoder.name
        words = pretrained_encoder(name) if name else new_encoder(encoder, tokenizer.size, tokenizer.pad)
        model = build_tagger(config.model, words)
    return model, tokenizer


def _make_directories(run: Run, config: Config, tokenizer: SubwordTokenizer) -> None:
    """Last of all that comes before training, so that a start that fails leaves nothing behind."""
    try:
        run.state.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(run.directory, error.strerror or "an error", "a place for a new directory") from None
    with write_file(run.settings) as out:
        json.dump(as_mapping(config), out, indent=2)
    with write_file(run.directory / TOKENIZER) as out:
        out.write(tokenizer.to_json())


def _tokenizer(encoder: EncoderConfig, data: Path, run: Run) -> SubwordTokenizer:
    if run.checkpoint.exists():
        return SubwordTokenizer.from_file(run.directory / TOKENIZER, encoder.max_subwords)
    if encoder.name:
        return pretrained_tokenizer(encoder.name, encoder.max_subwords)
    return SubwordTokenizer(train_tokenizer(read_words(data / TRAIN), encoder.vocabulary), encoder.max_subwords)


def resolve_device(name: str | None) -> torch.device:
    """The device of that name, which has been tried; without a name a GPU where there is one, else the CPU.

    Raises:
        AsrPunctError: there is no such device.
    """
    name = name or ("cuda" if torch.cuda.is_available() else "cpu")
    if not re.fullmatch(r"cpu|mps|cuda(:\d+)?", name):
        raise AsrPunctError(f"--device: found {name!r}, expected cpu, cuda, cuda:N or mps")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:  # torch asserts where it was built without the device
        raise AsrPunctError(f"--device: {name!r} cannot be used: {str(error).splitlines()[0]}") from None
    return device


def _trainer(config: Config, run: Run, keep: KeepBest, device: torch.device, progress: bool) -> lightning.Trainer:
    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    checkpoint = ModelCheckpoint(
        dirpath=run.state, filename=_CHECKPOINT, save_on_train_epoch_end=True, enable_version_counter=False
    )
    stop = EarlyStopping(DEV_F1, mode="max", patience=config.training.patience)
    return lightning.Trainer(
        accelerator=device.type,
        devices=1 if device.index is None else [device.index],
        precision="bf16-mixed" if _use_bf16(config.training.precision, device.type) else "32-true",
        max_epochs=config.training.epochs,
        gradient_clip_val=config.training.clip_norm,
        reload_dataloaders_every_n_epochs=1,
        num_sanity_val_steps=0,
        callbacks=[keep, stop, EpochLines(), checkpoint],
        plugins=[SafeCheckpointIO()],
        logger=TensorBoardLogger(run.state, name="", version="tensorboard"),
        enable_progress_bar=progress,
        enable_model_summary=False,
        log_every_n_steps=20,
    )


def _use_bf16(precision: str, accelerator: str) -> bool:
    if precision != "auto":
        return precision == "bf16"
    if accelerator == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    return accelerator == "cpu" and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
