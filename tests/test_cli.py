"""The command line as a contract: statuses, one line of error, nothing half-written."""

import io
import json
import re
import shutil
import signal
import subprocess
import sys
import time
import wave

import pytest
from dummies import file, utterances

from asr_punct import hub
from asr_punct.formats.tsv import read_tsv, write_tsv
from asr_punct.scoring import write_score_sets

GOOD_CTM = "r 1 0.10 0.20 ana\nr 1 0.30 0.20 mira\nr 1 0.60 0.20 la\nr 1 0.90 0.30 casa\nr 1 2.0 0.2 dónde\n"


def assert_told(result, *parts):
    """Status 2, and one line on standard error with all the parts."""
    status, out, err = result
    assert status == 2
    assert out == ""
    assert err.startswith("asr-punct: ")
    assert len(err.splitlines()) == 1
    for part in parts:
        assert part in err, err


# Punctuate


def test_text_is_punctuated(run, model, tmp_path):
    source = file(tmp_path, "a.txt", "ana mira la casa dónde está la mesa\n\nluis mira la ley\n")
    status, out, err = run("punctuate", "--model", model, source)
    assert (status, err) == (0, "")
    assert re.sub(r"[^\w\s]", "", out).lower() == source.read_text()
    assert "¿Dónde está la mesa?" in out


def test_ctm_keeps_words_and_times(run, model, tmp_path):
    source, target = file(tmp_path, "a.ctm", GOOD_CTM), tmp_path / "b.ctm"
    assert run("punctuate", "--model", model, source, "-o", target)[0] == 0
    rows = [line.split() for line in target.read_text().splitlines()]
    assert [float(row[2]) for row in rows] == [0.1, 0.3, 0.6, 0.9, 2.0]
    assert [re.sub(r"\W", "", row[4]).lower() for row in rows] == ["ana", "mira", "la", "casa", "dónde"]


@pytest.mark.parametrize(("name", "content"), [("a.ctm", GOOD_CTM), ("a", "ana mira la casa\n")])
def test_a_file_is_punctuated_in_its_place(run, model, tmp_path, name, content):
    source = file(tmp_path, name, content)
    expected = run("punctuate", "--model", model, source, "--to", "ctm" if name == "a.ctm" else "text")[1]
    assert run("punctuate", "--model", model, source, "-o", source) == (0, "", "")
    assert source.read_text() == expected != content


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("tsv", "# id = r\n# recording = r\n# times = asr\nana\tCOMMA\t0.000\tFIRST_CAP\n"),
        ("json", '{"utterances": [\n{"id": "r", "recording": "r", "channel": "1", "times": "asr", "text": "Ana,'),
        ("ctm", "r 1 0.10 0.20 Ana,\nr 1 0.30 0.20 mira\n"),
        ("text", "Ana, mira la casa"),
    ],
)
def test_output_formats(run, model, tmp_path, name, beginning):
    source = file(tmp_path, "a.ctm", GOOD_CTM)
    status, out, _ = run("punctuate", "--model", model, source, "--to", name)
    assert status == 0
    assert out.startswith(beginning)


def test_marks_and_case_can_be_chosen(run, model, tmp_path):
    source = file(tmp_path, "a.txt", "ana mira la casa dónde está la mesa\n")
    _, out, _ = run("punctuate", "--model", model, source, "--marks", "question", "--no-case")
    assert out == "ana mira la casa ¿dónde está la mesa?\n"


@pytest.mark.parametrize("backend", ["model.onnx", "model.int8.onnx", "model.safetensors"])
def test_every_backend_gives_the_same(run, model, tmp_path, backend):
    """A copy of the model with one of the three files, its configuration told so."""
    copy = tmp_path / "copy"
    copy.mkdir()
    config = json.loads((model / "config.json").read_text())
    config["files"] = {name: value for name, value in config["files"].items() if name in (backend, "tokenizer.json")}
    (copy / "config.json").write_text(json.dumps(config))
    for name in config["files"]:
        shutil.copy(model / name, copy / name)
    source = file(tmp_path, "a.txt", "ana mira la casa dónde está la mesa\n")
    assert run("punctuate", "--model", copy, source)[1] == run("punctuate", "--model", model, source)[1]


