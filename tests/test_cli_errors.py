"""Bad input and usage: status 2, one line on standard error, and no output file."""

import io
import json
import shutil
import sys

import pytest
from dummies import file

from asr_punct import hub

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
        ("a.ctm", "", ["a.ctm: found no words, expected at least one word"]),
        ("a.tsv", "a\tb\tO\t-\tO\n", ["a.tsv:1: found 5 columns, expected 4 columns"]),
        ("a.ctm", "r 1 nan 0.2 a\n", ["a.ctm:1: found start 'nan', expected a number of seconds"]),
        ("a.ctm", "r 1 3 -0.2 a\n", ["a.ctm:1: found duration '-0.2'", "0 or more"]),
        ("a.txt", b"ni\xf1o\n", ["a.txt:1: found byte 0xf1", "expected UTF-8"]),
        (
            "a.json",
            '{"utterances": [{"words": [{"word": "a", "start": 2, "end": 1}]}]}',
            ["a.json: utterance 1: word 1: found end 1.0 before start 2.0"],
        ),
        (
            "a.jsonl",
            '{"audio_filepath": "a.wav", "word": [{"word": "a", "start": 2, "end": 1}]}\n',
            ["a.jsonl:1: word 1: found end 1.0 before start 2.0"],
        ),
        (
            "a.jsonl",
            '{"audio_filepath": "a", "pred_text": "b c", "word": [{"word": "b", "start": 0, "end": 1}]}\n',
            ["a.jsonl:1: found 1 word with times and 2 in pred_text"],
        ),
    ],
)
def test_malformed_input(refused, model, tmp_path, command, name, content, parts):
    options = ["--model", model] if command == "punctuate" else []
    refused([command, *options, file(tmp_path, name, content), "-o", tmp_path / "out.tsv"], *parts)


def test_a_ctm_on_standard_input_needs_its_format(refused, model, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CTM.encode())))
    refused(["punctuate", "--model", model], "standard input: found rows of a CTM", "--from ctm")


@pytest.mark.parametrize(
    "command",
    ["punctuate missing", "score missing missing", "pauses missing -o a.tsv", "prepare text missing out"],
)
def test_a_missing_file(refused, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    refused(command.split(), "missing: found no such file")


def test_truncated_audio(refused, tmp_path):
    pytest.importorskip("av")
    import numpy as np

    from asr_punct.audio import write

    write(tmp_path / "whole.m4a", np.sin(np.arange(32000) / 20).astype(np.float32) * 0.3, 16000)
    cut = file(tmp_path, "cut.m4a", (tmp_path / "whole.m4a").read_bytes()[:3000])
    refused(["align", cut, file(tmp_path, "a.txt", "hola\n"), "-o", tmp_path / "a.ctm"], "cut.m4a: found")
    refused(["pauses", file(tmp_path, "r.ctm", CTM), "--audio", cut, "-o", tmp_path / "a.tsv"], "cut.m4a: found")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.onnx"])
@pytest.mark.parametrize("damage", ["missing", "altered"])
def test_a_damaged_model(refused, model, tmp_path, name, damage):
    copy = tmp_path / "copy"
    shutil.copytree(model, copy)
    if damage == "altered":
        (copy / name).write_bytes((model / name).read_bytes()[:100])
    else:
        (copy / name).unlink()
    source = file(tmp_path, "a.txt", "hola\n")
    refused(["punctuate", "--model", copy, source, "-o", tmp_path / "b.txt"], f"{name}: found")


def test_an_unknown_configuration_key(refused, corpus, tmp_path):
    pytest.importorskip("omegaconf")
    config = file(tmp_path, "a.yaml", "model:\n  pausing: none\n")
    arguments = ["train", "--config", config, "--data", corpus, "-o", tmp_path / "model"]
    refused(arguments, "a.yaml", "unknown key 'pausing'", "expected")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("punctuate --to doc", "--to: found 'doc', expected one of"),
        ("punctuate --marks STOP --model .", "--marks: found 'STOP', expected a list of names from COMMA,"),
        ("punctuate --marks= --model .", "--marks: found '', expected a list of names from COMMA,"),
        ("punctuate --audio a --wav-scp b", "found --audio and --wav-scp, expected one of them"),
        ("punctuate --casing a --no-case", "found --casing and --no-case, expected one of them"),
        ("punctuate --model nobody", "model 'nobody': found no such model directory"),
        ("punctuate --times clock", "--times: found 'clock', expected one of asr aligner ctc whisper"),
        ("punctuate --wrong", "--wrong"),
        (
            "punctuate a.txt b.txt",
            "punctuate: found a further argument 'b.txt', expected one file (several: asr-punct batch)",
        ),
        ("stream a.txt", "stream: found a further argument 'a.txt', expected words on standard input"),
        ("score a.txt a.txt b", "score: found a further argument 'b', expected only REF HYP"),
        ("models es-eu", "models: found a further argument 'es-eu', expected no arguments"),
        ("nonsense", "nonsense"),
        ("align", "expected AUDIO and TEXT, or --data-dir"),
        ("align a b --data-dir .", "expected AUDIO and TEXT, or --data-dir"),
        ("align a b --method guess", "--method: found 'guess', expected dtw or ctc"),
        ("align a b --method ctc", "--method ctc: found no --acoustic-model, expected a CTC model"),
        ("align a b --acoustic-model m", "--acoustic-model: found it with --method dtw, expected"),
        ("align a b --device cpu", "--device: found it with --method dtw, expected --method ctc"),
        ("pauses a.ctm -o b.json", "-o: found 'b.json', expected a .tsv file"),
        ("pauses a.txt -o b.tsv", "words without times, expected times (asr-punct align"),
        ("prepare iwslt9 a b", "found corpus 'iwslt9', expected mintzai, iwslt, text or nemo-labels"),
        ("prepare mintzai missing b", "missing: found no such directory"),
        ("prepare text - b --dev 0.6 --test 0.5", "--dev 0.6 --test 0.5"),
        ("export nobody", "model 'nobody': found no such model directory"),
        ("info .", "config.json: found no such file"),
        ("score a.txt a.txt --ref-from docx", "--ref-from: found 'docx', expected one of text tsv"),
        ("score a.txt a.txt --hyp-from docx", "--hyp-from: found 'docx', expected one of text tsv"),
    ],
)
def test_bad_usage(refused, tmp_path, monkeypatch, command, message):
    monkeypatch.chdir(tmp_path)
    file(tmp_path, "a.txt", "hola\n")
    refused(command.split(), message)


