"""Configuration classes, whose fields have ranges, and conversion from and to nested mappings (YAML, JSON)."""

import dataclasses
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import Any, Literal, TypeVar

from asr_punct.declared import Checked
from asr_punct.errors import ConfigError

T = TypeVar("T")


class CheckedConfig(Checked):
    """Base of configuration classes: a value outside the range of its field is a ConfigError."""

    _error = ConfigError


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
