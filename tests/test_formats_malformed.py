"""Malformed and hostile files of lines, TextGrids and data directories: one line, status 2, nothing written."""

import lzma

import pytest

from asr_punct import formats
from asr_punct.formats import files

ROW, SEGMENT = "r 1 0 1 hola\n", "r 1 s 0 1 hola\n"
SUPERVISION = '{"id": "a", "recording_id": "r", "start": 0, "duration": 1, "text": "hola"}\n'
MANIFEST = '{"audio_filepath": "a", "offset": 0, "pred_text": "a", "word": [{"word": "a", "start": 1, "end": 3e9}]}'
CPP = '{"transcription": [{"offsets": {"from": 0, "to": 500}, "text": " a"}]}'
GRID = (
    'File type = "ooTextFile"\nObject class = "TextGrid"\n0\n1\n<exists>\n1\n"IntervalTier"\n"words"\n0\n1\n1\n0\n1\n'
)

CASES = {
    "wrong columns": ("a.ctm", f"{ROW}r 1 0 1\n", "a.ctm:2: found 4 columns"),
    "negative time": ("a.ctm", "r 1 -5 1 a\n", "a.ctm:1: found start '-5'"),
    "time beyond the limit": ("a.ctm", "r 1 1e306 1 a\n", "at most 10000000000"),
    "a sum beyond the limit": ("a.ctm", "r 1 9e9 9e9 a\n", "a.ctm: found 1.8e+10 s for the word 'a'"),
    "a supervision beyond the limit": (
        "a.jsonl",
        SUPERVISION.replace("0,", "1e11,"),
        "a.jsonl:1: found start 100000000000.0",
    ),
    "a pause beyond the limit": ("a.tsv", "a\tO\t1e11\tO\n", "a.tsv:1: found pause '1e11'"),
    "an offset beyond the limit": (
        "a.jsonl",
        MANIFEST.replace("0,", "1e11,"),
        "a.jsonl:1: found offset 100000000000.0",
    ),
    "times and offset beyond the limit": ("a.jsonl", MANIFEST.replace("0,", "9e9,"), "a.jsonl: found 1.2e+10 s for"),
    "milliseconds beyond the limit": ("a.json", CPP.replace("500", "10000000001"), "found to 10000000001, expected a"),
    "a key twice": ("a.json", '{"text": "a", "text": "b"}', "a.json: found the key 'text' again in an object"),
    "a key twice in a line": ("a.jsonl", SUPERVISION.replace("start", "id"), "a.jsonl:1: found the key 'id' again"),
    "another encoding": ("a.ctm", ROW.encode() + "r 1 2 1 mañana\n".encode("latin-1"), "a.ctm:2: found byte 0xf1"),
    "two encodings": ("a.stm", SEGMENT.encode() + SEGMENT.encode("utf-16"), "a.stm:2: found byte 0xff"),
    "a long line": ("a.ctm", b"a" * 5001, "a.ctm:1: found a line of more than 5000 bytes"),
    "cut data": ("a.stm.xz", lzma.compress(SEGMENT.encode() * 99)[:-30], "a.stm.xz: found Compressed file ended"),
    "end before start": ("a.stm", "r 1 s 2 1 a\n", "a.stm:1: found end 1.0 before start 2.0"),
    "cut textgrid": ("a.TextGrid", GRID, "a.TextGrid:13: found no string where value"),
    "a large textgrid": ("a.TextGrid", GRID + " " * 9000, "found more than 8000 bytes"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_error_is_one_line_and_nothing_is_written(run, tmp_path, monkeypatch, name):
    monkeypatch.setattr(files, "MAX_LINE", 5000)
    monkeypatch.setattr(files, "MAX_FILE", 8000)
    path, content, found = CASES[name]
    (tmp_path / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    status, out, err = run("pauses", tmp_path / path, "-o", tmp_path / "out.tsv")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert found in err
    assert [file.name for file in tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("name", ["a.ctm", "a.stm", "a.TextGrid", "a.jsonl"])
def test_a_byte_order_mark_and_carriage_returns_do_no_harm(tmp_path, name):
    samples = {"a.ctm": ROW, "a.stm": SEGMENT, "a.TextGrid": f'{GRID}"hola"\n', "a.jsonl": SUPERVISION}
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + samples[name].replace("\n", "\r\n").encode())
    (utterance,) = formats.read(tmp_path / name)
    assert [word.text for word in utterance.words] == ["hola"]
