"""Muon for processors without bf16."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Muon


class Fp32Muon(Muon):
    """Muon (Jordan et al. 2024) with the arithmetic in fp32.

    torch's own Muon multiplies matrices in bf16. Where the processor has no such instructions, that takes most of the
    time of a training: 82 % with `small.yaml` on a CPU with AVX2.
    """

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the weights."""
        with torch.enable_grad():
            loss = closure() if closure else None
        for group in self.param_groups:
            rate, momentum = group["lr"], group["momentum"]
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                state = self.state[weight]
                if not state:
                    state["momentum_buffer"] = torch.zeros_like(weight)
                mean = state["momentum_buffer"]
                mean.lerp_(weight.grad, 1 - momentum)
                update = orthogonal(weight.grad.lerp(mean, momentum), group["ns_coefficients"], group["ns_steps"])
                weight.mul_(1 - rate * group["weight_decay"])
                weight.add_(update, alpha=-rate * math.sqrt(max(1.0, len(weight) / weight.shape[1])))
        return loss


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
