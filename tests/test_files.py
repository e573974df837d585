"""Text files: reading, limits, compression, and outputs that appear when they are complete."""

import io as stdio
import json
import lzma
import os
import random
import resource
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from dummies import file, refused_at
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import files, formats, partial
from asr_punct.encoding import TOLERANT, UTF8, Encoding, TextForm, encodable, visible
from asr_punct.errors import ArgumentError, InputError
from asr_punct.files import InputFile, read_lines, read_text_file, write_file
from asr_punct.formats.values import format_seconds
from asr_punct.partial import write_directory


def test_lines_end_at_line_feed_alone(tmp_path):
    path = file(tmp_path, "a.txt", "uno\u2028dos\x85tres\ncuatro")
    assert list(read_lines(path)) == [(1, "uno\u2028dos\x85tres"), (2, "cuatro")]


def test_compressed_files_are_decompressed(tmp_path):
    path = file(tmp_path, "a.ctm.xz", lzma.compress(b"r 1 0 1 hola\n" * 3000))
    assert sum(len(utterance.words) for utterance in formats.read(path)) == 3000
    path.write_bytes(path.read_bytes()[:-40])
    with refused_at(path, "Compressed file ended before the end-of-stream marker was reached"):
        list(read_lines(path))
    path = file(tmp_path, "b.txt.xz", "hola\n")
    with refused_at(path, "Input format not supported by decoder"):
        list(read_lines(path))


@pytest.mark.parametrize("read", [read_text_file, lambda path: list(read_lines(path))])
def test_text_is_utf8_without_byte_order_mark_and_carriage_returns(tmp_path, read):
    path = file(tmp_path, "a.txt", b"bien\nma\xf1ana\n")
    with refused_at(f"{path}:2", "byte 0xf1 at column 3"):
        read(path)
    assert read(file(tmp_path, "b.txt", "\ufeffuno\r\ndos\r\n")) in ("uno\ndos", [(1, "uno"), (2, "dos")])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be", "latin-1", "shift_jis", "utf-7"])
@given(text=st.text(st.sampled_from("a\x00\n\r ñé\u0a0d\u0d0a€\U0001f600")))
def test_other_encodings_are_read_as_utf8_is(tmp_path_factory, encoding, text):
    """UTF-16 and UTF-32 are known by their marks, if no NUL follows."""
    has_mark = encoding in ("utf-16", "utf-32")
    text = text.lstrip("\0" if has_mark else "").encode(encoding, "ignore").decode(encoding)
    folder = tmp_path_factory.mktemp("encoding")
    other = InputFile(file(folder, "a", text.encode(encoding)), Encoding(None if has_mark else encoding))
    same = file(folder, "b", text)
    assert list(read_lines(other)) == list(read_lines(same))
    assert read_text_file(other) == read_text_file(same)


@pytest.mark.parametrize("name", ["foo", "hex", "\0", "undefined"])
def test_a_name_of_no_encoding_of_text_is_an_error(name):
    with refused_at("encoding", repr(name), ArgumentError):
        Encoding(name)


@given(st.binary(max_size=20))
def test_bytes_that_are_kept_are_written_again(tmp_path_factory, raw):
    folder = tmp_path_factory.mktemp("bytes")
    source = InputFile(file(folder, "a", b"\xc3\xa1 " + raw), TOLERANT)
    text = source.read()
    with write_file(folder / "b", "keep") as out:
        out.write(text)
    assert (folder / "b").read_bytes() == (folder / "a").read_bytes()
    with write_file(folder / "c", "replace") as out:
        out.write(text)
    assert (folder / "c").read_bytes().decode() == visible(text)
    assert visible(text).count("\ufffd") == source.undecoded[0] + raw.count(b"\xef\xbf\xbd")