def test_the_int8_graph_can_be_chosen(run, model, tmp_path):
    source = file(tmp_path, "a.txt", "ana mira la casa dónde está la mesa\n")
    assert run("punctuate", "--model", model, "--int8", source)[1] == run("punctuate", "--model", model, source)[1]
    only = tmp_path / "only"
    shutil.copytree(model, only)
    config = json.loads((only / "config.json").read_text())
    del config["files"]["model.int8.onnx"]
    (only / "config.json").write_text(json.dumps(config))
    assert_told(run("punctuate", "--model", only, "--int8", source), "int8")


@pytest.mark.parametrize("files", [["model.onnx"], ["model.safetensors"]])
def test_a_device_that_is_not_there_is_told(run, model, tmp_path, files):
    """A graph alone runs on the CPU; weights run where torch has the device."""
    config = json.loads((model / "config.json").read_text())
    config["files"] = {name: value for name, value in config["files"].items() if name in [*files, "tokenizer.json"]}
    (tmp_path / "config.json").write_text(json.dumps(config))
    for name in config["files"]:
        shutil.copy(model / name, tmp_path / name)
    result = run("punctuate", "--model", tmp_path, "--device", "cuda:99", file(tmp_path, "a.txt", "hola\n"))
    expected = "cpu: " if files == ["model.onnx"] else "a device that torch finds: "
    assert_told(result, f"--device: found 'cuda:99', expected {expected}")


# Bad input

BAD_INPUTS = {
    "three columns": (
        "a.ctm",
        "r 1 0.1 0.2 a\nr 1 0.3\n",
        ["a.ctm:2", "found 3 columns", "expected 5, 6 or 8 columns"],
    ),
    "empty file": ("a.ctm", "", ["a.ctm", "found no words", "expected at least one word"]),
    "tab in a word": ("a.tsv", "a\tb\tO\t-\tO\n", ["a.tsv:1", "found 5 columns", "expected 4 columns"]),
    "NaN time": ("a.ctm", "r 1 nan 0.2 a\n", ["a.ctm:1", "found start 'nan'", "expected a number of seconds"]),
    "end before start": ("a.ctm", "r 1 3 -0.2 a\n", ["a.ctm:1", "found duration '-0.2'", "0 or more"]),
    "invalid UTF-8": ("a.txt", b"ni\xf1o\n", ["a.txt:1", "found byte 0xf1", "expected UTF-8"]),
    "end before start in JSON": (
        "a.json",
        '{"utterances": [{"words": [{"word": "a", "start": 2, "end": 1}]}]}',
        ["a.json: utterance 1: word 1", "found end 1.0 before start 2.0"],
    ),
    "end before start in a manifest": (
        "a.jsonl",
        '{"audio_filepath": "a.wav", "word": [{"word": "a", "start": 2, "end": 1}]}\n',
        ["a.jsonl:1: word 1", "found end 1.0 before start 2.0"],
    ),
}


@pytest.mark.parametrize("kind", BAD_INPUTS)
@pytest.mark.parametrize("command", ["punctuate", "pauses"])
def test_bad_input_is_told_in_one_line(run, model, tmp_path, kind, command):
    name, content, parts = BAD_INPUTS[kind]
    source, target = file(tmp_path, name, content), tmp_path / "out.tsv"
    options = ["--model", model] if command == "punctuate" else []
    assert_told(run(command, *options, source, "-o", target), *parts)
    assert [path.name for path in tmp_path.iterdir() if path.name != name] == []


def test_a_ctm_on_standard_input(run, model, monkeypatch):
    def given():
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD_CTM.encode())))

    given()
    assert_told(run("punctuate", "--model", model), "standard input: found rows of a CTM", "--from ctm")
    given()
    assert run("punctuate", "--model", model, "--from", "ctm")[1].startswith("Ana, mira")


@pytest.mark.parametrize("arguments", [["models"], ["score", "a.txt", "a.txt"]])
def test_a_full_disk_behind_standard_output_is_told(tmp_path, arguments):
    file(tmp_path, "a.txt", "Hola, mundo.\n")
    command = [sys.executable, "-c", "from asr_punct.cli import main; main()", *arguments]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    expected = "standard output: found No space left on device, expected a place where a file can be written"
    assert (done.returncode, done.stderr) == (2, f"asr-punct: {expected}\n")


