"""The model under Lightning: losses, development scores, optimiser."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import lightning
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from asr_punct.config import TrainingConfig
from asr_punct.marks import CASES, Case
from asr_punct.model.tagger import Tagger, TaggerOutput
from asr_punct.training.optim import build_optimizer, build_schedule, clip_gradients
from asr_punct.training.sampling import Batch

DEV_F1, DEV_CASE_F1, DEV_PERPLEXITY, TRAIN_LOSS = "dev_f1", "dev_case_f1", "dev_perplexity", "train_loss"
_NO_CASE = CASES.index(Case.O)
SEED_STRIDE = 1_000_003


@dataclass
class SlotCounts:
    """Slots found rightly, found, and there to be found."""

    right: int = 0
    found: int = 0
    there: int = 0

    def add(self, found: Tensor, there: Tensor, right: Tensor) -> None:
        """Count a batch: three masks of one shape."""
        self.right += int(right.sum())
        self.found += int(found.sum())
        self.there += int(there.sum())

    def f1(self) -> float:
        """Their F1; 0 where nothing is found or there."""
        total = self.found + self.there
        return 2 * self.right / total if total else 0.0


class BatchModule(lightning.LightningModule):
    """What every training here does with a batch and an optimiser; the loss is the sub-class's.

    Args:
        training: optimiser and seed.
        steps_per_epoch: steps of an epoch, for the schedule; the same in a resumed run.
    """

    def __init__(self, training: TrainingConfig, steps_per_epoch: int) -> None:
        super().__init__()
        self.training_config = training
        self.steps_per_epoch = steps_per_epoch

    def batch_loss(self, batch: Batch) -> Tensor:
        """Loss of a batch."""
        raise NotImplementedError

    def encoder_parameters(self) -> Iterable[nn.Parameter]:
        """Those that `encoder_learning_rate` is for."""
        return ()

    def on_train_start(self) -> None:
        """Lightning's hook: dropout on, also in what was loaded, which is in evaluation mode."""
        self.train()

    def transfer_batch_to_device(self, batch: Batch, device: torch.device, dataloader_idx: int) -> Batch:
        """Lightning's hook: move a batch."""
        return batch.to(device)

    def on_train_batch_start(self, batch: Batch, batch_idx: int) -> None:
        """Seed what is drawn by the step, so that a resumed run draws what an unbroken one would have drawn."""
        torch.manual_seed(self.training_config.seed * SEED_STRIDE + self.global_step)

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        """Loss of a batch, logged."""
        loss = self.batch_loss(batch)
        self.log(TRAIN_LOSS, loss, on_step=True, on_epoch=True, prog_bar=True, batch_size=len(batch.cases))
        return loss

    def configure_gradient_clipping(
        self,
        optimizer: Optimizer,
        gradient_clip_val: float | None = None,
        gradient_clip_algorithm: str | None = None,
    ) -> None:
        """Lightning's hook: clip by norm, the rows of tables that a batch did not read being none."""
        if gradient_clip_val:
            clip_gradients(self.parameters(), gradient_clip_val)

    def configure_optimizers(self) -> Any:
        """The configured optimiser, and its schedule by step."""
        optimizer = build_optimizer(self, self.training_config, self.encoder_parameters())
        schedule = build_schedule(optimizer, self.training_config, self.steps_per_epoch)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


