"""Streams: the windows that decide each word, when it is committed, and that a transcript in batches gives the same."""

import math

import pytest
from dummies import bare_words
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asr_punct.checkpoint import load_tokenizer, read_info
from asr_punct.decode import online
from asr_punct.errors import AsrPunctError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.inference.backend import open_backend
from asr_punct.inference.lookahead import Decision, Lookahead
from asr_punct.inference.punctuator import Punctuator
from asr_punct.inference.tokens import TokenReader
from asr_punct.marks import Mark
from asr_punct.pauses import UNKNOWN_PAUSE, buckets
from asr_punct.words import Utterance, Word


class Letters:
    """A tokenizer whose sub-words are letters."""

    def encode(self, words):
        return [tuple(map(ord, word)) for word in words]


def lookahead(left, right, max_words=1000, max_subwords=1000, hop=1, flush_after=0.8, patience=0):
    reader = TokenReader(Letters(), "es")
    return Lookahead(reader, left, right, hop, flush_after, patience, max_words=max_words, max_subwords=max_subwords)


def decisions_of(buffer, words):
    return [decision for word in words for decision in buffer.push([(Word(word), None)])] + list(buffer.flush())


def window_letters(decision):
    return "".join(word.core[0] for word in decision.window.words)


# Windows


@pytest.mark.parametrize(("left", "right"), [(0, 1), (2, 1), (3, 3), (100, 2), (1, 100)])
def test_windows_are_those_of_a_loop(left, right):
    text = "abcdefghij"
    pauses = [None, 0.1, None, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]  # before each word
    buffer = lookahead(left, right, flush_after=9)
    found = [list(buffer.push([(Word(letter), pause)])) for letter, pause in zip(text, pauses, strict=True)]
    assert [len(decisions) for decisions in found] == [int(i >= right) for i in range(len(text))]
    decisions = [decision for each in found for decision in each]
    live = len(decisions)
    decisions += buffer.flush()
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
    assert flags == [token.flags for token in whole if token.core]
    (alone,) = decisions_of(buffer, ["-"])
    assert (alone.window, [token.text for _, token in alone.words]) == (None, ["-"])


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
    found = decided(buffer.push((Word(letter), None) for letter in "abcdefghijkl"))
    assert found == [("abcd", "abcdef"), ("ef", "cdefgh"), ("gh", "efghij"), ("ij", "ghijkl")]


def test_words_are_decided_before_a_pause_and_stay_context():
    buffer = lookahead(2, 2)
    assert decided(d for word in "abc" for d in buffer.push([(Word(word), None)])) == [("a", "abc")]
    before = list(buffer.push([(Word("d"), 1.0)]))
    assert decided(before) == [("bc", "abcd")]
    assert [word.pause for word in before[-1].window.words] == [UNKNOWN_PAUSE, UNKNOWN_PAUSE, 100, UNKNOWN_PAUSE]
    silent = list(buffer.wait(0.9, has_times=True))
    assert (decided(silent), silent[0].end, silent[0].window.words[-1].pause) == ([("d", "bcd")], False, 90)
    assert (list(buffer.wait(1.5, has_times=True)), list(buffer.undecided())) == ([], [])
    (following,) = [*buffer.push([(Word("e"), 2.0)]), *buffer.flush()]
    assert (decided([following]), following.window.words[1].pause) == ([("e", "cde")], 200)
    assert following.window.words[0].boundary == 0


def test_a_sound_is_part_of_the_pause_between_the_words_beside_it():
    buffer = lookahead(2, 2)
    words = [(Word("a"), None), (Word("[ruido]", 1.0, 1.3), 0.2), (Word("♪", 1.3, 1.4), 0.0), (Word("b"), 0.1)]
    assert list(buffer.push(words)) == []
    (before,) = buffer.push([(Word("c"), 0.2), (Word("[ruido]", 2.0, 2.5), 0.3), (Word("d"), 0.1)])
    assert decided([before]) == [("a[ruido]♪bc[ruido]", "abcd")]
    assert [word.pause for word in before.window.words] == [70, 20, 90, UNKNOWN_PAUSE]


def test_sounds_are_output_in_a_pause_and_let_no_word_wait():
    buffer = lookahead(2, 2)
    assert list(buffer.push([(Word("[ruido]"), None)])) == []
    (alone,) = buffer.wait(0.9, has_times=True)
    assert (alone.window, [word.text for word, _ in alone.words]) == (None, ["[ruido]"])
    texts = ["a", "[ruido]", "b", "[ruido]", "c"]
    assert decided(d for text in texts for d in buffer.push([(Word(text), None)])) == [("a[ruido]", "abc")]
    assert next(buffer.wait(0.9, has_times=False)).words[0][0].text == "b"
    assert list(buffer.flush()) == [Decision((), None, end=True, must_decide=0)]
    assert list(buffer.flush()) == []


def test_a_sound_after_a_pause_lets_the_words_before_it_go():
    buffer = lookahead(2, 2)
    assert list(buffer.push([(Word("a"), None)])) == []
    (before,) = buffer.push([(Word("[ruido]"), 1.0)])
    assert (decided([before]), before.window.words[-1].pause) == ([("a[ruido]", "a")], 100)


