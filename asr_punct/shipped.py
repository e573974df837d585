"""What comes with the package: models and configurations, by name."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
PRETRAINED = _PACKAGE / "pretrained"
TRAINABLE = _PACKAGE.parent / "egs" / "models"
"""Weights of the shipped models, in a checkout alone: a wheel holds what runs."""
DEFAULT_MODEL = "es-eu"
MODEL_CONFIG = "config.json"
"""The file that makes a directory a model's."""
_CONFIGURATIONS = (_PACKAGE / "conf", _PACKAGE.parent / "conf")
"""In an installed wheel, and in a checkout."""


def shipped_models() -> dict[str, Path]:
    """Directories of the models that came with the package, by name."""
    return {path.parent.name: path.parent for path in sorted(PRETRAINED.glob(f"*/{MODEL_CONFIG}"))}


def shipped_configurations() -> dict[str, Path]:
    """Files of the configurations that came with the package, by name."""
    files = (path for folder in reversed(_CONFIGURATIONS) for path in sorted(folder.glob("*.yaml")))
    return {path.stem: path for path in files}


def configuration_directory(name: str) -> Path:
    """The folder of that name among the configurations."""
    return next(path for folder in _CONFIGURATIONS if (path := folder / name).is_dir())
