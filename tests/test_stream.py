"""Streams: the windows that decide each word, and when it is committed."""

import math

import pytest
from dummies import transcripts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asr_punct.checkpoint import load_tokenizer, read_info
from asr_punct.decode import online
from asr_punct.decode.inputs import WordFlag
from asr_punct.errors import ArgumentError, AsrPunctError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.inference.backend import open_backend
from asr_punct.inference.lookahead import Decision, Lookahead
from asr_punct.inference.options import StreamSettings
from asr_punct.inference.punctuator import Punctuator
from asr_punct.inference.restorer import Restorer
from asr_punct.inference.token_reader import TokenReader
from asr_punct.inference.tokens import flag_boundaries
from asr_punct.pauses import UNKNOWN_PAUSE, buckets
from asr_punct.words import Utterance, Word


class Letters:
    """A tokenizer whose sub-words are letters."""

    def encode(self, words):
        return [tuple(map(ord, word)) for word in words]


def lookahead(left, right, max_words=1000, max_subwords=1000, hop=1, flush_after=0.8, patience=0):
    settings = StreamSettings(left, right, hop, flush_after, patience)
    return Lookahead(TokenReader(Letters(), "es"), settings, max_words, max_subwords)


def decisions_of(buffer, words):
    return [decision for word in words for decision in buffer.plan_words([Word(word)])] + list(buffer.plan_end())


def window_letters(decision):
    return "".join(word.core[0] for word in decision.window.words)


# Windows


@pytest.mark.parametrize(("left", "right"), [(0, 1), (2, 1), (3, 3), (100, 2), (1, 100)])
def test_windows_are_those_of_a_loop(left, right):
    text = "abcdefghij"
    pauses = [None, 0.1, None, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]  # before each word
    buffer = lookahead(left, right, flush_after=9)
    words = [Word(letter, pause=pause) for letter, pause in zip(text, [*pauses[1:], None], strict=True)]
    found = [list(buffer.plan_words([word])) for word in words]
    assert [len(decisions) for decisions in found] == [int(i >= right) for i in range(len(text))]
    decisions = [decision for each in found for decision in each]
    live = len(decisions)
    decisions += buffer.plan_end()
    assert len(decisions) == live + 1
    for word, decision in enumerate(decisions):
        ended = word == live
        first, last = max(0, word - left), len(text) if ended else word + right + 1
        expected = []
        for place in range(first, last):
            known = place + 1 < (len(text) if ended else last)
            bucket = buckets([pauses[place + 1]])[0] if known else UNKNOWN_PAUSE
            flags = DOCUMENT_START * (place == 0) + DOCUMENT_END * (ended and place == len(text) - 1)
            expected.append(((ord(text[place]),), bucket, flags))
        assert [(token.subwords, token.pause, token.boundary) for token in decision.window.words] == expected
        assert (decision.window.kept_range, decision.end) == ((word - first, last - first), ended)
        assert [token.text for _, token in decision.words] == list(text[word:] if ended else text[word])


@pytest.mark.parametrize(
    ("limits", "words", "expected"),
    [
        ((5, 2, 4), "abcdefgh", ["abc", "abcd", "bcde", "cdef", "defg", "efgh", "efgh"]),
        ((2, 2, 9, 4), ["a", "bb", "c", "dd", "e"], ["abc", "abc", "cd", "cde"]),
        ((2, 1, 9, 2), ["a", "bbbbb", "c"], ["a", "b", "c"]),  # a word longer than a window has one of its own
    ],
)
def test_windows_are_cut_on_the_longer_side(limits, words, expected):
    assert [window_letters(decision) for decision in decisions_of(lookahead(*limits), words)] == expected


def test_tokens_of_marks_alone_go_with_the_word_beside_them():
    texts = ["-", "«", "a", "»", "-", "b", ",", "c", "-"]
    buffer = lookahead(5, 1)
    decisions = decisions_of(buffer, texts)
    assert [[token.text for _, token in decision.words] for decision in decisions] == [
        ["-", "«", "a", "»", "-"],
        ["b", ","],
        ["c", "-"],
    ]
    whole = TokenReader(Letters(), "es").read(tuple(map(Word, texts)))
    flags = [decision.window.kept[0].flags for decision in decisions]
    assert flags == [token.flags for token in flag_boundaries([("", whole)])]
    (alone,) = decisions_of(buffer, ["-"])
    assert (alone.window, [token.text for _, token in alone.words]) == (None, ["-"])