def test_half_a_character_is_kept(tmp_path):
    source = InputFile(file(tmp_path, "a", b"hola\nma\xc3\n\xb1ana\n"), TOLERANT)
    assert "".join(line for _, line in source.lines()) == "holama\udcc3\udcb1ana"
    assert (source.undecoded, source.form) == ((2, "line 2, column 3"), UTF8)
    assert InputFile(file(tmp_path, "c", "sí\n".encode() + b"ma\xf1ana\n"), TOLERANT).read() == "sí\nma\udcf1ana\n"


PLAIN = "¿qué tal?\r\nmañana «no»\r\n"
ENGLISH = "we don’t know – that’s all\n" * 9000


@pytest.mark.parametrize(
    ("raw", "text", "form"),
    [
        (PLAIN.encode("utf-8-sig"), PLAIN, TextForm("utf-8", has_mark=True, line_end="\r\n")),
        (PLAIN.encode("utf-32"), PLAIN, TextForm("utf-32-le", has_mark=True, line_end="\r\n")),
        (b"\x00\x00\xfe\xff" + PLAIN.encode("utf-32-be"), PLAIN, TextForm("utf-32-be", True, "\r\n")),
        (PLAIN.encode("utf-16"), PLAIN, TextForm("utf-16-le", has_mark=True, line_end="\r\n")),
        (PLAIN.encode("utf-16-be"), PLAIN, TextForm("utf-16-be", False, "\r\n", is_guessed=True)),
        (PLAIN.encode("utf-16-le"), PLAIN, TextForm("utf-16-le", False, "\r\n", is_guessed=True)),
        (PLAIN.encode("cp1252"), PLAIN, TextForm("cp1252", False, "\r\n", is_guessed=True)),
        (b"\xbfdonde esta\n", "¿donde esta\n", TextForm("cp1252", is_guessed=True)),
        (b"estoy aqu\xed\n", "estoy aquí\n", TextForm("cp1252", is_guessed=True)),
        (ENGLISH.encode("cp1252"), ENGLISH, TextForm("cp1252", is_guessed=True)),
        (b"a" * 10**6 + b" s\xed\n", "a" * 10**6 + " sí\n", TextForm("cp1252", is_guessed=True)),
        (b"hola\r\nana\n", "hola\r\nana\n", UTF8),
    ],
)
def test_a_text_keeps_its_form(tmp_path, raw, text, form):
    source = InputFile(file(tmp_path, "a", raw), TOLERANT)
    assert source.read() == text
    assert "\n".join(line for _, line in source.lines()) + "\n" == text.replace("\r\n", "\n")
    assert (source.form, source.undecoded) == (form, (0, ""))
    if form != UTF8:
        with write_file(tmp_path / "b", "keep", source.form) as out:
            out.write(text.replace("\r\n", "\n"))
        assert (tmp_path / "b").read_bytes() == raw


@pytest.mark.parametrize(
    "raw",
    [
        "привет как дела\n".encode("cp1251"),
        "mañana canción\n".encode("mac-roman"),
        "こんにちは\n".encode("shift_jis"),
        "zażółć gęślą\n".encode("cp1250"),
        b"canci\xc3\n\xb3n\n\xa1laga\n",
        "\ufffd sí ".encode() + b"ma\xf1ana\n",
    ],
)
def test_no_other_encoding_is_guessed(tmp_path, raw):
    source = InputFile(file(tmp_path, "a", raw), TOLERANT)
    with suppress(InputError):
        source.read()
    assert source.form == UTF8
    with suppress(InputError):
        list(source.lines())
    assert source.form == UTF8


def test_a_stream_that_begins_in_ascii_may_be_western(tmp_path):
    os.mkfifo(pipe := tmp_path / "a.txt")
    script = "printf 'hola\\n'; sleep 0.2; printf 'hasta ma\\361ana\\n\\277no?'"
    with subprocess.Popen(["bash", "-c", f"({script}) > {pipe}"]):
        source = InputFile(pipe, TOLERANT)
        assert [line for _, line in source.lines()] == ["hola", "hasta mañana", "¿no?"]
    assert source.form == TextForm("cp1252", is_guessed=True)


