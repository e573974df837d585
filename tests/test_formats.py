"""Formats: detection, outputs, and the tables of files with their utterances, of files with marks, and of errors."""

import gzip
import json
import lzma
import re

import pytest
from dummies import file, json_lines, refused_at, with_labels, written
from format_samples import SAMPLES
from hypothesis import given
from hypothesis import strategies as st

import asr_punct
from asr_punct import formats
from asr_punct.errors import ArgumentError, InputError, Setting
from asr_punct.formats.registry import FORMATS, WRITABLE, WRITTEN_BACK, format_by_name
from asr_punct.formats.source import Source
from asr_punct.formats.times import BadTimes
from asr_punct.glyphs import glyphs
from asr_punct.marks import Case, Labels, Mark, parse_marks
from asr_punct.words import Utterance, Word, annotate

ES = glyphs("es")
USUAL = {"recording": "talk", "speaker": "", "channel": "1", "language": ""}


def put(folder, name, content):
    """Write a file of this text or JSON value, or a directory `data` of these files."""
    if name != "data":
        return file(
            folder,
            name,
            (content if isinstance(content, str) else json.dumps(content)).encode("utf-8", "surrogateescape"),
        )
    (folder / name).mkdir()
    for each, text in content.items():
        file(folder / name, each, text)
    return folder / name


# Tables


def shown(utterance):
    """The fields of an utterance; each word is its text, start, end and confidence, as far as one is known."""
    words = [[word.text, word.start, word.end, word.confidence] for word in utterance.words]
    for row in words:
        while row[-1] is None:
            row.pop()
    fields = {name: getattr(utterance, name) for name in ("id", *USUAL)}
    return {**fields, "times": utterance.time_source, "words": words}


@pytest.mark.parametrize(("name", "content", "expected"), json_lines("format_examples.jsonl"))
def test_a_file_is_read(tmp_path, name, content, expected):
    """Rows of file name, content and utterances; fields with their usual value are left out."""
    usual = {**USUAL, "recording": name.partition(".")[0]}
    found = [shown(each) for each in formats.read(put(tmp_path, name, content), may_be_empty=True)]
    assert found == [{**usual, **each} for each in expected]


def value_of(name, text):
    """The JSON value of a file or its lines, as text in which the order of keys counts; of other files their text."""
    values = [text] if name.endswith("json") else text.splitlines() if name.endswith("jsonl") else []
    return "\n".join(json.dumps(json.loads(value)) for value in values) or text


@pytest.mark.parametrize(("name", "content", "marks", "expected"), json_lines("format_outputs.jsonl"))
def test_only_the_words_change(tmp_path, name, content, marks, expected):
    """Rows of file name, content, marks, and the content with these marks and a capital on every word."""
    path = put(tmp_path, name, content)
    utterances, format_name = list(formats.read(path, may_be_empty=True)), formats.detect(path)
    assert value_of(name, written(utterances, format_name)) == value_of(name, path.read_text(encoding="utf-8"))
    labelled = with_labels(utterances, Labels(parse_marks(marks), Case.FIRST_CAP))
    expected = json.dumps(expected) if name == "a.json" else value_of(name, expected)
    assert value_of(name, written(labelled, format_name)) == expected


@pytest.mark.parametrize("row", json_lines("format_conversions.jsonl"))
def test_utterances_are_written_in_another_format(tmp_path, row):
    """Rows of a source, a format, the file or the error, and perhaps marks that are set with a capital on every word.

    The source is utterances of the project's JSON, or a file by its name.
    """
    source, format_name, expected, *marks = row
    ((name, content),) = source.items() if isinstance(source, dict) else [("talk.json", {"utterances": source})]
    utterances = list(formats.read(put(tmp_path, name, content), may_be_empty=True))
    if marks:
        utterances = with_labels(utterances, Labels(parse_marks(marks[0]), Case.FIRST_CAP))
    if isinstance(expected, dict):
        with refused_at(**expected):
            written(utterances, format_name)
    else:
        assert written(utterances, format_name) == expected


@pytest.mark.parametrize(("name", "content", "count", "first", "words"), json_lines("bad_times.jsonl"))
def test_times_that_make_no_sense_are_unknown_and_stay_in_the_file(tmp_path, name, content, count, first, words):
    """Rows of file name, content, number of words with such times, the first of them, and all words with times."""
    path, found = put(tmp_path, name, content), list[BadTimes]()
    utterances = list(formats.read(path, on_bad_times=found.append))
    assert [[word.text, word.start, word.end] for each in utterances for word in each.words] == words
    assert [(bad.count, bad.first) for bad in found] == ([(count, first)] if count else [])
    format_name = formats.detect(path)
    if format_name in WRITABLE:
        assert value_of(name, written(utterances, format_name)) == value_of(name, path.read_text(encoding="utf-8"))
    if count:
        place, _, fault = first.partition(": ")
        with refused_at(f"{path}: {place}", fault):
            list(formats.read(path, strict=True))


