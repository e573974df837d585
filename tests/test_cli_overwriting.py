"""No command overwrites a file that it reads, except `punctuate` in place."""

import os

import pytest
from dummies import file

CTM = "r 1 0.10 0.20 hola\nr 1 0.40 0.20 mundo\n"
FILES = {
    "a.wav": "sound",
    "b.wav": "sound",
    "a.txt": "hola mundo\n",
    "b.txt": "Hola, mundo.\n",
    "c.txt": "Hola mundo.\n",
    "a.ctm": CTM,
    "a.tsv": "hola\tO\t-\tO\n\n",
    "wav.scp": "r a.wav\n",
    "d/text": "r hola mundo\n",
    "d/ctm": CTM,
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


@pytest.mark.parametrize(
    ("command", "option", "output", "source"),
    [
        ("score b.txt c.txt --html c.txt", "--html", "c.txt", "c.txt"),
        ("score b.txt c.txt --json d/../b.txt", "--json", "d/../b.txt", "b.txt"),
        ("score b.txt c.txt --compare a.txt --json a.txt", "--json", "a.txt", "a.txt"),
        ("score b.txt a.ctm --html a.wav --audio a.wav", "--html", "a.wav", "a.wav"),
        ("transcribe b.wav a.wav --asr pocketsphinx --to text -o a.wav", "-o", "a.wav", "a.wav"),
        ("align a.wav a.txt -o a.txt", "-o", "a.txt", "a.txt"),
        ("align a.wav a.txt -o a.wav", "-o", "a.wav", "a.wav"),
        ("align --data-dir d -o d/text", "-o", "d/text", "d/text"),
        ("align --data-dir d -o a.wav", "-o", "a.wav", "a.wav"),
        ("pauses a.tsv -o a.tsv", "-o", "a.tsv", "a.tsv"),
        ("pauses d/ctm --data-dir d -o d/text", "-o", "d/text", "d/text"),
        ("punctuate a.txt --to json -o a.txt", "-o", "a.txt", "a.txt"),
        ("punctuate a.txt --from ctm --to text -o a.txt", "-o", "a.txt", "a.txt"),
        ("punctuate a.ctm --audio a.wav --to text -o a.wav", "-o", "a.wav", "a.wav"),
        ("punctuate a.ctm --wav-scp wav.scp --to text -o a.wav", "-o", "a.wav", "a.wav"),
        ("punctuate a.txt --casing b.txt -o b.txt", "-o", "b.txt", "b.txt"),
        ("punctuate d --from kaldi --to ctm -o d/ctm", "-o", "d/ctm", "d/ctm"),
    ],
)
def test_an_input_is_not_overwritten(run, folder, command, option, output, source):
    message = f"asr-punct: {option}: found {output}, the same file as the input {source}, expected another\n"
    assert run(*command.split()) == (2, "", message)
    assert {name: (folder / name).read_text() for name in FILES} == FILES


def test_a_link_to_an_input_is_that_file(run, folder):
    os.link("b.txt", "link.txt")
    status, _, err = run("score", "b.txt", "c.txt", "--json", "link.txt")
    assert (status, err.count("link.txt"), err.count("b.txt")) == (2, 1, 1)


def test_prepare_does_not_overwrite_its_source(run, folder):
    status, _, err = run("prepare", "text", file(folder / "d", "train.tsv", "Hola.\n"), "d")
    assert status == 2
    assert f"OUT: train.tsv: found d/train.tsv, the same file as the input {folder}/d/train.tsv" in err