def test_audio_needs_times(refused, model, tmp_path):
    source = file(tmp_path, "a.txt", "hola\n")
    refused(["punctuate", "--model", model, "--audio", "a.wav", source], "words without times", "asr-punct align")


WITH_LANGUAGE = [["align"], ["pauses", "a.ctm", "-o", "a.tsv"], ["prepare", "text", "-", "b"], ["score", "a", "b"]]


@pytest.mark.parametrize("command", WITH_LANGUAGE)
@pytest.mark.parametrize("code", ["", "e", "ES", "es+", "spanish", "e1", "ñu", "es eu", "es\n"])
def test_bad_language_codes(refused, command, code):
    refused([*command, "--lang", code], f"--lang: found {code!r}")


@pytest.mark.parametrize("code", ["es", "eus", "es+eu", "ba+es+en"])
def test_language_codes(refused, code):
    refused(["pauses", "missing.ctm", "-o", "a.tsv", "--lang", code], "no such file")


def test_only_align_accepts_regions(refused):
    refused(["align", "--lang", "es-419+eu"], "expected AUDIO and TEXT")
    refused(["score", "a", "b", "--lang", "es-419"], "--lang: found 'es-419'")


def test_a_language_without_a_voice(refused, talk, tmp_path):
    pytest.importorskip("espeakng_loader")
    text = file(tmp_path, "a.txt", "hola\n")
    refused(["align", talk, text, "--lang", "xx"], "--lang: found 'xx', expected a voice of espeak-ng")


def test_a_model_without_weights_is_not_exported(refused, model, tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "PRETRAINED", tmp_path)
    copy = tmp_path / "graph"
    shutil.copytree(model, copy, ignore=shutil.ignore_patterns("training", "model.safetensors"))
    config = json.loads((copy / "config.json").read_text())
    del config["files"]["model.safetensors"]
    (copy / "config.json").write_text(json.dumps(config))
    message = f"export: found {str(copy)!r}, which ships as a graph, expected a directory of asr-punct train"
    for name in ("graph", copy):
        refused(["export", name], message)
    assert json.loads((copy / "config.json").read_text()) == config
