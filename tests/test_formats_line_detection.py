"""Kaldi's text, Whisper's log and Whisper's TSV: detected by their lines, read as segments, written back."""

import re

import pytest
from dummies import file
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.marks import glyphs

ES = glyphs("es")
TWO_IDS = "u001 hola ana\nu002 qué tal\n"
LOG = "[0.00s -> 2.50s] hola ana\n"


def test_long_standard_input_is_read_once(standard_input):
    lines = [f"u{number:04} hola ana {number}" for number in range(500)]
    standard_input("\n".join(lines))
    found = list(formats.read("-"))
    assert [" ".join([each.id, *(word.text for word in each.words)]) for each in found] == lines


def test_an_utterance_with_an_id_is_a_document(tmp_path):
    found = list(formats.read(file(tmp_path, "a.txt", TWO_IDS)))
    assert [(each.id, each.context) for each in found] == [("u001", "u001"), ("u002", "u002")]


@given(st.lists(st.sampled_from(["", "message", LOG.strip(), "[1.00s -> 3.00s]", "[9.50s -> 9.75s]  uno [x]"])))
def test_any_log_is_written_as_it_was_read(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("log")
    lines = [*sorted(lines), "[10.00s -> 11.00s] fin", *(line for line in lines if not line.startswith("["))]
    text = "".join(f"{line}\n" for line in lines)
    found = list(formats.read(file(folder, "a.txt", text)))
    assert len(found) == sum("s] " in line for line in lines)
    formats.write(found, folder / "b.txt", ES, "whisper-log")
    assert (folder / "b.txt").read_text() == text


def test_another_header_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"a.tsv:1: found 'begin\\tend', expected the header"):
        list(formats.read(file(tmp_path, "a.tsv", "begin\tend\n"), "whisper-tsv"))


@pytest.mark.parametrize("output", ["out", "out.d/", "made.d"])
def test_a_data_directory_is_written_as_one(run, model, tmp_path, output):
    data = tmp_path / "data"
    data.mkdir()
    (tmp_path / "made.d").mkdir()
    file(data, "text", "u1 dónde está la casa\n")
    file(data, "utt2spk", "u1 u1\n")
    status, out, err = run("punctuate", "--model", model, "--from", "kaldi", data, "-o", f"{tmp_path}/{output}")
    assert (status, out) == (0, ""), err
    written = (tmp_path / output / "text").read_text()
    assert written.startswith("u1 ")
    assert re.sub(r"[^\w\s]", "", written).lower() == "u1 dónde está la casa\n"
    status, out, _ = run("punctuate", "--model", model, "--from", "kaldi", data)
    assert (status, out) == (0, written.removeprefix("u1 "))


def test_ids_stay_on_standard_output(run, model, tmp_path, standard_input):
    standard_input("u001 dónde está la casa\nu002\nu003 ana mira la mesa\n")
    status, out, err = run("punctuate", "--model", model)
    assert status == 0, err
    assert [line.split()[0] for line in out.splitlines()] == ["u001", "u002", "u003"]
    assert "?" in out
    standard_input("u001 dónde está la casa\nu002 ana mira la mesa\n")
    status, out, _ = run("punctuate", "--model", model, "--to", "text")
    assert status == 0
    assert "u00" not in out
