"""The command score."""

import json
import sys
import wave

import pytest
from dummies import file


@pytest.fixture
def scores(run, tmp_path):
    """Return a function that runs `score` and returns its scores."""

    def call(*arguments):
        target = tmp_path / "scores.json"
        status, out, err = run("score", *arguments, "--json", target)
        assert (status, err) == (0, "")
        assert "| ,  " in out
        return json.loads(target.read_text())

    return call


@pytest.fixture
def spoken(tmp_path):
    """A reference text, and a recogniser's words with times and one error."""
    words = [{"word": word, "start": i, "end": i + 0.5} for i, word in enumerate(["hola", "mundos", "qué", "tal"])]
    content = {"utterances": [{"recording": "a", "times": "asr", "words": words}]}
    reference = file(tmp_path, "ref.txt", "Hola, mundo. ¿Qué tal?\n")
    return reference, file(tmp_path, "heard.json", json.dumps(content))


def write_wav(path, seconds):
    with wave.open(str(path), "wb") as out:
        out.setparams((1, 2, 8000, 0, "NONE", ""))
        out.writeframes(bytes(round(seconds * 16000)))


def test_differences(scores, tmp_path):
    files = [file(tmp_path, f"{i}.txt", text) for i, text in enumerate(["Hola, tú.\n¿Ya?\n", "Hola tú.\n¿Ya?\n"])]
    assert "differences" not in scores(files[0], files[1])
    found = scores(files[0], files[1], "--compare", files[0])["differences"]["marks.COMMA.f1"]
    assert (found["first"], found["second"], found["difference"]) == (0, 1, 1)
    assert scores(files[0], files[0], "--compare", files[0])["differences"]["micro.f1"]["difference"] == 0


def test_a_data_directory_needs_its_format(run, scores, tmp_path):
    file(tmp_path, "text", "u hola mundo\n")
    status, _, err = run("score", tmp_path, tmp_path)
    assert status == 2
    assert err.startswith(f"asr-punct: {tmp_path}: found a data directory")
    assert "--ref-from" in err
    heard = file(tmp_path, "decode.out", "u 1 0 1 hola\nu 1 1 1 mundo\n")
    formats = ("--ref-from", "kaldi", "--hyp-from", "ctm")
    assert scores(tmp_path, heard, *formats, "--compare", heard)["words"] == 2


def test_the_reference_of_a_manifest_is_its_text(scores, tmp_path):
    line = {"audio_filepath": "a.wav", "text": "Hello, my friend."}
    for recognised in ({}, {"pred_text": "hello my friend"}):
        reference = file(tmp_path, "both.jsonl", json.dumps(line | recognised))
        micro = scores(reference, file(tmp_path, "hyp.txt", "Hello, my friend."), "--lang", "en")["micro"]
        assert (micro["f1"], micro["support"]) == (1.0, 2)


@pytest.mark.parametrize("align", [[], ["--align"]])
def test_segments_that_an_stm_ignores_are_left_out(scores, tmp_path, align):
    ignored = "a 1 excluded_region 2 4 <o> ignore_time_segment_in_scoring"
    reference = file(tmp_path, "ref.stm", f"a 1 s 0 2 <o> Hola, mundo.\n{ignored}\na 1 s 4 6 <o> ¿Qué tal?\n")
    words = {0.2: "Hola,", 1.0: "mundo.", 2.5: "eh,", 3.0: "bueno", 4.2: "¿Qué", 5.0: "tal?"}
    heard = file(tmp_path, "heard.ctm", "".join(f"a 1 {start} 0.4 {word}\n" for start, word in words.items()))
    found = scores(reference, heard, "--compare", heard, *align)
    assert (found["words"], found["micro"]["f1"]) == (4, 1)


def test_a_page_with_audio(scores, spoken, tmp_path):
    write_wav(tmp_path / "a.wav", 4.0)
    page = tmp_path / "scores.html"
    found = scores(*spoken, "--align", "--html", page, "--audio", tmp_path / "a.wav")
    assert found["word_edits"] == {"correct": 3, "substituted": 1, "deleted": 0, "inserted": 0}
    assert found["slots"]["deleted"] == 4
    content = page.read_text(encoding="utf-8")
    assert 'src="data:audio/wav;base64,UklGR' in content
    assert 'data-t="1.000"' in content


def test_a_page_without_the_extra_audio(run, spoken, tmp_path, monkeypatch):
    write_wav(tmp_path / "a.wav", 2.0)
    monkeypatch.setitem(sys.modules, "soundfile", None)
    page = tmp_path / "scores.html"
    assert run("score", *spoken, "--align", "--html", page, "--audio", tmp_path / "a.wav")[0] == 0
    assert page.exists()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("ref.txt heard.json --align --audio a.wav", "found --audio"),
        ("ref.txt ref.txt --html p.html --audio a.wav", "found no times"),
        ("ref.txt heard.json --align --html p.html --audio none.wav", "none.wav: found no such file"),
        ("ref.txt heard.json --align --html p.html --audio .", ".: found a directory"),
        ("ref.txt heard.json --align --html p.html --audio a.wav", "a.wav: found 2.90 s of audio"),
        ("ref.txt two.json --align --html p.html --audio a.wav", "found 2 recordings"),
        ("ref.txt heard.json --align --html no/p.html", "no/p.html"),
    ],
)
def test_a_page_that_cannot_be_written(run, spoken, tmp_path, monkeypatch, command, message):
    monkeypatch.chdir(tmp_path)
    write_wav(tmp_path / "a.wav", 2.9)
    (utterance,) = json.loads(spoken[1].read_text())["utterances"]
    file(tmp_path, "two.json", json.dumps({"utterances": [utterance, utterance | {"recording": "b"}]}))
    status, _, err = run("score", *command.split())
    assert status == 2
    assert message in err
    assert not (tmp_path / "p.html").exists()


@pytest.mark.parametrize(
    ("text", "options", "quotes"),
    [
        ("The cat said that it had gone to the other house, and then it went away.", [], "“"),
        ("The cat said that it had gone to the other house, and then it went away.", ["--lang", "es"], "«"),
        ("El gato dijo que se había ido a la otra casa, y después se marchó de allí.", [], "«"),
    ],
)
def test_the_language_of_the_reference_is_identified(run, tmp_path, text, options, quotes):
    (tmp_path / "ref.txt").write_text(text)
    (tmp_path / "hyp.txt").write_text(text.lower().replace(",", ""))
    status, out, _ = run("score", tmp_path / "ref.txt", tmp_path / "hyp.txt", *options)
    assert status == 0
    assert f"| {quotes} " in out
