"""Kaldi data directories in and out, with all but the marks as it was, and the rows of CTM and STM."""

import random
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from dummies import file, json_lines, refused, refused_at, with_labels, written
from hypothesis import given
from hypothesis import strategies as st
from split_decode import read_decode

from asr_punct import formats
from asr_punct.encoding import STRICT, UTF8
from asr_punct.errors import ArgumentError, InputError
from asr_punct.files import InputFile
from asr_punct.formats import origins
from asr_punct.formats.kaldi.ctm import RowsById, read_ctm
from asr_punct.formats.kaldi.decode_ctm import place_words
from asr_punct.formats.kaldi.stm import read_stm, without_ignored_segments
from asr_punct.formats.kaldi.tables import read_data_dir
from asr_punct.formats.source import Source
from asr_punct.glyphs import glyphs
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, Word, annotate

ES = glyphs("es")
STOP = Labels(frozenset({Mark.PERIOD, Mark.DASH}), Case.FIRST_CAP)
FILES = {
    "wav.scp": "r sox r.sph -t wav - |\n",
    "segments": "b-1 r 0.00 2.00\nb-2 r 6 7.5\na-1 r 2.5 4\n",
    "text": "a-1\tsí\nb-1 qué  dijo\nb-2 hola\n",
    "utt2spk": "a-1 a\nb-1 b\nb-2 b\n",
    "reco2file_and_channel": "r talk A\n",
    "ctm": ";; decoded\ntalk A 0.10 .4 qué 0.90\ntalk A 1.000 0.5 dijo NA\ntalk A 2.2 0.1 eh\n"
    "talk A 3 0.5 sí 1\ntalk A 6.1 0.5 hola 1\n",
}


def folder(root, files):
    root.mkdir()
    for name, content in files.items():
        (root / name).write_text(content, encoding="utf-8")
    return root


def contents(root):
    return {path.name: path.read_text(encoding="utf-8") for path in Path(root).iterdir() if path.is_file()}


def read(root):
    return list(formats.read(root, "kaldi"))


def test_bytes_that_are_not_utf8_stay_or_are_refused(tmp_path):
    source = folder(
        tmp_path / "d", {"text": "u ho@la ana\n", "ctm": "u 1 0 0.5 ho@la\nu 1 0.5 0.5 ana\n", "utt2spk": "u a\n"}
    )
    for name in ("text", "ctm"):
        (source / name).write_bytes((source / name).read_bytes().replace(b"@", b"\x98"))
    opened = Source(source, "kaldi")
    values = list(formats.read(opened))
    assert opened.file.undecoded == (2, "line 1, column 5")
    formats.write(values, tmp_path / "same", ES, "kaldi", form=UTF8)
    for name in ("text", "ctm"):
        assert (tmp_path / "same" / name).read_bytes() == (source / name).read_bytes()
    formats.write([replace(each, origin=None) for each in values], tmp_path / "new", ES, "kaldi")
    assert (tmp_path / "new" / "text").read_text(encoding="utf-8") == "u ho\ufffdla ana\n"
    with refused_at(f"{source}/text:1", "byte 0x98 at column 5"):
        list(formats.read(Source(InputFile(source, STRICT), "kaldi")))


def test_utterances_are_in_the_order_of_speech_with_times(tmp_path):
    values = read(folder(tmp_path / "d", FILES))
    assert [(value.id, value.recording, value.time_source) for value in values] == [
        ("b-1", "r", "asr"),
        ("a-1", "r", "asr"),
        ("b-2", "r", "asr"),
    ]
    assert values[0].words == (Word("qué", 0.1, 0.5, 0.9), Word("dijo", 1.0, 1.5))


def test_channels_of_a_file_are_one_document_in_the_order_of_time(tmp_path):
    files = FILES | {
        "segments": "a-1 ra 0 1\na-2 ra 4 5\nb-1 rb 2 3\nc-1 rc 1 2\n",
        "text": "a-1 hola\na-2 vale\nb-1 dime\nc-1 otra\n",
        "reco2file_and_channel": "ra call A\nrb call B\nrc other A\n",
        "ctm": "a-1 1 0.2 0.1 hola\n",
    }
    found = [(u.id, u.document, u.recording, u.channel) for u in read(folder(tmp_path / "d", files))]
    assert found == [
        ("a-1", "call", "ra", "A"),
        ("b-1", "call", "rb", "B"),
        ("a-2", "call", "ra", "A"),
        ("c-1", "", "rc", "A"),
    ]
    with refused("reco2file_and_channel:1", "2 columns"):
        read(folder(tmp_path / "e", files | {"reco2file_and_channel": "ra call\n"}))


