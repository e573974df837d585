"""Muon on several processes, and on processors without bf16."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, distributed
from torch.optim import Muon


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
