"""Utilities of the recipes: options of scripts, jobs, data directories."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from dummies import accept_signals
from hypothesis import given
from hypothesis import strategies as st
from recipe_runs import HOSTILE, KALDI_RUNNER, ROOT, environment, run, write_script
from split_decode import assign

UTILS = ROOT / "recipes" / "utils"


class TestParseOptions:
    SCRIPT = """#!/usr/bin/env bash
# Does a thing.
#
#   --nj N    jobs

# not part of the help
nj=2
stop_stage=100
device=
fast=false
. {utils}/parse_options.sh
echo "nj=$nj stop_stage=$stop_stage device=$device fast=$fast rest=$*"
"""

    def run(self, tmp_path, *arguments):
        script = tmp_path / "thing.sh"
        script.write_text(self.SCRIPT.format(utils=UTILS))
        return run(["bash", script, *arguments], tmp_path)

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ([], "nj=2 stop_stage=100 device= fast=false rest="),
            (["--nj", "4", "a", "--nj", "5"], "nj=4 stop_stage=100 device= fast=false rest=a --nj 5"),
            (["--stop-stage", "3", "--device", "a b"], "nj=2 stop_stage=3 device=a b fast=false rest="),
            (["--stop_stage", "3", "--", "--x"], "nj=2 stop_stage=3 device= fast=false rest=--x"),
            (["--fast", "true", "--nj", "-1"], "nj=-1 stop_stage=100 device= fast=true rest="),
        ],
    )
    def test_variables_are_options(self, tmp_path, arguments, expected):
        done = self.run(tmp_path, *arguments)
        assert (done.returncode, done.stdout, done.stderr) == (0, expected + "\n", "")

    def test_an_array_takes_the_options_of_another_script(self, tmp_path):
        script = tmp_path / "thing.sh"
        script.write_text(f'nj=2\nothers=()\n. {UTILS}/parse_options.sh\nprintf "%s|" "$nj" "${{others[@]}}"\n')
        done = run(["bash", script, "--seed", "1 2", "--nj", "4", "--stage", "3"], tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "4|--seed|1 2|--stage|3|", "")
        done = run(["bash", script, "--seed"], tmp_path)
        assert (done.returncode, done.stderr) == (2, "thing.sh: option --seed needs a value (see --help)\n")

    @pytest.mark.parametrize("arguments", ["--jobs 4", "--PATH 4", "--nj", "--nj=4", "--fast 1"])
    def test_errors_are_one_line_and_status_2(self, tmp_path, arguments):
        done = self.run(tmp_path, *arguments.split())
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)

    def test_help_is_the_head_of_the_script(self, tmp_path):
        done = self.run(tmp_path, "--nj", "1", "--help")
        assert (done.returncode, done.stdout) == (0, "Does a thing.\n\n  --nj N    jobs\n")


class TestRunJobs:
    def run(self, tmp_path, *arguments):
        return run(["bash", UTILS / "run_jobs.sh", *arguments], tmp_path)

    def test_a_log_has_command_output_and_status(self, tmp_path):
        done = self.run(tmp_path, "JOB=3", "x.JOB.log", "echo", "two  'words' JOB", "|", "tr", "w", "W")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        lines = (tmp_path / "x.3.log").read_text().splitlines()
        assert lines[0].startswith("# echo 'two ")
        assert lines[3] == "tWo  'Words' 3"
        assert lines[4].startswith("# Ended (code 0) at ")

    @pytest.mark.parametrize("name", [HOSTILE, "out$(id>X)", "R&D", "a\nb", "it's", "*", "~", "!", "(a)", "{a,b}"])
    def test_arguments_are_not_interpreted(self, tmp_path, name):
        done = self.run(tmp_path, "JOB=3", f"{name}/x.JOB.log", "printf", "%s", name, ">", f"{name}/JOB")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert (tmp_path / name / "3").read_text() == name
        assert {path.name for path in tmp_path.iterdir()} == {name}

    def test_failure_names_the_log_and_its_last_line(self, tmp_path):
        command = "if [ JOB = 2 ]; then echo it broke >&2; exit 3; fi"
        done = self.run(tmp_path, "JOB=1:3", "x.JOB.log", "bash", "-c", command)
        assert done.returncode == 3
        assert done.stderr == "run_jobs.sh: 1 of 3 jobs failed with status 3, log x.2.log: it broke\n"
        assert "# Ended (code 3) at" in (tmp_path / "x.2.log").read_text()
        assert "# Ended (code 0) at" in (tmp_path / "x.3.log").read_text()

    @pytest.mark.parametrize(
        "arguments", [["x.log"], ["JOB=1:2", "x.log", "true"], ["JOB=2:1", "x.JOB.log", "true"], ["--mem"]]
    )
    def test_wrong_calls_are_one_line_and_status_2(self, tmp_path, arguments):
        done = self.run(tmp_path, *arguments)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_jobs_end_with_it(self, tmp_path, number):
        command = ["bash", UTILS / "run_jobs.sh", "x.log", "bash", "-c", "echo $$ >pid; sleep 60 || true"]
        runner = subprocess.Popen(command, cwd=tmp_path, start_new_session=True, preexec_fn=accept_signals)
        pid_file = tmp_path / "pid"
        wait_for(lambda: pid_file.exists() and pid_file.read_text().strip())
        runner.send_signal(number)
        runner.wait(10)
        wait_for(lambda: not alive(int(pid_file.read_text())))


def alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def wait_for(condition, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            pytest.fail("it did not happen")
        time.sleep(0.02)


@given(words=st.lists(st.integers(0, 50), min_size=1, max_size=40), parts=st.integers(1, 40))
def test_parts_follow_each_other_and_none_is_empty(words, parts):
    parts = min(parts, len(words))
    assigned = list(assign({str(n): count for n, count in enumerate(words)}, parts).values())
    assert assigned == sorted(assigned)
    assert set(assigned) == set(range(1, parts + 1))


ALIGN = ROOT / "recipes" / "align.sh"
ALIGNER = f"""#!{sys.executable}
import sys
from asr_punct.formats.kaldi.tables import read_data_dir
items = list(read_data_dir(sys.argv[sys.argv.index("--data-dir") + 1]))
print(len(items))
with open(sys.argv[sys.argv.index("-o") + 1], "w") as out:
    out.writelines(f"{{item.id}} {{item.recording}} {{item.audio}} {{item.text}}\\n" for item in items)
