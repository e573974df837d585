"""Kaldi's text, Whisper's log and Whisper's TSV: detected by their lines, read as segments, written back."""

import re

import pytest
from dummies import file
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.formats.source import Source
from asr_punct.marks import glyphs
from asr_punct.words import Word

ES = glyphs("es")
TWO_IDS = "u001 hola ana\nu002 qué tal\n"
LOG = "[0.00s -> 2.50s] hola ana\n"
WHISPER_TSV = "start\tend\ttext\n0\t2500\thola ana\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("5.txt", TWO_IDS, "kaldi-text"),
        ("hyp", "4507-16021-0012 hola\n4507-16021-0013 ana\n", "kaldi-text"),
        ("hyp", "sw02001-A_000098-001156\tyes\nsw02001-A_001156-001300\n", "kaldi-text"),
        ("text", "mini-es-001_001 hola\nmini-es-001_002 ana\n", "kaldi-text"),
        ("a.txt", "u001 hola ana\n", "text"),
        ("a.txt", "u001 hola ana\nu001 qué tal\n", "text"),
        ("a.txt", "u001 hola ana\nqué tal\n", "text"),
        ("a.txt", "2020-01-02 hola\n2020-01-03 ana\n", "text"),
        ("a.txt", "2024-25 ikasturtea\n2025-26 ikasturtea\n", "text"),
        ("a.txt", "RQ1a: why\nRQ1b: how\n", "text"),
        ("a.txt", "A1 maila\nB2 maila\n", "text"),
        ("a.txt", "1 uno\n2 dos\n", "text"),
        ("a.txt", "10:30 kaixo\n11:30 agur\n", "text"),
        ("a.txt", LOG, "whisper-log"),
        ("log", "Detected language: Spanish\n[00:00.000 --> 00:02.500]  hola ana\n", "whisper-log"),
        ("log", "Transcript: [0.031 --> 2.5]  hola ana\n", "whisper-log"),
        ("log", "[00:00:00.000 --> 00:00:02.500]   hola ana\n", "whisper-log"),
        ("a.txt", "[1 -> 2] hola\n[ANA] sí\n", "text"),
        ("a.txt", "entre [0.00s -> 2.50s] ana\n", "text"),
        ("a.tsv", WHISPER_TSV, "whisper-tsv"),
        ("a.tsv", "start\tO\t-\tO\n", "tsv"),
        ("a", WHISPER_TSV, "whisper-tsv"),
        ("a.txt", "", "text"),
        ("a.srt", TWO_IDS, "srt"),
    ],
)
def test_detection(tmp_path, standard_input, name, content, expected):
    assert formats.detect(file(tmp_path, name, content)) == expected
    if name in ("hyp", "log"):
        standard_input(content)
        source = Source("-")
        assert source.format == expected
        assert list(formats.read(source)) == list(formats.read(file(tmp_path, "-", content), expected))


@pytest.mark.parametrize(
    ("content", "output", "expected"),
    [
        (TWO_IDS, "-", "kaldi-text"),
        (TWO_IDS, "b", "kaldi-text"),
        (TWO_IDS, "b.txt.gz", "kaldi-text"),
        (TWO_IDS, "b.tsv", "tsv"),
        (LOG, "-", "whisper-log"),
        (LOG, "b.txt", "whisper-log"),
        (LOG, "b.srt", "srt"),
        (WHISPER_TSV, "b.tsv", "whisper-tsv"),
        (WHISPER_TSV, "-", "text"),
        ("hola\n", "-", "text"),
        ("hola\n", "ctm", "ctm"),
    ],
)
def test_outputs_of_the_same_kind_keep_the_format(tmp_path, standard_input, content, output, expected):
    assert formats.output_format(output, None, Source(file(tmp_path, "a", content))) == expected
    assert formats.output_format(output, "json", Source(tmp_path / "a")) == "json"
    standard_input(content)
    assert formats.output_format(output, None, Source("-")) == expected


def test_long_standard_input_is_read_once(standard_input):
    lines = [f"u{number:04} hola ana {number}" for number in range(500)]
    standard_input("\n".join(lines))
    found = list(formats.read("-"))
    assert [" ".join([each.id, *(word.text for word in each.words)]) for each in found] == lines