def test_a_missing_file_is_told(run, model, tmp_path):
    missing = tmp_path / "none.ctm"
    assert_told(run("punctuate", "--model", model, missing), str(missing), "found no such file")
    assert_told(run("score", missing, missing), str(missing), "found no such file")
    assert_told(run("pauses", missing, "-o", tmp_path / "a.tsv"), str(missing), "found no such file")
    assert_told(run("prepare", "text", missing, tmp_path / "out"), str(missing), "found no such file")
    assert_told(run("prepare", "mintzai", missing, tmp_path / "out"), str(missing), "found no such directory")


def test_a_truncated_recording_is_told(run, tmp_path):
    pytest.importorskip("av")
    import numpy as np

    from asr_punct.audio import write

    write(tmp_path / "whole.m4a", np.sin(np.arange(32000) / 20).astype(np.float32) * 0.3, 16000)
    cut = file(tmp_path, "cut.m4a", (tmp_path / "whole.m4a").read_bytes()[:3000])
    text = file(tmp_path, "a.txt", "hola\n")
    target = tmp_path / "a.ctm"
    assert_told(run("align", cut, text, "-o", target, "--lang", "es"), "cut.m4a", "found", "expected")
    source = file(tmp_path, "r.ctm", GOOD_CTM)
    assert_told(run("pauses", source, "--audio", cut, "-o", tmp_path / "a.tsv"), "cut.m4a", "found", "expected")
    assert {path.name for path in tmp_path.iterdir()} == {"whole.m4a", "cut.m4a", "a.txt", "r.ctm"}


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.onnx"])
@pytest.mark.parametrize("damage", ["missing", "altered"])
def test_a_damaged_model_is_told(run, model, tmp_path, name, damage):
    copy = tmp_path / "copy"
    shutil.copytree(model, copy)
    content = (copy / name).read_bytes()
    (copy / name).unlink()
    if damage == "altered":
        (copy / name).write_bytes(content[: len(content) // 2])
    source, target = file(tmp_path, "a.txt", "hola\n"), tmp_path / "b.txt"
    assert_told(run("punctuate", "--model", copy, source, "-o", target), name, "found", "expected")
    assert not target.exists()


def test_an_unknown_configuration_key_is_told(run, corpus, tmp_path):
    pytest.importorskip("omegaconf")
    config = file(tmp_path, "a.yaml", "model:\n  pausing: none\n")
    output = tmp_path / "model"
    assert_told(
        run("train", "--config", config, "--data", corpus, "-o", output), "a.yaml", "unknown key 'pausing'", "expected"
    )
    assert not output.exists()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["punctuate", "--to", "doc"], ["--to", "found 'doc'", "expected one of"]),
        (
            ["punctuate", "--marks", "STOP", "--model", "."],
            ["--marks: found 'STOP'", "expected a list of names from COMMA,"],
        ),
        (["punctuate", "--marks", "", "--model", "."], ["--marks: found ''", "expected a list of names from COMMA,"]),
        (["punctuate", "--audio", "a", "--wav-scp", "b"], ["expected one of them"]),
        (["punctuate", "--model", "nobody"], ["model 'nobody': found no such model directory"]),
        (["punctuate", "--wrong"], ["--wrong"]),
        (["nonsense"], ["nonsense"]),
        (["align"], ["expected AUDIO and TEXT, or --data-dir"]),
        (["align", "a", "b", "--data-dir", "."], ["expected AUDIO and TEXT, or --data-dir"]),
        (["align", "a", "b", "--method", "guess"], ["--method: found 'guess', expected dtw or ctc"]),
        (["align", "a", "b", "--method", "ctc"], ["--method ctc: found no --acoustic-model, expected a CTC model"]),
        (["align", "a", "b", "--acoustic-model", "m"], ["--acoustic-model: found it with --method dtw, expected"]),
        (["align", "a", "b", "--device", "cpu"], ["--device: found it with --method dtw, expected --method ctc"]),
        (["prepare", "iwslt9", "a", "b"], ["found corpus 'iwslt9'", "expected mintzai, iwslt, text or nemo-labels"]),
        (["prepare", "text", "-", "b", "--dev", "0.6", "--test", "0.5"], ["--dev 0.6 --test 0.5"]),
        (["export", "nobody"], ["model 'nobody': found no such model directory"]),
        (["info", "."], ["config.json", "found no such file"]),
    ],
)
def test_bad_usage_is_told_in_one_line(run, arguments, parts):
    assert_told(run(*arguments), *parts)


