"""AdamW, Muon with AdamW, or AdaGrad, with a warm-up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from torch import nn
from torch.optim import Adagrad, AdamW, Muon, Optimizer
from torch.optim.lr_scheduler import LambdaLR

from asr_punct.config import TrainingConfig

_MUON_MOMENTUM = 0.95
_BETAS = (0.9, 0.98)
"""AdamW's beside Muon: tables whose rows are seen seldom want a shorter memory than 0.999."""
_LEAST_ROWS = 32
"""Rows of a matrix that is Muon's: the last ones of the heads have fewer, and they are classes."""


class Together(Optimizer):
    """Several optimisers, each for its own parameters, as one.

    Args:
        optimizers: they keep their own rates and state.
    """

    def __init__(self, optimizers: Sequence[Optimizer]) -> None:
        self.optimizers = list(optimizers)
        super().__init__([group for optimizer in optimizers for group in optimizer.param_groups], {})
        self._share_groups()

    def _share_groups(self) -> None:
        """A rate that a schedule sets here is the optimisers' own."""
        self.param_groups = [group for optimizer in self.optimizers for group in optimizer.param_groups]

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step of each."""
        loss = closure() if closure else None
        for optimizer in self.optimizers:
            optimizer.step()
        return loss

    def state_dict(self) -> dict[str, Any]:
        """The state of each."""
        return {"optimizers": [optimizer.state_dict() for optimizer in self.optimizers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Inverse of `state_dict`."""
        for optimizer, state in zip(self.optimizers, state_dict["optimizers"], strict=True):
            optimizer.load_state_dict(state)
        self._share_groups()


def build_optimizer(model: nn.Module, config: TrainingConfig) -> Optimizer:
    """The configured optimiser; biases, normalisation and other vectors do not decay."""
    if config.optimizer == "muon":
        return _muon(model, config)
    if config.optimizer == "adagrad":
        return _adagrad(model, config)
    decayed = [parameter for parameter in model.parameters() if parameter.ndim >= 2]
    others = [parameter for parameter in model.parameters() if parameter.ndim < 2]
    groups = [{"params": decayed, "weight_decay": config.weight_decay}, {"params": others, "weight_decay": 0.0}]
    return AdamW(groups, lr=config.learning_rate)


def _muon(model: nn.Module, config: TrainingConfig) -> Optimizer:
    """Muon for the matrices of linear layers, AdamW for the tables, the heads' last layers and all vectors."""
    linear = [module for module in model.modules() if isinstance(module, nn.Linear)]
    matrices = [layer.weight for layer in linear if layer.out_features >= _LEAST_ROWS]
    chosen = {id(matrix) for matrix in matrices}
    others = [parameter for parameter in model.parameters() if id(parameter) not in chosen]
    muon = Muon(
        cast(Any, matrices),
        lr=config.muon_learning_rate,
        weight_decay=config.weight_decay,
        momentum=_MUON_MOMENTUM,
    )
    return Together([muon, AdamW(others, lr=config.learning_rate, betas=_BETAS, weight_decay=0.0, fused=True)])


def _adagrad(model: nn.Module, config: TrainingConfig) -> Optimizer:
    """AdaGrad; the gradient of a table is only the rows that were read, as the others would not change."""
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            module.sparse = True
    return Adagrad(model.parameters(), lr=config.learning_rate)


def clip_gradients(parameters: Iterable[nn.Parameter], largest: float) -> None:
    """Scale all gradients to a norm of at most `largest`; those of tables may be sparse."""
    values = []
    for parameter in parameters:
        if parameter.grad is None:
            continue
        if parameter.grad.is_sparse:
            parameter.grad = parameter.grad.coalesce()
        values.append(parameter.grad._values() if parameter.grad.is_sparse else parameter.grad)
    factor = (largest / (nn.utils.get_total_norm(values) + 1e-6)).clamp(max=1.0)
    for value in values:
        value.mul_(factor)


def build_schedule(optimizer: Optimizer, config: TrainingConfig, steps_per_epoch: int) -> LambdaLR:
    """Learning rate by step: linear warm-up, then constant or falling to 0 at the last epoch."""
    warmup = max(1, round(config.warmup_epochs * steps_per_epoch))
    last = max(warmup + 1, config.epochs * steps_per_epoch)

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        return 1.0 if config.decay == "none" else max(0.0, (last - step) / (last - warmup))

    return LambdaLR(optimizer, factor)
