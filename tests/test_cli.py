"""The commands punctuate, prepare, pauses, models and info, and how a command ends."""

import json
import re
import subprocess
import sys
from importlib import metadata

import pytest
from dummies import COMMAND_LINE, file

from asr_punct import hub
from asr_punct.formats.lines.tsv import read_tsv

CTM = "r 1 0.10 0.20 ana\nr 1 0.30 0.20 mira\nr 1 0.60 0.20 la\nr 1 0.90 0.30 casa\nr 1 2.0 0.2 dónde\n"
TEXT = "ana mira la casa dónde está la mesa\n"


def test_text_is_punctuated(run, model, tmp_path):
    source = file(tmp_path, "a.txt", f"{TEXT}\nluis mira la ley\n")
    status, out, err = run("punctuate", "--model", model, source)
    assert (status, err) == (0, "")
    assert re.sub(r"[^\w\s]", "", out).lower() == source.read_text()
    assert "¿Dónde está la mesa?" in out


@pytest.mark.parametrize(("name", "content"), [("a.ctm", CTM), ("a", TEXT)])
def test_a_file_is_punctuated_in_place(run, model, tmp_path, name, content):
    source = file(tmp_path, name, content)
    expected = run("punctuate", "--model", model, source, "--to", "ctm" if name == "a.ctm" else "text")[1]
    assert run("punctuate", "--model", model, source, "-o", source) == (0, "", "")
    assert source.read_text() == expected != content


def test_the_encoding_of_a_file_is_said_and_stays(run, model, tmp_path):
    content = CTM.replace("\n", "\r\n").encode("cp1252")
    source, out = file(tmp_path, "a.ctm", content), tmp_path / "b.ctm"
    hint = f"asr-punct: {source}: read as CP1252, not UTF-8 (if the file is in another encoding: --encoding)\n"
    assert run("punctuate", "--model", model, source, "-o", out) == (0, "", hint)
    assert "¿Dónde?" in out.read_bytes().decode("cp1252")
    assert out.read_bytes().count(b"\r\n") == content.count(b"\r\n")
    assert run("punctuate", "--model", model, source, "--to", "text")[1:] == (
        run("punctuate", "--model", model, file(tmp_path, "c.ctm", CTM), "--to", "text")[1],
        hint,
    )
    status, _, error = run("punctuate", "--model", model, source, "--strict")
    assert (status, error.split(" (")[0]) == (
        2,
        f"asr-punct: {source}:5: found byte 0xf3 at column 14, expected UTF-8 text",
    )


def test_an_input_that_is_replaced_by_another_format_is_said(run, model, tmp_path):
    source = file(tmp_path, "a.ctm", CTM)
    expected = run("punctuate", "--model", model, source, "--to", "text")[1]
    status, out, err = run("punctuate", "--model", model, source, "--to", "text", "-o", source)
    assert (status, out) == (0, "")
    assert err == f"asr-punct: {source}: a file of the format ctm, which -o replaces by one of the format text\n"
    assert source.read_text() == expected


def test_an_input_stays_if_the_command_that_would_replace_it_fails(run, model, tmp_path):
    source = file(tmp_path, "a.ctm", f"{CTM}r 1\n")
    for options in ([], ["--to", "text"]):
        assert run("punctuate", "--model", model, source, *options, "-o", source)[0] == 2
        assert source.read_text() == f"{CTM}r 1\n"


def test_marks_and_case_can_be_chosen(run, model, tmp_path):
    options = ["--marks", "question", "--no-case"]
    assert run("punctuate", "--model", model, file(tmp_path, "a.txt", TEXT), *options)[1] == (
        "ana mira la casa ¿dónde está la mesa?\n"
    )


@pytest.mark.parametrize("backend", ["model.onnx", "model.int8.onnx", "model.safetensors"])
def test_every_backend_gives_the_same(run, model, tmp_path, graphs, backend):
    source = file(tmp_path, "a.txt", TEXT)
    assert run("punctuate", "--model", graphs(backend), source) == run("punctuate", "--model", model, source)


@pytest.mark.parametrize(
    ("name", "expected"), [("model.onnx", "cpu: "), ("model.safetensors", "a device that torch finds: ")]
)
def test_a_device_that_does_not_exist(run, tmp_path, graphs, name, expected):
    source = file(tmp_path, "a.txt", TEXT)
    status, _, err = run("punctuate", "--model", graphs(name), "--device", "cuda:99", source)
    assert status == 2
    assert f"device: found 'cuda:99', expected {expected}" in err


def test_pauses_of_an_aligner_are_not_refined(run, model, tmp_path):
    """The gap between the words is 0.10 s in the CTM, and 0.40 s in the audio."""
    pytest.importorskip("soundfile")
    import numpy as np

    from asr_punct.audio import write_samples

    sound = np.random.default_rng(0).normal(0, 0.1, 32_000).astype(np.float32)
    sound[12_800:19_200] /= 1000
    write_samples(tmp_path / "a.wav", sound, 16_000)
    source = file(tmp_path, "a.ctm", "a 1 0.20 0.75 ana\na 1 1.05 0.75 mira\n")
    for times, pause in (("asr", pytest.approx(0.4, abs=0.03)), ("aligner", 0.1)):
        options = ["--to", "json", "--audio", tmp_path / "a.wav", "--times", times]
        (utterance,) = json.loads(run("punctuate", "--model", model, source, *options)[1])["utterances"]
        assert utterance["times"] == times
        assert [word["start"] for word in utterance["words"]] == [0.2, 1.05]
        assert utterance["words"][0]["pause"] == pause


def test_pauses_of_a_ctm(run, tmp_path):
    target = tmp_path / "a.tsv"
    status, _, err = run("pauses", file(tmp_path, "a.ctm", CTM), "-o", target)
    assert (status, err) == (0, "5 pauses, of which 1 unknown and 0 set to 0 because the words overlap\n")
    (utterance,) = read_tsv(target)
    assert utterance.pauses == (0.0, 0.1, 0.1, 0.8, None)


def test_version(run):
    assert run("--version") == (0, f"{metadata.version('asr-punct')} (models: en es-eu es-eu-small)\n", "")


def test_without_shipped_models_there_is_no_default(run, tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "PRETRAINED", tmp_path)
    status, _, err = run("punctuate")
    assert status == 2
    assert "model: found none, expected a model directory" in err
    assert run("models") == (0, "", "this release has no model: train one with asr-punct train\n")


# How a command ends


def test_a_closed_pipe_is_no_error(model, tmp_path):
    source = file(tmp_path, "a.txt", "ana mira la casa\n" * 20_000)
    command = [*COMMAND_LINE, "punctuate", "--model", str(model), str(source)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["--version"], ["models"]])
def test_a_full_disk_behind_standard_output(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND_LINE, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
    expected = "standard output: found No space left on device, expected a place where a file can be written"
    assert (done.returncode, done.stderr) == (2, f"asr-punct: {expected}\n")


@pytest.mark.parametrize(
    ("package", "arguments"), [("torch", ["export", "."]), ("omegaconf", ["train", "--data", "a", "-o", "b"])]
)
def test_a_missing_extra_is_named(package, arguments):
    """Block the import of the package in another process."""
    script = f"""
import sys
sys.modules[{package!r}] = None
sys.argv = ["asr-punct", *{arguments!r}]
from asr_punct.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    commands = "pip install 'asr-punct[train]', or in a checkout pip install '.[train]'"
    message = f"{arguments[0]}: found no package {package}, expected it installed: {commands}"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"asr-punct: {message}\n")