@pytest.mark.parametrize(("hop", "calls"), [(1, [0, 1, 0, 1, 1, 1]), (2, [0, 0, 0, 1, 0, 1])])
def test_words_that_are_put_back_wait_for_as_many_new_ones_as_a_decision_needs(hop, calls):
    """A sound is no word that the model sees."""
    buffer, counts = lookahead(2, 1, hop=hop, patience=9), []
    for text in ["a", "b", "[ruido]", "c", "d", "e"]:
        decisions = list(buffer.push([(Word(text), None)]))
        counts.append(len(decisions))
        for decision in decisions:
            buffer.put_back(decision.words)
    assert counts == calls


def test_words_that_are_put_back_are_decided_with_the_next_one():
    buffer = lookahead(2, 1, patience=2)
    assert list(buffer.push([(Word("a"), None)])) == []
    least = []
    for letter in "bcd":
        (decision,) = buffer.push([(Word(letter), None)])
        least.append(decision.must_decide)
        buffer.put_back(decision.words[decision.must_decide :])
    assert (decided([decision]), least) == ([("abc", "abcd")], [0, 0, 1])  # three words follow a
    assert [word.text for word, _ in buffer.undecided()] == ["b", "c", "d"]
    (last,) = buffer.flush()
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
    plain, watched = punctuator.stream(8, 3), punctuator.stream(8, 3)
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
    stream, shown = punctuator.stream(8, 2, hop=3), []
    for word in ["ana", "mira", "la", "casa", "ana", "ana"]:
        stream.push(word)
        shown.append(written(stream.preview()))
    assert shown == ["Ana", "Ana, mira", "Ana, mira la", "Ana, mira la casa", "casa. Ana", "casa. Ana ana"]


def test_a_cleared_stream_begins_anew(punctuator):
    stream, fresh = punctuator.stream(8, 1), punctuator.stream(8, 1)
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
    alone = Punctuator(info, load_tokenizer(model, info), open_backend(model, info, threads=1))
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
    with pytest.raises(AsrPunctError, match="expected one word"):
        punctuator.stream().push(word)


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


def test_impossible_context_sizes_are_refused(punctuator):
    with pytest.raises(AsrPunctError, match="--right: found 0, expected 1 or more"):
        punctuator.stream(right=0)
    with pytest.raises(AsrPunctError, match="--hop: found 0, expected 1 or more"):
        punctuator.stream_pool(hop=0)
    with pytest.raises(AsrPunctError, match="--patience: found -1, expected 0 or more"):
        punctuator.stream(patience=-1)
    with pytest.raises(AsrPunctError, match="--left: found -1, expected 0 or more"):
        next(punctuator.restore_streaming([], left=-1))


# In batches


tokens = st.sampled_from(
    ["ana", "mira", "la", "casa", "dónde", "está", "¿y", "no,", "ISO", "-", "«", ",", "?", "ß", "♪"]
)


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


def test_a_question_that_a_pause_leaves_open_ends_with_its_document(punctuator):
    asked = tuple(
        Word(text, start, start + 0.2) for text, start in [("dónde", 0), ("está", 0.2), ("la", 0.4), ("♪", 3)]
    )
    talks = [Utterance(asked, recording="0"), Utterance((Word("ana"),), recording="1")]
    first, second = punctuator.restore_streaming(talks, 5, 1, flush_after=1)
    assert [label.marks for label in first.labels] == [{Mark.OPEN_QUES}, set(), set(), set()]
    (alone,) = punctuator.restore_streaming(talks[1:], 5, 1, flush_after=1)
    assert second.labels == alone.labels


@settings(max_examples=60)
@given(transcripts(), st.integers(0, 12), st.integers(1, 5), st.integers(1, 4), st.sampled_from([0.1, 0.4, 9]))
def test_a_transcript_in_batches_is_what_the_stream_gives(punctuator, utterances, left, right, hop, flush_after):
    restored = list(punctuator.restore_streaming(utterances, left, right, hop, flush_after))
    assert [bare_words(u) for u in restored] == [u.words for u in utterances]
    stream = punctuator.stream(left, right, hop, flush_after, patience=0)
    live = []
    for number in sorted({u.recording for u in utterances}):
        words = [word for u in utterances if u.recording == number for word in u.words]
        live += [item for word in words for item in stream.push(word)] + stream.flush()
    assert [item.word for item in live] == [word for u in utterances for word in u.words]
    assert [item.labels for item in live] == [label for u in restored for label in u.labels]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(transcripts(), st.integers(1, 3), st.integers(1, 4), st.integers(0, 4))
def test_no_word_waits_longer_than_look_ahead_and_patience(unsure, utterances, right, hop, patience):
    stream = unsure.stream(5, right, hop, 9, patience)
    words = [word for utterance in utterances for word in utterance.words if any(map(str.isalpha, word.text))]
    live = []
    for count, word in enumerate(words, start=1):
        live += stream.push(word)
        assert count - len(live) <= right + patience + hop - 1
        assert [item.word for item in stream.preview()] == words[len(live) : count]
    live += stream.flush()
    assert [item.word for item in live] == words


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
