"""Optimisers (AdamW, RAdam, Muon with AdamW, AdaGrad; LookAhead around each) and learning rate schedules."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.optim import Adagrad, AdamW, Muon, Optimizer, RAdam
from torch.optim.lr_scheduler import LambdaLR

from asr_punct.config import TrainingConfig
from asr_punct.model.device import has_bf16

_BETAS = (0.9, 0.98)
"""Betas of AdamW beside Muon: rare rows of embedding tables need a shorter memory than 0.999."""
_MIN_MUON_ROWS = 32
"""Matrices with fewer rows, such as the last layers of the heads, are left to AdamW."""

_Groups = list[dict[str, Any]]
_Parameters = list[nn.Parameter]


class CombinedOptimizer(Optimizer):
    """Several optimisers, each with its own parameters, learning rates and state, as one."""

    def __init__(self, optimizers: Sequence[Optimizer]) -> None:
        self.optimizers = list(optimizers)
        super().__init__([group for optimizer in optimizers for group in optimizer.param_groups], {})
        self._share_groups()

    def _share_groups(self) -> None:
        """Use the group objects of the inner optimisers, so that a schedule changes their learning rates."""
        self.param_groups = [group for optimizer in self.optimizers for group in optimizer.param_groups]

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = closure() if closure else None
        for optimizer in self.optimizers:
            optimizer.step()
        return loss

    def state_dict(self) -> dict[str, Any]:
        return {"optimizers": [optimizer.state_dict() for optimizer in self.optimizers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        for optimizer, state in zip(self.optimizers, state_dict["optimizers"], strict=True):
            optimizer.load_state_dict(state)
        self._share_groups()


class LookAhead(CombinedOptimizer):
    """Slow weights that follow the optimiser's weights (Zhang et al. 2019, algorithm 1).

    Every k = `period` steps the slow weights phi become phi + alpha (theta - phi), where theta are the optimiser's
    weights and alpha is `rate`, and the optimiser continues from phi with its state. Between these steps theta is
    evaluated.
    """

    def __init__(self, optimizer: Optimizer, period: int, rate: float) -> None:
        super().__init__([optimizer])
        self.period, self.rate = period, rate
        self._steps = 0
        self._slow: list[Tensor] = []

    def _weights(self) -> list[Tensor]:
        return [weight.detach() for group in self.param_groups for weight in group["params"]]

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        weights = self._weights()
        if not self._slow:  # not in __init__: a checkpoint may be loaded into the model after it
            self._slow = [weight.clone() for weight in weights]
        loss = super().step(closure)
        self._steps += 1
        if self._steps % self.period == 0:
            for slow, weight in zip(self._slow, weights, strict=True):
                weight.copy_(slow.lerp_(weight, self.rate))
        return loss

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "slow": self._slow, "steps": self._steps}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        self._steps = state_dict["steps"]
        slow = zip(state_dict["slow"], self._weights(), strict=True) if state_dict["slow"] else ()
        self._slow = [weight.to(like.device, copy=True) for weight, like in slow]


def build_optimizer(model: nn.Module, config: TrainingConfig, encoder: Iterable[nn.Parameter] = ()) -> Optimizer:
    """Build the configured optimiser of all parameters that require a gradient.

    `encoder` are the parameters with `encoder_learning_rate`, if it is set.
    """
    groups, rate, decay = _groups(model, config, encoder), config.learning_rate, config.optimizer.weight_decay
    optimizer: Optimizer
    match config.optimizer.kind:
        case "adamw":
            optimizer = AdamW(_split_by_decay(groups, decay), lr=rate, fused=True)
        case "radam":  # like the authors' code, torch rectifies from the sixth step on
            optimizer = RAdam(_split_by_decay(groups, decay), lr=rate, decoupled_weight_decay=True)
        case "muon":
            optimizer = _muon(model, groups[0]["params"], config)
        case "adagrad":
            for module in model.modules():
                if isinstance(module, nn.Embedding):
                    module.sparse = True  # AdaGrad does not change the rows of a table that a batch does not read
            optimizer = Adagrad(groups, lr=rate)
    period = config.optimizer.lookahead_steps
    return LookAhead(optimizer, period, config.optimizer.lookahead_rate) if period else optimizer


def _groups(model: nn.Module, config: TrainingConfig, encoder: Iterable[nn.Parameter]) -> _Groups:
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if config.encoder_learning_rate is None:
        return [{"params": trained}]
    encoder_ids = {id(parameter) for parameter in encoder}
    in_encoder, others = _split(trained, lambda parameter: id(parameter) in encoder_ids)
    return [{"params": in_encoder, "lr": config.encoder_learning_rate}, {"params": others}]


def _split_by_decay(groups: _Groups, weight_decay: float) -> _Groups:
    """Split each group: matrices and tables decay, biases, normalisation and other vectors do not."""
    divided = []
    for group in groups:
        matrices, vectors = _split(group["params"], lambda parameter: parameter.ndim >= 2)
        divided.append({**group, "params": matrices, "weight_decay": weight_decay})
        divided.append({**group, "params": vectors, "weight_decay": 0.0})
    return divided


def _split(parameters: _Parameters, is_first: Callable[[nn.Parameter], bool]) -> tuple[_Parameters, _Parameters]:
    return [each for each in parameters if is_first(each)], [each for each in parameters if not is_first(each)]


def _muon(model: nn.Module, trained: list[nn.Parameter], config: TrainingConfig) -> Optimizer:
    linear = [module for module in model.modules() if isinstance(module, nn.Linear)]
    large = {id(layer.weight) for layer in linear if layer.out_features >= _MIN_MUON_ROWS}
    matrices, others = _split(trained, lambda parameter: id(parameter) in large)
    kind = SharedMuon if has_bf16(trained[0].device.type) else Fp32Muon
    rate, decay = config.optimizer.muon_learning_rate, config.optimizer.weight_decay
    muon = [kind(matrices, lr=rate, weight_decay=decay, momentum=0.95)] if matrices else []
    adamw = AdamW(others, lr=config.learning_rate, betas=_BETAS, weight_decay=0.0, fused=True)
    return CombinedOptimizer([*muon, adamw])


def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> None:
    """Scale all gradients to a total norm of at most `max_norm`; unlike torch's function, also sparse ones."""
    values = []
    for parameter in parameters:
        if parameter.grad is None:
            continue
        if parameter.grad.is_sparse:
            parameter.grad = parameter.grad.coalesce()
        values.append(parameter.grad._values() if parameter.grad.is_sparse else parameter.grad)
    factor = (max_norm / (nn.utils.get_total_norm(values) + 1e-6)).clamp(max=1.0)
    for value in values:
        value.mul_(factor)


