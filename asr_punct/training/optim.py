"""AdamW, RAdam, Muon with AdamW, or AdaGrad, LookAhead around any of them, and the learning rate by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torch import nn
from torch.optim import Adagrad, AdamW, Muon, Optimizer, RAdam
from torch.optim.lr_scheduler import LambdaLR

from asr_punct.config import TrainingConfig
from asr_punct.training.combined import LookAhead, Together

_MUON_MOMENTUM = 0.95
_BETAS = (0.9, 0.98)
"""AdamW's beside Muon: tables whose rows are seen seldom want a shorter memory than 0.999."""
_LEAST_ROWS = 32
"""Rows of a matrix that is Muon's: the last ones of the heads have fewer, and they are classes."""

Groups = list[dict[str, Any]]
"""Parameters with a rate and a decay of their own, as optimisers take them."""


def build_optimizer(model: nn.Module, config: TrainingConfig, encoder: Iterable[nn.Parameter] = ()) -> Optimizer:
    """The configured optimiser of all parameters that want a gradient.

    Args:
        model: whose parameters they are.
        config: the optimiser and its rates.
        encoder: the parameters that have `encoder_learning_rate`, where there is one.
    """
    builders: dict[str, Callable[[nn.Module, Groups, TrainingConfig], Optimizer]] = {
        "muon": _muon,
        "adagrad": _adagrad,
        "radam": _radam,
        "adamw": _adamw,
    }
    optimizer = builders[config.optimizer.kind](model, _groups(model, config, encoder), config)
    period, rate = config.optimizer.lookahead_steps, config.optimizer.lookahead_rate
    return LookAhead(optimizer, period, rate) if period else optimizer


def _groups(model: nn.Module, config: TrainingConfig, encoder: Iterable[nn.Parameter]) -> Groups:
    """What is trained, in one group, or the encoder's in a first one with its rate."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if config.encoder_learning_rate is None:
        return [{"params": trained}]
    own = {id(parameter) for parameter in encoder}
    slow = [parameter for parameter in trained if id(parameter) in own]
    others = [parameter for parameter in trained if id(parameter) not in own]
    return [{"params": slow, "lr": config.encoder_learning_rate}, {"params": others}]


def _by_decay(groups: Groups, weight_decay: float) -> Groups:
    """Each group in two: matrices and tables, and what does not decay: biases, normalisation and other vectors."""
    divided = []
    for group in groups:
        matrices = [parameter for parameter in group["params"] if parameter.ndim >= 2]
        vectors = [parameter for parameter in group["params"] if parameter.ndim < 2]
        divided.append({**group, "params": matrices, "weight_decay": weight_decay})
        divided.append({**group, "params": vectors, "weight_decay": 0.0})
    return divided


def _adamw(model: nn.Module, groups: Groups, config: TrainingConfig) -> Optimizer:
    return AdamW(_by_decay(groups, config.optimizer.weight_decay), lr=config.learning_rate, fused=True)


def _radam(model: nn.Module, groups: Groups, config: TrainingConfig) -> Optimizer:
    """RAdam, which goes by the variance from the sixth step on, as its authors' code; the paper's from the fifth.

    It decays as AdamW does, apart from the gradient.
    """
    return RAdam(_by_decay(groups, config.optimizer.weight_decay), lr=config.learning_rate, decoupled_weight_decay=True)


def _muon(model: nn.Module, groups: Groups, config: TrainingConfig) -> Optimizer:
    """Muon for the matrices of linear layers, AdamW for the tables, the heads' last layers and all vectors."""
    linear = [module for module in model.modules() if isinstance(module, nn.Linear)]
    large = {id(layer.weight) for layer in linear if layer.out_features >= _LEAST_ROWS}
    trained = groups[0]["params"]
    muon = Muon(
        [parameter for parameter in trained if id(parameter) in large],
        lr=config.optimizer.muon_learning_rate,
        weight_decay=config.optimizer.weight_decay,
        momentum=_MUON_MOMENTUM,
    )
    others = [parameter for parameter in trained if id(parameter) not in large]
    return Together([muon, AdamW(others, lr=config.learning_rate, betas=_BETAS, weight_decay=0.0, fused=True)])


def _adagrad(model: nn.Module, groups: Groups, config: TrainingConfig) -> Optimizer:
    """AdaGrad; the gradient of a table is only the rows that were read, as the others would not change."""
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            module.sparse = True
    return Adagrad(groups, lr=config.learning_rate)


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
    """Learning rate by step: linear warm-up, then constant, falling to 0 at the last epoch, or a staircase.

    The staircase begins with the second pass over the corpus, which is an epoch in the paper (Poláček et al. 2023,
    section 4.2): its rate there is the one before, times `staircase_rate` after every `staircase_steps` steps.
    """
    warmup = max(1, round(config.warmup_epochs * steps_per_epoch))
    last = max(warmup + 1, config.epochs * steps_per_epoch)
    first_pass = config.epochs_per_pass * steps_per_epoch

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        if config.decay == "linear":
            return max(0.0, (last - step) / (last - warmup))
        if config.decay == "staircase":
            return config.optimizer.staircase_rate ** (max(0, step - first_pass) // config.optimizer.staircase_steps)
        return 1.0

    return LambdaLR(optimizer, factor)
