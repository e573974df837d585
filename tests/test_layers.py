"""Imports between packages go one way, and heavy or optional packages are imported only where they are needed."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "asr_punct"
# A module may import from its own layer and those before it.
LAYERS = [
    *(
        "errors",
        "logs",
        "caching",
        "languages",
        "marks",
        "words",
        "progress",
        "partial",
        "files",
        "text",
        "identifier",
        "audio",
        "pauses",
    ),
    *("subtitles", "formats", "casing", "config", "decode", "scoring", "align", "subwords", "features"),
    *(
        "checkpoint",
        "hub",
        "model",
        "inference",
        "restoring",
        "batch",
        "training",
        "corpora",
        "asr",
        "nemo",
        "serve",
        "cli",
    ),
]
HEAVY = {"torch", "transformers", "lightning", "omegaconf", "safetensors", "tensorboard", "onnx", "onnxscript", "nemo"}
MAY_BE_HEAVY = (
    "model/",
    "training/",
    "asr/nemo.py",
    "asr/transformers.py",
    *(f"nemo/{name}.py" for name in ("connector", "model", "parts", "train")),
)
RECOGNISERS = {"pocketsphinx", "faster_whisper"}
SERVICE = {"fastapi", "starlette", "pydantic", "uvicorn", "websockets", "prometheus_client", "python_multipart"}
CLUSTER = {"ray", "fsspec"}
AUDIO = {"librosa", "soundfile", "av", "espeakng_loader", "soxr"}


MODULES = sorted(PACKAGE.rglob("*.py"))
for_each_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))


def layer_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def is_heavy(path):
    return str(path.relative_to(PACKAGE)).startswith(MAY_BE_HEAVY)


def module_name(path):
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def imports(path, top_level_only=False):
    """Yield the names of imported modules, also of those imported for type checking."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if top_level_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported_packages(path, top_level_only=False):
    return {name.split(".")[0] for name in imports(path, top_level_only)}


def test_every_module_has_a_layer():
    assert {layer_of(path) for path in MODULES} - {"__init__"} <= set(LAYERS)


@for_each_module
def test_no_import_from_a_later_layer(path):
    if path == PACKAGE / "__init__.py":
        return
    later = set(LAYERS[LAYERS.index(layer_of(path)) + 1 :])
    parts = [name.split(".") for name in imports(path)]
    assert not {part[1] for part in parts if part[0] == "asr_punct" and len(part) > 1} & later


@for_each_module
def test_imports_of_heavy_and_optional_packages(path):
    assert is_heavy(path) or not imported_packages(path) & HEAVY
    assert path.parent == PACKAGE / "batch" or not imported_packages(path) & CLUSTER
    assert path.parent == PACKAGE / "asr" or not imported_packages(path) & RECOGNISERS
    assert layer_of(path) == "serve" or not imported_packages(path) & SERVICE
    assert not imported_packages(path, top_level_only=True) & (AUDIO | RECOGNISERS | CLUSTER)


def test_core_imports_without_extras():
    """Import all but the heavy modules with the heavy and optional packages blocked."""
    script = f"""
import importlib, sys
for name in {sorted(HEAVY | AUDIO | RECOGNISERS | SERVICE | CLUSTER)!r}:
    sys.modules[name] = None
for name in {[module_name(path) for path in MODULES if not is_heavy(path) and layer_of(path) != "serve"]!r}:
    importlib.import_module(name)
"""
    subprocess.run([sys.executable, "-c", script], check=True)
