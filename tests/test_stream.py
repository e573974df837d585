"""Streams: what each word is decided by, when, and that a transcript in batches gives the same."""

import io
import json
import subprocess
import sys

import numpy as np
import pytest
from dummies import bare_words
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import Punctuator
from asr_punct.checkpoint import read_info
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, WordInput
from asr_punct.inference.lines import punctuated_lines
from asr_punct.inference.lookahead import Lookahead
from asr_punct.inference.merge import mark_flags
from asr_punct.marks import Labels, Mark
from asr_punct.pauses import UNKNOWN, buckets
from asr_punct.words import Utterance, Word, annotate


@pytest.fixture(scope="module")
def punctuator(model):
    return Punctuator.from_pretrained(model, threads=1)


def lookahead(left, right, most_words=1000, most_subwords=1000):
    """Sub-words of a word are its letters."""
    return Lookahead(
        left,
        right,
        most_words=most_words,
        most_subwords=most_subwords,
        encode=lambda words: [tuple(map(ord, word)) for word in words],
        language="es",
    )


def letters(window):
    return "".join(chr(word.subwords[0]) for word in window.words)


# What a word is decided by


@pytest.mark.parametrize(("left", "right"), [(0, 1), (2, 1), (3, 3), (100, 2), (1, 100)])
def test_windows_are_those_of_a_loop(left, right):
    text = "abcdefghij"
    pauses = [None, 0.1, None, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]  # before each word
    seen = lookahead(left, right)
    sights, times = [], []
    for time, (letter, pause) in enumerate(zip(text, pauses, strict=True)):
        for sight in seen.push(Word(letter), pause):
            sights.append(sight)
            times.append(time)
    live = len(sights)
    assert times == list(range(right, len(text)))
    sights += seen.flush()
    assert len(sights) == len(text)
    for word, sight in enumerate(sights):
        ended = word >= live
        assert sight.end == ended
        first, last = max(0, word - left), len(text) if ended else word + right + 1
        expected = []
        for place in range(first, last):
            known = place + 1 < (len(text) if ended else last)
            bucket = buckets([pauses[place + 1]])[0] if known else UNKNOWN
            flags = DOCUMENT_START * (place == 0) + DOCUMENT_END * (ended and place == len(text) - 1)
            expected.append(WordInput((ord(text[place]),), bucket, flags))
        assert list(sight.window.words) == expected
        assert sight.window.keep == (word - first, last - first)
        assert [token.word.text for token in sight.tokens] == [text[word]]
        assert len(sight.flags) == last - word


def test_windows_are_cut_on_the_longer_side():
    seen = lookahead(5, 2, most_words=4)
    windows = [sight.window for letter in "abcdefgh" for sight in seen.push(Word(letter))]
    windows += [sight.window for sight in seen.flush()]
    assert [letters(window) for window in windows] == ["abc", "abcd", "bcde", "cdef", "defg", "efgh", "efgh", "efgh"]
    seen = lookahead(2, 2, most_subwords=4)
    words = ["a", "bb", "c", "dd", "e"]
    windows = [sight.window for word in words for sight in seen.push(Word(word))]
    assert [letters(window) for window in windows] == ["abc", "abc", "cd"]


def test_a_word_longer_than_a_window_has_one_of_its_own():
    seen = lookahead(2, 1, most_subwords=2)
    sights = [sight for word in ("a", "bbbbb", "c") for sight in seen.push(Word(word))] + list(seen.flush())
    assert [letters(sight.window) for sight in sights] == ["a", "b", "c"]


def test_marks_alone_travel_with_the_words_beside_them():
    seen, tokens = lookahead(5, 1), ["-", "«", "a", "»", "-", "b", ",", "c", "-"]
    sights = [sight for token in tokens for sight in seen.push(Word(token))]
    sights += seen.flush()
    assert [[token.word.text for token in sight.tokens] for sight in sights] == [
        ["-", "«", "a", "»", "-"],
        ["b", ","],
        ["c", "-"],
    ]
    flags = [sight.flags[0] for sight in sights]
    assert flags == mark_flags(Utterance(tuple(map(Word, tokens))), "es")
    (alone,) = [*seen.push(Word("-")), *seen.flush()]
    assert (alone.window, [token.word.text for token in alone.tokens]) == (None, ["-"])


def test_memory_does_not_grow():
    seen = lookahead(10, 3)
    for number in range(5000):
        for sight in seen.push(Word("-" if number % 7 == 0 else "a")):
            assert len(sight.window.words) <= 14
        assert len(seen._words) <= 14
        assert len(seen._tokens) <= 6


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


def test_pauses_are_those_between_the_words(punctuator):
    """Each word's silence is told as soon as the next word comes."""
    told = []
    stream = punctuator.stream(left=2, right=1)
    stream._committer._decide = lambda windows: told.extend(windows) or punctuator._decide(windows)
    for start, word in enumerate(["ana", "mira", "la"]):
        stream.push(Word(word, start, start + 0.75))
    stream.push(Word("casa"))
    stream.flush()
    stream.push(Word("luis", 9.0, 9.5))
    stream.flush()
    assert [[word.pause for word in window.words] for window in told] == [
        [25, UNKNOWN],
        [25, 25, UNKNOWN],
        [25, 25, UNKNOWN, UNKNOWN],
        [25, UNKNOWN, UNKNOWN],
        [UNKNOWN],
    ]


