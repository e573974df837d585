"""Streams: the windows that decide each word, when it is committed, and that a transcript in batches gives the same."""

import io
import json
import subprocess
import sys

import pytest
from dummies import bare_words
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct.cli.lines import punctuate_lines
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.inference.lookahead import Lookahead
from asr_punct.inference.tokens import TokenReader
from asr_punct.pauses import UNKNOWN_PAUSE, buckets
from asr_punct.words import Utterance, Word


class Letters:
    """A tokenizer whose sub-words are letters."""

    def encode(self, words):
        return [tuple(map(ord, word)) for word in words]


def lookahead(left, right, max_words=1000, max_subwords=1000):
    return Lookahead(TokenReader(Letters(), "es"), left, right, max_words=max_words, max_subwords=max_subwords)


def decisions_of(buffer, words):
    return [decision for word in words for decision in buffer.push(Word(word))] + list(buffer.flush())


def window_letters(decision):
    return "".join(word.core[0] for word in decision.window.words)


# Windows


@pytest.mark.parametrize(("left", "right"), [(0, 1), (2, 1), (3, 3), (100, 2), (1, 100)])
def test_windows_are_those_of_a_loop(left, right):
    text = "abcdefghij"
    pauses = [None, 0.1, None, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]  # before each word
    buffer = lookahead(left, right)
    found = [list(buffer.push(Word(letter), pause)) for letter, pause in zip(text, pauses, strict=True)]
    assert [len(decisions) for decisions in found] == [int(i >= right) for i in range(len(text))]
    decisions = [decision for each in found for decision in each]
    live = len(decisions)
    decisions += buffer.flush()
    assert len(decisions) == len(text)
    for word, decision in enumerate(decisions):
        ended = word >= live
        first, last = max(0, word - left), len(text) if ended else word + right + 1
        expected = []
        for place in range(first, last):
            known = place + 1 < (len(text) if ended else last)
            bucket = buckets([pauses[place + 1]])[0] if known else UNKNOWN_PAUSE
            flags = DOCUMENT_START * (place == 0) + DOCUMENT_END * (ended and place == len(text) - 1)
            expected.append(((ord(text[place]),), bucket, flags))
        assert [(token.subwords, token.pause, token.boundary) for token in decision.window.words] == expected
        assert (decision.window.keep, decision.end) == ((word - first, last - first), ended)
        assert [token.text for token in decision.tokens] == [text[word]]


@pytest.mark.parametrize(
    ("limits", "words", "expected"),
    [
        ((5, 2, 4), "abcdefgh", ["abc", "abcd", "bcde", "cdef", "defg", "efgh", "efgh", "efgh"]),
        ((2, 2, 9, 4), ["a", "bb", "c", "dd", "e"], ["abc", "abc", "cd", "cde", "cde"]),
        ((2, 1, 9, 2), ["a", "bbbbb", "c"], ["a", "b", "c"]),  # a word longer than a window has one of its own
    ],
)
def test_windows_are_cut_on_the_longer_side(limits, words, expected):
    assert [window_letters(decision) for decision in decisions_of(lookahead(*limits), words)] == expected


def test_tokens_of_marks_alone_go_with_the_word_beside_them():
    texts = ["-", "«", "a", "»", "-", "b", ",", "c", "-"]
    buffer = lookahead(5, 1)
    decisions = decisions_of(buffer, texts)
    assert [[token.text for token in decision.tokens] for decision in decisions] == [
        ["-", "«", "a", "»", "-"],
        ["b", ","],
        ["c", "-"],
    ]
    whole = TokenReader(Letters(), "es").read(tuple(map(Word, texts)))
    flags = [decision.window.kept[0].flags for decision in decisions]
    assert flags == [token.flags for token in whole if token.core]
    (alone,) = decisions_of(buffer, ["-"])
    assert (alone.window, [token.text for token in alone.tokens]) == (None, ["-"])


# Streams


def test_words_are_committed_once_the_look_ahead_is_there(punctuator):
    words = ["ana", "mira", "la", "casa", "dónde", "está", "la", "mesa"]
    with punctuator.stream(left=8, right=2) as stream:
        counts = [[item.word.text for item in stream.push(word)] for word in words]
        assert counts == [[], [], *([word] for word in words[:-2])]
        assert [item.word.text for item in stream.flush()] == words[-2:]
        assert stream.flush() == []
        written = [item.written for word in words for item in stream.push(word)]
        written += [item.written for item in stream.flush()]
    assert " ".join(written) == "Ana, mira la casa. ¿Dónde está la mesa?"


@pytest.mark.parametrize("word", ["", "la casa", " ", None, 3])
def test_values_that_are_not_one_word_are_refused(punctuator, word):
    with pytest.raises(AsrPunctError, match="expected one word"):
        punctuator.stream().push(word)


def test_impossible_context_sizes_are_refused(punctuator):
    with pytest.raises(AsrPunctError, match="--right: found 0, expected 1 or more"):
        punctuator.stream(right=0)
    with pytest.raises(AsrPunctError, match="--left: found -1, expected 0 or more"):
        next(punctuator.restore_streaming([], left=-1))


