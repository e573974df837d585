"""Range checks of configuration values. They accept None, and raise a ConfigError that names the key.

`component` is the name of the section in error messages, such as `encoder`.
"""

import math
from collections.abc import Sequence
from typing import Any

from asr_punct.errors import ConfigError


def check_sizes(component: str, config: Any, *names: str) -> None:
    """Refuse values below 1."""
    for name, value in _not_none(config, names):
        if value < 1:
            raise ConfigError(f"{component}: {name} must be 1 or more, found {value}")


def check_amounts(component: str, config: Any, *names: str, positive: bool = False) -> None:
    """Refuse negative, infinite and NaN values; with `positive` also 0."""
    for name, value in _not_none(config, names):
        if not math.isfinite(value) or value < 0 or (positive and value == 0):
            raise ConfigError(f"{component}: {name} must be {'above 0' if positive else '0 or more'}, found {value}")


def check_probabilities(component: str, config: Any, *names: str) -> None:
    """Refuse values outside [0, 1]."""
    for name, value in _not_none(config, names):
        if not 0 <= value <= 1:
            raise ConfigError(f"{component}: {name} must be a probability, found {value}")


def check_kernels(component: str, kernels: Sequence[int], *, allow_zero: bool) -> None:
    """Refuse an empty sequence, and even and negative kernel sizes; 0 is valid with `allow_zero`."""
    if not kernels or not all((kernel % 2 == 1 and kernel > 0) or (allow_zero and kernel == 0) for kernel in kernels):
        raise ConfigError(
            f"{component}: kernels must be odd numbers{' or 0' if allow_zero else ''}, found {list(kernels)}"
        )


def _not_none(config: Any, names: Sequence[str]) -> list[tuple[str, float]]:
    return [(name, value) for name in names if (value := getattr(config, name)) is not None]
