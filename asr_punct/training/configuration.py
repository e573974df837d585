"""Configurations by name or file: YAML read with omegaconf, checked as dataclasses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from asr_punct.config import Config, from_mapping
from asr_punct.errors import ConfigError, first_line
from asr_punct.shipped import shipped_configurations

_SETTINGS = "settings"


def read_config(name: str, settings: Sequence[str] = ()) -> Config:
    """The configuration of that name or path, changed by `key=value` settings (`training.epochs=3`).

    A file may build on another one, `base: NAME`: a file beside it or a shipped configuration, without a base itself.

    Raises:
        ConfigError: there is none, it is no YAML, or keys and values do not fit.
    """
    path = _find(name)
    values = _load(path)
    if not settings:
        return from_mapping(Config, values, str(path))
    changed = _changed(values, settings)
    try:
        return from_mapping(Config, changed, _SETTINGS)
    except ConfigError:
        from_mapping(Config, values, str(path))  # raises where the file is at fault
        raise


def named_heads(settings: Sequence[str]) -> frozenset[str]:
    """Keys of `model.heads` that settings, which `read_config` took, name."""
    heads = OmegaConf.select(OmegaConf.from_dotlist(list(settings)), "model.heads")
    return frozenset(heads or ())


def _load(path: Path, may_have_base: bool = True) -> dict[str, Any]:
    """Plain values of a YAML file over those of its base."""
    with _told_at(path):
        values: Any = OmegaConf.load(path)
        if not isinstance(values, DictConfig):
            raise ConfigError(f"{path}: found a list, expected keys and values")
        if may_have_base and "base" in values:
            base = str(values.pop("base"))
            beside = path.parent / f"{base}.yaml"
            values = OmegaConf.merge(_load(beside if beside.is_file() else _find(base), False), values)
        return _plain(values)


def _changed(values: dict[str, Any], settings: Sequence[str]) -> dict[str, Any]:
    for setting in settings:
        if "=" not in setting:
            raise ConfigError(f"{_SETTINGS}: found {setting!r}, expected key=value")
    with _told_at(_SETTINGS):
        return _plain(OmegaConf.merge(values, OmegaConf.from_dotlist(list(settings))))


def _plain(values: Any) -> dict[str, Any]:
    return cast(dict[str, Any], OmegaConf.to_container(values, resolve=True))


@contextmanager
def _told_at(place: object) -> Iterator[None]:
    """What the libraries raise, on one line that names the place."""
    try:
        yield
    except ConfigError:
        raise
    except (OmegaConfBaseException, YAMLError, OSError, TypeError, ValueError) as error:
        raise ConfigError(f"{place}: {first_line(error)}") from None


def _find(name: str) -> Path:
    if Path(name).is_file():
        return Path(name)
    known = shipped_configurations()
    if name not in known:
        raise ConfigError(f"--config: found {name!r}, expected a YAML file or one of {', '.join(sorted(known))}")
    return known[name]