@pytest.mark.parametrize("row", json_lines("format_errors.jsonl"))
def test_the_error_names_place_and_what_was_found(tmp_path, row):
    """Rows of file name, content, place, what was found, and perhaps the format that is given."""
    name, content, place, found, *given = row
    with refused_at(f"{tmp_path}/{place}", found):
        list(formats.read(put(tmp_path, name, content), *given))


def test_numbers_of_many_digits_are_too_large(tmp_path):
    path = file(tmp_path, "a.json", "9" * 5000)
    with refused_at(path, "a number that is too large"):
        list(formats.read(path))


# Detection


@pytest.mark.parametrize(("name", "content", "expected"), json_lines("format_detection.jsonl"))
def test_the_format_is_detected(tmp_path, standard_input, name, content, expected):
    """Rows of file name, content, and the format or what was found; without a suffix also on standard input."""
    path = file(tmp_path, name, content)
    if isinstance(expected, dict):
        with pytest.raises(InputError) as raised:
            list(formats.read(path))
        _, _, kind = expected["found"].partition("what looks like ")
        assert (raised.value.place, raised.value.found) == (str(path), expected["found"])
        assert raised.value.setting == Setting("source_format", kind)
        assert list(formats.read(path, "text"))
        return
    assert formats.detect(path) == expected
    if "." not in name:
        standard_input(content)
        source = Source("-")
        assert source.format == expected
        assert list(formats.read(source)) == list(formats.read(file(tmp_path, "-", content), expected))


def test_a_line_says_that_ids_are_no_words(tmp_path, caplog):
    path = file(tmp_path, "a.txt", "\nutt1 hola\nutt2 sí\n")
    assert [word.text for each in formats.read(path) for word in each.words] == ["hola", "sí"]
    (found,) = caplog.messages
    assert found.startswith(f"{path}: read as kaldi-text, ")
    assert found.endswith("(first: 'utt1')")
    file(tmp_path, "utt2spk", "utt1 a\n")
    assert len(list(formats.read(path, "kaldi-text"))) == 2
    assert len(list(formats.read(path.rename(tmp_path / "text")))) == 2
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    "name",
    [
        *("json", "whisper", "vosk", "nemo", "whisper-jsonl", "lhotse", "deepgram", "rev"),
        *("tsv", "ctm", "stm", "textgrid", "eaf", "whisper-csv", "whisper-tsv", "srt", "vtt", "ass"),
    ],
)
def test_the_format_of_standard_input_is_recognised(tmp_path, standard_input, name):
    standard_input(SAMPLES[name])
    source, kept = Source("-"), file(tmp_path, "standard input", SAMPLES[name])
    assert source.format == name
    found, expected = list(formats.read(source)), list(formats.read(kept, name))
    assert [each.words for each in found] == [each.words for each in expected]
    assert all(word.text for each in found for word in each.words)


@pytest.mark.parametrize(
    ("text", "kind"), [("las notas 1.5 2 altas", "ctm"), ("entre los valores 1.5 2.5 hay uno", "stm")]
)
def test_one_line_of_standard_input_with_two_numbers_loses_no_words(standard_input, text, kind):
    standard_input(f"\n{text}\n")
    with refused_at("standard input", f"what looks like {kind}"):
        list(formats.read("-"))


def test_unknown_json_of_standard_input_is_an_error_of_one_line(standard_input):
    standard_input('{"a": 1}')
    with refused_at("standard input", "an object with 'a'"):
        list(formats.read("-"))


def test_long_standard_input_is_read_once(standard_input):
    lines = [f"u{number:04} hola ana {number}" for number in range(500)]
    standard_input("\n".join(lines))
    found = list(formats.read("-"))
    assert [" ".join([each.id, *(word.text for word in each.words)]) for each in found] == lines
    assert {each.context for each in found} == {each.id for each in found}  # each is a document of its own


@pytest.mark.parametrize("content", ['{"segments": []}', '{"segments": [{"text": ""}]}', '{"utterances": []}'])
def test_json_may_have_no_words_with_silence(tmp_path, content):
    path = file(tmp_path, "a.json", content)
    assert not [word for value in formats.read(path, may_be_empty=True) for word in value.words]
    for name in ("a.ctm", "a.json", "a.jsonl", "a"):
        with pytest.raises(InputError):
            list(formats.read(file(tmp_path, name, ""), may_be_empty=True))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.TXT", "text"), ("data/ctm", "ctm"), ("a.TextGrid", "textgrid"), ("-", None), ("a", None), ("a.json", "json")],
)
def test_formats_are_detected_by_name(name, expected):
    assert format_by_name(name) == expected


