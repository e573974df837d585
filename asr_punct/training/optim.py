"""Build the optimiser (AdamW, RAdam, Muon with AdamW, AdaGrad; LookAhead around each) and its schedule."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import nn
from torch.optim import Adagrad, AdamW, Muon, Optimizer, RAdam
from torch.optim.lr_scheduler import LambdaLR

from asr_punct.config import TrainingConfig
from asr_punct.training.combined import CombinedOptimizer, LookAhead

_MUON_MOMENTUM = 0.95
_BETAS = (0.9, 0.98)
"""Of AdamW beside Muon: rows of tables that are rarely seen need a shorter memory than 0.999."""
_LEAST_ROWS = 32
"""Fewest rows of a matrix for Muon; the last layers of the heads have fewer rows."""

_Groups = list[dict[str, Any]]
"""Groups of parameters with their own learning rate and weight decay."""


def build_optimizer(model: nn.Module, config: TrainingConfig, encoder: Iterable[nn.Parameter] = ()) -> Optimizer:
    """Build the configured optimiser of all parameters with a gradient.

    Args:
        model: has the parameters.
        config: optimiser and rates.
        encoder: the parameters that have `encoder_learning_rate`, if it is set.
    """
    optimizer = _base_optimizer(model, config, _groups(model, config, encoder))
    period, rate = config.optimizer.lookahead_steps, config.optimizer.lookahead_rate
    return LookAhead(optimizer, period, rate) if period else optimizer


def _base_optimizer(model: nn.Module, config: TrainingConfig, groups: _Groups) -> Optimizer:
    match config.optimizer.kind:
        case "adamw":
            return AdamW(_by_decay(groups, config.optimizer.weight_decay), lr=config.learning_rate, fused=True)
        case "radam":  # uses the variance from the sixth step on, like its authors' code
            groups = _by_decay(groups, config.optimizer.weight_decay)
            return RAdam(groups, lr=config.learning_rate, decoupled_weight_decay=True)
        case "muon":
            return _muon(model, groups[0]["params"], config)
        case "adagrad":
            for module in model.modules():
                if isinstance(module, nn.Embedding):
                    module.sparse = True  # AdaGrad would not change the rows that a batch does not read
            return Adagrad(groups, lr=config.learning_rate)


def _groups(model: nn.Module, config: TrainingConfig, encoder: Iterable[nn.Parameter]) -> _Groups:
    """Return one group, or two if the encoder has its own learning rate; the encoder's group is first."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if config.encoder_learning_rate is None:
        return [{"params": trained}]
    own = {id(parameter) for parameter in encoder}
    slow = [parameter for parameter in trained if id(parameter) in own]
    others = [parameter for parameter in trained if id(parameter) not in own]
    return [{"params": slow, "lr": config.encoder_learning_rate}, {"params": others}]


def _by_decay(groups: _Groups, weight_decay: float) -> _Groups:
    """Split each group into matrices and tables, which decay, and biases, normalisation and other vectors."""
    divided = []
    for group in groups:
        matrices = [parameter for parameter in group["params"] if parameter.ndim >= 2]
        vectors = [parameter for parameter in group["params"] if parameter.ndim < 2]
        divided.append({**group, "params": matrices, "weight_decay": weight_decay})
        divided.append({**group, "params": vectors, "weight_decay": 0.0})
    return divided


def _muon(model: nn.Module, trained: list[nn.Parameter], config: TrainingConfig) -> Optimizer:
    """Build Muon for the matrices of linear layers, and AdamW for tables, the heads' last layers and vectors."""
    linear = [module for module in model.modules() if isinstance(module, nn.Linear)]
    large = {id(layer.weight) for layer in linear if layer.out_features >= _LEAST_ROWS}
    muon = Muon(
        [parameter for parameter in trained if id(parameter) in large],
        lr=config.optimizer.muon_learning_rate,
        weight_decay=config.optimizer.weight_decay,
        momentum=_MUON_MOMENTUM,
    )
    others = [parameter for parameter in trained if id(parameter) not in large]
    return CombinedOptimizer([muon, AdamW(others, lr=config.learning_rate, betas=_BETAS, weight_decay=0.0, fused=True)])


def clip_gradients(parameters: Iterable[nn.Parameter], largest: float) -> None:
    """Scale all gradients, also sparse ones, to a norm of at most `largest`."""
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
    """Build the learning rate by step: linear warm-up, then constant, linear decay to 0, or a staircase.

    The staircase begins after the first pass over the corpus, which is an epoch in the paper: every
    `staircase_steps` steps multiply the rate by `staircase_rate` (Poláček et al. 2023, section 4.2).
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
