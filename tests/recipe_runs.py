"""Copies of the recipes, which tests can run and change; the package is the one under test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
_MADE = shutil.ignore_patterns("exp", "data", "corpus", "work", "__pycache__", "*.safetensors", ".*")


def copy_recipes(root: Path, *folders: str) -> Path:
    """Copy these folders of the source tree (default: conf, egs and recipes), without what recipes have made."""
    for name in folders or ("conf", "egs", "recipes"):
        shutil.copytree(ROOT / name, root / name, ignore=_MADE)
    return root


def environment(*programs: Path, packages: tuple[Path, ...] = ()) -> dict[str, str]:
    """Return the environment with this Python, the package under test, and folders of stubs in front."""
    path = [*map(str, programs), str(Path(sys.executable).parent), os.environ["PATH"]]
    python_path = [*map(str, packages), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PATH": ":".join(path), "PYTHONPATH": ":".join(filter(None, python_path))}


def run(
    command: list[object], cwd: Path, env: dict[str, str] | None = None, timeout: float | None = 120
) -> subprocess.CompletedProcess[str]:
    """Run a command and return its output."""
    words = [str(word) for word in command]
    env = env or environment()
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout, check=False)


def write_script(path: Path, content: str) -> None:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(0o755)


def good(*command: object, cwd: Path) -> str:
    """Return the output of a recipe that ends well."""
    done = run(list(command), cwd, timeout=None)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def is_all_skipped(output: str) -> bool:
    """Whether the run of a recipe skipped all its steps."""
    steps = [line for line in output.splitlines() if ": stage " in line]
    return bool(steps) and all(line.endswith("done before") for line in steps)