@pytest.mark.parametrize(
    ("name", "found"),
    [("a.sami", "a .sami file"), ("a.ttml", "a .ttml file"), ("a.XML", "a .xml file"), ("a.flac", "audio")],
)
def test_other_kinds_of_files_are_read_as_text_only_on_request(tmp_path, name, found):
    path = file(tmp_path, name, "hola\n")
    with refused_at(path, found):
        formats.read(path)
    (utterance,) = formats.read(path, "text")
    assert utterance.words == (Word("hola"),)


def test_the_text_of_a_data_directory_has_ids_in_one_line_too(tmp_path):
    source = file(tmp_path, "text", "u hola ana\n")
    assert formats.detect(source) == "text"
    file(tmp_path, "utt2spk", "u u\n")
    assert formats.detect(source) == "kaldi-text"
    file(tmp_path, "ctm", "u 1 0 1 hola\n")
    with refused_at(source, "the text of a data directory with a ctm"):
        list(formats.read(source))
    assert [len(utterance.words) for utterance in formats.read(source, "kaldi-text")] == [2]
    with refused_at(tmp_path, "a data directory"):
        list(formats.read(tmp_path))


def test_a_directory_of_files_is_for_batch(tmp_path):
    with pytest.raises(InputError, match="batch reads directories"):
        list(formats.read(tmp_path))


# Outputs


def test_the_output_format_is_that_of_the_name(tmp_path):
    names = ["-", "a", "/dev/stdout", "a.txt", "a.TSV", "d/ctm", "a.json"]
    assert [formats.output_format(name) for name in names] == ["text", "text", "text", "text", "tsv", "ctm", "json"]
    manifest = file(tmp_path, "a.json", '{"audio_filepath": "a.wav"}\n')
    assert formats.output_format(manifest) == "json"


WHISPER = '{"segments": [{"text": " hola", "start": 0.0, "end": 1.0}]}'
MANIFEST = '{"audio_filepath": "a.wav", "text": "hola"}\n'


@pytest.mark.parametrize(("source", "content", "output", "expected"), json_lines("output_formats.jsonl"))
def test_outputs_of_the_same_kind_keep_the_format(tmp_path, standard_input, source, content, output, expected):
    """Rows of the input's name and content, the output's name and its format."""
    path = file(tmp_path, source, content)
    assert formats.output_format(output, None, Source(path)) == expected
    assert formats.output_format(output, "eaf", Source(path)) == "eaf"
    if source == "a":
        standard_input(content)
        assert formats.output_format(output, None, Source("-")) == expected


def test_the_given_format_of_the_input_is_kept(tmp_path):
    assert formats.output_format("b.json", None, Source("-", "whisper")) == "whisper"
    assert formats.output_format("b.json", None, Source("-", "aws")) == "json"
    assert formats.output_format("b.json", None, Source(file(tmp_path, "a.json", MANIFEST), "json")) == "json"
    assert formats.output_format("b.json", None, Source(tmp_path / "none.json")) == "json"


@pytest.mark.parametrize("name", ["a.trs", "a.es", "a.html.gz"])
def test_an_output_of_another_name_is_an_error(name):
    suffix = name.removesuffix(".gz")[1:]
    with refused_at(name, f"the suffix {suffix}, which no format has"):
        formats.output_format(name)
    assert formats.output_format(name, "text") == "text"


def test_formats_that_are_unknown_or_not_written_are_errors():
    with refused_at("source_format", "'doc'", ArgumentError):
        formats.read("a", "doc")
    for name in ("doc", *(FORMATS.keys() - {*WRITABLE, *WRITTEN_BACK})):
        with refused_at("target_format", repr(name), ArgumentError):
            formats.output_format("a", name)
    with refused_at("target_format", "'kaldi'", ArgumentError):
        written([], "kaldi")


@pytest.mark.parametrize("name", ["a.ctm.gz", "a.ctm.xz"])
def test_compressed_output_is_of_the_name_without_its_suffix_and_reads_back(tmp_path, name):
    rows = "r 1 0.10 0.2 hola\nr 1 1 0.25 a 0.9\n"
    values = list(formats.read(file(tmp_path, "b.ctm", rows)))
    formats.write(values, tmp_path / name, ES)
    unpack = gzip.decompress if name.endswith("gz") else lzma.decompress
    first = (tmp_path / name).read_bytes()
    assert unpack(first).decode() == rows
    assert list(formats.read(tmp_path / name)) == values
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, "b.ctm"]
    formats.write(values, tmp_path / f"other-{name}", ES)
    assert (tmp_path / f"other-{name}").read_bytes() == first
    assert name.endswith("xz") or (first[3], first[4:8]) == (0, bytes(4))  # a gzip header without name and time


