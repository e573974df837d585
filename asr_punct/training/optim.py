"""AdamW with a warm-up."""

from __future__ import annotations

from torch import nn
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR

from asr_punct.config import TrainingConfig


def build_optimizer(model: nn.Module, config: TrainingConfig) -> AdamW:
    """AdamW; biases, normalisation and other vectors do not decay."""
    decayed = [parameter for parameter in model.parameters() if parameter.ndim >= 2]
    others = [parameter for parameter in model.parameters() if parameter.ndim < 2]
    groups = [{"params": decayed, "weight_decay": config.weight_decay}, {"params": others, "weight_decay": 0.0}]
    return AdamW(groups, lr=config.learning_rate)


def build_schedule(optimizer: AdamW, config: TrainingConfig, steps_per_epoch: int) -> LambdaLR:
    """Learning rate by step: linear warm-up, then constant or falling to 0 at the last epoch."""
    warmup = max(1, round(config.warmup_epochs * steps_per_epoch))
    last = max(warmup + 1, config.epochs * steps_per_epoch)

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        return 1.0 if config.decay == "none" else max(0.0, (last - step) / (last - warmup))

    return LambdaLR(optimizer, factor)
