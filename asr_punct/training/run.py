"""A training run: its directory, which a killed run goes on from, its device and its trainer."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import lightning
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from lightning.pytorch.loggers import TensorBoardLogger

from asr_punct.checkpoint import TOKENIZER, read_info
from asr_punct.config import Config, TrainingConfig, as_mapping, from_mapping
from asr_punct.errors import AsrPunctError, ConfigError, InputError
from asr_punct.formats.files import write_file, write_json_file
from asr_punct.model.device import has_bf16, open_device
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.callbacks import Progress, SafeCheckpointIO
from asr_punct.training.datamodule import DEV, TRAIN

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
    def tokenizer(self) -> Path | None:
        """Tokenizer of a run that has a checkpoint."""
        return self.directory / TOKENIZER if self.checkpoint.exists() else None

    @property
    def settings(self) -> Path:
        """Configuration that the run was started with."""
        return self.state / "config.json"


def is_finished(run: Run, config: Config, resume: bool) -> bool:
    """Whether nothing is left to do; refuses to go on from, or write over, anything else than this very run."""
    if run.directory.exists() and not run.directory.is_dir():
        raise AsrPunctError(f"{run.directory}: found a file, expected a new directory")
    if not run.settings.exists():
        if run.directory.exists() and any(run.directory.iterdir()):
            raise AsrPunctError(f"{run.directory}: found files of another origin, expected a new directory")
        return False
    if not resume:
        raise AsrPunctError(f"{run.directory}: found a training run, expected a new directory (or --resume)")
    started = from_mapping(Config, json.loads(run.settings.read_text(encoding="utf-8")), str(run.settings))
    if started != config:
        raise ConfigError(f"{run.settings}: the run was started with another configuration; expected the same")
    if not (run.directory / "config.json").exists():
        return False
    return bool(read_info(run.directory).training.get("finished"))


def check_data(data: Path) -> None:
    """Refuse a directory without both corpora. Raises InputError."""
    for name in (TRAIN, DEV):
        if not (data / name).is_file():
            raise InputError(data / name, "no such file", f"a directory with {TRAIN} and {DEV}")


def make_directories(run: Run, config: Config, tokenizer: SubwordTokenizer) -> None:
    """The run's files; last of all that comes before training, so that a start that fails leaves nothing behind."""
    try:
        run.state.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(run.directory, error.strerror or "an error", "a place for a new directory") from None
    write_json_file(run.settings, as_mapping(config))
    with write_file(run.directory / TOKENIZER) as out:
        out.write(tokenizer.to_json())


def resolve_device(name: str | None) -> torch.device:
    """The device of that name, which has been tried; without a name a GPU where there is one, else the CPU.

    Raises:
        AsrPunctError: there is no such device.
    """
    return open_device(name or ("cuda" if torch.cuda.is_available() else "cpu"))


def build_trainer(
    run: Run, config: TrainingConfig, callbacks: Sequence[Callback], device: torch.device
) -> lightning.Trainer:
    """The trainer of a run, which keeps a checkpoint of every whole epoch."""
    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    bf16 = has_bf16(device.type) if config.precision == "auto" else config.precision == "bf16"
    checkpoint = ModelCheckpoint(
        dirpath=run.state, filename=_CHECKPOINT, save_on_train_epoch_end=True, enable_version_counter=False
    )
    return lightning.Trainer(
        accelerator=device.type,
        devices=1 if device.index is None else [device.index],
        precision="bf16-mixed" if bf16 else "32-true",
        max_epochs=config.epochs,
        gradient_clip_val=config.optimizer.clip_norm,
        reload_dataloaders_every_n_epochs=1,
        num_sanity_val_steps=0,
        callbacks=[*callbacks, Progress(), checkpoint],
        plugins=[SafeCheckpointIO()],
        logger=TensorBoardLogger(run.state, name="", version="tensorboard"),
        enable_progress_bar=False,
        enable_model_summary=False,
        log_every_n_steps=20,
    )


def fit(
    run: Run, trainer: lightning.Trainer, module: lightning.LightningModule, corpora: lightning.LightningDataModule
) -> None:
    """Train, from the last whole epoch where there is one.

    Raises:
        AsrPunctError: it was interrupted.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="lightning")  # hints about workers and sanity checks
        trainer.fit(module, corpora, ckpt_path=run.checkpoint if run.checkpoint.exists() else None)
    if trainer.interrupted:
        raise AsrPunctError(f"{run.directory}: training was interrupted; --resume goes on from the last whole epoch")