def test_text_and_ctm_are_punctuated_and_other_files_are_copied(tmp_path):
    source = folder(tmp_path / "d", FILES)
    (source / "split2").mkdir()
    formats.write(read(source), tmp_path / "same", ES, "kaldi")
    assert contents(tmp_path / "same") == FILES | {"text": FILES["text"].replace("  ", " ")}
    formats.write(with_labels(read(source), STOP), tmp_path / "out", ES, "kaldi")
    marked = dict(FILES)
    for word in ("qué", "dijo", "sí", "hola"):
        for name in ("text", "ctm"):
            marked[name] = marked[name].replace(word, f"{word.capitalize()}.–")
    assert contents(tmp_path / "out") == marked | {"text": marked["text"].replace("  ", " ")}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d", "out", "same"]
    assert [[word.start for word in value.words] for value in read(tmp_path / "out")] == [[0.1, 1.0], [3.0], [6.1]]


def test_a_ctm_of_utterances(tmp_path):
    rows = "b-1 1 0.1 0.2 Qué\nb-1 1 0.5 0.2 dijo\na-1 1 3 0.1 otra\nb-2 1 6 0.1 hola\n"
    source = folder(tmp_path / "d", FILES | {"ctm": rows})
    values = read(source)
    assert [value.time_source for value in values] == ["asr", "none", "asr"]
    formats.write(with_labels(values, STOP), tmp_path / "out", ES, "kaldi")
    expected = rows.replace("Qué", "Qué.–").replace("dijo", "Dijo.–").replace("hola", "Hola.–")
    assert contents(tmp_path / "out")["ctm"] == expected


def test_rows_without_marks_are_logged(tmp_path, caplog):
    source = folder(tmp_path / "d", FILES)
    assert len(read(source)) == 3
    assert caplog.messages == [f"{source}/ctm: 1 word outside all segments, which belong to no utterance"]
    caplog.clear()
    (source / "ctm").write_text("b-1 1 0.1 0.2 Qué\nb-1 1 0.5 0.2 dijo\na-1 1 3 0.1 otra\nb-2 1 6 0.1 adiós\n")
    read(source)
    others = "other words than in text for 2 utterances, 'a-1' the first"
    assert caplog.messages == [f"{source}/ctm: {others}: their times are not used, their rows get no marks"]
    caplog.clear()
    (source / "text").unlink()
    formats.write(with_labels(read(source), STOP), tmp_path / "out", ES, "kaldi")
    assert caplog.messages == []
    assert contents(tmp_path / "out")["text"] == "a-1 Otra.–\nb-1 Qué.– Dijo.–\nb-2 Adiós.–\n"


def test_utterances_of_another_format(tmp_path):
    words = (Word("hola", 0.5, 1.0, 0.25), Word("ana", 1.25, 1.5))
    values = [
        Utterance(words, "b", recording="my talk", time_source="asr"),
        Utterance(words, "a", recording="my talk", channel="2", time_source="asr"),
        Utterance(words[1:], "b", recording="other", time_source="asr"),
    ]
    formats.write(values, tmp_path / "out", ES, "kaldi")
    assert contents(tmp_path / "out") == {
        "text": "a hola ana\nb hola ana\nb-3 ana\n",
        "utt2spk": "a a\nb b\nb-3 b-3\n",
        "utt2doc": "b my_talk-1\na my_talk-2\nb-3 other\n",
        "segments": "a my_talk-2 0.50 1.50\nb my_talk-1 0.50 1.50\nb-3 other 1.25 1.50\n",
        "ctm": "a 1 0.50 0.50 hola 0.25\na 1 1.25 0.25 ana\nb 1 0.50 0.50 hola 0.25\nb 1 1.25 0.25 ana\n"
        "b-3 1 1.25 0.25 ana\n",
    }
    assert [(value.id, value.words) for value in read(tmp_path / "out")] == [
        ("b", words),
        ("a", words),
        ("b-3", words[1:]),
    ]