# In batches


tokens = st.sampled_from(["ana", "mira", "la", "casa", "dónde", "está", "¿y", "no,", "ISO", "-", "«", ",", "?", "ß"])


@st.composite
def transcripts(draw):
    """Recordings of a few utterances of words whose times go on."""
    result = []
    for number in range(draw(st.integers(0, 3))):
        start = 0.0
        for _ in range(draw(st.integers(1, 3))):
            words = []
            for text in draw(st.lists(tokens, max_size=12)):
                start += draw(st.sampled_from([0.3, 0.5, 0.9]))
                words.append(Word(text, start, start + 0.25) if draw(st.booleans()) else Word(text))
            result.append(Utterance(tuple(words), recording=str(number)))
    return result


@settings(max_examples=60, deadline=None)
@given(transcripts(), st.integers(0, 12), st.integers(1, 5))
def test_a_transcript_in_batches_is_what_the_stream_gives(punctuator, utterances, left, right):
    restored = list(punctuator.restore_streaming(utterances, left, right))
    assert [bare_words(u) for u in restored] == [u.words for u in utterances]
    stream = punctuator.stream(left, right)
    live = []
    for number in sorted({u.recording for u in utterances}):
        words = [word for u in utterances if u.recording == number for word in u.words]
        live += [item for word in words for item in stream.push(word)] + stream.flush()
    assert [item.word for item in live] == [word for u in utterances for word in u.words]
    assert [item.labels for item in live] == [label for u in restored for label in u.labels]


def test_transcripts_are_read_lazily(punctuator):
    read = 0

    def counted():
        nonlocal read
        for number in range(400):
            read += 1
            yield Utterance((Word("ana"), Word("mira")), recording=str(number // 100))

    waiting = [read - done for done, _ in enumerate(punctuator.restore_streaming(counted()), start=1)]
    assert len(waiting) == 400
    assert max(waiting) < 100


# Lines


def lines_of(punctuator, text):
    return list(punctuate_lines(enumerate(text.split("\n"), start=1), punctuator.stream(8, 1)))


def test_lines_of_words(punctuator):
    assert lines_of(punctuator, "ana mira\nla\ncasa\n\n\nluis mira la ley") == [
        *["Ana,", "mira", "la", "casa."],
        *["Luis,", "mira", "la", "ley."],
    ]


def test_lines_of_json_come_back_as_json(punctuator):
    text = '{"word": "ana", "start": 1, "end": 1.5, "confidence": 0.5}\nmira\n {"word": "la"}\ncasa'
    first, second, third, last = lines_of(punctuator, text)
    assert json.loads(first) == {
        **{"word": "ana", "start": 1.0, "end": 1.5, "confidence": 0.5},
        **{"marks": ["COMMA"], "case": "FIRST_CAP", "written": "Ana,"},
    }
    assert (second, json.loads(third)["written"], last) == ("mira", "la", "casa.")


def test_times_go_forward_within_a_document(punctuator):
    late, early = '{"word": "ana", "start": 3}', '{"word": "mira", "start": 1}'
    assert len(lines_of(punctuator, f"{late}\n\n{early}")) == 2
    with pytest.raises(InputError, match=r"standard input:2: found start 1\.0 after 3\.0, expected words in the order"):
        lines_of(punctuator, f"{late}\n{early}")


def test_a_missing_word_is_named(punctuator):
    with pytest.raises(InputError, match=r"^standard input:1: found no key 'word', expected an object with 'word'$"):
        lines_of(punctuator, '{"wrd": "ana"}')


# The commands


@pytest.fixture
def stream(run, monkeypatch):
    def call(text, *arguments):
        """Run the command with this standard input."""
        content = text if isinstance(text, bytes) else text.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
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
    "line", [b"{]", b'{"word": 3}', b'{"word": "a b"}', b'{"text": "a"}', b'{"word": "a", "start": -1}', b"\xff"]
)
def test_a_malformed_line_is_reported_after_the_words_before_it(stream, model, line):
    status, out, err = stream(b"ana mira\n" + line + b"\n", "--model", model)
    assert status == 2
    assert [line.rstrip(".") for line in out.lower().replace(",", "").splitlines()] == ["ana", "mira"]
    assert err.startswith("asr-punct: standard input:2: found")
    assert len(err.splitlines()) == 1


def test_each_word_is_written_before_the_next_line_is_read(model):
    script = "import sys; from asr_punct.cli import main; sys.argv = ['asr-punct', *sys.argv[1:]]; main()"
    command = [sys.executable, "-c", script, "stream", "--model", str(model), "--right", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdin.write("ana\n")
        for following, expected in (("mira", "Ana,"), ("la", "mira"), ("casa", "la"), ("", "casa.")):
            process.stdin.write(following + "\n")
            process.stdin.flush()
            assert process.stdout.readline().strip() == expected
        process.stdin.close()
        assert process.wait() == 0