"""


@pytest.mark.parametrize(("jobs", "sizes"), [(1, [4]), (3, [2, 1, 1]), (9, [1, 1, 1, 1])])
@pytest.mark.parametrize("table", ["utt2doc", "segments", "text"])
def test_jobs_align_parts_in_the_order_of_the_table_that_lists_the_utterances(tmp_path, jobs, sizes, table):
    write_script(tmp_path / "bin" / "asr-punct", ALIGNER)
    tables = {"wav.scp": "{name} {name}.wav", "text": "{name} Bai, {name}.", "segments": "{name} u1 0 1"}
    tables["utt2doc"] = "{name} d"
    data = tmp_path / "data"
    data.mkdir()
    for name, line in list(tables.items())[: list(tables).index(table) + 1]:
        names = ["u3", "u1", "u5", "u0"] if name == table else ["u0", "u1", "u3", "u5"]
        (data / name).write_text("".join(line.format(name=each) + "\n" for each in names))
    done = run([ALIGN, "--nj", jobs, data], tmp_path, environment(tmp_path / "bin"))
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in (data / "ctm").read_text().splitlines()]
    assert [row[0] for row in rows] == ["u3", "u1", "u5", "u0"]
    assert all(row[-1] == f"{row[0]}." and row[2] == f"{row[1]}.wav" for row in rows)
    logs = [(data / "log" / f"align.{job}.log").read_text().splitlines()[3] for job in range(1, len(sizes) + 1)]
    assert sorted(map(int, logs), reverse=True) == sizes
    assert not list(data.glob("split*"))


@pytest.mark.parametrize("runner", ["run_jobs.sh", "run.pl --mem 2G"])
def test_no_shell_interprets_the_name_of_a_folder(tmp_path, runner):
    write_script(tmp_path / "bin" / "asr-punct", ALIGNER)
    write_script(tmp_path / "bin" / "run.pl", KALDI_RUNNER)
    data = tmp_path / HOSTILE
    data.mkdir()
    for name in ("wav.scp", "text"):
        (data / name).write_text("u1 Bai.\nu2 Ez.\n")
    options = ["--cmd", runner, "--lang", HOSTILE]
    done = run([ALIGN, *options, HOSTILE], tmp_path, environment(tmp_path / "bin", UTILS))
    assert (done.returncode, done.stderr) == (0, "")
    assert (data / "ctm").read_text() == "u1 u1 Bai. Bai.\nu2 u2 Ez. Ez.\n"
    assert {path.name for path in tmp_path.iterdir()} == {HOSTILE, "bin"}


@pytest.mark.parametrize("other", ["segments", "text"])
@pytest.mark.parametrize("names", [["u2", "u0"], ["u2", "u1", "v", "u0"]])
def test_utt2doc_with_other_utterances_is_refused_before_any_job(tmp_path, other, names):
    tables = {"text": ["u0", "u1", "u2"], "utt2doc": names}
    if other == "segments":
        tables = {"text": names, "segments": ["u2", "u1", "u0"], "utt2doc": names}
    for table, utterances in tables.items():
        (tmp_path / table).write_text("".join(f"{name} r 0 1\n" for name in utterances))
    assert run([ALIGN, tmp_path], tmp_path).returncode == 2
    assert {path.name for path in tmp_path.iterdir()} == tables.keys()


@pytest.mark.parametrize(
    ("changed", "options", "words"),
    [
        (False, ["--lang", "es"], "old"),
        (True, ["--lang", "es"], "u.wav Bai."),
        (False, ["--lang", "eu"], "u.wav Bai."),
        (False, [], "u.wav Bai."),
    ],
)
def test_a_second_run_aligns_finished_parts_again_after_a_change(tmp_path, changed, options, words):
    write_script(tmp_path / "bin" / "asr-punct", ALIGNER)
    part = tmp_path / "split1" / "1"
    part.mkdir(parents=True)
    (part / "ctm").write_text("u u old\n")
    (part.parent / "made_by").write_text("es dtw \n")
    for name, value in {"wav.scp": "u.wav", "text": "Bai.", "utt2doc": "d"}.items():
        (tmp_path / name).write_text(f"u {value}\n")
        os.utime(tmp_path / name, (0, 0))
    if changed:
        os.utime(tmp_path / "utt2doc", (2**32, 2**32))
    done = run([ALIGN, *options, tmp_path], tmp_path, environment(tmp_path / "bin"))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "ctm").read_text() == f"u u {words}\n"


# Steps of a recipe (recipes/utils/common.sh)


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
        return run(["bash", "./run.sh", *options], self.root)

    def done(self, *options: str) -> list[str]:
        """Return the steps that ran and were not skipped."""
        result = self(*options)
        assert result.returncode == 0, result.stderr
        lines = [line.removeprefix("run.sh: ") for line in result.stdout.splitlines()]
        return [line.rpartition(": ")[0] for line in lines if not line.endswith("done before")]


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return Recipe(tmp_path)


@pytest.mark.parametrize("runner", ["", "./run.pl --mem 2G"])
def test_no_shell_interprets_the_arguments_of_a_step(recipe, runner):
    write_script(recipe.root / "run.pl", KALDI_RUNNER)
    (recipe.root / "make.sh").write_text('touch "$1"; printf %s "$2" >word\n')
    with (recipe.root / "run.sh").open("r+") as script:
        content = script.read().replace("stage=0", f"stage=0\nrunner='{runner}'", 1)
        script.seek(0)
        script.write(content.replace('"$nj" end', '"$nj" end \\> "$word"'))
    assert recipe.done("--word", HOSTILE) == ALL
    assert (recipe.root / "word").read_text() == "--nj"
    assert (recipe.root / HOSTILE).exists()
    assert not (recipe.root / "X").exists()


def test_a_second_run_does_nothing(recipe):
    assert recipe.done() == ALL
    assert recipe.done() == []
    assert recipe.done("--nj", "9") == []


def test_a_stage_that_is_named_runs_again_and_so_do_later_ones(recipe):
    recipe.done()
    assert recipe.done("--stage", "2", "--stop-stage", "2") == ALL[2:]
    assert recipe.done("--stage", "1", "--stop-stage", "1") == ALL[:2]
    assert recipe.done() == ALL[2:]


def test_after_a_change_steps_and_later_ones_are_repeated(recipe):
    recipe.done()
    (recipe.root / "data/two").unlink()
    assert recipe.done() == ALL[1:]
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
    assert (result.returncode, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert "data/one" in result.stderr


def test_a_step_without_its_output_fails(recipe):
    (recipe.root / "use.sh").write_text("true\n")
    result = recipe()
    assert (result.returncode, len(result.stderr.splitlines())) == (2, 1)


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
    without_threads = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    return run(["bash", "-c", SIDE_BY_SIDE.format(utils=UTILS, items=items), "run.sh"], folder, without_threads)


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
