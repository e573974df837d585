"""What values of a configuration must be; None, where a key may be without a value, passes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from asr_punct.errors import ConfigError
from asr_punct.marks import MARKS, NO_MARKS


def check_sizes(component: str, config: Any, *names: str) -> None:
    """Refuse values below 1. Raises ConfigError."""
    for name, value in _given(config, names):
        if value < 1:
            raise ConfigError(f"{component}: {name} is 1 or more, found {value}")


def check_amounts(component: str, config: Any, *names: str, above: bool = False) -> None:
    """Refuse values below 0, or not above it where `above`. Raises ConfigError."""
    for name, value in _given(config, names):
        if not math.isfinite(value) or value < 0 or (above and value == 0):
            raise ConfigError(f"{component}: {name} is {'above 0' if above else '0 or more'}, found {value}")


def check_probabilities(component: str, config: Any, *names: str) -> None:
    """Refuse what is not from 0 to 1. Raises ConfigError."""
    for name, value in _given(config, names):
        if not 0 <= value <= 1:
            raise ConfigError(f"{component}: {name} is a probability, found {value}")


def _given(config: Any, names: Iterable[str]) -> Iterator[tuple[str, float]]:
    values = ((name, getattr(config, name)) for name in names)
    return ((name, value) for name, value in values if value is not None)


def check_weights(place: str, weights: Mapping[str, float]) -> None:
    """Refuse names that are no marks, and weights that are not above 0. Raises ConfigError."""
    names = (NO_MARKS, *MARKS)
    for name, weight in weights.items():
        if name not in names:
            raise ConfigError(f"{place}: found {name!r}, expected one of {', '.join(names)}")
        if not math.isfinite(weight) or weight <= 0:
            raise ConfigError(f"{place}: {name} is above 0, found {weight}")
