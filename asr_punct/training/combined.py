"""Optimisers made of others: several as one, and LookAhead around any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer


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


class LookAhead(Together):
    """Slow weights that follow the optimiser's at every k-th step (Zhang et al. 2019, algorithm 1).

    From slow weights phi the optimiser takes k steps to theta; then phi += alpha (theta - phi), and it goes on from phi
    with the state that it has. What is scored between two such steps is theta.

    Args:
        optimizer: what takes the steps; it keeps its own rates and state.
        period: steps from one synchronisation to the next (k).
        rate: step size of the slow weights (alpha).
    """

    def __init__(self, optimizer: Optimizer, period: int, rate: float) -> None:
        super().__init__([optimizer])
        self.period, self.rate = period, rate
        self._steps = 0
        self._slow: list[Tensor] = []

    def _weights(self) -> list[Tensor]:
        found: list[nn.Parameter] = [weight for group in self.param_groups for weight in group["params"]]
        return [weight.detach() for weight in found]

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """A step of the optimiser, and every k-th time one of the slow weights."""
        weights = self._weights()
        if not self._slow:  # not before: a checkpoint may still be loaded into the model
            self._slow = [weight.clone() for weight in weights]
        loss = super().step(closure)
        self._steps += 1
        if self._steps % self.period == 0:
            torch._foreach_lerp_(self._slow, weights, self.rate)
            torch._foreach_copy_(weights, self._slow)
        return loss

    def state_dict(self) -> dict[str, Any]:
        """The state of the optimiser, the slow weights and the steps taken."""
        return {**super().state_dict(), "slow": self._slow, "steps": self._steps}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Inverse of `state_dict`."""
        super().load_state_dict(state_dict)
        self._steps = state_dict["steps"]
        slow = zip(state_dict["slow"], self._weights(), strict=True) if state_dict["slow"] else ()
        self._slow = [weight.to(like.device, copy=True) for weight, like in slow]