@pytest.mark.parametrize("word", ["", "la casa", " ", None, 3])
def test_what_is_no_word_is_told(punctuator, word):
    with pytest.raises(AsrPunctError, match="expected one word"):
        punctuator.stream().push(word)


def test_contexts_that_cannot_be_are_told(punctuator):
    with pytest.raises(AsrPunctError, match="--right: found 0, expected 1 or more"):
        punctuator.stream(right=0)
    with pytest.raises(AsrPunctError, match="--left: found -1, expected 0 or more"):
        next(punctuator.restore_streaming([], left=-1))


def test_a_longer_context_than_the_model_has_is_cut(punctuator, model):
    words = read_info(model).model.window.words
    utterance = Utterance(tuple(map(Word, ["ana", "mira", "la", "casa"] * words)))
    long, fitting = (list(punctuator.restore_streaming([utterance], side, side)) for side in (10 * words, words // 2))
    inner = slice(words, -words)  # windows of an even number of words cannot be centred
    agree = [a == b for a, b in zip(long[0].labels[inner], fitting[0].labels[inner], strict=True)]
    assert np.mean(agree) > 0.9


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


def test_given_labels_are_kept(punctuator):
    given_labels = (Labels(frozenset({Mark.COLON})), Labels(), Labels(), Labels())
    utterance = annotate(Utterance(tuple(map(Word, ["ana", "mira", "la", "casa"]))), labels=given_labels)
    (restored,) = punctuator.restore_streaming([utterance])
    assert restored.labels[0].marks == {Mark.COLON}
    assert Mark.PERIOD in restored.labels[-1].marks


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


def lines_of(punctuator, text, right=1):
    numbered = enumerate(text.split("\n"), start=1)
    return punctuated_lines(numbered, punctuator.stream(8, right), punctuator.glyphs)


def test_lines_of_words(punctuator):
    assert list(lines_of(punctuator, "ana mira\nla\ncasa\n\n\nluis mira la ley")) == [
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
    assert len(list(lines_of(punctuator, f"{late}\n\n{early}"))) == 2
    with pytest.raises(InputError, match=r"standard input:2: found start 1\.0 after 3\.0, expected words in the order"):
        list(lines_of(punctuator, f"{late}\n{early}"))


@pytest.mark.parametrize("line", ["{", '{"word": 3}', '{"word": "a b"}', '{"text": "a"}', '{"word": "a", "start": -1}'])
def test_a_line_of_another_form_is_told_after_the_words_before_it(punctuator, line):
    found = []
    with pytest.raises(InputError, match="standard input:3: found"):
        found.extend(lines_of(punctuator, f"ana mira la\ncasa\n{line}\nluis", right=3))
    assert found == ["Ana,", "mira", "la", "casa."]


# The commands


@pytest.fixture
def stream(run, monkeypatch):
    def call(text, *arguments):
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


@pytest.mark.parametrize("content", ["ana mira\n{]\n", b"ana mira\n\xff\n"])
def test_bad_input_is_one_line_and_no_word_is_lost(stream, model, content):
    status, out, err = stream(content, "--model", model)
    assert status == 2
    assert [line.rstrip(".") for line in out.lower().replace(",", "").splitlines()] == ["ana", "mira"]
    assert err.startswith("asr-punct: standard input:2: found")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("arguments", [("--right", 0), ("--left", -1), ("--right", "x")])
def test_contexts_are_checked(stream, model, arguments):
    status, out, err = stream("ana", "--model", model, *arguments)
    assert (status, out, len(err.splitlines())) == (2, "", 1)


def test_each_word_is_written_before_the_next_line_is_read(model):
    """A recogniser at the other end of two pipes gets an answer without closing its own."""
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


def test_punctuate_with_a_look_ahead(run, model, punctuator, tmp_path):
    source = tmp_path / "a.txt"
    source.write_text("ana mira la casa dónde está\nla mesa\n\nluis mira la ley\n")
    status, out, err = run("punctuate", "--model", model, "--left", 6, "--right", 2, source)
    assert (status, err) == (0, "")
    rows = (("ana mira la casa dónde está", "1"), ("la mesa", "1"), ("luis mira la ley", "2"))
    utterances = [Utterance(tuple(map(Word, line.split())), recording=recording) for line, recording in rows]
    expected = [punctuator._write(u) for u in punctuator.restore_streaming(utterances, 6, 2)]
    assert [line for line in out.splitlines() if line] == expected
    assert expected[-1] == "Luis, mira la ley."
    for wrong in (["--left", 6], ["--right", 2, "--aggregate", 2]):
        status, out, err = run("punctuate", "--model", model, *wrong, source)
        assert (status, out, len(err.splitlines())) == (2, "", 1)
