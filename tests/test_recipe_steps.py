"""Steps of a recipe: skipped when done, done again when asked, gone on with after a kill."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

UTILS = Path(__file__).parent.parent / "recipes" / "utils"
RECIPE = """#!/usr/bin/env bash
set -euo pipefail
stage=0
stop_stage=9
word=a
PATH={utils}:$PATH
. {utils}/parse_options.sh
. {utils}/steps.sh
if begin 1 data "$word"; then
  step "make one" data/one touch data/one
  step "make two/a" data/two touch data/two
fi
if begin 2 exp ''; then
  need 1 data/one
  step use exp/used bash use.sh
fi
"""
USE = "if [ -e fail ]; then echo no luck >&2; exit 3; fi; [ -e exp/used ] && echo goes on; echo done; touch exp/used\n"


class Recipe:
    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "run.sh").write_text(RECIPE.format(utils=UTILS))
        (root / "use.sh").write_text(USE)

    def __call__(self, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", "./run.sh", *options], cwd=self.root, capture_output=True, text=True, timeout=60)

    def done(self, *options: str) -> list[str]:
        """Steps that were done, not skipped."""
        result = self(*options)
        assert result.returncode == 0, result.stderr
        lines = [line.removeprefix("run.sh: ") for line in result.stdout.splitlines()]
        return [line.split(" …")[0] for line in lines if not line.endswith("done before")]


ALL = ["stage 1: make one", "stage 1: make two/a", "stage 2: use"]


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return Recipe(tmp_path)


def test_second_run_does_nothing(recipe):
    assert recipe.done() == ALL
    assert recipe.done() == []


def test_a_named_stage_is_done_again_and_no_other(recipe):
    recipe.done()
    assert recipe.done("--stage", "2", "--stop-stage", "2") == ALL[2:]
    assert recipe.done("--stage", "1", "--stop-stage", "1") == ALL[:2]
    assert recipe.done() == ALL[2:]


def test_missing_output_is_made_again_and_what_follows_too(recipe):
    recipe.done()
    (recipe.root / "data/two").unlink()
    assert recipe.done() == ALL[1:]


def test_another_option_makes_it_again(recipe):
    recipe.done()
    assert recipe.done("--word", "b") == ALL
    assert recipe.done("--word", "b") == []


def test_failure_is_told_and_the_next_run_goes_on(recipe):
    (recipe.root / "fail").touch()
    result = recipe()
    assert result.returncode == 3
    assert result.stderr == "run.py: job failed with status 3, log exp/log/2.use.log: no luck\n"
    assert result.stdout.splitlines()[-1].startswith("run.sh: stage 2: use … failed after ")
    (recipe.root / "fail").unlink()
    assert recipe.done() == ALL[2:]


def log_of_use(recipe: Recipe) -> str:
    return (recipe.root / "exp/log/2.use.log").read_text()


def test_a_killed_step_keeps_what_it_left_if_nothing_changed(recipe):
    recipe.done()
    stamp = recipe.root / "exp/.done/2.use.done"
    stamp.rename(stamp.with_suffix(".started"))
    assert recipe.done() == ALL[2:]
    assert "goes on" in log_of_use(recipe)


def test_what_an_outdated_try_left_is_removed(recipe):
    recipe.done()
    stamp = recipe.root / "exp/.done/2.use.done"
    stamp.rename(stamp.with_suffix(".started"))
    os.utime(stamp.with_suffix(".started"), (0, 0))
    assert recipe.done() == ALL[2:]
    assert "goes on" not in log_of_use(recipe)


def test_inputs_are_checked_first(recipe):
    result = recipe("--stage", "2")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "run.sh: stage 2: expected file data/one to exist (run stage 1)\n"


def test_a_step_without_its_output_fails(recipe):
    (recipe.root / "use.sh").write_text("true\n")
    result = recipe()
    assert result.returncode == 2
    assert result.stderr == "run.sh: stage 2: expected exp/used from use, found nothing (log: exp/log/2.use.log)\n"


AT_ONCE = """set -euo pipefail
. {utils}/steps.sh
work() {{
  echo "begin $1 ${{OMP_NUM_THREADS-all}}"
  touch "$1"
  [ "$1" != wait ] || until [ -e last ]; do sleep 0.01; done
  [ "$1" != wrong ] || fail "no luck"
  echo "end $1"
}}
at_once {items}
echo all
"""


def at_once(folder: Path, items: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    script = AT_ONCE.format(utils=UTILS, items=items)
    command = ["bash", "-c", script, "run.sh"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def test_one_at_a_time_has_all_cores(tmp_path):
    result = at_once(tmp_path, "1 work 'a b' c")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == ["begin a b all", "end a b", "begin c all", "end c", "all"]


def test_several_at_once_share_the_cores_and_tell_what_they_did_when_they_end(tmp_path):
    """The first one waits for what the third one does."""
    result = at_once(tmp_path, "2 work wait b last d")
    assert (result.returncode, result.stderr) == (0, "")
    *lines, end = result.stdout.splitlines()
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    share = -(-len(os.sched_getaffinity(0)) // 2)
    assert sorted(pairs) == [(f"begin {name} {share}", f"end {name}") for name in ("b", "d", "last", "wait")]
    assert end == "all"


def test_after_one_that_failed_no_others_begin(tmp_path):
    result = at_once(tmp_path, "2 work wrong a b c d e f")
    assert (result.returncode, result.stderr) == (2, "run.sh: no luck\n")
    assert "all" not in result.stdout.splitlines()
    assert not (tmp_path / "f").exists()
    assert at_once(tmp_path, "1 work wrong g").returncode == 2
    assert not (tmp_path / "g").exists()


def test_what_runs_at_once_ends_with_the_recipe(tmp_path):
    script = AT_ONCE.format(utils=UTILS, items="2 work wait b").replace('echo "end $1"', 'touch "$1 ended"')
    with subprocess.Popen(["bash", "-c", script, "run.sh"], cwd=tmp_path) as recipe:
        while not (tmp_path / "wait").exists() or not (tmp_path / "b ended").exists():
            time.sleep(0.01)
        recipe.terminate()
        assert recipe.wait(30) != 0
    (tmp_path / "last").touch()
    time.sleep(0.5)
    assert not (tmp_path / "wait ended").exists()
