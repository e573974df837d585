"""Configuration classes: the ranges of their fields, and conversion from and to nested mappings (YAML, JSON).

A range is a part of the field's type, `width: PositiveInt = 128`, and is checked whenever a configuration is made.
"""

import dataclasses
import math
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from asr_punct.errors import ConfigError

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Range:
    """Finite numbers from `low`, which may be excluded, to `high`."""

    low: float = 0
    high: float = math.inf
    excludes_low: bool = False

    def __contains__(self, value: float) -> bool:
        is_above = value > self.low if self.excludes_low else value >= self.low
        return is_above and value <= self.high and abs(value) < math.inf

    def __str__(self) -> str:
        if self.low == -math.inf:
            return "a finite number"
        if self.excludes_low:
            return f"above {self.low}" + (f", {self.high} at most" if self.high < math.inf else "")
        return f"from {self.low} to {self.high}" if self.high < math.inf else f"{self.low} or more"


PositiveInt = Annotated[int, Range(1)]
NonNegativeInt = Annotated[int, Range(0)]
PositiveFloat = Annotated[float, Range(0, excludes_low=True)]
NonNegativeFloat = Annotated[float, Range(0)]
Share = Annotated[float, Range(0, 1)]
"""A share of a whole, or a probability."""


class Checked:
    """Base of configuration classes. Raises ConfigError if a value is outside the range of its field; None is valid."""

    _ranges: ClassVar[Mapping[str, Range]]

    def __init_subclass__(cls) -> None:
        cls._ranges = {
            name: extra
            for name, hint in typing.get_type_hints(cls, include_extras=True).items()
            for kind in (hint, *typing.get_args(hint))  # the arguments of `Share | None` are `Share` and `None`
            for extra in getattr(kind, "__metadata__", ())  # what `Annotated` has beside the type
            if isinstance(extra, Range)
        }

    def __post_init__(self) -> None:
        for name, allowed in self._ranges.items():
            value = getattr(self, name)
            if value is not None and value not in allowed:
                raise ConfigError(name, str(value), str(allowed))


@contextmanager
def below(place: object, separator: str = ".") -> Iterator[None]:
    """Put `place`, such as a section or a file, before the key of a ConfigError that is raised inside."""
    try:
        yield
    except ConfigError as error:
        raise error.at(separator.join(filter(None, (str(place), error.place)))) from None


def from_mapping(cls: type[T], values: Any, source: object = "") -> T:
    """Return a dataclass filled from nested mappings; missing keys have their defaults.

    Raises ConfigError for an unknown key, a wrong type, or values that exclude each other; its place is the key
    (`model.encoder.width`), after the name of the `source`, such as a file.
    """
    with below(source, ": "):
        return _fill(cls, values)


def _fill(cls: type[T], values: Any) -> T:
    fields = dataclasses.fields(typing.cast(Any, cls))
    names = [field.name for field in fields]
    if not isinstance(values, Mapping):
        example = f", for example kind: {values}" if "kind" in names and isinstance(values, str) else ""
        raise ConfigError("", repr(values), f"keys and values{example}")
    for key in values:
        if key not in names:
            raise ConfigError("", f"unknown key {key!r}", f"one of {', '.join(names)}")
    for field in fields:
        is_required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if is_required and field.name not in values:
            raise ConfigError("", f"no key {field.name!r}", ", ".join(names))
    hints = typing.get_type_hints(cls)
    return cls(**{key: _convert(hints[key], value, key) for key, value in values.items()})


def _convert(hint: Any, value: Any, key: object) -> Any:
    with below(key):
        if dataclasses.is_dataclass(hint):
            return _fill(typing.cast(type, hint), value)
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if isinstance(hint, type) and issubclass(hint, Enum):
            origin, arguments = Literal, tuple(hint)  # its members are the values that it may have
        if origin is Literal:
            if value not in arguments:
                raise ConfigError("", repr(value), f"one of {', '.join(map(str, arguments))}")
            return arguments[arguments.index(value)]  # the member of an Enum that equals the string
        if origin is tuple:
            if not isinstance(value, (list, tuple)):
                raise ConfigError("", repr(value), "a list")
            return tuple(_convert(arguments[0], item, "") for item in value)
        if origin is Mapping:
            if not isinstance(value, Mapping):
                raise ConfigError("", repr(value), "keys and values")
            return {
                _convert(arguments[0], name, ""): _convert(arguments[1], item, name) for name, item in value.items()
            }
        return _plain_value(arguments if origin in (typing.Union, types.UnionType) else (hint,), value)


def _plain_value(allowed: tuple[Any, ...], value: Any) -> Any:
    is_wrong_bool = isinstance(value, bool) and bool not in allowed  # which is an int in Python
    if Any in allowed or (isinstance(value, allowed) and not is_wrong_bool):
        return value
    if float in allowed and type(value) is int and abs(value) <= sys.float_info.max:
        return float(value)
    names = " or ".join("nothing" if kind is type(None) else kind.__name__ for kind in allowed)
    raise ConfigError("", repr(value), names)


def as_mapping(config: Any) -> dict[str, Any]:
    """Return nested dictionaries of JSON values: the inverse of `from_mapping`."""
    return {name: _to_json(value) for name, value in dataclasses.asdict(config).items()}


def _to_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _to_json(item) for name, item in value.items()}
    return list(value) if isinstance(value, tuple) else value


def differing_keys(first: Any, second: Any) -> list[str]:
    """Return the keys, such as `encoder.width`, whose values differ between two configurations of one class."""
    keys: list[str] = []
    for field in dataclasses.fields(first):
        one, other = getattr(first, field.name), getattr(second, field.name)
        if dataclasses.is_dataclass(one):
            keys += [f"{field.name}.{key}" for key in differing_keys(one, other)]
        elif one != other:
            keys.append(field.name)
    return keys