BAD_CODES = ["", "e", "ES", "es+", "spanish", "e1", "ñu", "es eu", "es-eu", "es\n"]
WITH_LANGUAGE = [["align"], ["pauses", "a.ctm", "-o", "a.tsv"], ["prepare", "text", "-", "b"], ["score", "a", "b"]]


@pytest.mark.parametrize("command", WITH_LANGUAGE)
@pytest.mark.parametrize("code", BAD_CODES)
def test_what_is_no_language_code_is_told(run, command, code):
    told = ["expected AUDIO and TEXT"] if command == ["align"] and code == "es-eu" else [f"--lang: found {code!r}"]
    assert_told(run(*command, "--lang", code), *told)


@pytest.mark.parametrize("code", ["es", "eus", "es+eu", "ba+es+en"])
def test_language_codes(run, code):
    for command in WITH_LANGUAGE[1::2]:
        assert_told(run(*command, "--lang", code), "no such file")


@pytest.mark.parametrize("code", ["en-us", "es-419", "es-419+eu"])
def test_espeaks_voices_of_a_region_align(run, code):
    assert_told(run("align", "--lang", code), "expected AUDIO and TEXT")


def test_a_graph_alone_is_not_exported(run, model, tmp_path, monkeypatch):
    """By its path or its name, in the package or copied."""
    monkeypatch.setattr(hub, "PRETRAINED", tmp_path)
    copy = tmp_path / "graph"
    shutil.copytree(model, copy, ignore=shutil.ignore_patterns("training", "model.safetensors"))
    config = json.loads((copy / "config.json").read_text())
    del config["files"]["model.safetensors"]
    (copy / "config.json").write_text(json.dumps(config))
    before = (copy / "config.json").read_bytes()
    for name in ("graph", copy):
        told = f"export: found {str(copy)!r}, which ships as a graph, expected a directory of asr-punct train"
        assert_told(run("export", name), told)
    assert (copy / "config.json").read_bytes() == before


def test_pauses_of_an_aligner_are_not_refined(run, model, tmp_path):
    """The CTM says that the gap is 0.10 s; the recording is silent for 0.40 s."""
    pytest.importorskip("soundfile")
    import numpy as np

    from asr_punct.audio import write

    sound = np.random.default_rng(0).normal(0, 0.1, 32_000).astype(np.float32)
    sound[12_800:19_200] /= 1000
    write(tmp_path / "a.wav", sound, 16_000)
    source = file(tmp_path, "a.ctm", "a 1 0.20 0.75 ana\na 1 1.05 0.75 mira\n")
    found = {}
    for times in ("asr", "aligner", None):
        options = [
            "--model",
            model,
            "--to",
            "json",
            "--audio",
            tmp_path / "a.wav",
            *(("--times", times) if times else ()),
        ]
        status, out, _ = run("punctuate", *options, source)
        (utterance,) = json.loads(out)["utterances"]
        assert (status, utterance["times"]) == (0, times or "asr")
        found[times] = [(word["start"], word["end"], word.get("pause")) for word in utterance["words"]]
    assert found["aligner"] == [(0.2, 0.95, 0.1), (1.05, 1.8, None)]
    assert found["asr"] == found[None] == [(0.2, 0.95, pytest.approx(0.4, abs=0.03)), (1.05, 1.8, None)]


def test_what_is_no_source_of_times_is_told(run, model, tmp_path):
    source = file(tmp_path, "a.ctm", GOOD_CTM)
    told = "--times: found 'clock', expected one of asr aligner ctc whisper"
    assert_told(run("punctuate", "--model", model, "--times", "clock", source), told)
    assert_told(run("pauses", "--times", "clock", source, "-o", tmp_path / "a.tsv"), told)


def test_audio_without_times_names_align(run, model, tmp_path):
    source = file(tmp_path, "a.txt", "hola\n")
    assert_told(run("punctuate", "--model", model, "--audio", "a.wav", source), "words without times", "align")


# The other commands


