"""The help of each command, and its examples."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import typer
from dummies import COMMAND_LINE, file, utterances

from asr_punct.cli.commands import app
from asr_punct.cli.messages import option_name
from asr_punct.errors import ExitStatus
from asr_punct.formats.lines.tsv import write_tsv
from asr_punct.formats.registry import READABLE, WRITABLE, WRITTEN_BACK
from asr_punct.hub import PRETRAINED, shipped_configurations, shipped_models
from asr_punct.restoring import PipelineOptions

ROOT = Path(__file__).parent.parent
COMMANDS = typer.main.get_command(app).commands
EXAMPLES = [line.strip() for command in COMMANDS.values() for line in command.epilog.splitlines() if line[:1] == " "]
FAST = ("punctuate", "stream", "pauses", "evaluate", "score", "models", "info", "prepare text")
"""Commands whose examples are run. The others need a corpus, a voice or half an hour."""


def arguments(example):
    """Return the arguments of `asr-punct` in an example."""
    words = shlex.split(example)
    return words[words.index("asr-punct") + 1 :]


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_the_help_fits_a_terminal(run, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = run(*[name] * bool(name), "--help")
    assert (status, err) == (0, "")
    assert all(f"  {command} " in out for command in COMMANDS) or name
    assert max(map(len, out.splitlines())) <= 80
    assert all(char.isprintable() or char == "\n" for char in out)


def test_every_exit_status_is_in_the_help_and_the_documentation(run):
    _, out, _ = run("models", "--help")
    helped = " ".join(out.split())
    line = next(
        each for each in (ROOT / "docs/commands.md").read_text().splitlines() if each.startswith("Exit status: ")
    )
    for status in ExitStatus:
        assert f" {int(status)} {status.meaning} " in helped
        assert re.search(rf"[:,] {int(status)} \w", line), status


def test_a_parameter_has_one_name_in_all_commands():
    """Groups of options have the names of the pipeline's fields, and `option_name` finds the options of parameters."""
    parameters = [(name, each) for name, command in COMMANDS.items() for each in command.params]
    named = {(name, each.name): each.opts for name, each in parameters if each.param_type_name == "option"}
    assert [key for key, opts in named.items() if key[1] != "help" and option_name(key[1], key[0]) not in opts] == []
    settings = {each.name for each in fields(PipelineOptions)}
    assert settings <= {each.name for each in COMMANDS["punctuate"].params}


@pytest.mark.parametrize("example", EXAMPLES)
def test_each_example_parses(example):
    name, *rest = arguments(example)
    COMMANDS[name].make_context(name, rest)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Working directory with the files that the examples name."""
    monkeypatch.chdir(tmp_path)
    words = ["buenos", "días", "a", "todos", "qué", "tal", "están"]
    rows = "".join(f"talk 1 {0.4 * i:.2f} 0.30 {word}\n" for i, word in enumerate(words))
    file(tmp_path, "talk.ctm", rows)
    file(tmp_path, "talk.txt", "good morning how are you\n")
    for name in ("ref.txt", "hyp.txt"):
        file(tmp_path, name, "Buenos días a todos. ¿Qué tal están?\n")
    entries = [{"word": word, "start": i, "end": i + 0.5} for i, word in enumerate(words)]
    segment = {"start": 0, "end": 7, "text": " ".join(words), "words": entries}
    file(tmp_path, "whisper.json", json.dumps({"text": segment["text"], "segments": [segment], "language": "es"}))
    heard = [{"word": "Buenos", "start": 0, "end": 0.3}, {"word": "días.", "start": 0.4, "end": 0.7}]
    file(tmp_path, "hyp.json", json.dumps({"utterances": [{"recording": "talk", "words": heard}]}))
    for name in ("ref.tsv", "one.tsv", "two.tsv"):
        with open(tmp_path / name, "w", encoding="utf-8") as out:
            write_tsv(utterances(5, 1), out)
    file(tmp_path, "speeches.txt", "\n\n".join(f"Discurso {i}. ¿Otra línea?" for i in range(60)))
    data = tmp_path / "data"
    data.mkdir()
    file(data, "test.tsv", (tmp_path / "one.tsv").read_bytes())
    file(data, "text", "u1 Buenos días a todos. ¿Qué tal están?\n")
    file(data, "ctm", rows.replace("talk", "u1"))
    (tmp_path / "my-model").symlink_to(PRETRAINED / "es-eu")
    return tmp_path


@pytest.mark.skipif(not shipped_models(), reason="no model is shipped")
@pytest.mark.parametrize("example", [line for line in EXAMPLES if " ".join(arguments(line)).startswith(FAST)])
def test_the_examples_run(run, folder, talk, standard_input, example):
    standard_input(shlex.split(example)[1] if example.startswith("echo") else "hola qué tal\n")
    words = arguments(example)
    status, out, err = run(*words)
    assert status == 0, err
    assert "Traceback" not in err
    for option in ("-o", "--json", "--html"):
        if option in words:
            assert (folder / words[words.index(option) + 1]).stat().st_size
    assert out or "-o" in words or words[0] == "prepare"


# Shell completion, by its protocol and in bash


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
        ("asr-punct punctuate --to=", WRITABLE + WRITTEN_BACK),
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


@pytest.mark.parametrize("option", ["punctuate --model", "info", "train --init", "evaluate es-eu test.tsv --compare"])
def test_models_of_the_model_path_are_completed(complete, tmp_path, monkeypatch, option):
    (tmp_path / "galego").mkdir()
    file(tmp_path / "galego", "config.json", "{}")
    monkeypatch.setenv("ASR_PUNCT_MODELS", str(tmp_path))
    assert complete(f"asr-punct {option} ga") == ["galego"]


def test_completion_imports_nothing_heavy():
    script = f"""
import atexit, sys
heavy = ("numpy", "onnxruntime", "tokenizers", "torch", "rich", "textgrid")
atexit.register(lambda: print([name for name in heavy if name in sys.modules]))
{COMMAND_LINE[-1]}
"""
    environment = os.environ | {
        "_ASR_PUNCT_COMPLETE": "complete_bash",
        "COMP_WORDS": "asr-punct\ntrain\n--init\ne",
        "COMP_CWORD": "3",
    }
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["en", "es-eu", "es-eu-small", "[]"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_real_bash_completes(tmp_path):
    program = tmp_path / "asr-punct"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{COMMAND_LINE[-1]}" "$@"\n')
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
    assert (done.stdout, done.stderr) == ("lhotse lhotse-cuts\n", "")
