import io as stdio
import lzma
import os
import resource
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from dummies import LABELLED, file
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats.ctm import write_ctm
from asr_punct.formats.files import format_seconds, read_lines, read_text_file, write_file
from asr_punct.formats.kaldi_tables import read_data_dir, read_wav_scp
from asr_punct.formats.labelled import labelled
from asr_punct.formats.text import write_text_lines
from asr_punct.formats.tsv import read_tsv, write_tsv
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.words import Utterance, Word, annotate

ES = glyphs("es")


def written(writer, utterances):
    out = stdio.StringIO()
    writer(utterances, out, ES)
    return out.getvalue()


# Files


def test_lines_end_at_line_feed_alone(tmp_path):
    path = file(tmp_path, "a.txt", "\ufeffuno\u2028dos\x85tres\r\ncuatro")
    assert list(read_lines(path)) == [(1, "uno\u2028dos\x85tres"), (2, "cuatro")]


def test_a_compressed_file_is_read_as_what_it_holds(tmp_path):
    path = file(tmp_path, "a.ctm.xz", lzma.compress(b"r 1 0 1 hola\n" * 3000))
    assert sum(len(utterance.words) for utterance in formats.read(path)) == 3000
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match=r"a\.ctm\.xz: found Compressed file ended .*, expected xz data"):
        list(read_lines(path))
    with pytest.raises(InputError, match=r"b\.txt\.xz: found Input format not supported"):
        list(read_lines(file(tmp_path, "b.txt.xz", "hola\n")))


def test_invalid_utf8_is_an_error_with_its_place(tmp_path):
    path = file(tmp_path, "a.txt", b"bien\nma\xf1ana\n")
    with pytest.raises(InputError, match=r"a\.txt:2: found byte 0xf1 at column 3, expected UTF-8 text"):
        list(read_lines(path))


def test_invalid_utf8_in_a_whole_file_is_an_error_with_its_place(tmp_path):
    with pytest.raises(InputError, match=r"a\.json:2: found byte 0xf1 at column 3, expected UTF-8 text"):
        read_text_file(file(tmp_path, "a.json", b"bien\nma\xf1ana\n"))


def test_a_whole_file_has_no_byte_order_mark_and_no_carriage_returns(tmp_path):
    assert read_text_file(file(tmp_path, "a", "\ufeffuno\r\ndos\r\n")) == "uno\ndos"


def test_files_over_the_limits_are_errors(tmp_path, monkeypatch):
    """The limits count what is read, so a small .xz cannot unfold into memory."""
    monkeypatch.setattr("asr_punct.formats.files.MAX_LINE", 1000)
    monkeypatch.setattr("asr_punct.formats.files.MAX_FILE", 5000)
    fits = file(tmp_path, "fits", f"{'x' * 999}\n" * 5)
    assert len(list(read_lines(fits))) == 5
    assert len(read_text_file(fits)) == 4999
    for path in (
        file(tmp_path, "a", f"x\n{'x' * 1000}\n"),
        file(tmp_path, "a.xz", lzma.compress(b"x\n" + b"x" * 10**6)),
    ):
        with pytest.raises(InputError, match=rf"{path.name}:2: found a line of more than 1000 bytes, expected at most"):
            list(read_lines(path))
    with pytest.raises(InputError, match="long: found more than 5000 bytes, expected at most"):
        read_text_file(file(tmp_path, "long", "x\n" * 2501))


@pytest.mark.parametrize(("name", "found"), [("none.txt", "no such file"), (".", "a directory")])
def test_inputs_that_are_not_files_are_errors(tmp_path, name, found):
    with pytest.raises(InputError, match=found):
        list(read_lines(tmp_path / name))


def test_a_failed_output_leaves_nothing_and_keeps_the_old_file(tmp_path):
    path = file(tmp_path, "out.txt", "old")
    with pytest.raises(TypeError), write_file(path) as out:
        out.writelines(["half", 0])
    assert path.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["out.txt"]