@pytest.mark.parametrize("name", ["a.txt.gz", "a.txt.xz", "a.ttml"])
def test_an_interrupted_output_leaves_no_file(tmp_path, name):
    def broken():
        yield Utterance((Word("hola", 0.0, 1.0),), recording="r")
        raise InputError("a", "b", "c")

    with refused_at("a", "b"):
        formats.write(broken(), tmp_path / name, ES)
    assert not list(tmp_path.iterdir())


def test_the_package_reads_and_writes(tmp_path):
    source, output = file(tmp_path, "talk.json.gz", gzip.compress(WHISPER.encode())), tmp_path / "b.json"
    asr_punct.write(asr_punct.read(source), output, ES, formats.detect(source))
    (before,), (after,) = map(asr_punct.read, (source, output))
    assert (formats.detect(output), after.words, before.recording) == ("whisper", before.words, "talk")
    assert formats.detect("-") == formats.detect("talk") == "text"


@pytest.mark.parametrize("output", ["out", "out.d/", "made.d"])
def test_a_data_directory_is_written_as_one(run, model, tmp_path, output):
    data = put(tmp_path, "data", {"text": "u1 dónde está la casa\n", "utt2spk": "u1 u1\n"})
    (tmp_path / "made.d").mkdir()
    status, out, err = run("punctuate", "--model", model, "--from", "kaldi", data, "-o", f"{tmp_path}/{output}")
    assert (status, out) == (0, ""), err
    written = (tmp_path / output / "text").read_text()
    assert written.startswith("u1 ")
    assert re.sub(r"[^\w\s]", "", written).lower() == "u1 dónde está la casa\n"
    status, out, _ = run("punctuate", "--model", model, "--from", "kaldi", data)
    assert (status, out) == (0, written.removeprefix("u1 "))


def test_ids_stay_on_standard_output(run, model, standard_input):
    standard_input("u001 dónde está la casa\nu002\nu003 ana mira la mesa\n")
    status, out, err = run("punctuate", "--model", model)
    assert status == 0, err
    assert [line.split()[0] for line in out.splitlines()] == ["u001", "u002", "u003"]
    assert "?" in out
    standard_input("u001 dónde está la casa\nu002 ana mira la mesa\n")
    status, out, _ = run("punctuate", "--model", model, "--to", "text")
    assert status == 0
    assert "u00" not in out


# Lines


words = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8).filter(
    lambda text: text.split() == [text]
)
labels = st.builds(Labels, st.frozensets(st.sampled_from(Mark)), st.sampled_from(Case))
milliseconds = st.none() | st.integers(0, 20_000).map(lambda value: value / 1000)


@st.composite
def labelled_utterances(draw):
    rows = draw(st.lists(st.tuples(words, labels, milliseconds), min_size=1, max_size=6))
    texts, label, pauses = zip(*rows, strict=True)
    name = draw(st.sampled_from(["", "a", "b-1"]))
    value = Utterance(tuple(map(Word, texts)), name, recording=name, pause_before=draw(milliseconds))
    return annotate(value, labels=label, pauses=pauses)


@given(st.lists(labelled_utterances(), max_size=4).filter(bool))
def test_tsv_round_trip(tmp_path_factory, values):
    path = file(tmp_path_factory.mktemp("tsv"), "a.tsv", written(values, "tsv"))
    assert list(formats.read(path, "tsv")) == values


def test_a_hash_is_a_word_where_there_is_a_tab(tmp_path):
    (utterance,) = formats.read(file(tmp_path, "a.tsv", "# a comment\n#\tO\t-\tO\n"))
    assert [word.text for word in utterance.words] == ["#"]


def test_text_keeps_lines_and_documents(tmp_path):
    path = file(tmp_path, "a.txt", "hola  mundo\n\n\nadiós\n")
    values = list(formats.read(path))
    assert [value.document for value in values] == ["1", "1", "2", "3"]
    assert written(values, "text") == "hola mundo\n\n\nadiós\n"


LOG = ["", "message", "[0.00s -> 2.50s] hola ana", "[1.00s -> 3.00s]", "[9.50s -> 9.75s]  uno [x]"]


@given(st.lists(st.sampled_from(LOG)))
def test_any_log_is_written_as_it_was_read(tmp_path_factory, lines):
    lines = [*sorted(lines), "[10.00s -> 11.00s] fin", *(line for line in lines if not line.startswith("["))]
    text = "".join(f"{line}\n" for line in lines)
    found = list(formats.read(file(tmp_path_factory.mktemp("log"), "a.txt", text)))
    assert len(found) == sum("s] " in line for line in lines)
    assert written(found, "whisper-log") == text