def test_marks_that_an_encoding_lacks_are_written_in_ascii(tmp_path):
    with write_file(tmp_path / "a", form=TextForm("latin-1")) as out:
        out.write("¿sí…? “no” —ya—\n")
    assert (tmp_path / "a").read_bytes() == '¿sí...? "no" -ya-\n'.encode("latin-1")
    with refused_at(tmp_path / "b", "'ж'"), write_file(tmp_path / "b", form=TextForm("latin-1")) as out:
        out.write("ж")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("json", "\\u201csí\\u201d \\u2014 \\u0436"),
        ("nemo", "\\u201csí\\u201d \\u2014 \\u0436"),
        ("whisper-jsonl", "\\u201csí\\u201d \\u2014 \\u0436"),
        ("lhotse-cuts", "\\u201csí\\u201d \\u2014 \\u0436"),
        ("eaf", "&#8220;sí&#8221; &#8212; &#1078;"),
        ("ttml", "&#8220;sí&#8221; &#8212; &#1078;"),
        ("textgrid", "'sí' - ж"),
        ("whisper-csv", "'sí' - ж"),
        ("srt", '"sí" - ж'),
    ],
)
def test_a_format_says_how_characters_are_written_that_an_encoding_lacks(name, written):
    assert encodable("“sí” — ж", TextForm("latin-1", lacking=formats.FORMATS[name].lacking)) == written


def test_the_way_to_write_such_characters_does_not_depend_on_the_suffix():
    assert replace(formats.FORMATS["eaf"], suffixes=(".xml",)).lacking == "xml"
    assert replace(formats.FORMATS["text"], suffixes=(".json",)).lacking == "marks"


def test_json_in_another_encoding_is_read_again(tmp_path, run):
    segment = {"start": 0, "end": 2, "text": "dijo “ven” ma\u00f1ana \u266a"}
    escaped = json.dumps({"segments": [segment], "language": "es"}).replace("\\u00f1", "ñ")
    file(tmp_path, "a.json", escaped.encode("latin-1"))
    status, *_ = run("punctuate", tmp_path / "a.json", "--encoding", "latin-1", "-o", tmp_path / "b.json")
    assert status == 0
    text = json.loads((tmp_path / "b.json").read_bytes().decode("latin-1"))["segments"][0]["text"]
    assert text.count("♪") == 1
    assert "“Ven” mañana" in text


def test_utf16_without_a_mark_is_read_if_it_is_named(tmp_path):
    raw = "hola\nsí\n".encode("utf-16-be")
    source = InputFile(file(tmp_path, "a", raw), Encoding("utf-16"))
    assert source.read() == "hola\nsí\n"
    with refused_at(f"{tmp_path / 'b'}:1", "byte 0x00"):
        InputFile(file(tmp_path, "b", raw), Encoding("utf-32")).read()


def test_standard_output_has_the_form_of_the_input(capfdbinary):
    with write_file("-", form=TextForm("utf-16-le", has_mark=True, line_end="\r\n")) as out:
        out.write("sí\n")
    print("más", flush=True)
    assert capfdbinary.readouterr().out == "\ufeffsí\r\n".encode("utf-16-le") + "más\n".encode()


def test_files_over_the_limits_are_errors(tmp_path, monkeypatch):
    """The limits count what is read, so a small .xz cannot unfold into memory."""
    monkeypatch.setattr("asr_punct.files.MAX_LINE", 1000)
    monkeypatch.setattr("asr_punct.files.MAX_FILE", 5000)
    fits = file(tmp_path, "fits", f"{'x' * 999}\n" * 5)
    assert len(list(read_lines(fits))) == 5
    assert len(read_text_file(fits)) == 4999
    for path in (
        file(tmp_path, "a", f"x\n{'x' * 1000}\n"),
        file(tmp_path, "a.xz", lzma.compress(b"x\n" + b"x" * 10**6)),
    ):
        with refused_at(f"{path}:2", "a line of more than 1000 bytes"):
            list(read_lines(path))
    path = file(tmp_path, "long", "x\n" * 2501)
    with refused_at(path, "more than 5000 bytes"):
        read_text_file(path)