class PunctuationModule(BatchModule):
    """Trains a tagger on both tasks at once.

    The loss of a word is that of the punctuation head plus the cross-entropy of the case; a batch has the mean over
    its words. `focal_gamma` and `class_weights` change the former in training alone: the development set's is always
    cross-entropy.

    Args:
        model: the tagger.
        config: optimiser and seed.
        steps_per_epoch: steps of an epoch, for the schedule; the same in a resumed run.
    """

    _label_weights: Tensor
    """Those of `config.class_weights`, as the head has them."""

    def __init__(self, model: Tagger, config: TrainingConfig, steps_per_epoch: int) -> None:
        super().__init__(config, steps_per_epoch)
        self.model = model
        for part in self._frozen:
            part.requires_grad_(False)
        weights = model.punctuation.label_weights(config.class_weights)
        self.register_buffer("_label_weights", weights, persistent=False)
        self._marks, self._cases = SlotCounts(), SlotCounts()
        self._dev_loss, self._dev_words = 0.0, 0

    @property
    def _frozen(self) -> tuple[nn.Module, ...]:
        return self.model.encoder.backbone if self.training_config.frozen_encoder else ()

    def encoder_parameters(self) -> Iterable[nn.Parameter]:
        """The encoder's own."""
        return (parameter for part in self.model.encoder.backbone for parameter in part.parameters())

    def train(self, mode: bool = True) -> Self:
        """Training mode, or evaluation mode, which is what a frozen encoder always has."""
        super().train(mode)
        for part in self._frozen:
            part.eval()
        return self

    def batch_loss(self, batch: Batch) -> Tensor:
        """Mean loss of the words that count."""
        return self.loss(self.model(**batch.inputs), batch)

    def loss(self, output: TaggerOutput, batch: Batch) -> Tensor:
        """Mean loss of the words that count."""
        cases = output.case_logits[batch.counted].float()
        words = batch.counted.sum().clamp(min=1)
        return self._training_loss(output, batch) / words + nn.functional.cross_entropy(
            cases, batch.cases[batch.counted]
        )

    def _training_loss(self, output: TaggerOutput, batch: Batch) -> Tensor:
        """The punctuation head's configured loss, summed over the words that count."""
        config, head = self.training_config, self.model.punctuation
        if not (config.focal_gamma or config.class_weights):
            return self._marks_loss(output, batch)
        return head.focal_loss(*self._counted(output, batch), config.focal_gamma, self._label_weights)

    def _marks_loss(self, output: TaggerOutput, batch: Batch) -> Tensor:
        """The punctuation head's cross-entropy, summed over the words that count."""
        return self.model.punctuation.loss(*self._counted(output, batch))

    def _counted(self, output: TaggerOutput, batch: Batch) -> tuple[Tensor, Tensor]:
        """Logits (words, labels) and marks (words, marks) of the words that count."""
        word_mask = batch.inputs["word_index"] > 0
        logits = self.model.punctuation.loss_logits(output.label_logits, batch.marks, word_mask)
        return logits[batch.counted].float(), batch.marks[batch.counted]

    def on_validation_epoch_start(self) -> None:
        """Forget the last epoch's counts."""
        self._marks, self._cases = SlotCounts(), SlotCounts()
        self._dev_loss, self._dev_words = 0.0, 0

    def validation_step(self, batch: Batch, batch_idx: int) -> None:
        """Count slots of the development set, as the head decides them without weights, and add up its loss."""
        output = self.model(**batch.inputs)
        self._dev_loss += float(self._marks_loss(output, batch))
        self._dev_words += int(batch.counted.sum())
        found = self.model.punctuation.chosen(output.label_probabilities[batch.counted])
        there = batch.marks[batch.counted] > 0
        self._marks.add(found, there, found & there)
        cases = output.case_logits[batch.counted].argmax(dim=-1)
        reference = batch.cases[batch.counted]
        self._cases.add(cases != _NO_CASE, reference != _NO_CASE, (cases == reference) & (cases != _NO_CASE))

    def on_validation_epoch_end(self) -> None:
        """Log the scores."""
        for name, score in self.scores().items():
            self.log(name, score, prog_bar=True)

    def scores(self) -> dict[str, float]:
        """Micro-averaged F1 of marks and of case, and the perplexity of the marks, of the batches since the start."""
        perplexity = math.exp(self._dev_loss / max(1, self._dev_words))
        return {DEV_F1: self._marks.f1(), DEV_CASE_F1: self._cases.f1(), DEV_PERPLEXITY: perplexity}
