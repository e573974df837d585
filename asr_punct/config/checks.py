"""Range checks of configuration values. They accept None, and raise a ConfigError that names the key.

`component` is the name of the section in error messages, such as `encoder`.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from asr_punct.errors import ConfigError


def check_at_least_one(component: str, config: Any, *names: str) -> None:
    """Refuse values below 1."""
    _check(component, config, names, lambda value: value >= 1, "1 or more")


def check_not_negative(component: str, config: Any, *names: str) -> None:
    """Refuse negative, infinite and NaN values."""
    _check(component, config, names, lambda value: 0 <= value < math.inf, "0 or more")


def check_positive(component: str, config: Any, *names: str) -> None:
    """Refuse 0, and negative, infinite and NaN values."""
    _check(component, config, names, lambda value: 0 < value < math.inf, "above 0")


def check_probabilities(component: str, config: Any, *names: str) -> None:
    """Refuse values outside [0, 1]."""
    _check(component, config, names, lambda value: 0 <= value <= 1, "a probability")


def check_kernels(component: str, kernels: Sequence[int], *, allow_zero: bool) -> None:
    """Refuse an empty sequence, and even and negative kernel sizes; 0 is valid with `allow_zero`."""
    if not kernels or not all((kernel % 2 == 1 and kernel > 0) or (allow_zero and kernel == 0) for kernel in kernels):
        expected = f"odd numbers{' or 0' if allow_zero else ''}"
        raise ConfigError(f"{component}: kernels must be {expected}, found {list(kernels)}")


def _check(component: str, config: Any, names: Sequence[str], is_valid: Callable[[float], bool], expected: str) -> None:
    for name in names:
        value = getattr(config, name)
        if value is not None and not is_valid(value):
            raise ConfigError(f"{component}: {name} must be {expected}, found {value}")