@pytest.mark.parametrize(("text", "expected"), [("vive en irun (gipuzkoa)", [2]), ("vino ana (mi hermana)", [])])
def test_no_mark_is_added_before_a_remark_of_one_word(text, expected):
    words = list(map(Word, text.split()))
    streamed = [token for decision in decisions_of(lookahead(9, 9), text.split()) for _, token in decision.words]
    for tokens in (TokenReader(Letters(), "es").read(words), streamed):
        assert [i for i, token in enumerate(tokens) if token.flags & WordFlag.RIGHT_TAKEN] == expected


def decided(decisions):
    """Words of each decision with the letters of its window."""
    return [("".join(word.text for word, _ in decision.words), window_letters(decision)) for decision in decisions]


@pytest.mark.parametrize(
    ("limits", "hop", "words", "expected"),
    [
        ((2, 1), 3, "abcdefgh", [("abc", "abcd"), ("def", "bcdefg"), ("gh", "efgh")]),
        ((1, 1, 2), 3, "abcd", [("a", "ab"), ("b", "bc"), ("c", "cd"), ("d", "cd")]),  # it is larger than a window
    ],
)
def test_a_hop_decides_several_words_in_one_window(limits, hop, words, expected):
    assert decided(decisions_of(lookahead(*limits, hop=hop), words)) == expected


def test_words_that_arrive_together_are_decided_in_as_few_windows_as_fit():
    buffer = lookahead(2, 2, max_words=6)
    found = decided(buffer.plan_words(map(Word, "abcdefghijkl")))
    assert found == [("abcd", "abcdef"), ("ef", "cdefgh"), ("gh", "efghij"), ("ij", "ghijkl")]


def test_words_are_decided_before_a_pause_and_stay_context():
    buffer = lookahead(2, 2)
    assert decided(buffer.plan_words([Word("a"), Word("b"), Word("c", pause=1.0)])) == [("a", "abc")]
    before = list(buffer.plan_words([Word("d", 5.0, 5.5)]))
    assert decided(before) == [("bc", "abcd")]
    assert [word.pause for word in before[-1].window.words] == [UNKNOWN_PAUSE, UNKNOWN_PAUSE, 100, UNKNOWN_PAUSE]
    silent = list(buffer.plan_silence(0.9))
    assert (decided(silent), silent[0].end, silent[0].window.words[-1].pause) == ([("d", "bcd")], False, 90)
    assert (list(buffer.plan_silence(1.5)), list(buffer.undecided())) == ([], [])
    (following,) = [*buffer.plan_words([Word("e", 7.5)]), *buffer.plan_end()]
    assert (decided([following]), following.window.words[1].pause) == ([("e", "cde")], 200)
    assert following.window.words[0].boundary == 0


def test_a_sound_is_part_of_the_pause_between_the_words_beside_it():
    buffer = lookahead(2, 2)
    words = [Word("a", 0.5, 0.8), Word("[ruido]", 1.0, 1.3), Word("♪♪", 1.3, 1.4), Word("b", 1.5, 1.6)]
    assert list(buffer.plan_words(words)) == []
    (before,) = buffer.plan_words([Word("c", 1.8, 1.9), Word("[ruido]", 2.2, 2.7), Word("d", 2.8)])
    assert decided([before]) == [("a[ruido]♪♪bc[ruido]", "abcd")]
    assert [word.pause for word in before.window.words] == [70, 20, 90, UNKNOWN_PAUSE]


def test_a_stream_that_begins_with_a_name_has_names_of_speakers():
    words = ["Ana:", "qué", "tal", "Nota:", "bien", "Jon:", "bien", "y"]
    tokens = [token for decision in decisions_of(lookahead(9, 9), words) for _, token in decision.words]
    assert [token.text for token in tokens if not token.core] == ["Ana:", "Jon:"]
    assert [token.text for token in tokens if token.begins_turn] == ["qué", "bien"]
    for others in (words[1:], ["Importante:", *words[1:]]):
        assert all(token.core for decision in decisions_of(lookahead(9, 9), others) for _, token in decision.words)


