"""Pre-training under Lightning: losses of generator and detection, development scores, optimiser."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from asr_punct.config import PretrainingConfig, TrainingConfig
from asr_punct.model.electra import Detection, ReplacedTokenDetector
from asr_punct.training.lightning_module import SEED_STRIDE, BatchModule, SlotCounts
from asr_punct.training.sampling import Batch

DEV_DETECTION_F1 = "dev_detection_f1"


class PretrainingModule(BatchModule):
    """Trains a model's trunk by replaced-token detection.

    The loss is the generator's cross-entropy, a mean over the hidden words, plus the detection's binary cross-entropy,
    a mean over all words, times its weight (ELECTRA, section 2).

    Args:
        detector: the model with its generator.
        config: weight of the detection.
        training: optimiser and seed.
        steps_per_epoch: steps of an epoch, for the schedule; the same in a resumed run.
    """

    def __init__(
        self,
        detector: ReplacedTokenDetector,
        config: PretrainingConfig,
        training: TrainingConfig,
        steps_per_epoch: int,
    ) -> None:
        super().__init__(training, steps_per_epoch)
        self.detector = detector
        self.config = config
        self._replaced, self._f1 = SlotCounts(), 0.0

    def batch_loss(self, batch: Batch) -> Tensor:
        """Both losses."""
        return self.loss(self.detector(batch.inputs))

    def loss(self, found: Detection) -> Tensor:
        """Weighted sum of both losses of a batch."""
        guessed = nn.functional.cross_entropy(found.guesses.float(), found.hidden, reduction="sum")
        logits, replaced = found.logits[found.is_word].float(), found.replaced[found.is_word].float()
        detected = nn.functional.binary_cross_entropy_with_logits(logits, replaced)
        return guessed / max(1, len(found.hidden)) + self.config.detection_weight * detected

    def on_validation_epoch_start(self) -> None:
        """Forget the last epoch's counts."""
        self._replaced = SlotCounts()

    def validation_step(self, batch: Batch, batch_idx: int) -> None:
        """Count replaced words of the development set, the same ones hidden every time."""
        torch.manual_seed(self.training_config.seed * SEED_STRIDE + batch_idx)
        output = self.detector(batch.inputs)
        found, there = output.logits[output.is_word] > 0, output.replaced[output.is_word]
        self._replaced.add(found, there, found & there)

    def on_validation_epoch_end(self) -> None:
        """Log the F1 of replaced words."""
        self._f1 = self._replaced.f1()
        self.log(DEV_DETECTION_F1, self._f1, prog_bar=True)

    def scores(self) -> dict[str, float]:
        """Those of the last epoch, by name."""
        return {DEV_DETECTION_F1: round(self._f1, 6)}

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Lightning's hook: keep the score, which a run that was stopped after its last epoch still tells."""
        checkpoint[DEV_DETECTION_F1] = self._f1

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Inverse of `on_save_checkpoint`."""
        self._f1 = checkpoint[DEV_DETECTION_F1]
