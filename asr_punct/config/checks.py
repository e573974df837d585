"""What values of a configuration must be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from asr_punct.errors import ConfigError
from asr_punct.marks import MARKS, NO_MARKS


def check_sizes(component: str, config: Any, *names: str) -> None:
    """Refuse values below 1; None passes. Raises ConfigError."""
    for name in names:
        value = getattr(config, name)
        if value is not None and value < 1:
            raise ConfigError(f"{component}: {name} is 1 or more, found {value}")


def check_amounts(component: str, config: Any, *names: str, above: bool = False) -> None:
    """Refuse values below 0, or not above it where `above`. Raises ConfigError."""
    for name in names:
        value = getattr(config, name)
        if not math.isfinite(value) or value < 0 or (above and value == 0):
            raise ConfigError(f"{component}: {name} is {'above 0' if above else '0 or more'}, found {value}")


def check_probabilities(component: str, config: Any, *names: str) -> None:
    """Refuse what is not from 0 to 1. Raises ConfigError."""
    for name in names:
        if not 0 <= getattr(config, name) <= 1:
            raise ConfigError(f"{component}: {name} is a probability, found {getattr(config, name)}")


def check_weights(place: str, weights: Mapping[str, float]) -> None:
    """Refuse names that are no marks, and weights that are not above 0. Raises ConfigError."""
    names = (NO_MARKS, *MARKS)
    for name, weight in weights.items():
        if name not in names:
            raise ConfigError(f"{place}: found {name!r}, expected one of {', '.join(names)}")
        if not math.isfinite(weight) or weight <= 0:
            raise ConfigError(f"{place}: {name} is above 0, found {weight}")
