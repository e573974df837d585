"""Steps of a recipe (recipes/utils/common.sh): they are skipped, repeated and resumed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

UTILS = Path(__file__).parent.parent / "recipes" / "utils"
RECIPE = """#!/usr/bin/env bash
set -euo pipefail
stage=0
stop_stage=9
word=a
nj=2
PATH={utils}:$PATH
. {utils}/parse_options.sh
. {utils}/common.sh
if begin 1 data; then
  step "make one" data/one bash make.sh data/one "$word"
  step "make two/a" data/two bash make.sh data/two --nj "$nj" end
fi
if begin 2 exp; then
  need 1 data/one
  step use exp/used bash use.sh
fi
"""
USE = "if [ -e fail ]; then echo no luck >&2; exit 3; fi; [ -e exp/used ] && echo goes on; echo done; touch exp/used\n"
ALL = ["stage 1: make one", "stage 1: make two/a", "stage 2: use"]


class Recipe:
    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "run.sh").write_text(RECIPE.format(utils=UTILS))
        (root / "make.sh").write_text('touch "$1"\n')
        (root / "use.sh").write_text(USE)

    def __call__(self, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", "./run.sh", *options], cwd=self.root, capture_output=True, text=True, timeout=60)

    def done(self, *options: str) -> list[str]:
        """Return the steps that ran and were not skipped."""
        result = self(*options)
        assert result.returncode == 0, result.stderr
        lines = [line.removeprefix("run.sh: ") for line in result.stdout.splitlines()]
        return [line.rpartition(": ")[0] for line in lines if not line.endswith("done before")]


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return Recipe(tmp_path)


def test_a_second_run_does_nothing(recipe):
    assert recipe.done() == ALL
    assert recipe.done() == []
    assert recipe.done("--nj", "9") == []


def test_a_stage_that_is_named_runs_again_and_so_do_later_ones(recipe):
    recipe.done()
    assert recipe.done("--stage", "2", "--stop-stage", "2") == ALL[2:]
    assert recipe.done("--stage", "1", "--stop-stage", "1") == ALL[:2]
    assert recipe.done() == ALL[2:]


def test_a_missing_output_is_made_again_and_later_steps_are_repeated(recipe):
    recipe.done()
    (recipe.root / "data/two").unlink()
    assert recipe.done() == ALL[1:]


def test_a_changed_option_repeats_its_step_and_later_ones(recipe):
    recipe.done()
    assert recipe.done("--word", "b") == [ALL[0], ALL[2]]
    assert recipe.done("--word", "b") == []


def test_a_failure_is_reported_and_the_next_run_repeats_the_step(recipe):
    (recipe.root / "fail").touch()
    result = recipe()
    assert result.returncode == 3
    assert result.stderr == "run_jobs.sh: job failed with status 3, log exp/log/2.use.log: no luck\n"
    assert result.stdout.splitlines()[-1].startswith("run.sh: stage 2: use: failed after ")
    (recipe.root / "fail").unlink()
    assert recipe.done() == ALL[2:]


@pytest.mark.parametrize("unchanged", [True, False])
def test_a_killed_step_is_resumed_unless_its_inputs_changed(recipe, unchanged):
    recipe.done()
    done = recipe.root / "exp/.done/2.use.done"
    started = done.rename(done.with_suffix(".started"))
    if not unchanged:
        os.utime(started, (0, 0))  # before the earlier steps ended
    assert recipe.done() == ALL[2:]
    assert ("goes on" in (recipe.root / "exp/log/2.use.log").read_text()) == unchanged


def test_inputs_of_a_stage_are_checked_before_its_steps(recipe):
    result = recipe("--stage", "2")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "run.sh: stage 2: expected file data/one to exist (run stage 1)\n"


def test_a_step_without_its_output_fails(recipe):
    (recipe.root / "use.sh").write_text("true\n")
    result = recipe()
    assert result.returncode == 2
    assert result.stderr == "run.sh: stage 2: expected exp/used from use, found nothing (log: exp/log/2.use.log)\n"


SIDE_BY_SIDE = """set -euo pipefail
. {utils}/parse_options.sh
. {utils}/common.sh
work() {{
  echo "$1 ${{OMP_NUM_THREADS-all}}"
  [ "$1" != wait ] || until [ -e last ]; do sleep 0.01; done
  [ "$1" != wrong ] || fail "no luck"
  touch "$1"
}}
side_by_side {items}
echo all
"""


def side_by_side(folder: Path, items: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    command = ["bash", "-c", SIDE_BY_SIDE.format(utils=UTILS, items=items), "run.sh"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def test_calls_at_the_same_time_share_the_cores(tmp_path):
    """The first call waits for a file that the third one makes."""
    result = side_by_side(tmp_path, "2 work wait b last d")
    assert (result.returncode, result.stderr) == (0, "")
    *lines, end = result.stdout.splitlines()
    share = len(os.sched_getaffinity(0)) // 2 + 1
    assert sorted(lines) == [f"{name} {share}" for name in ("b", "d", "last", "wait")]
    assert end == "all"


def test_the_recipe_fails_if_one_call_fails_after_the_others_end(tmp_path):
    result = side_by_side(tmp_path, "2 work wrong a b")
    assert (result.returncode, result.stderr) == (2, "run.sh: no luck\n")
    assert "all" not in result.stdout.splitlines()
    assert (tmp_path / "b").exists()
