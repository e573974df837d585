"""Configurations from nested mappings, as YAML and JSON have them, and back."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeVar

from asr_punct.errors import ConfigError

T = TypeVar("T")


def from_mapping(cls: type[T], values: Any, place: str) -> T:
    """A configuration dataclass from nested mappings; keys left out keep their defaults.

    Raises:
        ConfigError: unknown key, value of another type, or values that do not go together; `place` is named.
    """
    if not isinstance(values, Mapping):
        raise ConfigError(f"{place}: found {values!r}, expected keys and values")
    hints = typing.get_type_hints(cls)
    for key in values:
        if key not in hints:
            raise ConfigError(f"{place}: found unknown key {key!r}, expected one of {', '.join(hints)}")
    arguments = {key: _value(hints[key], value, f"{place}: {key}") for key, value in values.items()}
    try:
        return cls(**arguments)
    except ConfigError as error:
        component = place.rpartition(": ")[2]
        raise ConfigError(f"{place}: {str(error).removeprefix(f'{component}: ')}") from None


def _value(hint: Any, value: Any, place: str) -> Any:
    if dataclasses.is_dataclass(hint):
        return from_mapping(typing.cast(type, hint), value, place)
    if typing.get_origin(hint) is Literal:
        if value in typing.get_args(hint):
            return value
        raise ConfigError(f"{place}: found {value!r}, expected one of {', '.join(map(str, typing.get_args(hint)))}")
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"{place}: found {value!r}, expected a list")
        return tuple(_value(typing.get_args(hint)[0], item, place) for item in value)
    if typing.get_origin(hint) is Mapping:
        if not isinstance(value, Mapping):
            raise ConfigError(f"{place}: found {value!r}, expected keys and values")
        of_key, of_value = typing.get_args(hint)
        return {_value(of_key, key, place): _value(of_value, item, f"{place}: {key}") for key, item in value.items()}
    allowed = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    if isinstance(value, bool) == (bool in allowed) and isinstance(value, allowed):
        return value
    if float in allowed and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    names = " or ".join("nothing" if kind is type(None) else kind.__name__ for kind in allowed)
    raise ConfigError(f"{place}: found {value!r}, expected {names}")


def as_mapping(config: Any) -> dict[str, Any]:
    """Inverse of `from_mapping`: nested dictionaries of plain values, as JSON has them."""
    return {name: _plain(value) for name, value in dataclasses.asdict(config).items()}


def differing_keys(first: Any, second: Any) -> list[str]:
    """Keys, `encoder.width` for instance, that two configurations of one class have other values for."""
    return list(_differing(as_mapping(first), as_mapping(second), ""))


def _differing(first: Mapping[str, Any], second: Mapping[str, Any], place: str) -> Iterator[str]:
    for name, value in first.items():
        other = second.get(name)
        if isinstance(value, dict) and isinstance(other, dict):
            yield from _differing(value, other, f"{place}{name}.")
        elif value != other:
            yield place + name


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return list(value) if isinstance(value, tuple) else value
