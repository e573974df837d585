"""Utilities of the recipes: options of scripts, jobs, data directories."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

UTILS = Path(__file__).parent.parent / "recipes" / "utils"
sys.path.insert(0, str(UTILS))

from split_data_dir import assign  # noqa: E402


def call(*command: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=60)


def python(script: str, *arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return call(sys.executable, UTILS / script, *arguments, cwd=cwd)


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
        return call("bash", script, *arguments)

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

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            (["--jobs", "4"], "thing.sh: unknown option --jobs (see --help)"),
            (["--PATH", "4"], "thing.sh: unknown option --PATH (see --help)"),
            (["--nj"], "thing.sh: option --nj needs a value (see --help)"),
            (["--nj=4"], "thing.sh: expected '--nj VALUE', found '--nj=4' (see --help)"),
            (["--fast", "1"], "thing.sh: option --fast: found '1', expected true or false"),
        ],
    )
    def test_errors_are_one_line_and_status_2(self, tmp_path, arguments, expected):
        done = self.run(tmp_path, *arguments)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", expected + "\n")

    def test_help_is_the_head_of_the_script(self, tmp_path):
        done = self.run(tmp_path, "--nj", "1", "--help")
        assert (done.returncode, done.stdout) == (0, "Does a thing.\n\n  --nj N    jobs\n")


class TestRunJobs:
    def run(self, tmp_path, *arguments):
        return call("bash", UTILS / "run_jobs.sh", *arguments, cwd=tmp_path)

    def test_a_log_has_command_output_and_status(self, tmp_path):
        done = self.run(tmp_path, "JOB=3", "x.JOB.log", "echo", "two  'words' JOB", "|", "tr", "w", "W")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        lines = (tmp_path / "x.3.log").read_text().splitlines()
        assert lines[0].startswith("# echo 'two ")
        assert lines[3] == "tWo  'Words' 3"
        assert lines[4].startswith("# Ended (code 0) at ")

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
        command = ["bash", UTILS / "run_jobs.sh", "x.log", "echo", "$$", ">", "pid;", "sleep", "60", "||", "true"]
        runner = subprocess.Popen(command, cwd=tmp_path, start_new_session=True, preexec_fn=accept_signals)
        pid_file = tmp_path / "pid"
        wait_for(lambda: pid_file.exists() and pid_file.read_text().strip())
        runner.send_signal(number)
        runner.wait(10)
        wait_for(lambda: not alive(int(pid_file.read_text())))


def accept_signals() -> None:
    """A shell that runs the tests in the background ignores SIGINT, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


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


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    root = tmp_path / "data"
    root.mkdir()
    names = [f"u{n}" for n in range(6)]
    for name in names:
        (root / f"{name}.wav").write_bytes(b"sound")
    (root / "wav.scp").write_text("".join(f"{name} {root / name}.wav\n" for name in names))
    (root / "text").write_text("".join(f"{name} Bai, {'hitz ' * n}zara.\n" for n, name in enumerate(names)))
    (root / "utt2spk").write_text("".join(f"{name} s\n" for name in names))
    (root / "reco2file_and_channel").write_text("".join(f"{name} {name} 1\n" for name in names))
    return root


class TestSplit:
    @given(words=st.lists(st.integers(0, 50), min_size=1, max_size=40), parts=st.integers(1, 40))
    def test_parts_follow_each_other_and_none_is_empty(self, words, parts):
        parts = min(parts, len(words))
        assigned = list(assign({str(n): count for n, count in enumerate(words)}, parts).values())
        assert assigned == sorted(assigned)
        assert set(assigned) == set(range(1, parts + 1))

    def test_parts_together_are_the_directory(self, data_dir):
        assert python("split_data_dir.py", data_dir, 3).returncode == 0
        for name in ("text", "wav.scp", "utt2spk", "reco2file_and_channel"):
            parts = [(data_dir / "split3" / str(part) / name).read_text() for part in (1, 2, 3)]
            assert "".join(parts) == (data_dir / name).read_text()
            assert all(parts)
        assert not (data_dir / "split3.partial").exists()

    def test_segments_of_a_recording_stay_together(self, data_dir):
        (data_dir / "segments").write_text("".join(f"u{n} r{n // 2} {n}.0 {n}.5\n" for n in range(6)))
        (data_dir / "wav.scp").write_text("".join(f"r{n} r{n}.wav\n" for n in range(3)))
        (data_dir / "reco2file_and_channel").unlink()
        assert python("split_data_dir.py", data_dir, 3).returncode == 0
        for part in (1, 2, 3):
            here = data_dir / "split3" / str(part)
            assert [line.split()[0] for line in (here / "text").read_text().splitlines()] == [
                f"u{2 * part - 2}",
                f"u{2 * part - 1}",
            ]
            assert (here / "wav.scp").read_text() == f"r{part - 1} r{part - 1}.wav\n"

    def test_documents_stay_together_in_the_order_of_utt2doc(self, data_dir):
        documents = {"u3": "a", "u1": "a", "u5": "a", "u0": "b", "u4": "b", "u2": "b"}
        (data_dir / "utt2doc").write_text("".join(f"{name}\t{document}\n" for name, document in documents.items()))
        assert python("split_data_dir.py", data_dir, 2).returncode == 0
        parts = [(data_dir / "split2" / part / "utt2doc").read_text() for part in "12"]
        assert parts == ["u3 a\nu1 a\nu5 a\n", "u0 b\nu4 b\nu2 b\n"]
        for name in ("text", "wav.scp"):
            lines = (data_dir / "split2" / "1" / name).read_text().splitlines()
            assert [line.split()[0] for line in lines] == ["u1", "u3", "u5"]
        assert python("split_data_dir.py", data_dir, 3).returncode == 0
        parts = [(data_dir / "split3" / part / "utt2doc").read_text() for part in "123"]
        assert "".join(parts).split()[::2] == list(documents)

    @pytest.mark.parametrize(
        ("names", "found"),
        [("u0 u1 u2 u3 u4", "no utterance 'u5'"), ("u9 u0 u1 u2 u3 u4 u5", "unknown utterance 'u9'")],
    )
    def test_utt2doc_with_other_utterances(self, data_dir, names, found):
        (data_dir / "utt2doc").write_text("".join(f"{name} a\n" for name in names.split()))
        done = python("split_data_dir.py", data_dir, 2)
        message = f"found {found}, expected the utterances of segments, else of text\n"
        assert (done.returncode, done.stderr) == (2, f"split_data_dir.py: {data_dir / 'utt2doc'}: {message}")

    def test_too_many_parts(self, data_dir):
        done = python("split_data_dir.py", data_dir, 7)
        assert (done.returncode, done.stderr) == (
            2,
            f"split_data_dir.py: {data_dir}: found 6 recordings, expected at least 7, one for each part\n",
        )
        assert not (data_dir / "split7").exists()
