"""Bad input and usage: status 2, one line on standard error, and no output file."""

import ast
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from dummies import COMMAND_LINE, examples, file

from asr_punct import cli, hub
from asr_punct.cli.messages import error_line
from asr_punct.errors import ArgumentError, InputError, Setting

CTM = "r 1 0.10 0.20 ana\nr 1 0.30 0.20 mira\n"


@pytest.fixture
def refused(run, tmp_path):
    """Return a function that runs a command and checks its error message; no file may be added."""

    def check(arguments, *parts):
        before = set(tmp_path.rglob("*"))
        status, out, err = run(*arguments)
        assert (status, out, len(err.splitlines())) == (2, "", 1), err
        assert err.startswith("asr-punct: ")
        for part in parts:
            assert part in err
        assert set(tmp_path.rglob("*")) == before

    return check


@pytest.mark.parametrize("command", ["punctuate", "pauses"])
@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("a.ctm", "r 1 0.1 0.2 a\nr 1 0.3\n", ["a.ctm:2: found 3 columns, expected 5, 6 or 8 columns"]),
        ("a.txt", b"ni\xf1o \x9f\n", ["a.txt:1: found byte 0xf1", "expected UTF-8"]),
        (
            "a.json",
            '{"utterances": [{"words": [{"word": 3, "start": 2}]}]}',
            ["a.json: utterance 1: word 1: found the word 3"],
        ),
    ],
)
def test_malformed_input(refused, model, tmp_path, command, name, content, parts):
    options = ["--model", model] if command == "punctuate" else []
    refused([command, *options, file(tmp_path, name, content), "-o", tmp_path / "out.tsv"], *parts)


@pytest.mark.parametrize("command", ["punctuate", "pauses", "batch"])
def test_one_line_tells_of_times_that_make_no_sense_and_strict_refuses_them(run, refused, model, tmp_path, command):
    source = file(tmp_path, "a.ctm", "r 1 2 -1 a\nr 1 nan 1 b\nr 1 3 1 c\n")
    options = [] if command == "pauses" else ["--model", model]
    output = tmp_path / ("out" if command == "batch" else "out.tsv")
    status, _, err = run(command, source, "-o", output, *options)
    found = "2 words with times that make no sense (first: record 1, word 1: end 1.0 before start 2.0)"
    lines = err.count(f"{source}: {found}; their pauses are unknown\n")
    assert (status, lines) == (0, command != "pauses")  # which logs it
    if command != "batch":
        strict = [command, source, "-o", tmp_path / "strict.tsv", "--strict", *options]
        refused(strict, "a.ctm: record 1, word 1: found end 1.0 before start 2.0")


