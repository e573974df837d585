"""A small recogniser with recipes/punctuate.sh behind it, from nothing to its table, on a very small corpus."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SMALL = ["--venv", "none", "--scale", "0.06", "--epochs", "12", "--train-options", "training.epochs=2"]


class Recipe:
    """A copy of the recipe's scripts; the package is the one under test."""

    def __init__(self, root: Path) -> None:
        made = shutil.ignore_patterns("exp", "data", "corpus", "__pycache__")
        for name in ("egs/mintzai", "recipes", "conf"):
            shutil.copytree(ROOT / name, root / name, ignore=made)
        self.out = root / "egs" / "mintzai" / "exp" / "asr"
        self.script = root / "egs" / "mintzai" / "local" / "append_to_asr.sh"

    def __call__(self, *options: str) -> subprocess.CompletedProcess[str]:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        packages = ":".join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        env = {**os.environ, "PATH": path, "PYTHONPATH": packages}
        return subprocess.run([self.script, *options], env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return Recipe(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("nemo"), reason="NeMo is not installed: pip install '.[nemo]'")
def test_from_nothing_to_the_table(recipe):
    first = recipe(*SMALL, "--stop-stage", "3")
    assert first.returncode == 0, first.stdout + first.stderr
    assert not (recipe.out / "RESULTS.md").exists()
    done = recipe(*SMALL)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stage 3: train : done before" in done.stdout
    results = json.loads((recipe.out / "results.json").read_text())
    assert list(results) == ["es", "eu", "es+eu"]
    for values in results.values():
        assert values["wer"] > 0
        assert 0 <= values["f1_recognised"] <= values["f1_reference"] <= 1
    assert results["es+eu"]["words"] == results["es"]["words"] + results["eu"]["words"]
    page = (recipe.out / "RESULTS.md").read_text()
    assert "synthetic" in page
    assert "| es+eu " in page
    assert "| es+eu " in done.stdout
    assert (recipe.out / "exp" / "eu" / "recognised" / "srt").is_dir()
    again = recipe(*SMALL)
    lines = [line for line in again.stdout.splitlines() if ": stage " in line]
    assert all(line.endswith("done before") for line in lines)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["more"], "found argument 'more', expected options only (see --help)"),
        (["--nj", "0"], "--nj: found '0', expected 1 or more"),
        (["--stage", "7"], "--stage: found '7', expected 0 to 6"),
        (["--stage", "2"], "stage 2: expected file {recipe}/data/es/train/wav.scp to exist (run stage 1)"),
        (["--stage", "4"], "stage 4: expected file data/es.test.json to exist (run stage 2)"),
    ],
)
def test_wrong_calls_are_one_line_and_status_2(recipe, tmp_path, monkeypatch, options, told):
    (tmp_path / "stand_in" / "nemo").mkdir(parents=True)
    monkeypatch.setenv("PYTHONPATH", f"{os.environ.get('PYTHONPATH', '')}:{tmp_path}/stand_in")
    done = recipe("--venv", "none", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"append_to_asr.sh: {told.format(recipe=recipe.script.parent.parent)}\n"
