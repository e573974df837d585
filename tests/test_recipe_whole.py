"""The mintzai recipe from nothing to a punctuated recording, on a very small corpus."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SMALL = ["--venv", "none", "--scale", "0.06", "--train-options", "training.epochs=2"]
MARKS = {
    "COMMA", "PERIOD", "QUESTION", "COLON", "DASH", "OPEN_QUES", "SEMICOLON",
    "OPEN_QUOTE", "QUOTE", "ELLIPSIS", "EXCLAMATION", "OPEN_EXCL", "OPEN_DASH",
}  # fmt: skip


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    """A copy of the recipe's scripts; the package is the one under test."""
    pytest.importorskip("lightning")
    copy = tmp_path_factory.mktemp("clone")
    made = shutil.ignore_patterns("exp", "data", "corpus", "__pycache__")
    for name in ("egs", "recipes"):
        shutil.copytree(ROOT / name, copy / name, ignore=made)
    return copy / "egs" / "mintzai"


def start(recipe, *options):
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = [recipe / "run.sh", *SMALL, *options]
    return subprocess.Popen(
        command,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def finish(recipe, *options):
    process = start(recipe, *options)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    return output


@pytest.mark.slow
def test_the_recipe_runs_is_killed_and_goes_on(recipe):
    killed = start(recipe)
    lines = []
    for line in killed.stdout:
        lines.append(line)
        if "align es/dev" in line:
            break
    time.sleep(1)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert not (recipe / "exp" / "scores.json").exists(), lines

    output = finish(recipe)
    assert "synthetic corpus : done before" in output
    scores = json.loads((recipe / "exp" / "scores.json").read_text())
    assert list(scores) == ["es", "eu", "es+eu"]
    for values in scores.values():
        assert set(values["marks"]) == MARKS
        assert 0 <= values["micro"]["f1"] <= 1
        assert values["words"] > 0
        assert "micro.f1" in values["ci95"]
    results = (recipe / "exp" / "RESULTS.md").read_text()
    assert "synthetic" in results
    assert "76.4" in results  # the paper's row beside
    demo = recipe / "exp" / "demo"
    assert {path.name for path in demo.iterdir()} >= {"input.ctm", "output.ctm", "output.txt", "reference.txt"}
    spoken, written = ((demo / name).read_text().split("\n") for name in ("input.ctm", "output.ctm"))
    assert [line.split()[:4] for line in spoken] == [line.split()[:4] for line in written]


@pytest.mark.slow
def test_one_stage_redoes_only_that(recipe):
    if not (recipe / "exp" / "scores.json").exists():
        finish(recipe)
    before = {path: path.stat().st_mtime_ns for path in recipe.rglob("*") if path.is_file()}
    finish(recipe, "--stage", "6", "--stop-stage", "6")
    changed = {path for path, then in before.items() if path.stat().st_mtime_ns != then}
    names = {path.name for path in changed if "log" not in path.parts}
    names = {name for name in names if not name.startswith(".") and not name.endswith(".done")}
    assert names == {"scores.json", "RESULTS.md"}