@pytest.mark.parametrize(
    "command", ["punctuate missing", "score missing missing", "pauses missing -o a.tsv", "prepare text missing out"]
)
def test_a_missing_file(refused, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    refused(command.split(), "missing: found no such file")


def test_truncated_audio(refused, tmp_path):
    pytest.importorskip("av")
    import numpy as np

    from asr_punct.audio import write_samples

    write_samples(tmp_path / "whole.m4a", np.sin(np.arange(32000) / 20).astype(np.float32) * 0.3, 16000)
    cut = file(tmp_path, "cut.m4a", (tmp_path / "whole.m4a").read_bytes()[:3000])
    text, output = file(tmp_path, "a.txt", "hola\n"), tmp_path / "a.ctm"
    refused(["align", cut, text, "--lang", "es", "-o", output], "cut.m4a: found")
    refused(["pauses", file(tmp_path, "r.ctm", CTM), "--audio", cut, "-o", tmp_path / "a.tsv"], "cut.m4a: found")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.onnx"])
def test_a_damaged_model(refused, model, tmp_path, name):
    copy = tmp_path / "copy"
    shutil.copytree(model, copy)
    (copy / name).write_bytes((model / name).read_bytes()[:100])
    source = file(tmp_path, "a.txt", "hola\n")
    refused(["punctuate", "--model", copy, source, "-o", tmp_path / "b.txt"], f"{name}: found")


@pytest.mark.parametrize(("command", "place", "found"), examples("usage_errors.tsv"))
def test_bad_usage(refused, tmp_path, monkeypatch, command, place, found):
    monkeypatch.chdir(tmp_path)
    file(tmp_path, "a.txt", "hola\n")
    refused(command.split(), f"{place}: found {found}" if place else f": found {found}")


@pytest.mark.parametrize(("command", "wrong"), [("punctuate --wrong", "--wrong"), ("nonsense", "nonsense")])
def test_unknown_options_and_commands(refused, command, wrong):
    refused(command.split(), wrong)


def test_parameters_are_written_as_options():
    error = ArgumentError("class_weights", "'x'", "a number", Setting("source_format", "ctm"))
    assert error_line(error, ["punctuate"]) == "--class-weights: found 'x', expected a number (--from ctm)"
    assert error_line(error, ["score"]).endswith("(--ref-from or --hyp-from ctm)")
    assert error_line(error.at("output")).startswith("-o: ")
    assert error_line(InputError("a.ctm", "a", "b", Setting("lowercase"))) == "a.ctm: found a, expected b (--lowercase)"


PACKAGE = Path(cli.__file__).parent.parent
OPTION = re.compile(r"(?<![\w-])--[a-z]")
COMMAND = re.compile(r"asr-punct [a-z]+ [^()]*")
"""A whole command line."""


def options_in(path):
    """Return the strings of a module that name options, but for docstrings and command lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in docstrings]
    texts = [node.value for node in nodes if isinstance(node.value, str)]
    return [text for text in texts if OPTION.search(COMMAND.sub("", text))]


def test_only_the_command_line_names_options():
    """Other packages name parameters, by `errors.ArgumentError` and `errors.Setting`; the service has no options."""
    modules = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] != "cli"]
    assert {str(path): found for path in modules if (found := options_in(path))} == {}


def test_audio_needs_times(refused, model, tmp_path):
    source = file(tmp_path, "a.txt", "hola\n")
    refused(["punctuate", "--model", model, "--audio", "a.wav", source], "words without times", "asr-punct align")


WITH_LANGUAGE = [["align"], ["pauses", "a.ctm", "-o", "a.tsv"], ["prepare", "text", "-", "b"], ["score", "a", "b"]]


@pytest.mark.parametrize("command", WITH_LANGUAGE)
@pytest.mark.parametrize("code", ["", "e", "klingon", "auto", "e1", "ñu", "es eu"])
def test_bad_language_codes(refused, command, code):
    refused([*command, "--lang", code], f"--lang: found {code!r}")


def test_a_language_without_a_voice(refused, talk, tmp_path):
    pytest.importorskip("espeakng_loader")
    text = file(tmp_path, "a.txt", "hola\n")
    refused(["align", talk, text, "--lang", "xx"], "--lang: found 'xx', expected a voice of espeak-ng")


def test_a_model_without_weights_is_not_exported(refused, graphs, tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "PRETRAINED", tmp_path)
    copy = graphs("model.onnx")
    config = (copy / "config.json").read_text()
    message = f"{copy}: found a model that ships as a graph, expected a directory of asr-punct train"
    for name in (copy.name, copy):
        refused(["export", name], message)
    assert (copy / "config.json").read_text() == config


# No command overwrites a file that it reads, except `punctuate` in place


MUNDO_CTM = "r 1 0.10 0.20 hola\nr 1 0.40 0.20 mundo\n"
FILES = {
    "a.wav": "sound",
    "b.wav": "sound",
    "a.txt": "hola mundo\n",
    "b.txt": "Hola, mundo.\n",
    "c.txt": "Hola mundo.\n",
    "a.ctm": MUNDO_CTM,
    "a.tsv": "hola\tO\t-\tO\n\n",
    "wav.scp": "r a.wav\n",
    "d/text": "r hola mundo\n",
    "d/train.tsv": "Hola.\n",
    "d/ctm": MUNDO_CTM,
    "d/wav.scp": "r a.wav\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Working directory with the files above."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    for name, content in FILES.items():
        file(tmp_path, name, content)
    return tmp_path


@pytest.mark.parametrize(("command", "option", "output", "source"), examples("overwriting_errors.tsv"))
def test_an_input_is_not_overwritten(run, folder, command, option, output, source):
    message = f"asr-punct: {option}: found {output}, the same file as the input {source}, expected another file\n"
    assert run(*command.split()) == (2, "", message)
    assert {name: (folder / name).read_text() for name in FILES} == FILES


@pytest.mark.parametrize("report", ["x.srt", "d/../x.srt", "b.srt"])
def test_two_outputs_are_two_files(run, folder, report):
    (folder / "b.srt").symlink_to("x.srt")
    message = f"asr-punct: --report: found {report}, the same file as -o, expected another file\n"
    assert run("punctuate", "a.ctm", "-o", "x.srt", "--report", report) == (2, "", message)
    assert not (folder / "x.srt").exists()


LONG = "hola qué tal " * 30


@pytest.mark.parametrize(
    "command",
    [("punctuate", LONG), ("punctuate", "-", "--model", LONG), ("score", LONG, LONG), ("batch", LONG, "-o", "out")],
)
def test_a_text_in_the_place_of_a_file_is_an_error(run, command):
    status, out, err = run(*command)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "found" in err


@pytest.mark.parametrize(("closed", "name"), [("<&-", "standard input"), (">&-", "standard output")])
def test_a_closed_standard_stream_is_an_error(closed, name):
    command = f"echo hola | {{ {shlex.join(COMMAND_LINE)} punctuate - {closed}; }}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"asr-punct: {name}: found a closed file, expected an open one\n"


def test_a_link_to_an_input_is_that_file(run, folder):
    os.link("b.txt", "link.txt")
    status, _, err = run("score", "b.txt", "c.txt", "--json", "link.txt")
    assert (status, err.count("link.txt"), err.count("b.txt")) == (2, 1, 1)


def test_a_missing_folder_of_an_output_is_named(run, folder):
    _, _, error = run("punctuate", "b.txt", "-o", "new/out.txt")
    assert error == "asr-punct: new/out.txt: found no folder new, expected a place where a file can be written\n"