def test_score_writes_scores(run, tmp_path):
    reference, target = tmp_path / "ref.tsv", tmp_path / "scores.json"
    with open(reference, "w", encoding="utf-8") as out:
        write_tsv(utterances(10, 1), out)
    status, out, _ = run("score", reference, reference, "--json", target)
    assert status == 0
    assert json.loads(target.read_text())["micro"]["f1"] == 1.0
    assert "COMMA" in out


def test_score_of_written_text(run, tmp_path):
    reference = file(tmp_path, "ref.txt", "Hola, mundo. ¿Qué tal?\n")
    hypothesis = file(tmp_path, "hyp.txt", "Hola mundo. ¿Qué tal?\n")
    target = tmp_path / "scores.json"
    assert run("score", reference, hypothesis, "--json", target)[0] == 0
    scores = json.loads(target.read_text())
    assert scores["marks"]["COMMA"]["recall"] == 0
    assert scores["marks"]["PERIOD"]["f1"] == 1


def test_score_of_different_words_names_the_place(run, tmp_path):
    reference, hypothesis = file(tmp_path, "ref.txt", "Hola, mundo.\n"), file(tmp_path, "hyp.txt", "Hola, luna.\n")
    assert_told(run("score", reference, hypothesis), "hyp.txt", "found 'luna'", "expected 'mundo'")


def test_score_of_different_words_hints_at_align(run, tmp_path):
    reference = file(tmp_path, "ref.txt", "Hola, mundo.\n")
    for text in ("Hola, luna.\n", "Hola.\n", "Hola, mundo. ¿Qué?\n"):
        assert_told(run("score", reference, file(tmp_path, "hyp.txt", text)), "(--align pairs words that differ)\n")


def test_a_data_directory_hints_at_its_format(run, tmp_path):
    file(tmp_path, "text", "u hola mundo\n")
    expected = "a file (--from kaldi reads it, in score --ref-from and --hyp-from)"
    told = f"{tmp_path}: found a data directory, expected {expected}"
    assert_told(run("score", tmp_path, tmp_path), told)
    target = tmp_path / "scores.json"
    heard = file(tmp_path, "decode.out", "u 1 0 1 hola\nu 1 1 1 mundo\n")
    formats = ("--ref-from", "kaldi", "--hyp-from", "ctm")
    assert run("score", tmp_path, heard, *formats, "--compare", heard, "--json", target)[0] == 0
    assert json.loads(target.read_text())["words"] == 2


@pytest.mark.parametrize("option", ["--ref-from", "--hyp-from"])
def test_score_tells_formats_that_are_not_read(run, tmp_path, option):
    reference = file(tmp_path, "ref.txt", "Hola, mundo.\n")
    assert_told(run("score", reference, reference, option, "docx"), f"{option}: found 'docx', expected one of text tsv")


def test_a_language_without_a_voice_names_the_option(run, tmp_path):
    pytest.importorskip("espeakng_loader")
    write_wav(tmp_path / "a.wav", 1.0)
    text = file(tmp_path, "a.txt", "hola\n")
    assert_told(
        run("align", tmp_path / "a.wav", text, "--lang", "xx"), "--lang: found 'xx', expected a voice of espeak-ng"
    )


def test_prepare_text_divides_documents(run, tmp_path):
    source = file(tmp_path, "a.txt", "\n\n".join(f"Documento {i}: (sí) final.\nOtra línea." for i in range(60)))
    status, out, err = run("prepare", "text", source, tmp_path / "out", "--dev", "0.3", "--test", "0.3")
    assert (status, out) == (0, "")
    assert "dropped" in err
    parts = {name: list(read_tsv(tmp_path / "out" / f"{name}.tsv")) for name in ("train", "dev", "test")}
    documents = {name: {value.context for value in values} for name, values in parts.items()}
    assert sum(map(len, documents.values())) == 60
    assert all(documents.values())


def test_pauses_of_a_ctm(run, tmp_path):
    target = tmp_path / "a.tsv"
    status, _, err = run("pauses", file(tmp_path, "a.ctm", GOOD_CTM), "-o", target)
    assert (status, err) == (0, "5 pauses: 1 unknown, 0 overlaps set to 0\n")
    (utterance,) = read_tsv(target)
    assert utterance.pauses == (0.0, 0.1, 0.1, 0.8, None)