def test_an_output_has_the_usual_permissions(tmp_path):
    with write_file(tmp_path / "out.txt") as out:
        out.write("x")
    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) & 0o600 == 0o600


def test_an_output_in_a_missing_directory_is_an_error(tmp_path):
    with pytest.raises(InputError, match="found No such file or directory"), write_file(tmp_path / "no" / "out.txt"):
        pass


@pytest.mark.parametrize("name", ["a.txt/out.txt", "x" * 300])
def test_an_output_that_cannot_be_made_is_an_error(tmp_path, name):
    file(tmp_path, "a.txt", "x")
    with pytest.raises(InputError, match="expected a place where a file can be written"), write_file(tmp_path / name):
        pass


def test_files_that_may_not_be_opened_are_errors(tmp_path, monkeypatch):
    def refuse(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    path = file(tmp_path, "a.txt", "x")
    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(InputError, match="found Permission denied, expected a file that can be read"):
        list(read_lines(path))
    with pytest.raises(InputError, match="found Permission denied"), write_file("/dev/null"):
        pass


def test_an_output_directory_is_an_error(tmp_path):
    with pytest.raises(InputError, match="found Is a directory"), write_file(tmp_path):
        pass


def test_a_full_disk_is_an_error_and_leaves_no_file(tmp_path):
    """A limit on the size of files stands for the disk's end."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        refused = pytest.raises(InputError, match=r"a\.txt: found File too large, expected a place")
        with refused, write_file(tmp_path / "a.txt") as out:
            out.write("x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_no_utf8_names_its_recording(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path / "año") + b"\xff.vtt")
    Path(path).write_text("WEBVTT\n\n00:00.000 --> 00:01.000\nhola\n")
    (value,) = formats.read(path)
    assert value.recording == "año?"


def test_text_that_utf8_cannot_write_is_an_error(tmp_path):
    refused = pytest.raises(InputError, match=r"a\.txt: found '\\udcff', expected text that utf-8 can write")
    with refused, write_file(tmp_path / "a.txt") as out:
        out.write("a\udcff")
    assert list(tmp_path.iterdir()) == []


def test_a_device_that_cannot_be_written_is_an_error():
    refused = pytest.raises(InputError, match="/dev/full: found No space left on device")
    with refused, write_file("/dev/full") as out:
        out.write("x")


@pytest.mark.parametrize("order", [0, 1])
def test_the_error_names_the_file_that_cannot_be_written(tmp_path, order):
    """Whichever was opened first, and though it fails before the end."""
    paths = ["/dev/full", tmp_path / "a.txt"]
    refused = pytest.raises(InputError, match=r"^/dev/full: found No space left on device")
    with refused, write_file(paths[order]) as first, write_file(paths[1 - order]) as second:
        for out in (first, second):
            out.writelines(["x" * 50_000] * 3)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["-", "/dev/null", "a.txt"])
@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), BrokenPipeError(32, "Broken pipe")])
def test_an_error_of_who_writes_passes(tmp_path, monkeypatch, capfd, path, error):
    monkeypatch.chdir(tmp_path)

    def lines():
        yield "half"
        raise error

    with pytest.raises(type(error)) as raised, write_file(path) as out:
        out.writelines(lines())
    assert raised.value is error
    assert list(tmp_path.iterdir()) == []
    print(" and the rest")
    assert capfd.readouterr().out == ("half" if path == "-" else "") + " and the rest\n"


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
    with pytest.raises(InputError, match="standard output: found the kernel has gone"), write_file("-") as out:
        out.write("x")


def test_a_full_standard_output_leaves_no_descriptor_open(monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        before = os.listdir("/proc/self/fd")
        with pytest.raises(InputError, match="standard output: found No space"), write_file("-") as out:
            out.write("x")
        assert os.listdir("/proc/self/fd") == before


@given(st.integers(0, 10**10))
def test_microseconds_survive_writing(micros):
    assert round(float(format_seconds(micros / 1e6)) * 1e6) == micros


def test_seconds_have_two_decimals_at_least():
    assert [format_seconds(value) for value in (0.1 + 0.2, 3, 1.25, 0.000001)] == ["0.30", "3.00", "1.25", "0.000001"]


# TSV

GOLDEN = """# id = u1
# recording = r
# pause_before = 0.500
# times = ctc
qué\tQUESTION+OPEN_QUES+OPEN_QUOTE+QUOTE\t0.250\tFIRST_CAP
dijo\tPERIOD\t-\tO

"""


def test_tsv_golden(tmp_path):
    assert written(write_tsv, [LABELLED]) == GOLDEN
    assert list(read_tsv(file(tmp_path, "a.tsv", GOLDEN))) == [LABELLED]


words = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8).filter(
    lambda text: text.split() == [text]
)
labels = st.builds(Labels, st.frozensets(st.sampled_from(Mark)), st.sampled_from(Case))
milliseconds = st.none() | st.integers(0, 20_000).map(lambda value: value / 1000)


@st.composite
def utterances(draw):
    rows = draw(st.lists(st.tuples(words, labels, milliseconds), min_size=1, max_size=6))
    texts, label, pauses = zip(*rows, strict=True)
    name = draw(st.sampled_from(["", "a", "b-1"]))
    before = draw(milliseconds)
    return annotate(
        Utterance(tuple(map(Word, texts)), name, recording=name, pause_before=before), labels=label, pauses=pauses
    )


@given(st.lists(utterances(), max_size=4))
def test_tsv_round_trip(tmp_path_factory, values):
    path = file(tmp_path_factory.mktemp("tsv"), "a.tsv", written(write_tsv, values))
    assert list(read_tsv(path)) == values


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a\tO\t-", "3 columns"),
        ("a\tb\tO\t-\tO", "5 columns"),
        ("\tO\t-\tO", "word ''"),
        ("a b\tO\t-\tO", "word 'a b'"),
        ("a\tSTOP\t-\tO", "marks 'STOP'"),
        ("a\tO\tnan\tO", "pause 'nan'"),
        ("a\tO\t-1\tO", "pause '-1'"),
        ("a\tO\t-\tTITLE", "case 'TITLE'"),
        ("# times = guess", "times 'guess'"),
        ("# pause_before = x", "pause_before 'x'"),
    ],
)
def test_tsv_errors_name_the_place(tmp_path, line, found):
    path = file(tmp_path, "a.tsv", f"si\tO\t-\tO\n{line}\n")
    with pytest.raises(AsrPunctError, match=r"a\.tsv:2: .*found " + found):
        list(read_tsv(path))


def test_a_hash_is_a_word_where_there_is_a_tab(tmp_path):
    (utterance,) = read_tsv(file(tmp_path, "a.tsv", "# a comment\n#\tO\t-\tO\n"))
    assert [word.text for word in utterance.words] == ["#"]


# CTM


@pytest.mark.parametrize(
    ("row", "word", "times"),
    [
        ("u 1 0.10 0.30 hola", Word("hola", 0.1, 0.4), "asr"),
        ("u 1 0.10 0.30 hola 0.95", Word("hola", 0.1, 0.4, 0.95), "asr"),
        ("u A 0.10 0.30 hola NA lex NA", Word("hola", 0.1, 0.4), "ctc"),
        ("u A 0.10 0.30 hola 0.95 lex s1", Word("hola", 0.1, 0.4, 0.95), "asr"),
        ("u 1 1e-1 .3 <space>hola", Word("hola", 0.1, 0.4), "asr"),
    ],
)
def test_ctm_rows(tmp_path, row, word, times):
    silence = " ".join([*row.split()[:2], "0.5 0.1 <eps>"])
    (utterance,) = formats.read(file(tmp_path, "a.ctm", f";; comment\n\n{row}\n{silence}\n"))
    assert utterance.words == (word,)
    assert (utterance.id, utterance.recording, utterance.time_source) == ("u", "u", times)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("u 1 0.1", "3 columns"),
        ("u 1 0.1 0.2 a b c", "7 columns"),
        ("u 1 nan 0.2 a", "start 'nan'"),
        ("u 1 inf 0.2 a", "start 'inf'"),
        ("u 1 -1 0.2 a", "start '-1'"),
        ("u 1 0.1 -0.2 a", "duration '-0.2'"),
        ("u 1 0.1 0.2 a high", "confidence 'high'"),
        ("u 1 0.1 0.2 a nan", "confidence 'nan'"),
        ("u 1 0.1 0.2 a -inf", "confidence '-inf'"),
        ("u 1 2.0 0.2 a\nu 1 1.0 0.2 b", "start 1.0 after 2.0"),
        ("u 1 0 1 a\nv 1 0 1 b\nu 1 5 1 c", "utterance 'u' again"),
    ],
)
def test_ctm_errors_name_the_place(tmp_path, rows, found):
    with pytest.raises(InputError, match=rf"a\.ctm:\d: found {found}"):
        list(formats.read(file(tmp_path, "a.ctm", rows + "\n")))


def test_ctm_golden():
    first, second = LABELLED.words
    words = (replace(first, start=0.1, end=0.4, confidence=0.9), replace(second, start=0.5, end=0.75))
    lines = written(write_ctm, [replace(LABELLED, words=words)])
    assert lines == "r 1 0.10 0.30 «¿Qué?» 0.9\nr 1 0.50 0.25 dijo.\n"


@given(st.text(st.sampled_from("a b\t\n\r\u2028\x85\u00a0-"), min_size=1, max_size=6))
def test_names_with_white_space_can_be_read_back(tmp_path_factory, name):
    path = tmp_path_factory.mktemp("names")
    value = replace(LABELLED, words=(Word("a", 0.0, 0.5), Word("b", 0.5, 1.0)), id=name, recording=name, channel=name)
    (ctm,) = formats.read(file(path, "a.ctm", written(write_ctm, [value])))
    (tsv,) = read_tsv(file(path, "a.tsv", written(write_tsv, [value])))
    assert ctm.id == ctm.channel == tsv.id == tsv.recording
    assert ctm.id.replace("_", "") == "".join(name.split()).replace("_", "")
    assert len(ctm.words) == len(tsv.words) == 2


def test_a_name_with_white_space_in_a_ctm():
    value = annotate(
        replace(LABELLED, words=(Word("a", 0.0, 0.5),), recording="my  new\ntalk", channel=""), labels=None, pauses=None
    )
    assert written(write_ctm, [value]) == "my_new_talk 1 0.00 0.50 a\n"


def test_ctm_needs_times():
    with pytest.raises(InputError, match="found word 'qué' without times, expected times"):
        written(write_ctm, [LABELLED])
    segment = Utterance((Word("a", 0.0, None), Word("b"), Word("c", None, 9.0)), "u")
    with pytest.raises(InputError, match="u: found word 'a' without times"):
        written(write_ctm, [segment])


def test_words_without_times_get_some_from_their_neighbours_in_a_ctm():
    """As WhisperX leaves numbers."""
    words = (Word("12"), Word("de", 1.0, 1.5), Word("2024"), Word("y", 1.9, 2.0, 0.5), Word("7"))
    rows = [line.split() for line in written(write_ctm, [Utterance(words, "u")]).splitlines()]
    assert [row[4] for row in rows] == ["12", "de", "2024", "y", "7"]
    assert [row[2:4] for row in rows[1:4]] == [["1.00", "0.50"], ["1.50", "0.40"], ["1.90", "0.10"]]
    ends = [float(row[2]) + float(row[3]) for row in rows]
    assert 0 < float(rows[0][2]) < ends[0] == pytest.approx(1.0)
    assert float(rows[4][2]) == pytest.approx(2.0)
    assert ends[4] > 2.0


# Text


def test_text_keeps_lines_and_documents(tmp_path):
    path = file(tmp_path, "a.txt", "hola  mundo\n\n\nadiós\n")
    values = list(formats.read(path))
    assert [value.document for value in values] == ["1", "1", "2", "3"]
    assert written(write_text_lines, values) == "hola mundo\n\n\nadiós\n"


def test_text_separates_recordings():
    values = [replace(LABELLED, recording=name) for name in "aab"]
    assert written(write_text_lines, values) == "«¿Qué?» dijo.\n«¿Qué?» dijo.\n\n«¿Qué?» dijo.\n"


def test_text_has_no_line_for_a_silence():
    """An empty line would end the document."""
    values = [replace(LABELLED, recording="a"), Utterance((), recording="a")]
    assert written(write_text_lines, [values[1], *values * 2]) == "«¿Qué?» dijo.\n" * 2


# TextGrid

GRID = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 2
tiers? <exists>
size = 1
item []:
    item [1]:
        class = "IntervalTier"
        name = "{name}"
        xmin = 0
        xmax = 2
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 0.5
            text = "hola"
        intervals [2]:
            xmin = 0.5
            xmax = 1
            text = ""
        intervals [3]:
            xmin = 1
            xmax = 2
            text = "mundo"
"""


@pytest.mark.parametrize("name", ["words", "Words", "anything"])
def test_textgrid(tmp_path, name):
    (utterance,) = formats.read(file(tmp_path, "a.TextGrid", GRID.format(name=name)))
    assert utterance.words == (Word("hola", 0.0, 0.5), Word("mundo", 1.0, 2.0))


def test_a_file_that_is_no_textgrid_is_an_error(tmp_path):
    with pytest.raises(InputError, match="found no TextGrid"):
        list(formats.read(file(tmp_path, "a.TextGrid", "nothing")))


SHORT_GRID = """File type = "ooTextFile"
Object class = "TextGrid"

0
2
<exists>
1
"IntervalTier"
"words"
0
2
2
0
0.5
"hola"
1
2
"mundo"
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("xmin = 0.5", "xmin = nan", "'cruel' from nan to 1.0"),
        ("xmax = 0.5", "xmax = NaN", "'hola' from 0.0 to nan"),
        ("xmin = 0.5", "xmin = 1.5", "'cruel' from 1.5 to 1.0"),
        ("xmin = 0.5", "xmin = 1", "'cruel' from 1.0 to 1.0"),
        ("xmin = 0.5", "xmin = -0.5", "'cruel' from -0.5 to 1.0"),
        ("xmin = 0.5", "xmin = inf", "'cruel' from inf to 1.0"),
    ],
)
@pytest.mark.parametrize("name", ["words", "anything"])
def test_textgrid_words_with_times_that_are_none(tmp_path, old, new, found, name):
    grid = GRID.format(name=name).replace('text = ""', 'text = "cruel"').replace(old, new)
    with pytest.raises(InputError, match=rf"a\.TextGrid: tier '{name}': interval \d: found {found}, expected a start"):
        list(formats.read(file(tmp_path, "a.TextGrid", grid)))


def test_textgrid_silences_without_length_are_left_out(tmp_path):
    grid = GRID.format(name="words").replace("xmin = 0.5\n            xmax = 1\n", "xmin = 1\n            xmax = 1\n")
    (utterance,) = formats.read(file(tmp_path, "a.TextGrid", grid))
    assert [word.text for word in utterance.words] == ["hola", "mundo"]


def test_short_textgrid(tmp_path):
    (utterance,) = formats.read(file(tmp_path, "a.TextGrid", SHORT_GRID))
    assert utterance.words == (Word("hola", 0.0, 0.5), Word("mundo", 1.0, 2.0))
    with pytest.raises(InputError, match=r"interval 2: found 'mundo' from 1\.0 to nan"):
        list(formats.read(file(tmp_path, "a.TextGrid", SHORT_GRID.replace('2\n"mundo"', 'nan\n"mundo"'))))
    with pytest.raises(InputError, match="found no number where value"):
        list(formats.read(file(tmp_path, "a.TextGrid", SHORT_GRID.replace("2\n2\n0\n", "2\n3\n0\n"))))


# Files read as labels


def timed(*tokens):
    return Utterance(tuple(Word(token, i, i + 0.5) for i, token in enumerate(tokens)), time_source="asr")


def test_labelled_words_keep_the_times_of_their_tokens():
    value = labelled(timed("¿Qué", "dijo", "el", "Sr.", "niño(s)?"), "es")
    assert [word.text for word in value.words] == ["qué", "dijo", "el", "sr.", "niños"]
    assert [word.start for word in value.words] == [0, 1, 2, 3, 4]
    assert value.time_source == "asr"


def test_as_many_words_as_tokens_by_chance_get_no_times():
    value = labelled(timed("Uno,dos", "-", "tres."), "es")
    assert [word.text for word in value.words] == ["uno", "dos", "tres"]
    assert {word.start for word in value.words} == {None}
    assert value.time_source == "none"


# Data directories


def test_data_dir(tmp_path):
    file(tmp_path, "wav.scp", "u1 /a/u1.m4a\nu2 /a/u2.m4a\n")
    file(tmp_path, "text", "u1 Uno.\nu2 Dos.\n")
    file(tmp_path, "utt2doc", "u2 d\nu1 d\n")
    values = list(read_data_dir(tmp_path))
    assert [(value.id, value.text, value.document) for value in values] == [("u2", "Dos.", "d"), ("u1", "Uno.", "d")]
    assert (values[0].start, values[0].end, str(values[0].audio)) == (0.0, None, "/a/u2.m4a")


def test_tables_are_split_at_any_white_space(tmp_path):
    file(tmp_path, "wav.scp", "u1\t/a/my talk.wav \n\nu2  /a/u2.wav\n")
    file(tmp_path, "text", "u1\tHola,\tAna.\nu2\n")
    values = list(read_data_dir(tmp_path))
    assert [(value.id, str(value.audio), value.text) for value in values] == [
        ("u1", "/a/my talk.wav", "Hola,\tAna."),
        ("u2", "/a/u2.wav", ""),
    ]


def test_data_dir_with_segments(tmp_path):
    file(tmp_path, "wav.scp", "r /a/r.wav\n")
    file(tmp_path, "segments", "r-1 r 0.5 1.5\nr-2 r 2 3\n")
    values = list(read_data_dir(tmp_path))
    assert [(value.id, value.start, value.end, value.document) for value in values] == [
        ("r-1", 0.5, 1.5, "r"),
        ("r-2", 2.0, 3.0, "r"),
    ]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, "neither wav.scp nor text"),
        ({"wav.scp": "u a.wav\nu b.wav\n"}, "'u' again"),
        ({"wav.scp": "u sox a.wav |\n"}, "the command"),
        ({"wav.scp": "u a.wav\n", "text": "v hola\n"}, "no recording 'v'"),
        ({"wav.scp": "r a.wav\n", "segments": "u r 1\n"}, "3 columns"),
        ({"wav.scp": "r a.wav\n", "segments": "u r 2 1\n"}, "end 1.0 before start 2.0"),
    ],
)
def test_data_dir_errors(tmp_path, files, found):
    for name, content in files.items():
        file(tmp_path, name, content)
    with pytest.raises(InputError, match=found):
        list(read_data_dir(tmp_path))


def test_a_missing_wav_scp_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_wav_scp(tmp_path / "wav.scp")
