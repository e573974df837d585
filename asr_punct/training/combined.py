"""Optimisers made of other optimisers: several as one, and LookAhead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer


class CombinedOptimizer(Optimizer):
    """Several optimisers, each with its own parameters, learning rates and state, as one."""

    def __init__(self, optimizers: Sequence[Optimizer]) -> None:
        self.optimizers = list(optimizers)
        super().__init__([group for optimizer in optimizers for group in optimizer.param_groups], {})
        self._share_groups()

    def _share_groups(self) -> None:
        """Use the optimisers' own groups, so that a schedule changes their rates."""
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
    """Slow weights that follow the optimiser's weights at every k-th step (Zhang et al. 2019, algorithm 1).

    From slow weights phi the optimiser takes k steps to theta; then phi += alpha (theta - phi), and the optimiser
    continues from phi with its state. Between two such steps theta is scored.

    Args:
        optimizer: takes the steps.
        period: steps from one synchronisation to the next (k).
        rate: step size of the slow weights (alpha).
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
        if not self._slow:  # not earlier: a checkpoint may be loaded into the model first
            self._slow = [weight.clone() for weight in weights]
        loss = super().step(closure)
        self._steps += 1
        if self._steps % self.period == 0:
            torch._foreach_lerp_(self._slow, weights, self.rate)
            torch._foreach_copy_(weights, self._slow)
        return loss

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "slow": self._slow, "steps": self._steps}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        self._steps = state_dict["steps"]
        slow = zip(state_dict["slow"], self._weights(), strict=True) if state_dict["slow"] else ()
        self._slow = [weight.to(like.device, copy=True) for weight, like in slow]
