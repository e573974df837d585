"""What a training run says while it works: progress on a free bar, else a line every few minutes; and one an epoch."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import lightning
import torch
from lightning.pytorch.callbacks import Callback

from asr_punct import progress
from asr_punct.training.batches import Batch
from asr_punct.words import Seconds

LINE_EVERY: Seconds = 180.0
"""Time between two lines within an epoch, without a bar."""
log = logging.getLogger(__name__)


class EpochReport(Callback):
    """Show the progress of each epoch, and log its metrics at its end; `metrics` maps titles to metric names.

    `clock` returns seconds that go on.
    """

    def __init__(self, metrics: Mapping[str, str], clock: Callable[[], Seconds] = time.monotonic) -> None:
        self._metrics, self._clock = metrics, clock
        self._steps: Iterator[int] = iter(())
        self._has_bar = False
        self._words = self._losses = torch.zeros(())  # sums on the device, read only to be shown
        self._batches, self._epoch_began, self._line_at = 0, 0.0, 0.0

    def on_train_epoch_start(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        total = int(trainer.num_training_batches) // trainer.accumulate_grad_batches
        unit = f"steps of epoch {trainer.current_epoch + 1}/{trainer.max_epochs}"
        self._words = self._losses = torch.zeros((), device=pl_module.device)
        self._batches, self._epoch_began = 0, self._clock()
        self._line_at = self._epoch_began + LINE_EVERY
        detail = lambda: f", {self._speed_and_loss(trainer)}" if self._batches else ""  # noqa: E731
        self._has_bar = progress.is_free()
        self._steps = iter(progress.track(range(total), unit, total=total, detail=detail))

    def on_train_batch_start(self, trainer: lightning.Trainer, pl_module: Any, batch: Batch, batch_idx: int) -> None:
        if batch_idx % trainer.accumulate_grad_batches == 0:
            next(self._steps, None)

    def on_train_batch_end(
        self, trainer: lightning.Trainer, pl_module: Any, outputs: Any, batch: Batch, batch_idx: int
    ) -> None:
        """Count the batch, and log a line if it is time for one."""
        self._words = self._words + batch.label_mask.sum()
        self._losses = self._losses + outputs["loss"] * trainer.accumulate_grad_batches
        self._batches += 1
        now = self._clock()
        if now < self._line_at or self._has_bar:
            return
        self._line_at = now + LINE_EVERY
        share = self._batches / int(trainer.num_training_batches)
        minutes = (now - self._epoch_began) * (1 - share) / share / 60
        place = f"epoch {trainer.current_epoch + 1}/{trainer.max_epochs}: {share:.0%}"
        log.info("%s, %s, about %.0f min to its end", place, self._speed_and_loss(trainer), max(1.0, minutes))

    def _speed_and_loss(self, trainer: lightning.Trainer) -> str:
        """Return words a second of all processes and the mean loss of the epoch until now, of this process."""
        speed = float(self._words) * trainer.world_size / max(1e-6, self._clock() - self._epoch_began)
        return f"{speed:,.0f} words/s, loss {float(self._losses) / self._batches:.4f}"

    def on_train_epoch_end(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        for _ in self._steps:
            pass
        values = (f"{title} {float(trainer.callback_metrics[name]):.4f}" for title, name in self._metrics.items())
        log.info("epoch %d/%s: %s", trainer.current_epoch + 1, trainer.max_epochs, ", ".join(values))
