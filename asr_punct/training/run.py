"""Directory, device and trainer of a training run. A killed run resumes from its directory."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

import lightning
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from lightning.pytorch.loggers import TensorBoardLogger
from torch.nn.attention import SDPBackend, sdpa_kernel

from asr_punct.checkpoint import CONFIG, TOKENIZER, read_info, write_info
from asr_punct.config import Config, TrainingConfig, as_mapping, differing_keys, from_mapping
from asr_punct.errors import AsrPunctError, ConfigError, InputError
from asr_punct.formats.files import write_file, write_json_file
from asr_punct.model.device import has_bf16, open_device
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.callbacks import SafeCheckpointIO
from asr_punct.training.datamodule import DEV, TRAIN
from asr_punct.training.mapped import find_arrays, has_corpus

_EPOCHS = "training.epochs"
_SHOWN = 6
"""Most keys that an error message names."""


@dataclass(frozen=True)
class Run:
    """Paths of a run. The files that it needs to resume are in `training/` of the model directory."""

    directory: Path

    @property
    def state(self) -> Path:
        return self.directory / "training"

    @property
    def checkpoint(self) -> Path | None:
        """The checkpoint after the last complete epoch, if there is one."""
        path = self.state / "last.ckpt"
        return path if path.exists() else None

    @property
    def tokenizer(self) -> Path | None:
        """The tokenizer of a run that has a checkpoint."""
        return self.directory / TOKENIZER if self.checkpoint else None

    @property
    def settings(self) -> Path:
        """The file with the configuration of the run."""
        return self.state / "config.json"


def is_finished(run: Run, config: Config, resume: bool) -> bool:
    """Return whether the run is complete.

    Raises:
        AsrPunctError: the directory has other files, another configuration, or a run that is not to be resumed. Only
            the number of epochs may be larger than before; then the run is not complete.
    """
    if run.directory.exists() and not run.directory.is_dir():
        raise AsrPunctError(f"{run.directory}: found a file, expected a new directory")
    if not run.settings.exists():
        if run.directory.exists() and any(run.directory.iterdir()):
            raise AsrPunctError(f"{run.directory}: found other files, expected a new directory")
        return False
    if not resume:
        raise AsrPunctError(f"{run.directory}: found a training run, expected a new directory (or --resume)")
    started = from_mapping(Config, json.loads(run.settings.read_text(encoding="utf-8")), str(run.settings))
    _check_resumable(run, started, config)
    has_model = (run.directory / CONFIG).exists()
    return started == config and has_model and bool(read_info(run.directory).training.get("finished"))


def _check_resumable(run: Run, started: Config, config: Config) -> None:
    """Raise ConfigError with the keys that differ, unless it is only a larger number of epochs."""
    more_epochs = config.training.epochs > started.training.epochs
    keys = [key for key in differing_keys(started, config) if not (more_epochs and key == _EPOCHS)]
    if keys:
        found = ", ".join(f"{key}={attrgetter(key)(started)} (now {attrgetter(key)(config)})" for key in keys[:_SHOWN])
        found += f" and {len(keys) - _SHOWN} more keys" if len(keys) > _SHOWN else ""
        raise ConfigError(f"{run.settings}: found {found}, expected equal values (--resume may only raise {_EPOCHS})")


def check_data(data: Path) -> None:
    """Make the arrays of both corpora. Raises InputError as `find_arrays`."""
    paths = [data / name for name in (TRAIN, DEV)]
    for path in paths:
        if not has_corpus(path):
            raise InputError(path, "no such file", f"a directory with {TRAIN} and {DEV}")
    for path in paths:
        find_arrays(path)


def make_directories(run: Run, config: Config, tokenizer: SubwordTokenizer) -> None:
    """Write the configuration and tokenizer of a run; called last, so that a failed start leaves no files behind.

    The model of a complete run that gets more epochs is no longer marked as finished.
    """
    try:
        run.state.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(run.directory, error.strerror or "an error", "a place for a new directory") from None
    if (run.directory / CONFIG).exists():
        info = read_info(run.directory)
        write_info(run.directory, replace(info, training={**info.training, "finished": False}))
    write_json_file(run.settings, as_mapping(config))
    with write_file(run.directory / TOKENIZER) as out:
        out.write(tokenizer.to_json())


def resolve_device(name: str | None) -> torch.device:
    """Return the named device, or by default a GPU if there is one. Raises AsrPunctError if it cannot be used."""
    return open_device(name or ("cuda" if torch.cuda.is_available() else "cpu"))


def build_trainer(
    run: Run, config: TrainingConfig, callbacks: Sequence[Callback], device: torch.device
) -> lightning.Trainer:
    """Build the trainer, which writes a checkpoint after every epoch."""
    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    bf16 = has_bf16(device.type) if config.precision == "auto" else config.precision == "bf16"
    checkpoint = ModelCheckpoint(
        dirpath=run.state, filename="last", save_on_train_epoch_end=True, enable_version_counter=False
    )
    return lightning.Trainer(
        accelerator=device.type,
        devices=1 if device.index is None else [device.index],
        precision="bf16-mixed" if bf16 else "32-true",
        max_epochs=config.epochs,
        gradient_clip_val=config.optimizer.clip_norm,
        reload_dataloaders_every_n_epochs=1,
        num_sanity_val_steps=0,
        callbacks=[*callbacks, checkpoint],
        plugins=[SafeCheckpointIO()],
        logger=TensorBoardLogger(run.state, name="", version="tensorboard"),
        enable_progress_bar=False,
        enable_model_summary=False,
        log_every_n_steps=20,
    )


def fit(
    run: Run, trainer: lightning.Trainer, module: lightning.LightningModule, corpora: lightning.LightningDataModule
) -> None:
    """Train, from the last complete epoch if there is one. Raises AsrPunctError if training is interrupted."""
    # On a CPU the backward pass of flash attention is slow: with MATH a step of a small encoder is 1.4 times faster.
    on_cpu = trainer.strategy.root_device.type == "cpu"
    with warnings.catch_warnings(), sdpa_kernel(SDPBackend.MATH) if on_cpu else nullcontext():
        warnings.filterwarnings("ignore", module="lightning")  # hints about workers and sanity checks
        trainer.fit(module, corpora, ckpt_path=run.checkpoint)
    if trainer.interrupted:
        raise AsrPunctError(f"{run.directory}: training was interrupted; --resume continues after the last epoch")
