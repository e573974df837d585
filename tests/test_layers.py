"""Imports between packages go one way, and heavy or optional packages are imported only where they are needed."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "asr_punct"
# A module may import from its own layer and those before it.
LAYERS = [
    *(
        "errors",
        "declared",
        "binary",
        "encoding",
        "logs",
        "caching",
        "languages",
        "marks",
        "characters",
        "letter_case",
        "glyphs",
        "words",
        "progress",
        "partial",
        "files",
        "text",
        "identifier",
        "channels",
        "audio",
        "pauses",
        "recordings",
        "sentences",
        "paragraphs",
        "fillers",
    ),
    *("subtitles", "formats", "hints", "casing", "config", "decode", "scoring", "align", "subwords", "features"),
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
SERVICE = {
    "fastapi",
    "starlette",
    "pydantic",
    "uvicorn",
    "websockets",
    "prometheus_client",
    "python_multipart",
    "httpx",
}
CLUSTER = {"ray", "fsspec"}
AUDIO = {"librosa", "soundfile", "av", "espeakng_loader", "soxr"}


MODULES = sorted(PACKAGE.rglob("*.py"))


def layer_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def is_heavy(path):
    return str(path.relative_to(PACKAGE)).startswith(MAY_BE_HEAVY)


def module_name(path):
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def imports(path, top_level_only=False):
    """Yield the names of what is imported, modules or parts of them, also for type checking."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if top_level_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported_packages(path, top_level_only=False):
    return {name.split(".")[0] for name in imports(path, top_level_only)}


def test_every_module_has_a_layer():
    assert {layer_of(path) for path in MODULES} - {"__init__"} <= set(LAYERS)


def test_no_import_from_a_later_layer():
    up = []
    for path in MODULES:
        later = LAYERS[LAYERS.index(layer_of(path)) + 1 :] if path != PACKAGE / "__init__.py" else ()
        found = {name.split(".")[1] for name in imports(path) if name.startswith("asr_punct.")}
        up += [f"{module_name(path)} -> {layer}" for layer in sorted(found.intersection(later))]
    assert up == []


def test_no_circle_of_imports():
    """Imports inside functions and for type checking count as well."""
    names, arrows = set(map(module_name, MODULES)), {}
    for path in MODULES:
        found = {name if name in names else name.rpartition(".")[0] for name in imports(path)}
        arrows[module_name(path)] = found & names
    while outer := {name for name, targets in arrows.items() if not targets & arrows.keys()}:
        arrows = {name: targets for name, targets in arrows.items() if name not in outer}
    assert arrows == {}


def test_imports_of_heavy_and_optional_packages():
    wrong = []
    for path in MODULES:
        packages, folder = imported_packages(path), path.parent.name
        forbidden = HEAVY if not is_heavy(path) else set()
        forbidden = forbidden | (CLUSTER if folder != "batch" else set()) | (RECOGNISERS if folder != "asr" else set())
        forbidden = forbidden | (SERVICE if layer_of(path) != "serve" else set())
        found = packages & forbidden | imported_packages(path, top_level_only=True) & (AUDIO | RECOGNISERS | CLUSTER)
        wrong += [f"{module_name(path)} imports {name}" for name in sorted(found)]
    assert wrong == []


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


def test_a_public_name_is_that_of_one_thing():
    """But for `main`, and commands, which have the name of the function that they call."""
    places = {}
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(module_name(path))
    outside = {name: [each for each in found if ".cli." not in each] for name, found in places.items()}
    assert {name: found for name, found in outside.items() if len(found) > 1 and name != "main"} == {}