@pytest.mark.parametrize(("name", "found"), [("none.txt", "no such file"), (".", "a directory")])
def test_inputs_that_are_not_files_are_errors(tmp_path, name, found):
    with refused_at(tmp_path / name, found):
        list(read_lines(tmp_path / name))


def test_a_failed_output_leaves_nothing_and_keeps_the_old_file(tmp_path):
    path = file(tmp_path, "out.txt", "old")
    with pytest.raises(TypeError), write_file(path) as out:
        out.writelines(["half", 0])
    assert path.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["out.txt"]


@pytest.mark.parametrize("name", ["no/out.txt", "a.txt/out.txt", "x" * 300, "."])
def test_an_output_that_cannot_be_made_is_an_error(tmp_path, name):
    file(tmp_path, "a.txt", "x")
    with pytest.raises(InputError) as raised, write_file(tmp_path / name):
        pass
    assert raised.value.place == str(tmp_path / name)


def test_a_full_disk_is_an_error_and_leaves_no_file(tmp_path):
    """A limit on the size of files stands for the disk's end."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with refused_at(tmp_path / "a.txt", "File too large"), write_file(tmp_path / "a.txt") as out:
            out.write("x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_a_file_name_that_is_not_utf8(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path / "año") + b"\xff.vtt")
    Path(path).write_text("WEBVTT\n\n00:00.000 --> 00:01.000\nhola\n")
    (value,) = formats.read(path)
    assert value.recording == "año?"


def test_text_that_utf8_cannot_write_is_an_error(tmp_path):
    with refused_at(tmp_path / "a.txt", r"'\udcff'"), write_file(tmp_path / "a.txt") as out:
        out.write("a\udcff")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("order", [0, 1])
def test_the_error_names_the_file_that_cannot_be_written(tmp_path, order):
    """Whichever was opened first, and though it fails before the end."""
    paths = ["/dev/full", tmp_path / "a.txt"]
    full = refused_at("/dev/full", "No space left on device")
    with full, write_file(paths[order]) as first, write_file(paths[1 - order]) as second:
        for out in (first, second):
            out.writelines(["x" * 50_000] * 3)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["-", "/dev/null", "a.txt"])
@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), BrokenPipeError(32, "Broken pipe")])
def test_an_error_of_the_caller_passes(tmp_path, monkeypatch, capfd, path, error):
    monkeypatch.chdir(tmp_path)

    def lines():
        yield "half"
        raise error

    with pytest.raises(type(error)) as raised, write_file(path) as out:
        out.writelines(lines())
    assert raised.value is error
    assert list(tmp_path.iterdir()) == []
    print(" and more")
    assert capfd.readouterr().out == ("half" if path == "-" else "") + " and more\n"


@pytest.mark.parametrize("write", [write_file, write_directory])
def test_nothing_is_left_wherever_a_signal_comes(tmp_path, write):
    """Raise SystemExit, as the handler of SIGTERM, before each line of the modules in turn."""
    remaining, interrupted = 0, 0

    def trace(frame, event, _):
        nonlocal remaining
        if frame.f_code.co_filename not in (files.__file__, partial.__file__):
            return None
        remaining -= event == "line"
        if event == "line" and remaining == 0:
            raise SystemExit
        return trace

    target, previous = tmp_path / "out", sys.gettrace()
    while not target.exists():
        interrupted += 1
        remaining = interrupted
        sys.settrace(trace)
        try:
            with write(target):
                pass
        except SystemExit:
            pass
        finally:
            sys.settrace(previous)
        assert [path for path in tmp_path.iterdir() if path != target] == []
    assert interrupted > 5


class NoDescriptor(stdio.StringIO):
    """A standard output as notebooks have it, which fails with this error."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def write(self, text):
        raise self.error