@pytest.mark.parametrize(("name", "recording"), [("talk-{}", "a/talk.wav"), ("{}", "talk")])
def test_numbered_utterances_sort_in_the_order_of_speech(tmp_path, name, recording):
    """In every table, as Kaldi sorts: with zeros before their numbers, and their recording's name."""
    words = [Word("hola", float(number), number + 0.5) for number in range(12)]
    values = [
        Utterance((word,), name.format(i), recording=recording, time_source="asr") for i, word in enumerate(words)
    ]
    values[:1] = []  # silence, which is not written
    formats.write(values, tmp_path / "out", ES, "kaldi")
    rows = contents(tmp_path / "out")
    for table in ("text", "ctm", "utt2spk"):
        assert rows[table].splitlines() == sorted(rows[table].splitlines())
    assert [line.split()[0] for line in rows["ctm"].splitlines()] == [f"talk-{number:02}" for number in range(1, 12)]
    assert [value.words for value in read(tmp_path / "out")] == [value.words for value in values]


def test_a_word_without_times_leaves_the_times_of_the_others(tmp_path):
    words = (Word("en", 1.0, 1.5), Word("1984"), Word("fue", 2.5, 3.0))
    formats.write([Utterance(words, "u", recording="r", time_source="ctc")], tmp_path / "out", ES, "kaldi")
    assert contents(tmp_path / "out")["ctm"] == "u 1 1.00 0.50 en\nu 1 1.50 1.00 1984\nu 1 2.50 0.50 fue\n"


def test_nothing_is_overwritten_and_no_output_is_incomplete(tmp_path):
    source = folder(tmp_path / "d", FILES)
    for taken in (source, source / "text"):
        with refused_at(taken, "existing files"):
            formats.write(read(source), taken, ES, "kaldi")
    with refused_at("output", "standard output", ArgumentError):
        formats.write(read(source), "-", ES, "kaldi")

    def failing():
        yield from read(source)
        raise InputError("a", "b", "c")

    (tmp_path / "empty").mkdir()
    with refused_at("a", "b"):
        formats.write(failing(), tmp_path / "empty", ES, "kaldi")
    assert [path.name for path in tmp_path.iterdir() if path.name != "d"] == ["empty"]
    assert (contents(source), contents(tmp_path / "empty")) == (FILES, {})
    formats.write(read(source), tmp_path / "empty", ES, "kaldi")
    assert len(contents(tmp_path / "empty")) == len(FILES)


# Words of a recogniser's CTM in the utterances of a data directory


@pytest.mark.parametrize(("files", "expected"), json_lines("recognised_directories.jsonl"))
def test_words_of_a_ctm_get_to_their_utterances(tmp_path, files, expected):
    """Rows of the files of a directory, and the utterances with the start of each word, or the error."""
    data = folder(tmp_path / "data", files)
    if isinstance(expected, dict):
        with refused_at(tmp_path / expected["place"], expected["found"]):
            read_decode(data, data / "ctm")
    else:
        found = read_decode(data, data / "ctm")
        assert [[each.id, [[word.text, word.start] for word in each.words]] for each in found] == expected


half_seconds = st.integers(0, 60).map(lambda value: value / 2)


@given(
    st.lists(st.tuples(half_seconds, half_seconds), min_size=1, max_size=8),
    st.lists(half_seconds, max_size=8),
    st.booleans(),
)
def test_a_word_belongs_to_a_segment_that_contains_it_or_the_nearest(tmp_path_factory, spans, middles, nearest):
    segments = {f"u{i}": ("r", min(span), max(span)) for i, span in enumerate(spans)}
    root = tmp_path_factory.mktemp("data")
    rows = [f"r 1 {middle} 0 w{i}\n" for i, middle in enumerate(sorted(middles))]
    (root / "ctm").write_text("".join(rows) + ";;\n")
    placed = place_words(root, root / "ctm", segments, segments, nearest=nearest)
    where = {word: name for name, words in placed.items() for word in words}
    for i, middle in enumerate(sorted(middles)):
        name = where.get(Word(f"w{i}", middle, middle))
        holding = {name for name, (_, start, end) in segments.items() if start <= middle < end}
        if holding:
            assert name in holding
        elif nearest:
            distances = {key: max(start - middle, middle - end) for key, (_, start, end) in segments.items()}
            assert distances[name] == min(distances.values())
        else:
            assert name is None