def test_an_utterance_with_an_id_is_a_document(tmp_path):
    found = list(formats.read(file(tmp_path, "a.txt", TWO_IDS)))
    assert [(each.id, each.context) for each in found] == [("u001", "u001"), ("u002", "u002")]


@pytest.mark.parametrize(
    ("line", "times", "speaker"),
    [
        ("[0.00s -> 2.50s] hola ana", (0.0, 2.5), ""),
        ("[00:59.500 --> 01:02.000]  hola ana", (59.5, 62.0), ""),
        ("[1:00:00.000 --> 1:00:02.250]  hola ana", (3600.0, 3602.25), ""),
        ("[00:00:00,000 --> 00:00:02,500]   hola ana", (0.0, 2.5), ""),
        ("[00:00:00.000 --> 00:00:02.500]  (speaker 1) hola ana", (0.0, 2.5), "1"),
        ("[00:00:00.000 --> 00:00:02.500]  (speaker ?) hola ana", (0.0, 2.5), ""),
        ("[00:00:00.000 --> 00:00:02.500]   hola ana [SPEAKER_TURN]", (0.0, 2.5), ""),
        ("Transcript: [12.031 --> 14.5]  hola ana", (12.031, 14.5), ""),
    ],
)
def test_a_line_of_a_log_is_a_segment(tmp_path, line, times, speaker):
    (found,) = formats.read(file(tmp_path, "talk.txt", f"{line}\n"))
    assert found.words == (Word("hola", times[0]), Word("ana", None, times[1]))
    assert (found.id, found.recording, found.speaker, found.time_source) == ("talk-1", "talk", speaker, "segment")


@given(st.lists(st.sampled_from(["", "message", LOG.strip(), "[1.00s -> 3.00s]", "[9.50s -> 9.75s]  uno [x]"])))
def test_any_log_is_written_as_it_was_read(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("log")
    lines = [*sorted(lines), "[10.00s -> 11.00s] fin", *(line for line in lines if not line.startswith("["))]
    text = "".join(f"{line}\n" for line in lines)
    found = list(formats.read(file(folder, "a.txt", text)))
    assert len(found) == sum("s] " in line for line in lines)
    formats.write(found, folder / "b.txt", ES, "whisper-log")
    assert (folder / "b.txt").read_text() == text


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.txt", "[2.50s -> 1.00s] hola\n", "a.txt:1: found end 1.0 before start 2.5"),
        ("a.txt", LOG.replace("0.00", "2.00") + LOG, "a.txt: utterance 'a-2': found start 0 after 2"),
        ("a.tsv", WHISPER_TSV + "2500\thola\n", "a.tsv:3: found 2 columns, expected start TAB end TAB text"),
        ("a.tsv", WHISPER_TSV + "0.5\t2.5\thola\n", "a.tsv:3: found time '0.5', expected start TAB end"),
        ("a.tsv", WHISPER_TSV + "-1\t2\thola\n", "a.tsv:3: found time '-1'"),
        ("a.tsv", "start\tend\ttext\n", "a.tsv: found no words"),
    ],
)
def test_malformed_lines(tmp_path, name, content, found):
    with pytest.raises(InputError, match=re.escape(found)):
        list(formats.read(file(tmp_path, name, content)))


@pytest.mark.parametrize("name", ["whisper-log", "whisper-tsv"])
def test_new_lines_are_of_one_recording_in_the_order_of_time(tmp_path, name):
    rows = "r A 2 1 agur\nr B 0.5 1 kaixo\n"
    formats.write(formats.read(file(tmp_path, "a.ctm", rows)), tmp_path / "b", ES, name)
    assert [each.words[0].text for each in formats.read(tmp_path / "b", name)] == ["kaixo", "agur"]
    with pytest.raises(InputError, match="the times of 2 recordings"):
        formats.write(formats.read(file(tmp_path, "a.ctm", rows.replace("r B", "s B"))), tmp_path / "c", ES, name)
    assert not (tmp_path / "c").exists()


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
