"""Configurations by name or file: YAML read with omegaconf, checked as dataclasses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from asr_punct.config import Config, from_mapping
from asr_punct.errors import ConfigError

_PACKAGE = Path(__file__).parent.parent
_DIRECTORIES = (_PACKAGE / "conf", _PACKAGE.parent / "conf")
"""In an installed wheel, and in a checkout."""


def read_config(name: str, settings: Sequence[str] = ()) -> Config:
    """The configuration of that name or path, changed by `key=value` settings (`training.epochs=3`).

    Raises:
        ConfigError: there is none, it is no YAML, or keys and values do not fit.
    """
    path = _find(name)
    try:
        values = OmegaConf.merge(OmegaConf.load(path), OmegaConf.from_dotlist(_checked(settings)))
        plain = OmegaConf.to_container(values, resolve=True)
    except (OmegaConfBaseException, YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {str(error).splitlines()[0]}") from None
    return from_mapping(Config, plain, str(path))


def _checked(settings: Sequence[str]) -> list[str]:
    for setting in settings:
        if "=" not in setting:
            raise ConfigError(f"found setting {setting!r}, expected key=value")
    return list(settings)


def _find(name: str) -> Path:
    if Path(name).is_file():
        return Path(name)
    for directory in _DIRECTORIES:
        if (directory / f"{name}.yaml").is_file():
            return directory / f"{name}.yaml"
    names = sorted({path.stem for directory in _DIRECTORIES for path in directory.glob("*.yaml")})
    raise ConfigError(f"--config: found {name!r}, expected a YAML file or one of {', '.join(names)}")
