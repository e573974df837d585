"""Conversion of configuration dataclasses from and to nested mappings, as read from YAML or JSON."""

import dataclasses
import sys
import types
import typing
from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal, TypeVar

from asr_punct.errors import ConfigError

T = TypeVar("T")


def from_mapping(cls: type[T], values: Any, place: str) -> T:
    """Return a dataclass filled from nested mappings; missing keys have their defaults.

    Raises ConfigError for an unknown key, a wrong type, or values that exclude each other; the message starts with
    `place`.
    """
    fields = dataclasses.fields(typing.cast(Any, cls))
    names = [field.name for field in fields]
    if not isinstance(values, Mapping):
        example = f", for example kind: {values}" if "kind" in names and isinstance(values, str) else ""
        raise ConfigError(f"{place}: found {values!r}, expected keys and values{example}")
    for key in values:
        if key not in names:
            raise ConfigError(f"{place}: found unknown key {key!r}, expected one of {', '.join(names)}")
    for field in fields:
        has_default = not (field.default is field.default_factory is dataclasses.MISSING)
        if field.name not in values and not has_default:
            raise ConfigError(f"{place}: found no key {field.name!r}, expected {', '.join(names)}")
    hints = typing.get_type_hints(cls)
    arguments = {key: _convert(hints[key], value, f"{place}: {key}") for key, value in values.items()}
    try:
        return cls(**arguments)
    except ConfigError as error:
        component = place.rpartition(": ")[2]  # the error begins with it too
        raise ConfigError(f"{place}: {str(error).removeprefix(f'{component}: ')}") from None


def _convert(hint: Any, value: Any, place: str) -> Any:
    if dataclasses.is_dataclass(hint):
        return from_mapping(typing.cast(type, hint), value, place)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        origin, arguments = Literal, tuple(hint)
    if origin is Literal:
        if value not in arguments:
            raise ConfigError(f"{place}: found {value!r}, expected one of {', '.join(map(str, arguments))}")
        return arguments[arguments.index(value)]  # the member of an Enum that equals the string
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"{place}: found {value!r}, expected a list")
        return tuple(_convert(arguments[0], item, place) for item in value)
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise ConfigError(f"{place}: found {value!r}, expected keys and values")
        key_type, value_type = arguments
        return {
            _convert(key_type, key, place): _convert(value_type, item, f"{place}: {key}") for key, item in value.items()
        }
    allowed = arguments if isinstance(hint, types.UnionType) else (hint,)
    is_wrong_bool = isinstance(value, bool) and bool not in allowed  # which is an int in Python
    if hint is Any or (isinstance(value, allowed) and not is_wrong_bool):
        return value
    if float in allowed and type(value) is int and abs(value) <= sys.float_info.max:
        return float(value)
    names = " or ".join("nothing" if kind is type(None) else kind.__name__ for kind in allowed)
    raise ConfigError(f"{place}: found {value!r}, expected {names}")


def as_mapping(config: Any) -> dict[str, Any]:
    """Return nested dictionaries of JSON values: the inverse of `from_mapping`."""
    return {name: _to_json(value) for name, value in dataclasses.asdict(config).items()}


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


def _to_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _to_json(item) for name, item in value.items()}
    return list(value) if isinstance(value, tuple) else value
