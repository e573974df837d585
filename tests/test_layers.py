"""The architecture: imports in one direction, and a core that is light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "asr_punct"
LAYERS = [
    "errors",
    "marks",
    "words",
    "progress",
    "text",
    "audio",
    "pauses",
    "subtitles",
    "formats",
    "align",
    "casing",
    "config",
    "decode",
    "scoring",
    "subwords",
    "features",
    "checkpoint",
    "hub",
    "inference",
    "model",
    "training",
    "corpora",
    "asr",
    "nemo",
    "cli",
]
HEAVY = {"torch", "transformers", "lightning", "omegaconf", "safetensors", "tensorboard", "onnx", "onnxscript", "nemo"}
MAY_BE_HEAVY = (
    "model/",
    "training/",
    "inference/torch_backend.py",
    "asr/nemo.py",
    "asr/transformers.py",
    *(f"nemo/{name}.py" for name in ("connector", "model", "parts", "train")),
)
RECOGNISERS = {"pocketsphinx", "faster_whisper"}
AUDIO = {"librosa", "soundfile", "av", "espeakng_loader", "soxr"}


def modules():
    return sorted(PACKAGE.rglob("*.py"))


def layer_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path, top_level_only=False):
    """Names of the modules that a file imports; type-checking imports count."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if top_level_only else ast.walk(tree)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_in_one_direction(path):
    if path == PACKAGE / "__init__.py":
        return
    own = LAYERS.index(layer_of(path))
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "asr_punct" and len(parts) > 1 and parts[1] in LAYERS:
            # the torch backend is part of inference, and reaches into the model that it runs
            if layer_of(path) == "inference" and path.name == "torch_backend.py" and parts[1] == "model":
                continue
            assert LAYERS.index(parts[1]) <= own, f"{path.name} imports {name}"


def test_every_module_has_a_layer():
    assert {layer_of(path) for path in modules()} - {"__init__"} <= set(LAYERS)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_packages_stay_where_they_belong(path):
    if str(path.relative_to(PACKAGE)).startswith(MAY_BE_HEAVY):
        return
    assert not {name.split(".")[0] for name in imports(path)} & HEAVY


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_audio_packages_and_recognisers_are_imported_inside_functions(path):
    assert not {name.split(".")[0] for name in imports(path, top_level_only=True)} & (AUDIO | RECOGNISERS)


def test_recognisers_are_imported_where_they_are_run():
    allowed = PACKAGE / "asr"
    found = {path for path in modules() if {name.split(".")[0] for name in imports(path)} & RECOGNISERS}
    assert {path.parent for path in found} == {allowed}


def test_core_imports_without_extras():
    """Block every heavy and audio package and every recogniser, and import all the rest."""
    script = f"""
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {sorted(HEAVY | AUDIO | RECOGNISERS)!r}:
            raise ModuleNotFoundError(f"blocked {{name}}", name=name)
sys.meta_path.insert(0, Blocker())
import importlib
for name in {[module_name(path) for path in modules() if not is_heavy(path)]!r}:
    importlib.import_module(name)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def is_heavy(path):
    return str(path.relative_to(PACKAGE)).startswith(MAY_BE_HEAVY)


def module_name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")