def test_pauses_need_times_and_write_tsv(run, tmp_path):
    text, target = file(tmp_path, "a.txt", "hola mundo\n"), tmp_path / "b.tsv"
    assert_told(run("pauses", text, "-o", target), "words without times", "align")
    assert_told(run("pauses", file(tmp_path, "a.ctm", GOOD_CTM), "-o", tmp_path / "b.json"), "expected a .tsv file")
    assert not target.exists()


def test_a_manifest_whose_words_and_text_differ_is_told(run, model, tmp_path):
    line = {"audio_filepath": "a.wav", "pred_text": "hola mundo", "word": [{"word": "hola", "start": 0, "end": 1}]}
    source = file(tmp_path, "a.jsonl", json.dumps(line))
    assert_told(run("punctuate", "--model", model, source), "a.jsonl:1", "found 1 word with times and 2 in pred_text")


def test_a_pipe_may_be_cut(model, tmp_path):
    source = file(tmp_path, "a.txt", "ana mira la casa\n" * 20_000)
    command = "from asr_punct.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", command, "punctuate", "--model", str(model), str(source)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_nothing_is_left_when_it_is_terminated(model, tmp_path):
    """As queues and `timeout` do."""
    command = "from asr_punct.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", command, "punctuate", "--model", str(model), "-o", str(tmp_path / "a.txt")],
        stdin=subprocess.PIPE,
    ) as process:
        process.stdin.write(b"ana mira la casa\n" * 2000)
        process.stdin.flush()
        while not list(tmp_path.iterdir()):
            assert process.poll() is None
            time.sleep(0.05)
        process.terminate()
        assert process.wait() == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())


def test_the_reference_of_a_manifest_is_its_text(run, tmp_path):
    line = {"audio_filepath": "a.wav", "text": "Hello, my friend.", "pred_text": "hello my friend"}
    reference = file(tmp_path, "both.jsonl", json.dumps(line))
    run(
        "score",
        reference,
        file(tmp_path, "hyp.txt", "Hello, my friend."),
        "--json",
        tmp_path / "s.json",
        "--lang",
        "en",
    )
    scores = json.loads((tmp_path / "s.json").read_text())
    assert (scores["micro"]["f1"], scores["micro"]["support"]) == (1.0, 2)


def test_no_arguments_show_the_help(run):
    status, out, err = run()
    assert (status, err) == (0, "")
    assert "punctuate" in out


def test_version(run):
    assert run("--version") == (0, "0.1.0\n", "")


def test_info(run, model):
    status, out, _ = run("info", model)
    assert status == 0
    assert "discrete-gaussian" in out


def test_without_shipped_models_there_is_no_default(run, tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "PRETRAINED", tmp_path)
    assert_told(run("punctuate"), "model: found none", "expected a model directory")
    assert run("models") == (0, "", "this release has no model: train one with asr-punct train\n")


def test_shipped_models_are_listed_and_one_is_the_default(run, model, tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "PRETRAINED", tmp_path)
    shutil.copytree(model, tmp_path / "es-eu")
    write_score_sets({}, tmp_path / "es-eu" / "scores.json")
    status, out, err = run("models")
    assert (status, err) == (0, "")
    assert "| es-eu (default) |" in out
    source = file(tmp_path, "a.txt", "ana mira la casa dónde está la mesa\n")
    assert run("punctuate", source) == run("punctuate", "--model", model, source)


