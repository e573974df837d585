"""Files of all formats: the utterances that are read, the file with marks, and the errors of malformed files."""

import json
import re

import pytest
from dummies import file, json_lines, with_labels, written

from asr_punct import formats
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats.source import Source
from asr_punct.marks import Case, Labels, parse_marks

USUAL = {"recording": "talk", "speaker": "", "channel": "1", "language": ""}


def put(folder, name, content):
    """Write a file of this text or JSON value."""
    return file(folder, name, content if isinstance(content, str) else json.dumps(content))


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
    """The JSON value of a file, as text in which the order of keys counts; of other files their text."""
    return json.dumps(json.loads(text)) if name.endswith("json") else text


@pytest.mark.parametrize(("name", "content", "marks", "expected"), json_lines("format_outputs.jsonl"))
def test_only_the_words_change(tmp_path, name, content, marks, expected):
    """Rows of file name, content, marks, and the content with these marks and a capital on every word."""
    path = put(tmp_path, name, content)
    utterances, format_name = list(formats.read(path, may_be_empty=True)), formats.detect(path)
    assert value_of(name, written(utterances, format_name)) == value_of(name, path.read_text(encoding="utf-8"))
    labelled = with_labels(utterances, Labels(parse_marks(marks), Case.FIRST_CAP))
    assert value_of(name, written(labelled, format_name)) == (json.dumps(expected) if name == "a.json" else expected)


@pytest.mark.parametrize(("name", "content", "expected"), json_lines("format_detection.jsonl"))
def test_the_format_is_detected(tmp_path, standard_input, name, content, expected):
    """Rows of file name, content, and the format or the error; without a suffix also on standard input."""
    path = file(tmp_path, name, content)
    if isinstance(expected, dict):
        with pytest.raises(InputError, match=f"{name}: {expected['error']}"):
            list(formats.read(path))
        assert list(formats.read(path, "text"))
        return
    assert formats.detect(path) == expected
    if "." not in name:
        standard_input(content)
        source = Source("-")
        assert source.format == expected
        assert list(formats.read(source)) == list(formats.read(file(tmp_path, "-", content), expected))


@pytest.mark.parametrize(("utterances", "format_name", "expected"), json_lines("format_conversions.jsonl"))
def test_utterances_are_written_in_another_format(tmp_path, utterances, format_name, expected):
    """Rows of utterances of the project's JSON, a format, and the file or the error."""
    source = list(formats.read(put(tmp_path, "talk.json", {"utterances": utterances}), may_be_empty=True))
    if isinstance(expected, dict):
        with pytest.raises(AsrPunctError, match=re.escape(expected["error"])):
            written(source, format_name)
    else:
        assert written(source, format_name) == expected


ERRORS = [*json_lines("format_errors.jsonl"), ("a.json", "9" * 5000, "a.json…too large")]


@pytest.mark.parametrize(("name", "content", "message"), ERRORS)
def test_the_error_names_file_and_place(tmp_path, name, content, message):
    """Rows of file name, content and the begin of the message; `…` stands for anything."""
    with pytest.raises(AsrPunctError) as error:
        list(formats.read(put(tmp_path, name, content)))
    assert re.fullmatch(".*".join(map(re.escape, f"{tmp_path}/{message}…".split("…"))), str(error.value))


@pytest.mark.parametrize("name", ["aws", "google", "ibm", "speechmatics", "deepgram", "assemblyai", "azure"])
def test_formats_of_cloud_services_cannot_be_written(name):
    with pytest.raises(ValueError, match=f"--to: found '{name}'"):
        formats.output_format("-", name)