# CTM


def test_a_row_of_a_ctm_does_not_end_before_it_starts(tmp_path):
    """Its end is rounded to microseconds."""
    (utterance,) = read_ctm(file(tmp_path, "a.ctm", "s 1 1.2345674 0 una\n"))
    assert (utterance.words[0].start, utterance.words[0].end) == (1.2345674, 1.2345674)


def test_rows_of_another_format_are_written_with_those_of_a_ctm(tmp_path):
    (utterance,) = read_ctm(file(tmp_path, "a.ctm", "s 1 0.50 2.000 una 0.70\n"))
    mixed = replace(utterance, words=(*utterance.words, Word("casa", 3.0, 3.5)))
    assert written([mixed], "ctm") == "s 1 0.50 2.000 una 0.70\ns 1 3.00 0.50 casa\n"


def test_rows_of_data_directories_are_named_by_their_utterances():
    said = [
        Utterance((Word("sí", start, start + 0.5),), f"u{start}", recording="talk", origin=RowsById())
        for start in (3, 1)
    ]
    assert written(said, "ctm") == "u3 1 3.00 0.50 sí\nu1 1 1.00 0.50 sí\n"


def test_lines_without_words_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(origins, "MAX_KEPT", 3)
    assert list(read_ctm(file(tmp_path, "a.ctm", ";;\n" * 3 + "u 1 0 1 a\n")))
    for content in (";;\n" * 4, "u 1 0 1 <eps>\n\n" * 2):
        path = file(tmp_path, "a.ctm", content)
        with refused_at(f"{path}:4", "more than 3 lines without a word"):
            list(read_ctm(path))


# Tables of a data directory


def test_data_dir(tmp_path):
    file(tmp_path, "wav.scp", "u1 /a/u1.m4a\nu2 /a/u2.m4a\n")
    file(tmp_path, "utt2doc", "u2 d\nu1 d\n")
    values = list(read_data_dir(tmp_path))
    assert [(value.id, value.document, value.start, value.end) for value in values] == [
        ("u2", "d", 0.0, None),
        ("u1", "d", 0.0, None),
    ]


def test_data_dir_with_segments(tmp_path):
    file(tmp_path, "wav.scp", "r\t/a/my talk.wav \n\n")
    file(tmp_path, "segments", "r-1 r 0.5 1.5\nr-2 r 2 3\nr-3 r 3 -1\nr-4 r 4 3\nr-5 r nan 6\n")
    file(tmp_path, "text", "r-1\tHola,\tAna.\nr-2\nr-3\nr-4\nr-5\n")
    values = list(read_data_dir(tmp_path))
    assert [(value.id, value.start, value.end, value.document, value.text) for value in values] == [
        ("r-1", 0.5, 1.5, "r", "Hola,\tAna."),
        ("r-2", 2.0, 3.0, "r", ""),
        ("r-3", 3.0, None, "r", ""),
        ("r-4", 4.0, None, "r", ""),
        ("r-5", 0.0, 6.0, "r", ""),
    ]
    assert {str(value.audio) for value in values} == {"/a/my talk.wav"}


@pytest.mark.parametrize(
    ("files", "place", "found"),
    [
        ({}, "", "neither wav.scp nor text"),
        ({"wav.scp": "u a.wav\nu b.wav\n"}, "wav.scp:2", "'u' again"),
        ({"wav.scp": "u a.wav\n", "text": "v hola\n"}, "wav.scp", "no recording 'v'"),
        ({"wav.scp": "r a.wav\n", "segments": "u r 2 x\n"}, "segments:1", "time 'x'"),
    ],
)
def test_data_dir_errors(tmp_path, files, place, found):
    for name, content in files.items():
        file(tmp_path, name, content)
    with refused_at(tmp_path / place, found):
        list(read_data_dir(tmp_path))
    for reader in (read_data_dir, read):
        with refused_at(tmp_path / "none", "no such directory"):
            list(reader(tmp_path / "none"))


# STM


