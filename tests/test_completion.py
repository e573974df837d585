"""Shell completion, by its protocol and in bash."""

import os
import shutil
import subprocess
import sys

import pytest

from asr_punct.formats.formats import READABLE, WRITABLE
from asr_punct.hub import shipped_configurations, shipped_models

RUN = "from asr_punct.cli import main; main()"


@pytest.fixture
def complete(run, monkeypatch):
    """Return a function that completes the last word of a command line."""

    def call(line, shell="bash"):
        words = line.split(" ")
        monkeypatch.setenv("_ASR_PUNCT_COMPLETE", f"complete_{shell}")
        monkeypatch.setenv("COMP_WORDS", "\n".join(words))
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        status, out, err = run()
        assert (status, err) == (0, "")
        return out.split()

    return call


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("asr-punct pun", ["punctuate"]),
        ("asr-punct punctuate --fr", ["--from"]),
        ("asr-punct punctuate --from ", READABLE),
        ("asr-punct punctuate --to=", WRITABLE),
        ("asr-punct stream --model ", shipped_models()),
        ("asr-punct info ", shipped_models()),
        ("asr-punct train --config ", sorted(shipped_configurations())),
        ("asr-punct align --lang es", ["es", "es+eu"]),
        ("asr-punct punctuate --subtitles b", ["bbc"]),
        ("asr-punct punctuate --marks COMMA,QU", ["COMMA,QUESTION", "COMMA,QUOTE"]),
        ("asr-punct punctuate --marks QUESTION,QUES", []),
        ("asr-punct prepare t", ["text"]),
        ("asr-punct punctuate talk.ctm --times a", ["asr", "aligner"]),
        ("asr-punct score --audio ta", []),
    ],
)
def test_completed_values(complete, line, offered):
    assert complete(line) == list(offered)


def test_a_bad_value_does_not_stop_completion(complete):
    assert complete("asr-punct align --lang nonsense --meth") == ["--method"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_the_help_too(complete, shell):
    offered = " ".join(complete("asr-punct al", shell))
    assert "align" in offered
    assert "Align audio with its transcript" in offered


def test_completion_imports_nothing_heavy():
    script = f"""
import atexit, sys
heavy = ("numpy", "onnxruntime", "tokenizers", "torch", "rich", "textgrid")
atexit.register(lambda: print([name for name in heavy if name in sys.modules]))
{RUN}
"""
    environment = os.environ | {
        "_ASR_PUNCT_COMPLETE": "complete_bash",
        "COMP_WORDS": "asr-punct\ntrain\n--init\ne",
        "COMP_CWORD": "3",
    }
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["en", "es-eu", "[]"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_real_bash_completes(tmp_path):
    program = tmp_path / "asr-punct"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{RUN}" "$@"\n')
    program.chmod(0o755)
    script = """
eval "$(_ASR_PUNCT_COMPLETE=source_bash asr-punct)"
COMP_WORDS=(asr-punct punctuate --from lh)
COMP_CWORD=3
"$(complete -p asr-punct | sed 's/.*-F \\([^ ]*\\) .*/\\1/')" asr-punct
echo "${COMPREPLY[*]}"
"""
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "--norc", "-c", script], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("lhotse\n", "")