def test_sounds_are_output_in_a_pause_and_let_no_word_wait():
    buffer = lookahead(2, 2)
    assert list(buffer.plan_words([Word("[ruido]")])) == []
    (alone,) = buffer.plan_silence(0.9)
    assert (alone.window, [word.text for word, _ in alone.words]) == (None, ["[ruido]"])
    texts = ["a", "[ruido]", "b", "[ruido]", "c"]
    assert decided(buffer.plan_words(map(Word, texts))) == [("a[ruido]", "abc")]
    assert next(buffer.plan_silence(0.9)).words[0][0].text == "b"
    assert list(buffer.plan_end()) == [Decision((), None, end=True, must_decide=0)]
    assert list(buffer.plan_end()) == []


def test_a_sound_after_a_pause_lets_the_words_before_it_go():
    buffer = lookahead(2, 2)
    assert list(buffer.plan_words([Word("a", pause=1.0)])) == []
    (before,) = buffer.plan_words([Word("[ruido]")])
    assert (decided([before]), before.window.words[-1].pause) == ([("a[ruido]", "a")], 100)


@pytest.mark.parametrize(("hop", "calls"), [(1, [0, 1, 0, 1, 1, 1]), (2, [0, 0, 0, 1, 0, 1])])
def test_words_that_are_put_back_wait_for_as_many_new_ones_as_a_decision_needs(hop, calls):
    """A sound is no word that the model sees."""
    buffer, counts = lookahead(2, 1, hop=hop, patience=9), []
    for text in ["a", "b", "[ruido]", "c", "d", "e"]:
        decisions = list(buffer.plan_words([Word(text)]))
        counts.append(len(decisions))
        for decision in decisions:
            buffer.put_back(decision.words)
    assert counts == calls


def test_words_that_are_put_back_are_decided_with_the_next_one():
    buffer = lookahead(2, 1, patience=2)
    assert list(buffer.plan_words([Word("a")])) == []
    least = []
    for letter in "bcd":
        (decision,) = buffer.plan_words([Word(letter)])
        least.append(decision.must_decide)
        buffer.put_back(decision.words[decision.must_decide :])
    assert (decided([decision]), least) == ([("abc", "abcd")], [0, 0, 1])  # three words follow a
    assert [word.text for word, _ in buffer.undecided()] == ["b", "c", "d"]
    (last,) = buffer.plan_end()
    assert (decided([last]), last.must_decide) == ([("bcd", "abcd")], 3)


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


@pytest.fixture
def unsure(punctuator, monkeypatch):
    """Punctuator that is unsure of all words."""
    monkeypatch.setattr(online, "UNSURE", math.inf)
    return punctuator


@pytest.mark.parametrize(("patience", "counts"), [(0, [0, 1, 1, 1, 1]), (1, [0, 0, 1, 1, 1]), (2, [0, 0, 0, 1, 1])])
def test_an_unsure_word_waits_for_more_words(unsure, patience, counts):
    stream = unsure.stream(left=8, right=1, patience=patience)
    assert [len(stream.push(word)) for word in ["ana", "mira", "la", "casa", "mira"]] == counts
    assert len(stream.flush()) == patience + 1


def test_a_pause_also_commits_unsure_words(unsure):
    stream = unsure.stream(right=1, patience=9)
    assert [len(stream.push(word)) for word in ["ana", "mira", "la"]] == [0, 0, 0]
    assert len(stream.preview()) == len(stream.idle(0.8)) == 3


def written(committed):
    return " ".join(item.written for item in committed)


def test_a_preview_shows_the_words_that_are_not_committed_and_changes_nothing(punctuator):
    words = ["ana", "mira", "la", "casa", "dónde", "está", "la", "mesa"]
    plain, watched = punctuator.stream(left=8), punctuator.stream(left=8)
    shown = []
    for word in words:
        committed = watched.push(word)
        shown.append(written(watched.preview()))
        assert committed == plain.push(word)
    assert [len(text.split()) for text in shown] == [1, 2, 3, 3, 3, 3, 3, 3]
    assert (shown[0], shown[-1]) == ("Ana", "está la mesa")
    assert watched.flush() == plain.flush()
    assert watched.preview() == []


def test_with_a_hop_a_preview_shows_new_words_unchanged(punctuator):
    stream, shown = punctuator.stream(left=8, right=2, hop=3), []
    for word in ["ana", "mira", "la", "casa", "ana", "ana"]:
        stream.push(word)
        shown.append(written(stream.preview()))
    assert shown == ["Ana", "Ana, mira", "Ana, mira la", "Ana, mira la casa", "casa. Ana", "casa. Ana ana"]