def test_a_standard_output_without_a_descriptor(monkeypatch):
    monkeypatch.setattr(sys, "stdout", NoDescriptor(BrokenPipeError(32, "Broken pipe")))
    with write_file("-") as out:
        out.write("x")
    monkeypatch.setattr(sys, "stdout", NoDescriptor(OSError("the kernel has gone")))
    with refused_at("standard output", "the kernel has gone"), write_file("-") as out:
        out.write("x")


@given(st.integers(0, 10**10))
def test_microseconds_survive_writing(micros):
    text = format_seconds(micros / 1e6)
    assert round(float(text) * 1e6) == micros
    assert len(text.partition(".")[2]) >= 2


ROW, SEGMENT, CUE = "r 1 0 1 hola\n", "r 1 s 0 1 hola\n", "1\n00:00:01,000 --> 00:00:02,500\nhola\n"
SUPERVISION = '{"id": "a", "recording_id": "r", "start": 0, "duration": 1, "text": "hola"}\n'
GRID = 'File type = "ooTextFile"\n"TextGrid"\n0\n1\n<exists>\n1\n"IntervalTier"\n"words"\n0\n1\n1\n0\n1\n"hola"\n'


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.ctm", ROW), ("a.stm", SEGMENT), ("a.TextGrid", GRID), ("a.jsonl", SUPERVISION), ("a.srt", CUE)],
)
def test_a_byte_order_mark_and_carriage_returns_do_no_harm(tmp_path, name, content):
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + content.replace("\n", "\r\n").encode())
    (utterance,) = formats.read(tmp_path / name)
    assert [word.text for word in utterance.words] == ["hola"]


def test_a_file_knows_how_much_of_it_was_read(tmp_path):
    source = InputFile(file(tmp_path, "a.txt", "una línea\n" * 10_000))
    assert source.position() == (None, None)
    lines = source.lines()
    next(lines)
    done, size = source.position()
    assert 0 < done < size == (tmp_path / "a.txt").stat().st_size
    assert len(list(lines)) == 9999
    assert source.position() == (None, None)


def test_the_first_lines_of_a_pipe_are_read_again(standard_input):
    standard_input("uno\ndos\ntres\n")
    source = InputFile("-")
    assert list(source.first_lines(2)) == ["uno", "dos"]
    assert list(source.first_lines(1)) == ["uno"]
    assert list(source.lines()) == [(1, "uno"), (2, "dos"), (3, "tres")]


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"RIFF\x24\x00\x00\x00WAVEfmt ", "audio"),
        (b"ID3\x04\x00\x00", "audio"),
        (b"\x00\x00\x00\x20ftypM4A ", "audio or video"),
        (b"PK\x03\x04\x14\x00", "a ZIP archive, such as .docx or .odt"),
        (b"%PDF-1.7\n", "a PDF"),
        (bytes(range(256)), "binary data"),
        (random.Random(1).randbytes(300), "binary data"),
        (b"ID3 es un formato, y PK una sigla\n", ""),
        (("hola \0 mundo\n" * 20).encode(), ""),
        (("привет как дела\n" * 20).encode("cp1251"), ""),
        (("こんにちは\n" * 20).encode("shift_jis"), ""),
    ],
)
def test_a_file_that_is_no_text_is_refused_by_what_it_looks_like(tmp_path, raw, kind):
    path = file(tmp_path, "a", raw)
    for read in (InputFile.read, lambda source: list(source.lines())):
        if kind:
            with refused_at(path, f"what looks like {kind}"):
                read(InputFile(path, TOLERANT))
        else:
            with suppress(InputError):  # of an encoding
                assert read(InputFile(path, TOLERANT))
    if kind:
        assert list(InputFile(path, TOLERANT).first_lines(5)) == []
