"""What is kept of a run: the best model as a model directory, and a checkpoint that a killed run goes on from."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import lightning
import torch
from lightning.fabric.plugins.io.torch_io import TorchCheckpointIO
from lightning.pytorch.callbacks import Callback

from asr_punct.checkpoint import WEIGHTS, ModelInfo, write_info
from asr_punct.errors import InputError, first_line
from asr_punct.model.weights import save_tagger
from asr_punct.progress import counted
from asr_punct.training.lightning_module import DEV_CASE_F1, DEV_F1, DEV_PERPLEXITY, PunctuationModule

log = logging.getLogger(__name__)

_FIRST_STEPS = 10
"""Steps after which an average keeps half of itself."""


class SafeCheckpointIO(TorchCheckpointIO):
    """Checkpoints that appear when they are complete, and that are read without running what a pickle says."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Any, storage_options: Any | None = None) -> None:
        """Write beside its place, then rename."""
        partial = f"{path}.partial"
        torch.save(checkpoint, partial)
        os.replace(partial, path)

    def load_checkpoint(self, path: Any, map_location: Any = None) -> dict[str, Any]:
        """Tensors and plain values only. Raises InputError where the file holds anything else."""
        try:
            checkpoint: dict[str, Any] = torch.load(path, map_location=map_location or "cpu", weights_only=True)
        except Exception as error:  # torch raises pickle, zip and runtime errors alike
            raise InputError(path, first_line(error), "a checkpoint of asr-punct train") from None
        return checkpoint


class KeepBest(Callback):
    """Writes the model directory whenever the monitored score of the development set is the best so far.

    Args:
        directory: the model directory.
        info: its information, to which the scores are added.
        monitor: `f1` or `perplexity`, as in `TrainingConfig`.

    Attributes:
        metric: name of the score.
        mode: whether the highest is best (`max`) or the lowest (`min`).
    """

    def __init__(self, directory: Path, info: ModelInfo, monitor: str = "f1") -> None:
        self.directory = directory
        self.info = info
        self.metric, self.mode = {"f1": (DEV_F1, "max"), "perplexity": (DEV_PERPLEXITY, "min")}[monitor]
        self.best: dict[str, float] = {}

    def on_validation_end(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Compare and write."""
        if not isinstance(pl_module, PunctuationModule):
            return
        scores = {name: float(trainer.callback_metrics[name]) for name in (DEV_F1, DEV_CASE_F1, self.metric)}
        sign = 1 if self.mode == "max" else -1
        if self.best and not sign * scores[self.metric] > sign * self.best[self.metric]:  # nor where it is NaN
            return
        self.best = {**scores, "best_epoch": float(trainer.current_epoch + 1)}
        save_tagger(pl_module.model, self.directory / WEIGHTS)
        self.write(finished=False)

    def write(self, finished: bool) -> None:
        """Write `config.json` with what is known of the run."""
        facts = {**self.info.training, **{name: round(value, 6) for name, value in self.best.items()}}
        write_info(self.directory, replace(self.info, training={**facts, "finished": finished}))

    def state_dict(self) -> dict[str, Any]:
        """The best scores."""
        return dict(self.best)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Inverse of `state_dict`."""
        self.best = dict(state_dict)


class AverageWeights(Callback):
    """A running average of the weights takes their place whenever they are scored (Polyak and Juditsky 1992).

    It stands after `KeepBest` among the callbacks, so that the average is what is kept.

    Args:
        share: what the average keeps of itself at each step; less in the first ones, which are far from the end.
    """

    def __init__(self, share: float) -> None:
        self.share = share
        self.steps = 0
        self.average: list[torch.Tensor] = []

    def on_train_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """A resumed run's average to where the weights are."""
        self.average = [average.to(pl_module.device) for average in self.average]

    def on_train_batch_end(
        self, trainer: lightning.Trainer, pl_module: lightning.LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Move the average towards the weights."""
        weights = [weight.detach() for weight in pl_module.parameters()]
        if not self.average:
            self.average = [weight.clone() for weight in weights]
        self.steps += 1
        share = min(self.share, self.steps / (self.steps + _FIRST_STEPS))
        torch._foreach_lerp_(self.average, weights, 1 - share)

    def on_validation_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """The average for the weights."""
        self._swap(pl_module)

    def on_validation_end(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """The weights again."""
        self._swap(pl_module)

    def _swap(self, module: lightning.LightningModule) -> None:
        weights = list(module.parameters())
        for i, average in enumerate(self.average):
            self.average[i], weights[i].data = weights[i].data, average

    def state_dict(self) -> dict[str, Any]:
        """The average."""
        return {"steps": self.steps, "average": self.average}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Inverse of `state_dict`."""
        self.steps, self.average = state_dict["steps"], state_dict["average"]


class Progress(Callback):
    """How far an epoch is, on the line of `asr_punct.progress`."""

    def __init__(self) -> None:
        self._steps: Iterator[int] = iter(())

    def on_train_epoch_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Count the epoch's steps."""
        self._count(
            f"steps of epoch {trainer.current_epoch + 1}/{trainer.max_epochs}", int(trainer.num_training_batches)
        )

    def on_train_batch_start(
        self, trainer: lightning.Trainer, pl_module: lightning.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """One more."""
        next(self._steps, None)

    def on_validation_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Count the batches of the development set."""
        self._count("batches to score", int(sum(trainer.num_val_batches)))

    def on_validation_batch_start(
        self,
        trainer: lightning.Trainer,
        pl_module: lightning.LightningModule,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        """One more."""
        next(self._steps, None)

    def on_validation_end(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """All are scored."""
        self._finish()

    def on_train_epoch_end(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """All are taken."""
        self._finish()

    def _count(self, what: str, total: int) -> None:
        self._finish()
        self._steps = iter(counted(range(total), what, total=total))

    def _finish(self) -> None:
        for _ in self._steps:
            pass


class EpochLines(Callback):
    """One line an epoch in the log.

    Args:
        metrics: what it tells: names of logged metrics, by the words for them.
    """

    def __init__(self, metrics: Mapping[str, str]) -> None:
        self.metrics = metrics

    def on_train_epoch_end(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Tell the metrics."""
        told = (f"{words} {float(trainer.callback_metrics[name]):.4f}" for words, name in self.metrics.items())
        log.info("epoch %d/%s: %s", trainer.current_epoch + 1, trainer.max_epochs, ", ".join(told))