SCTK = shutil.which("sctk")
FULL_STOP = Labels(frozenset({Mark.PERIOD}), Case.FIRST_CAP)
IGNORED = "ignore_time_segment_in_scoring"
EXCLUSIONS = f"""talk A s 0 2 <o,f0> hola
;; a comment
talk A excluded_region 2 4 <o,f0> {IGNORED.upper()}
talk A s 5 7 adiós
talk B excluded_region 0 1 {IGNORED}
talk B s 1 2 sí
"""


def spoken(*words, recording="talk", channel="A"):
    return Utterance(
        tuple(Word(text, start, end) for text, start, end in words), "u", recording=recording, channel=channel
    )


@pytest.mark.parametrize(("middle", "stays"), [(1.99, True), (2, False), (3.9, False), (4, True), (99, True)])
def test_words_whose_middle_is_in_an_ignored_segment_are_not_scored(tmp_path, middle, stays):
    said = spoken(("hola", 0.1, 0.4), ("eh", middle - 0.1, middle + 0.1))
    (scored,) = without_ignored_segments([said], read_stm(file(tmp_path, "a.stm", EXCLUSIONS)))
    assert scored == (said if stays else replace(said, words=said.words[:1]))


def test_words_outside_segments_belong_to_the_next_or_last_one(tmp_path):
    content = f"t 1 s 0 1 a\nt 1 s 2 3 {IGNORED}\nt 1 s 4 5 b\nt 1 s 6 7 {IGNORED}\n"
    said = replace(spoken(("x", 1.4, 1.6), ("b", 4, 5), ("y", 8, 9), recording="t"), channel="1", time_source="asr")
    (scored,) = without_ignored_segments([said], read_stm(file(tmp_path, "a.stm", content)))
    assert scored == replace(said, words=said.words[1:2])


def test_other_channels_and_words_without_times_are_scored(tmp_path):
    references = list(read_stm(file(tmp_path, "a.stm", EXCLUSIONS)))
    said = spoken(("eh", 2.5, 2.6), ("y", None, None), ("no", 5, 6))
    stop, none = FULL_STOP, Labels()
    labelled = annotate(said, labels=(none, none, stop), pauses=(0.1, None, 0.2))
    (scored,) = without_ignored_segments([labelled], references)
    assert scored == annotate(replace(said, words=said.words[1:]), labels=(none, stop))
    others = [replace(said, channel="C"), replace(said, recording="other")]
    assert list(without_ignored_segments(others, references)) == others
    assert list(without_ignored_segments([said], [replace(said, id="r")])) == [said]


@pytest.mark.skipif(SCTK is None, reason="sctk, which brings sclite, is not installed")
def test_sclite_scores_the_same_words(tmp_path):
    rng = random.Random(2)
    rows, lines, time = [], [], 0
    for number in range(60):
        start, end = time + rng.choice([0, 0, 3]), time + rng.randint(4, 9)
        lines.append(f"t 1 s {start} {end} {rng.choice(['a b', 'c', IGNORED]) if number else 'a'}\n")
        time = end
    for tenth in range(0, 10 * time + 40, 7):  # the middles are never an edge
        rows.append(f"t 1 {tenth / 10} 0.05 {rng.choice('abcd')}\n")
    (tmp_path / "h.ctm").write_text("".join(rows), encoding="ascii")
    reference = file(tmp_path, "a.stm", "".join(lines))
    command = [SCTK, "sclite", "-r", reference, "stm", "-h", tmp_path / "h.ctm", "ctm", "-o", "pralign", "stdout"]
    out = subprocess.run(command, check=True, capture_output=True).stdout.decode("ascii")
    counts = re.findall(r"^Scores: \(#C #S #D #I\) (\d+) (\d+) \d+ (\d+)$", out, re.M)
    scored = without_ignored_segments(read_ctm(tmp_path / "h.ctm"), read_stm(reference))
    words = sum(len(utterance.words) for utterance in scored)
    assert words == sum(int(count) for row in counts for count in row) < len(rows)


def test_the_speaker_of_a_row_is_read_if_it_is_known(tmp_path):
    rows = "".join(
        f"r 1 {i}.0 0.5 w{i} {tail}\n" for i, tail in enumerate(["0.9 lex ana", "NA lex NA", "1 lex <NA>", "1"])
    )
    (utterance,) = formats.read(file(tmp_path, "a.ctm", rows))
    assert [word.speaker for word in utterance.words] == ["ana", "", "", ""]
