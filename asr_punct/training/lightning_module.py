"""The model under Lightning: loss, scores of the development set, optimiser."""

import math
from collections import Counter
from typing import Any, Self

import lightning
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from asr_punct.config import TrainingConfig
from asr_punct.errors import AsrPunctError
from asr_punct.marks import CASES, Case, Mark
from asr_punct.model.heads import ClassHead
from asr_punct.model.tagger import Tagger, TaggerOutput
from asr_punct.training.batches import Batch
from asr_punct.training.loss import build_loss
from asr_punct.training.optim import build_optimizer, build_schedule, clip_gradients
from asr_punct.training.teacher import Teacher, distillation_loss

DEV_F1, DEV_CASE_F1, DEV_PERPLEXITY, TRAIN_LOSS = "dev_f1", "dev_case_f1", "dev_perplexity", "train_loss"
_NO_CASE = CASES.index(Case.O)
_MAX_LOSS = 700.0  # of a word, in nats: the exponential of more is infinite
_SEED_STRIDE, _PART_STRIDE = 1_000_003, 0x9E3779B97F4A7C15
"""Factors that make the random seeds of different runs, steps and parts of a batch differ."""


class PunctuationModule(lightning.LightningModule):
    """Train a tagger on punctuation and case together.

    The loss of a batch is the cross-entropy of the punctuation head plus that of the case head, each the mean over the
    words in `label_mask`. In training, `config.loss` may weigh that of the punctuation head; its class weights need
    `sets`, the number of training words with each set of marks. With a `teacher`, `teacher_share` of the loss is the
    cross-entropy for the teacher's probabilities instead. `steps_per_epoch` is for the schedule, and equal in a resumed
    run.
    """

    def __init__(
        self,
        model: Tagger,
        config: TrainingConfig,
        steps_per_epoch: int,
        teacher: Teacher | None = None,
        sets: Counter[frozenset[Mark]] | None = None,
    ) -> None:
        super().__init__()
        self.model, self.training_config, self.steps_per_epoch = model, config, steps_per_epoch
        self._class_loss = build_loss(config.loss, model.punctuation, sets)
        self._teacher = teacher  # not a submodule: neither trained nor saved
        for part in self._frozen:
            part.requires_grad_(False)
        self.on_validation_epoch_start()

    @property
    def _frozen(self) -> tuple[nn.Module, ...]:
        return self.model.encoder.backbone if self.training_config.frozen_encoder else ()

    def train(self, mode: bool = True) -> Self:
        """Set training or evaluation mode; a frozen encoder always stays in evaluation mode."""
        super().train(mode)
        for part in self._frozen:
            part.eval()
        return self

    def on_train_start(self) -> None:
        self.train()  # a loaded model is in evaluation mode

    def on_train_batch_start(self, batch: Batch, batch_idx: int) -> None:
        """Seed torch with the step and the part, so that a resumed run has the same dropout as an uninterrupted one."""
        seed = self.training_config.seed * _SEED_STRIDE + self.global_step
        torch.manual_seed((seed + batch.number * _PART_STRIDE) % 2**63)

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        """Return the loss of a batch. Raises AsrPunctError if it is no number: the weights are of no use then."""
        loss = self.batch_loss(batch)
        if not torch.isfinite(loss):
            expected = "a number, as with a lower training.learning_rate"
            raise AsrPunctError(f"training step {self.global_step + 1}", f"a loss of {loss:f}", expected)
        self.log(TRAIN_LOSS, loss, on_step=True, on_epoch=True, prog_bar=True, batch_size=batch.windows, sync_dist=True)
        return loss

    def batch_loss(self, batch: Batch) -> Tensor:
        """Run the model, and the teacher if there is one, on a batch and return the loss."""
        output = self.model(**batch.inputs)
        loss = self.loss(output, batch)
        if self._teacher is None or batch.teacher_inputs is None:
            return loss
        teacher_loss = distillation_loss(output, self._teacher.predict(batch.teacher_inputs), batch.label_mask)
        return torch.lerp(loss, self._mean(teacher_loss, batch), self.training_config.teacher_share)

    def loss(self, output: TaggerOutput, batch: Batch) -> Tensor:
        """Return the mean loss of the labelled words, scaled for a part of a batch."""
        case_logits = output.case_logits[batch.label_mask].float()
        case_loss = nn.functional.cross_entropy(case_logits, batch.cases[batch.label_mask], reduction="sum")
        return self._mean(self._marks_loss(output, batch) + case_loss, batch)

    def _mean(self, total: Tensor, batch: Batch) -> Tensor:
        """Return the mean over the labelled words of a sum, scaled for a part of a batch."""
        return total / batch.label_mask.sum().clamp(min=1) * batch.loss_scale

    def _marks_loss(self, output: TaggerOutput, batch: Batch) -> Tensor:
        """Return the punctuation head's loss, summed over the words in `label_mask`."""
        head, word_mask = self.model.punctuation, batch.inputs["word_index"] > 0
        logits = head.loss_logits(output.label_logits, batch.marks, word_mask)[batch.label_mask].float()
        marks = batch.marks[batch.label_mask]
        if self.training and self._class_loss and isinstance(head, ClassHead):
            return self._class_loss(logits, head.targets(marks))
        return head.loss(logits, marks)

    def on_validation_epoch_start(self) -> None:
        """Reset the sums: loss of the marks, words, correct, predicted and reference marks, then such cases."""
        self._dev_sums = torch.zeros(8, dtype=torch.float64)

    def validation_step(self, batch: Batch, batch_idx: int) -> None:
        """Count the labels of a batch, decided with the default thresholds and class weights."""
        output = self.model(**batch.inputs)
        predicted = self.model.punctuation.predicted_marks(output.label_probabilities[batch.label_mask])
        reference = batch.marks[batch.label_mask] > 0
        predicted_cases = output.case_logits[batch.label_mask].argmax(dim=-1)
        reference_cases = batch.cases[batch.label_mask]
        has_case = predicted_cases != _NO_CASE
        counted = (
            predicted & reference,
            predicted,
            reference,
            (predicted_cases == reference_cases) & has_case,
            has_case,
            reference_cases != _NO_CASE,
        )
        sums = [self._marks_loss(output, batch), batch.label_mask.sum(), *(mask.sum() for mask in counted)]
        self._dev_sums += torch.tensor([float(value) for value in sums], dtype=torch.float64)

    def on_validation_epoch_end(self) -> None:
        if self.trainer.world_size > 1:
            sums = self._dev_sums.to(self.device)
            torch.distributed.all_reduce(sums)
            self._dev_sums = sums.cpu()
        for name, score in self.scores().items():
            self.log(name, score, prog_bar=True)

    def scores(self) -> dict[str, float]:
        """Return the micro-averaged F1 of marks and of case, and the perplexity of the marks of a word."""
        loss, words, *counts = self._dev_sums.tolist()
        f1, case_f1 = (2 * correct / max(1, found + wanted) for correct, found, wanted in (counts[:3], counts[3:]))
        return {DEV_F1: f1, DEV_CASE_F1: case_f1, DEV_PERPLEXITY: math.exp(min(_MAX_LOSS, loss / max(1, words)))}

    def configure_optimizers(self) -> Any:
        encoder = (parameter for part in self.model.encoder.backbone for parameter in part.parameters())
        optimizer = build_optimizer(self, self.training_config, encoder)
        schedule = build_schedule(optimizer, self.training_config, self.steps_per_epoch)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def configure_gradient_clipping(
        self, optimizer: Optimizer, gradient_clip_val: float | None = None, gradient_clip_algorithm: str | None = None
    ) -> None:
        """Clip by norm, also sparse gradients, which Lightning's own clipping does not accept."""
        if gradient_clip_val:
            clip_gradients(self.parameters(), gradient_clip_val)
