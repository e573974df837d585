"""The benchmark recipe from nothing to its page of results, on the small files that it makes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the recipes' scripts; the package is the one under test."""
    pytest.importorskip("lightning")
    copy = tmp_path_factory.mktemp("clone")
    made = shutil.ignore_patterns("exp", "data", "corpus", "__pycache__", "models")
    for name in ("conf", "egs", "recipes"):
        shutil.copytree(ROOT / name, copy / name, ignore=made)
    return copy


def run(script, *options):
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = [script, "--venv", "none", "--encoder", "built", "--budget", "smoke", *options]
    return subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_rows_are_trained_scored_and_told(clone):
    asked = ("--system", "courtland polacek/scratch bilstm_augment/crf", "--look-ahead", "polacek*")
    done = run(clone / "egs" / "iwslt" / "run.sh", *asked)
    assert done.returncode == 0, done.stdout + done.stderr
    exp = clone / "egs" / "iwslt" / "exp"
    rows = ("courtland", "polacek/scratch", "bilstm_augment/crf")
    scores = json.loads((exp / "scores.json").read_text())
    assert set(scores) == {f"{row}/{test}" for row in rows for test in ("ref", "asr")}
    page = (exp / "RESULTS.md").read_text()
    assert all(f"**{row}**" in page for row in rows)
    assert page.count("Aggregate (courtland2020)") == 2  # with two encoders, on the reference alone
    assert "courtland2020, Table 2): courtland" in page
    assert "theirs is Czech): polacek/scratch" in page
    again = run(clone / "egs" / "iwslt" / "run.sh", "--system", "courtland")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "train courtland: done before" in again.stdout


@pytest.mark.slow
def test_the_bangla_benchmark_runs_too(clone):
    done = run(clone / "egs" / "bangla" / "run.sh", "--system", "brnn")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "## News" in (clone / "egs" / "bangla" / "exp" / "RESULTS.md").read_text()
