"""The command `stream`: its lines, silences, signals and errors."""

import json
import math
import signal
import subprocess
import time

import pytest
from dummies import COMMAND_LINE

from asr_punct.cli.stream_lines import punctuate_lines, with_silences
from asr_punct.errors import InputError

# Lines


def lines_of(punctuator, text):
    return list(punctuate_lines(enumerate(text.split("\n"), start=1), punctuator.stream(left=8, right=1)))


def test_lines_of_json_come_back_as_json(punctuator):
    text = '{"word": "ana", "start": 1, "end": 1.5, "confidence": 0.5}\nmira\n {"word": "la"}\ncasa'
    first, second, third, last = lines_of(punctuator, text)
    assert json.loads(first) == {
        **{"word": "ana", "start": 1.0, "end": 1.5, "confidence": 0.5},
        **{"marks": ["COMMA"], "case": "FIRST_CAP", "written": "Ana,"},
    }
    assert (second, json.loads(third)["written"], last) == ("mira", "la", "casa.")


def test_messages_of_vosk_are_words(punctuator):
    message = '{\n  "result" : [{"word": "dónde", "start": 0.5, "end": 1.0, "conf": 1.0}],\n  "text" : "dónde"\n}'
    lines = ['{"partial": "ana"}', '{"text": "ana mira"}', '{"text": ""}', *message.split("\n"), '{"text": "está"}']
    with punctuator.stream() as stream:
        found = list(map(json.loads, punctuate_lines(enumerate(lines, start=1), stream)))
    assert [each["word"] for each in found] == ["ana", "mira", "dónde", "está"]
    assert [each.get("start") for each in found] == [None, None, 0.5, None]


@pytest.mark.parametrize("lines", [['{"text": 3}'], ["{", '"text": "a"'], ["{", '"words": "a"', "}"]])
def test_other_messages_are_refused(punctuator, lines):
    with punctuator.stream() as stream, pytest.raises(InputError, match="standard input:1: "):
        list(punctuate_lines(enumerate(lines, start=1), stream))


def test_times_go_forward_within_a_document(punctuator):
    late, early = '{"word": "ana", "start": 3}', '{"word": "mira", "start": 1}'
    assert len(lines_of(punctuator, f"{late}\n\n{early}")) == 2
    with pytest.raises(InputError, match=r"standard input:2: found start 1\.0 after 3\.0"):
        lines_of(punctuator, f"{late}\n{early}")


def test_a_silence_commits_all_words_and_previews_are_lines_of_their_own(punctuator):
    lines = [(1, "ana mira la"), 0.8, (2, "casa"), (3, "")]
    assert list(punctuate_lines(lines, punctuator.stream(left=8, right=3), preview=True)) == [
        '{"partial": "Ana, mira la"}',
        *["Ana,", "mira", "la"],
        '{"partial": "casa"}',
        "casa.",
        '{"partial": ""}',
    ]


def test_an_infinite_silence_never_comes():
    assert list(with_silences(iter([(1, "ana")]), math.inf)) == [(1, "ana")]


def test_silences_are_reported_once_and_errors_come_after_the_lines():
    def lines():
        yield 1, "ana"
        time.sleep(0.2)
        yield 2, "mira"
        raise InputError("standard input:3", "bytes", "text")

    found = with_silences(lines(), 0.05)
    assert [next(found) for _ in range(3)] == [(1, "ana"), 0.05, (2, "mira")]
    with pytest.raises(InputError, match="standard input:3"):
        list(found)


# The commands


@pytest.fixture
def stream(run, standard_input):
    def call(text, *arguments):
        """Run the command with this standard input."""
        standard_input(text)
        return run("stream", *arguments)

    return call


def test_the_command_ends_with_its_input(stream, model):
    status, out, err = stream("ana mira la casa\n\nluis\nmira la ley", "--model", model)
    assert (status, err) == (0, "")
    assert out.splitlines() == ["Ana,", "mira", "la", "casa.", "Luis,", "mira", "la", "ley."]
    assert stream("", "--model", model) == (0, "", "")


def test_the_command_has_the_options_of_punctuate(stream, model):
    out = stream("ana mira la casa", "--model", model, "--marks", "period", "--no-case", "--left", 2, "--right", 1)[1]
    assert out.splitlines() == ["ana", "mira", "la", "casa."]


@pytest.mark.parametrize(
    "line", [b"{]", b'{"word": 3}', b'{"word": "a b"}', b'{"texts": "a"}', b'{"word": "a", "start": -1}', b"\xff"]
)
def test_a_malformed_line_is_reported_after_the_words_before_it(stream, model, line):
    status, out, err = stream(b"ana mira\n" + line + b"\n", "--model", model)
    assert status == 2
    assert [line.rstrip(".") for line in out.lower().replace(",", "").splitlines()] == ["ana", "mira"]
    assert err.startswith("asr-punct: standard input:2: found")
    assert len(err.splitlines()) == 1


def test_rows_of_a_ctm_are_refused(stream, model):
    status, out, err = stream(b"talk 1 0.30 0.29 good\ntalk 1 0.64 0.47 evening\n", "--model", model)
    assert (status, out) == (2, "")
    assert err.startswith("asr-punct: standard input:1: found a row of a CTM, expected words")


def test_each_word_is_written_before_the_next_line_is_read(model):
    command = [*COMMAND_LINE, "stream", "--model", str(model), "--right", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdin.write("ana\n")
        for following, expected in (("mira", "Ana,"), ("la", "mira"), ("casa", "la"), ("", "casa.")):
            process.stdin.write(following + "\n")
            process.stdin.flush()
            assert process.stdout.readline().strip() == expected
        process.stdin.close()
        assert process.wait() == 0


@pytest.fixture
def open_stream(model):
    """Start the command with a pipe as standard input that stays open."""
    command = [*COMMAND_LINE, "stream", "--model", str(model), "--preview"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, text=True, **pipes) as process:
        yield process


def test_an_error_while_the_input_is_open_is_one_line(open_stream):
    open_stream.stdin.write('{"wrd": "ana"}\n')
    open_stream.stdin.flush()
    assert open_stream.wait(60) == 2
    (line,) = open_stream.stderr.read().splitlines()
    assert line.startswith("asr-punct: standard input:1: found no key 'word'")


def test_words_are_written_before_a_signal_ends_the_command(open_stream):
    open_stream.stdin.write("ana mira\n")
    open_stream.stdin.flush()
    open_stream.stdout.readline()  # the preview
    open_stream.send_signal(signal.SIGTERM)
    out, err = open_stream.communicate(timeout=60)
    words = [line.lower().rstrip(".,") for line in out.splitlines()]
    assert (words, err, open_stream.returncode) == (["ana", "mira"], "", 143)


def test_no_word_is_held_back_if_the_language_is_named(stream):
    lines = stream("buenos\ndías\na\ntodos\n", "--lang", "es", "--patience", "0", "--preview")[1].splitlines()
    assert lines[0] == '{"partial": "Buenos"}'
    assert lines[3] == "Buenos"