@pytest.mark.parametrize(
    ("package", "arguments", "extra"),
    [("torch", ["export", "."], "train"), ("omegaconf", ["train", "--data", "a", "-o", "b"], "train")],
)
def test_a_missing_extra_is_named(package, arguments, extra):
    """In a process of its own, where the package cannot be imported."""
    script = f"""
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocker())
sys.argv = ["asr-punct", *{arguments!r}]
from asr_punct.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    commands = f"pip install 'asr-punct[{extra}]', or in a checkout pip install '.[{extra}]'"
    told = f"{arguments[0]} needs the package {package}, which is not installed: {commands}"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"asr-punct: {told}\n")


def write_spoken(tmp_path):
    reference, heard = tmp_path / "ref.txt", tmp_path / "heard.json"
    reference.write_text("Hola, mundo. ¿Qué tal?\n", encoding="utf-8")
    words = [{"word": word, "start": i, "end": i + 0.5} for i, word in enumerate(["hola", "mundos", "qué", "tal"])]
    heard.write_text(json.dumps({"utterances": [{"recording": "a", "times": "asr", "words": words}]}))
    return reference, heard


def test_score_of_recognised_words_writes_a_page(run, tmp_path):
    reference, heard = write_spoken(tmp_path)
    audio, target, page = tmp_path / "a.wav", tmp_path / "scores.json", tmp_path / "scores.html"
    write_wav(audio, 4.0)
    options = ["--align", "--json", target, "--html", page, "--audio", audio]
    status, out, _ = run("score", reference, heard, *options)
    assert status == 0
    assert "written word error rate" in out
    scores = json.loads(target.read_text())
    assert scores["word_edits"] == {"correct": 3, "substituted": 1, "deleted": 0, "inserted": 0}
    assert scores["slots"]["deleted"] == 4
    content = page.read_text(encoding="utf-8")
    assert 'src="data:audio/wav;base64,UklGR' in content
    assert 'data-t="1.000"' in content


def test_score_leaves_out_what_an_stm_ignores(run, tmp_path):
    ignored = "a 1 excluded_region 2 4 <o> ignore_time_segment_in_scoring"
    reference = file(tmp_path, "ref.stm", f"a 1 s 0 2 <o> Hola, mundo.\n{ignored}\na 1 s 4 6 <o> ¿Qué tal?\n")
    spoken = {0.2: "Hola,", 1.0: "mundo.", 2.5: "eh,", 3.0: "bueno", 4.2: "¿Qué", 5.0: "tal?"}
    rows = [f"a 1 {start} 0.4 {word}\n" for start, word in spoken.items()]
    heard, target = file(tmp_path, "heard.ctm", "".join(rows)), tmp_path / "scores.json"
    options = ["--json", target, "--compare", heard]
    for align in ([], ["--align"]):
        assert run("score", reference, heard, *options, *align)[0] == 0
        scores = json.loads(target.read_text())
        assert scores["micro"]["f1"] == 1
    assert scores["word_edits"] == {"correct": 4, "substituted": 0, "deleted": 0, "inserted": 0}


def write_wav(path, seconds):
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(bytes(round(seconds * 16000)))


def test_score_tells_a_page_for_another_recording(run, tmp_path):
    reference, heard = write_spoken(tmp_path)
    page, audio = tmp_path / "scores.html", tmp_path / "a.wav"
    options = ["score", reference, heard, "--align", "--html", page, "--audio"]
    write_wav(audio, 2.9)
    told = "found 2.90 s of audio, and a word ends at 3.50 s", "expected the recording that the times are of"
    assert_told(run(*options, audio), "a.wav", *told)
    assert_told(run(*options, tmp_path), f"{tmp_path}: found a directory, expected an audio file")
    assert not page.exists()


def test_score_without_the_extra_writes_a_page_all_the_same(run, tmp_path, monkeypatch):
    reference, heard = write_spoken(tmp_path)
    write_wav(tmp_path / "a.wav", 2.0)
    monkeypatch.setitem(sys.modules, "soundfile", None)
    page = tmp_path / "scores.html"
    assert run("score", reference, heard, "--align", "--html", page, "--audio", tmp_path / "a.wav")[0] == 0
    assert page.exists()


def test_score_tells_what_a_page_lacks(run, tmp_path):
    reference, heard = write_spoken(tmp_path)
    page, audio = tmp_path / "scores.html", tmp_path / "a.wav"
    assert_told(run("score", reference, heard, "--align", "--audio", audio), "found --audio", "expected --html")
    told = run("score", reference, reference, "--html", page, "--audio", audio)
    assert_told(told, "--audio: found no times in", "asr-punct align")
    told = run("score", reference, heard, "--align", "--html", page, "--audio", audio)
    assert_told(told, "a.wav", "found no such file")
    two = json.loads(heard.read_text())
    two["utterances"].append(two["utterances"][0] | {"recording": "b"})
    heard.write_text(json.dumps(two))
    told = run("score", reference, heard, "--align", "--html", page, "--audio", audio)
    assert_told(told, "--audio: found 2 recordings in", "expected one")
    assert not page.exists()
    assert_told(run("score", reference, heard, "--html", tmp_path / "no" / "x.html", "--align"), "x.html")
