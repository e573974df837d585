"""Read the configuration of a training run from YAML and `key=value` settings."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from asr_punct.config import Config, from_mapping
from asr_punct.errors import ArgumentError, AsrPunctError, ConfigError, first_line
from asr_punct.hub import shipped_configurations

_SETTINGS = "settings"


def read_config(name: str, settings: Sequence[str] = ()) -> Config:
    """Read a configuration, a shipped name or a path, and apply `key=value` settings such as `training.epochs=3`.

    A file may extend another one with `base: NAME`: a file in the same directory, or a shipped configuration, which has
    no base itself. Raises ArgumentError if there is no such file, ConfigError if it is not YAML, or its keys and values
    are wrong.
    """
    path = _find(name)
    values = _load(path)
    if not settings:
        return from_mapping(Config, values, path)
    for setting in settings:
        if "=" not in setting:
            raise ConfigError(_SETTINGS, repr(setting), "key=value")
    with _config_errors(_SETTINGS):
        changed = _to_dict(OmegaConf.merge(values, OmegaConf.from_dotlist(list(settings))))
    try:
        return from_mapping(Config, changed)
    except ConfigError:
        from_mapping(Config, values, path)  # if the file is wrong, and not the settings, report the file
        raise


def named_heads(settings: Sequence[str]) -> frozenset[str]:
    """Return the keys of `model.heads` that settings change: `crf` of `model.heads.crf=path`."""
    heads = OmegaConf.select(OmegaConf.from_dotlist(list(settings)), "model.heads")
    return frozenset(heads or ())


def _load(path: Path, allow_base: bool = True) -> dict[str, Any]:
    with _config_errors(path):
        values: Any = OmegaConf.load(path)
        if not isinstance(values, DictConfig):
            raise ConfigError(path, "a list", "keys and values")
        if allow_base and "base" in values:
            base = str(values.pop("base"))
            sibling = path.parent / f"{base}.yaml"
            values = OmegaConf.merge(_load(sibling if sibling.is_file() else _find(base), False), values)
        return _to_dict(values)


def _to_dict(values: Any) -> dict[str, Any]:
    return cast(dict[str, Any], OmegaConf.to_container(values, resolve=True))


@contextmanager
def _config_errors(place: object) -> Iterator[None]:
    try:
        yield
    except AsrPunctError:
        raise
    except (OmegaConfBaseException, YAMLError, OSError, TypeError, ValueError) as error:
        raise ConfigError(place, first_line(error), "YAML with keys and values") from None


def _find(name: str) -> Path:
    if Path(name).is_file():
        return Path(name)
    known = shipped_configurations()
    if name not in known:
        raise ArgumentError("config", repr(name), f"a YAML file or one of {', '.join(sorted(known))}")
    return known[name]