def build_schedule(optimizer: Optimizer, config: TrainingConfig, steps_per_epoch: int) -> LambdaLR:
    """Build the learning rate schedule: linear warm-up, then constant, linear decay to 0, or a staircase.

    The staircase begins after the first pass over the corpus, which is an epoch in the paper: every `staircase_steps`
    steps the rate is multiplied by `staircase_rate` (Poláček et al. 2023, section 4.2).
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


class SharedMuon(Muon):
    """Muon (Jordan et al. 2024); each process of a training run computes a part of the updates.

    torch's own Muon repeats all matrix products in every process, and multiplies in bf16 only, which takes most of the
    time of a training on a processor without such instructions.
    """

    dtype = torch.bfloat16
    """Type of the matrix products."""

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the weights. The processes have the same gradients."""
        with torch.enable_grad():
            loss = closure() if closure else None
        for group in self.param_groups:
            rate, momentum = group["lr"], group["momentum"]
            gradients = {weight: weight.grad for weight in group["params"] if weight.grad is not None}
            directions = [self._direction(weight, gradient, momentum) for weight, gradient in gradients.items()]
            updates = _orthogonal_everywhere(directions, group["ns_coefficients"], group["ns_steps"])
            for weight, update in zip(gradients, updates, strict=True):
                weight.mul_(1 - rate * group["weight_decay"])
                rows, columns = weight.shape
                weight.add_(update, alpha=-rate * math.sqrt(max(1.0, rows / columns)))  # as torch's "original" rule
        return loss

    def _direction(self, weight: Tensor, gradient: Tensor, momentum: float) -> Tensor:
        """Add the gradient to the momentum and return the direction of the update (Nesterov)."""
        state = self.state[weight]
        if not state:
            state["momentum_buffer"] = torch.zeros_like(weight)
        mean = state["momentum_buffer"]
        mean.lerp_(gradient, 1 - momentum)
        return gradient.lerp(mean, momentum).to(self.dtype)


class Fp32Muon(SharedMuon):
    """Muon with products in fp32."""

    dtype = torch.float32


def _orthogonal_everywhere(
    matrices: Sequence[Tensor], coefficients: tuple[float, float, float], steps: int
) -> Sequence[Tensor]:
    """Return `orthogonal` of each matrix. Each process computes a part and sends it to the others."""
    count = distributed.get_world_size() if distributed.is_initialized() else 1
    if count == 1:
        return [orthogonal(matrix, coefficients, steps) for matrix in matrices]
    results = list(matrices)
    shares = _shares([matrix.numel() * min(matrix.shape) for matrix in matrices], count)
    for i in shares[distributed.get_rank()]:
        results[i] = orthogonal(matrices[i], coefficients, steps)
    for owner, indices in enumerate(shares):
        if indices:
            sent = torch.cat([results[i].flatten() for i in indices])
            distributed.broadcast(sent, owner)
            for i, part in zip(indices, torch.split(sent, [results[i].numel() for i in indices]), strict=True):
                results[i] = part.view_as(matrices[i])
    return results


def _shares(costs: Sequence[int], count: int) -> list[list[int]]:
    """Divide indices of `costs` into `count` parts of similar cost, the same in every process."""
    parts: list[list[int]] = [[] for _ in range(count)]
    totals = [0] * count
    for i in sorted(range(len(costs)), key=lambda i: -costs[i]):
        part = totals.index(min(totals))
        parts[part].append(i)
        totals[part] += costs[i]
    return parts


def orthogonal(matrix: Tensor, coefficients: tuple[float, float, float], steps: int) -> Tensor:
    """Return a matrix with the singular vectors of `matrix` and singular values near 1, by Newton-Schulz iteration.

    Each step applies the polynomial a x + b x³ + c x⁵ with these coefficients to the singular values.
    """
    a, b, c = coefficients
    wide = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    wide = wide / wide.norm().clamp(min=1e-7)
    for _ in range(steps):
        gram = wide @ wide.T
        wide = torch.addmm(wide, torch.addmm(gram, gram, gram, beta=b, alpha=c), wide, beta=a)
    return wide if matrix.shape[0] <= matrix.shape[1] else wide.T