def test_a_cleared_stream_begins_anew(punctuator):
    stream, fresh = punctuator.stream(left=8, right=1), punctuator.stream(left=8, right=1)
    for word in ["dónde", "está", "ana"]:
        stream.push(word)
    stream.clear()
    assert stream.preview() == []
    for word in ["ana", "mira", "la", "casa"]:
        assert (stream.push(word), stream.preview()) == (fresh.push(word), fresh.preview())


def test_a_long_pause_commits_the_words_before_it(punctuator):
    times = [0.0, 0.5, 1.0, 1.5, 3.5, 4.0]
    words = [
        Word(text, time, time + 0.4)
        for text, time in zip(["ana", "mira", "la", "casa", "luis", "mira"], times, strict=True)
    ]
    stream = punctuator.stream(right=3, flush_after=0.8)
    assert [len(stream.push(word)) for word in words] == [0, 0, 0, 1, 3, 0]
    assert stream.idle(0.5) == []
    assert len(stream.idle(0.8)) == 2
    assert stream.idle(3.0) == stream.flush() == []


def test_the_document_after_a_pause_begins_anew(model):
    """Also in a punctuator that was not opened by name, whose streams keep their model."""
    info = read_info(model)
    alone = Punctuator(Restorer.of(info, load_tokenizer(model, info), open_backend(model, info, threads=1)))
    stream, fresh = alone.stream(), alone.stream()
    assert [each.written for each in stream.push("dónde", "está", "la") + stream.idle(9)] == ["¿Dónde", "está", "la"]
    assert stream.flush() == []
    words = ["dónde", "está", "la", "mesa"]
    assert stream.push(*words) + stream.flush() == fresh.push(*words) + fresh.flush()


def test_a_pause_that_a_word_names_commits_the_words_before_it(punctuator):
    stream = punctuator.stream(right=3, flush_after=0.8)
    words = Word("ana"), Word("mira", pause=0.9), Word("la", 0.0, 0.5, pause=0.1), Word("casa", 9.0, 9.5)
    assert [len(stream.push(word)) for word in words] == [0, 0, 2, 0]


@pytest.mark.parametrize("word", ["", "la casa", " ", " ana", "ana\n", None, 3])
def test_values_that_are_not_one_word_are_refused(punctuator, word):
    with pytest.raises(ArgumentError) as error:
        punctuator.stream().push(word)
    assert (error.value.place, error.value.found) == ("word", repr(word))


@pytest.mark.parametrize("times", [(2.0, 1.0), (-1.0, 0.5), (math.nan, 1.0), (0.0, math.inf), (0.0, 1.0, None, -1.0)])
def test_impossible_times_are_refused(punctuator, times):
    word = Word("la", *times)
    with pytest.raises(AsrPunctError, match=r"word 'la': found start .* expected 0 <= start"):
        punctuator.stream().push(word)


def test_values_that_are_no_utterance_are_refused(punctuator):
    with pytest.raises(AsrPunctError, match="utterances: found str, expected Utterance"):
        list(punctuator.restore(["hola"]))
    with pytest.raises(AsrPunctError, match="utterances: found a single Utterance"):
        list(punctuator.restore(Utterance((Word("hola"),))))


@pytest.mark.parametrize(
    ("field", "value", "minimum"),
    [("left", -1, 0), ("right", 0, 1), ("hop", 0, 1), ("flush_after", math.nan, 0), ("patience", -1, 0)],
)
def test_impossible_settings_are_refused(punctuator, field, value, minimum):
    for make in (StreamSettings, punctuator.stream, punctuator.stream_pool):
        with pytest.raises(ArgumentError) as error:
            make(**{field: value})
        parts = error.value.place, error.value.found, error.value.expected
        assert parts == (field, str(value), f"{minimum} or more")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(transcripts(), st.integers(1, 3), st.integers(1, 4), st.integers(0, 4))
def test_no_word_waits_longer_than_look_ahead_and_patience(unsure, utterances, right, hop, patience):
    stream = unsure.stream(settings=StreamSettings(5, right, hop, 9, patience))
    words = [word for utterance in utterances for word in utterance.words if any(map(str.isalpha, word.text))]
    live = []
    for count, word in enumerate(words, start=1):
        live += stream.push(word)
        assert count - len(live) <= right + patience + hop - 1
        assert [item.word for item in stream.preview()] == words[len(live) : count]
    live += stream.flush()
    assert [item.word for item in live] == words
