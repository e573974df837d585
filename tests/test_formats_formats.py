"""Detection of formats, formats of outputs, and compressed files."""

import gzip
import lzma

import pytest
from dummies import file, json_lines

import asr_punct
from asr_punct import formats
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats.registry import format_by_name
from asr_punct.formats.source import Source
from asr_punct.marks import glyphs
from asr_punct.words import Utterance, Word

ES = glyphs("es")


@pytest.mark.parametrize("name", ["a.txt", "a.tsv", "a.ctm", "a.jsonl", "a.unknown"])
def test_an_empty_file_is_an_error(tmp_path, name):
    with pytest.raises(InputError, match="found no words"):
        list(formats.read(file(tmp_path, name, "")))


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
    [("a.ass", "a .ass file, expected .*--from text tsv"), ("a.XML", "a .xml file"), ("a.flac", "audio, .*transcribe")],
)
def test_other_kinds_of_files_are_read_as_text_only_on_request(tmp_path, name, found):
    path = file(tmp_path, name, "hola\n")
    with pytest.raises(InputError, match=rf"{name}: found {found}"):
        formats.read(path)
    (utterance,) = formats.read(path, "text")
    assert utterance.words == (Word("hola"),)


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
    with pytest.raises(InputError, match=rf"{name}: found the suffix {suffix}, .* \.txt .*, or --to and .* ttml$"):
        formats.output_format(name)
    assert formats.output_format(name, "text") == "text"


def test_unknown_formats_are_errors():
    with pytest.raises(AsrPunctError, match="--from: found 'doc'"):
        formats.read("a", "doc")
    with pytest.raises(AsrPunctError, match="--to: found 'doc'"):
        formats.output_format("a", "doc")


CUE = b"1\n00:00:01,000 --> 00:00:02,000\nhola\n"
VOSK = b'{"result": [{"word": "hola", "start": 1.0, "end": 2.0, "conf": 1.0}], "text": "hola"}'


@pytest.mark.parametrize(("name", "content"), [("talk.srt.gz", CUE), ("talk.json.gz", VOSK)])
def test_the_recording_has_the_name_of_its_file_without_suffixes(tmp_path, name, content):
    (utterance,) = formats.read(file(tmp_path, name, gzip.compress(content)))
    assert utterance.recording == "talk"
    assert [word.text for word in utterance.words] == ["hola"]


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


def test_interrupted_compressed_output_leaves_no_file(tmp_path):
    def broken():
        yield Utterance((Word("hola"),))
        raise InputError("a", "b", "c")

    for name in ("a.txt.gz", "a.txt.xz"):
        with pytest.raises(InputError, match="a: found b"):
            formats.write(broken(), tmp_path / name, ES)
    assert not list(tmp_path.iterdir())


def test_the_text_of_a_data_directory_has_ids_in_one_line_too(tmp_path):
    source = file(tmp_path, "text", "u hola ana\n")
    assert formats.detect(source) == "text"
    file(tmp_path, "utt2spk", "u u\n")
    assert formats.detect(source) == "kaldi-text"
    file(tmp_path, "ctm", "u 1 0 1 hola\n")
    with pytest.raises(InputError, match="found the text of a data directory with a ctm, expected the directory"):
        list(formats.read(source))
    assert [len(utterance.words) for utterance in formats.read(source, "kaldi-text")] == [2]


def test_the_package_reads_and_writes(tmp_path):
    source, output = file(tmp_path, "a.json", WHISPER), tmp_path / "b.json"
    asr_punct.write(asr_punct.read(source), output, ES, formats.detect(source))
    before, after = (next(asr_punct.read(path)).words for path in (source, output))
    assert (formats.detect(output), after) == ("whisper", before)
    assert formats.detect("-") == formats.detect("talk") == "text"
