"""The help of each command as a person reads it, and its examples as a person types them."""

import io
import json
import shlex
import subprocess
import sys

import pytest
import typer
from dummies import file, utterances

from asr_punct.cli.base import Part, app
from asr_punct.formats.tsv import write_tsv
from asr_punct.hub import PRETRAINED, shipped_models

RUN = [sys.executable, "-c", "from asr_punct.cli import main; main()"]
COMMANDS = typer.main.get_command(app).commands
EXAMPLES = [line.strip() for command in COMMANDS.values() for line in command.epilog.splitlines() if line[:1] == " "]
RUNS = {"punctuate", "stream", "pauses", "score", "models", "info", "prepare text"}


def arguments(example):
    """The words of an example's last command, without the program's name."""
    words = shlex.split(example)
    return words[words.index("asr-punct") + 1 :]


def is_run(example):
    """Whether a test runs it: the others need a corpus, a voice or half an hour."""
    first, *others = arguments(example)
    return {first, " ".join([first, *others[:1]])} & RUNS


def test_the_help_lists_every_command_in_its_part(run):
    status, out, err = run("--help")
    assert (status, err) == (0, "")
    sections = out.split("\n\n")
    listed = {part: [text for text in sections if text.startswith(f"{part}:")] for part in Part}
    for name, command in COMMANDS.items():
        (section,) = listed[command.rich_help_panel]
        assert f"\n  {name} " in section


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_the_help_fits_a_terminal(run, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = run(*[name] * bool(name), "--help")
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert all(char.isprintable() or char == "\n" for char in out)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_tells_its_statuses_and_examples(run, name):
    out = run(name, "--help")[1]
    assert "\nExit status:\n  0 " in out
    assert f"asr-punct {name} " in out[out.index("\nExamples:\n") :].replace("\n", " ")


@pytest.mark.parametrize("example", EXAMPLES)
def test_each_example_parses(example):
    name, *rest = arguments(example)
    COMMANDS[name].make_context(name, rest)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A directory with the files that the examples name."""
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
    said = [{"word": "Buenos", "start": 0, "end": 0.3}, {"word": "días.", "start": 0.4, "end": 0.7}]
    file(tmp_path, "hyp.json", json.dumps({"utterances": [{"recording": "talk", "words": said}]}))
    for name in ("ref.tsv", "one.tsv", "two.tsv"):
        with open(tmp_path / name, "w", encoding="utf-8") as out:
            write_tsv(utterances(5, 1), out)
    file(tmp_path, "speeches.txt", "\n\n".join(f"Discurso {i}. ¿Otra línea?" for i in range(60)))
    data = tmp_path / "data"
    data.mkdir()
    file(data, "text", "u1 Buenos días a todos. ¿Qué tal están?\n")
    file(data, "ctm", rows.replace("talk", "u1"))
    (tmp_path / "my-model").symlink_to(PRETRAINED / "es-eu")
    return tmp_path


@pytest.mark.skipif(not shipped_models(), reason="no model is shipped")
@pytest.mark.parametrize("example", [line for line in EXAMPLES if is_run(line)])
def test_the_examples_run(run, place, monkeypatch, example):
    if "talk.wav" in example:
        np, audio = pytest.importorskip("numpy"), pytest.importorskip("asr_punct.audio")
        pytest.importorskip("soundfile")
        audio.write(place / "talk.wav", np.sin(np.arange(5 * 16000) / 20).astype(np.float32) * 0.3, 16000)
    typed = shlex.split(example)[1] if example.startswith("echo") else "hola qué tal\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
    words = arguments(example)
    status, out, err = run(*words)
    assert status == 0, err
    assert "Traceback" not in err
    for option in ("-o", "--json", "--html"):
        if option in words:
            assert (place / words[words.index(option) + 1]).stat().st_size
    assert out or "-o" in words or words[0] == "prepare"


FULL = "found No space left on device, expected a place where a file can be written"


@pytest.mark.parametrize("words", [["--help"], ["score", "--help"], ["--version"], []])
def test_help_onto_a_full_disk_is_told_in_one_line(words):
    with open("/dev/full", "w") as full:
        done = subprocess.run([*RUN, *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, f"asr-punct: standard output: {FULL}\n")


@pytest.mark.parametrize("words", [["pauses", "talk.ctm", "-o"], ["score", "ref.txt", "hyp.txt", "--json"]])
def test_output_onto_a_full_disk_is_told_in_one_line(place, words):
    done = subprocess.run([*RUN, *words, "/dev/full"], capture_output=True, text=True)
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (2, [f"asr-punct: /dev/full: {FULL}"])
    assert "Traceback" not in done.stderr


def test_help_into_a_pipe_that_is_cut_is_no_error():
    with subprocess.Popen([*RUN, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)
