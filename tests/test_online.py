"""Decoding word by word, compared with brute force and with the decoder of documents."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pair_rules import ENDS, PAIRS, bonus, table, violation

from asr_punct.decode import Decoder, DecodeSettings
from asr_punct.decode.inputs import WordFlag, given_flags, mark_logits
from asr_punct.decode.online import OnlineDecoder
from asr_punct.glyphs import glyphs, write_text
from asr_punct.marks import LEFT, MARKS, Case, Labels, Mark

OPENING = frozenset(opening for opening, _ in PAIRS)
LOWER = np.array([1.0, 0.0, 0.0], dtype=np.float32)


def streamed(probabilities, right, parameters=None, flags=None, cases=None):
    """Labels of one document whose scores are the same in every window."""
    decoder, words = OnlineDecoder(parameters or DecodeSettings()), len(probabilities)
    flags = np.zeros(words, dtype=np.uint32) if flags is None else flags
    cases = np.tile(LOWER, (words, 1)) if cases is None else cases
    result = []
    for word in range(words):
        # the last words wait for the end of the document; the others are decided before it is known
        seen = slice(word, min(words, word + right + 1))
        decided, _ = decoder.commit(probabilities[seen], cases[seen], flags[seen], word >= words - right)
        result += decided
    return result


@pytest.mark.parametrize(("least", "count"), [(0, 1), (1, 1), (2, 4)])
def test_a_word_with_a_mark_near_its_threshold_is_unsure(least, count):
    rows = [{Mark.PERIOD: 0.9}, {Mark.COMMA: 0.4}, {Mark.PERIOD: 0.1}, {Mark.COMMA: 0.8}]
    assert OnlineDecoder(DecodeSettings()).count_sure(table(rows), np.zeros(4, dtype=np.uint32), least) == count


def written(rows, right, **keywords):
    labels = streamed(table(rows), right, **keywords)
    return write_text([str(i) for i in range(len(rows))], labels, glyphs("es"))


# Examples


def test_a_question_is_opened_before_its_end_is_seen_and_closed_there():
    rows = [{Mark.OPEN_QUES: 0.9}, {}, {}, {}, {}, {Mark.QUESTION: 0.9}, {Mark.PERIOD: 0.9}]
    assert written(rows, 1) == "¿0 1 2 3 4 5? 6."


def test_a_question_ends_where_a_sentence_ends():
    """What ¿ began is closed at the next end, though its ? is unlikely there: it cannot be taken back."""
    rows = [{Mark.OPEN_QUES: 0.9}, {}, {}, {Mark.PERIOD: 0.9, Mark.QUESTION: 0.02}, {}, {Mark.PERIOD: 0.9}]
    assert written(rows, 1) == "¿0 1 2 3? 4 5."
    assert written(rows, 5) == "0 1 2 3. 4 5."  # seen at once, the ¿ is not worth it


def test_a_less_likely_question_is_opened_only_if_its_end_is_known():
    rows = [{Mark.OPEN_QUES: 0.6}, {}, {Mark.QUESTION: 0.6}]
    assert [written(rows, right) for right in (1, 2)] == ["0 1 2", "¿0 1 2?"]


def test_a_question_without_an_end_is_closed_after_40_words():
    text = written([{Mark.OPEN_QUES: 0.9}, *[{}] * 60], 3).split()
    assert text[0] == "¿0"
    assert any(word.endswith("?") for word in text[:40])


def test_what_is_open_is_closed_before_a_mark_of_the_input():
    rows = [{Mark.OPEN_QUES: 0.9}, {}, {}, {}]
    flags = np.array([0, 0, WordFlag.RIGHT_TAKEN | given_flags({Mark.PERIOD}), 0], dtype=np.uint32)
    assert written(rows, 1, flags=flags) == "¿0 1? 2 3"


@pytest.mark.parametrize("right", [1, 2])
@pytest.mark.parametrize("comma", ["predicted", "given"])
@pytest.mark.parametrize(("pair", "case"), [(PAIRS[0], Case.O), (PAIRS[1], Case.O), (PAIRS[2], Case.FIRST_CAP)])
def test_a_question_after_a_comma_begins_in_lower_case(pair, case, comma, right):
    rows = [{Mark.COMMA: 0.99} if comma == "predicted" else {}, {pair[0]: 0.99}, {pair[1]: 0.99}]
    cases = np.array([[1, 0, 0], [0.3, 0.7, 0], [1, 0, 0]], dtype=np.float32)
    given_comma = WordFlag.RIGHT_TAKEN | given_flags({Mark.COMMA})
    flags = np.array([0 if comma == "predicted" else given_comma, WordFlag.NEVER_NAME, 0], dtype=np.uint32)
    assert streamed(table(rows), right, flags=flags, cases=cases)[1] == Labels({pair[0]}, case)


def test_a_capital_that_costs_too_much_takes_the_period():
    parameters = replace(DecodeSettings(), sentence_capitals=True)
    probabilities = table([{Mark.PERIOD: 0.6}, {}, {}])
    for second, expected in ((0.45, "0. B c."), (0.25, "0 b c.")):
        cases = np.array([LOWER, [1 - second, second, 0.0], LOWER], dtype=np.float32)
        labels = streamed(probabilities, 1, parameters, cases=cases)
        assert write_text(["0", "b", "c"], labels, glyphs("es")) == expected


@given(
    st.lists(st.lists(st.floats(0.02, 0.98), min_size=13, max_size=13), min_size=2, max_size=5),
    st.lists(st.floats(0.1, 0.9), min_size=5, max_size=5),
    st.booleans(),
)
def test_words_that_are_decided_together_get_the_labels_that_they_get_one_by_one(rows, capitals, end):
    words = len(rows)
    cases = np.array([[1 - each, each, 0.0] for each in capitals[:words]], dtype=np.float32)
    document = np.array(rows, dtype=np.float32), cases, np.zeros(words, dtype=np.uint32)
    together, alone = OnlineDecoder(DecodeSettings()), OnlineDecoder(DecodeSettings())
    start = 0
    while start < words:
        found, _ = together.commit(*(array[start:] for array in document), end, min(2, words - start))
        assert found
        for label in found:
            assert alone.commit(*(array[start:] for array in document), end)[0] == [label]
            start += 1


# Brute force


MENU = (*(mark for pair in PAIRS for mark in pair), Mark.PERIOD, Mark.COMMA)
SENTENCE = {Mark.OPEN_QUES, Mark.OPEN_EXCL}
SETS = [frozenset(chosen) for n in range(9) for chosen in itertools.combinations(MENU, n)]


def may_occur(marks, open_after):
    """The rules of one word, of the marks of `MENU`."""
    if Mark.COMMA in marks and marks & ENDS and Mark.QUOTE not in marks:
        return False
    if Mark.PERIOD not in marks:
        return True
    inside = bool(open_after & {Mark.OPEN_QUES, Mark.OPEN_EXCL})
    return not inside and Mark.COMMA not in marks and (Mark.QUOTE in marks or not marks & ENDS)


def outcomes(state, committed, marks, scores, penalties):
    """The state after a word with these marks, and their score; None if they break a rule."""
    if set(state) & SENTENCE and marks & SENTENCE:
        return None
    total = sum(scores[mark] for mark in marks) + bonus(marks, scores)
    open_pairs, closes_end = set(state), bool(marks & ENDS)
    for (opening, closing), penalty in zip(PAIRS, penalties, strict=True):
        if opening in marks and opening in open_pairs:
            return None
        if opening in marks:
            open_pairs.add(opening)
        if closing in marks:
            if opening in open_pairs:
                open_pairs.discard(opening)
                if committed and closing in ENDS:
                    best = max(scores[mark] for mark in (Mark.PERIOD, *ENDS))
                    total += max(0.0, best - scores[closing])
            elif committed and closing in ENDS:
                return None
            else:
                total -= penalty
    opened = {opening in state or opening in marks for opening, closing in PAIRS if closing in marks & ENDS}
    if marks >= ENDS and len(opened) == 2:
        return None
    unfinished = open_pairs & SENTENCE
    if (closes_end and unfinished) or not may_occur(marks, open_pairs):
        return None
    return frozenset(open_pairs), committed and bool(unfinished), total


def best(rows, state, committed, end, penalties, known):
    """Highest score of any way to mark `rows`, and the highest by the first word's marks."""
    if not rows:
        cost = 1.0 if state & SENTENCE and not committed else 0.0
        return (-np.inf if end and state else -cost), {}
    key = (len(rows), state, committed)
    if key not in known:
        first = {}
        for marks in SETS:
            found = outcomes(state, committed, marks, rows[0], penalties)
            if found:
                first[marks] = found[2] + best(rows[1:], found[0], found[1], end, penalties, known)[0]
        known[key] = max(first.values()), first
    return known[key]


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.floats(0.02, 0.98), min_size=8, max_size=8), min_size=1, max_size=3),
    st.sets(st.sampled_from(sorted(OPENING))),
    st.booleans(),
)
def test_no_other_marks_are_better(rows, open_pairs, end):
    rows = [dict(zip(MENU, row, strict=True)) for row in rows]
    parameters = DecodeSettings()
    scores = [dict(zip(MARKS, row, strict=True)) for row in mark_logits(table(rows), parameters).tolist()]
    decoder = OnlineDecoder(parameters)
    committed = bool(open_pairs & {Mark.OPEN_QUES, Mark.OPEN_EXCL})
    before = table([dict.fromkeys(open_pairs, 0.999)]), LOWER[None], np.zeros(1, dtype=np.uint32)
    assert decoder.commit(*before, False)[0][0].marks == open_pairs
    flags = np.zeros(len(rows), dtype=np.uint32)
    chosen = decoder.commit(table(rows), np.tile(LOWER, (len(rows), 1)), flags, end)[0][0].marks
    penalties = (parameters.unopened[Mark.QUESTION], parameters.unopened[Mark.EXCLAMATION], np.inf)
    highest, by_first = best(scores, frozenset(open_pairs), committed, end, penalties, {})
    assert by_first[chosen] == pytest.approx(highest)


# Compared with the decoder of documents


probabilities_of = st.integers(1, 12).flatmap(
    lambda words: st.lists(
        st.lists(st.floats(0.0, 1.0), min_size=len(MARKS), max_size=len(MARKS)), min_size=words, max_size=words
    )
)


DASH_AFTER_ELLIPSIS = [[float(mark == each) for mark in MARKS] for each in ("", Mark.ELLIPSIS, Mark.OPEN_DASH)]


@settings(max_examples=60)
@example(DASH_AFTER_ELLIPSIS, 1, True, False)
@given(probabilities_of, st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_without_pairs_it_equals_the_decoder_of_documents(rows, seed, capitals, period):
    """Without pairs, and a dash on the first word, a word depends only on the next one and on the committed ones."""
    enabled = frozenset(MARKS) - OPENING - (frozenset() if period else {Mark.PERIOD})
    parameters = DecodeSettings(sentence_capitals=capitals, enabled=enabled)
    probabilities = np.array(rows, dtype=np.float32)
    probabilities[0, MARKS.index(Mark.OPEN_DASH)] = 0.0
    cases = np.random.default_rng(seed).dirichlet([1, 1, 1], len(rows)).astype(np.float32)
    choices = np.array([0, 0, WordFlag.LEFT_TAKEN, WordFlag.RIGHT_TAKEN], dtype=np.uint32)
    flags = np.random.default_rng(seed).choice(choices, len(rows))
    expected = Decoder(parameters).push(probabilities, cases, flags, True)
    for right in (1, 3):
        assert streamed(probabilities, right, parameters, flags, cases) == expected


@settings(max_examples=100)
@given(probabilities_of, st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_committed_marks_are_balanced(rows, right, seed):
    probabilities = np.array(rows, dtype=np.float32)
    taken, comma, period = WordFlag.RIGHT_TAKEN, given_flags({Mark.COMMA}), given_flags({Mark.PERIOD})
    choices = np.array([0, 0, 0, taken | comma, taken | period, WordFlag.QUOTED], dtype=np.uint32)
    flags = np.random.default_rng(seed).choice(choices, len(rows))
    flags[1::2] = 0  # an open pair can close before a mark of the input
    found = [set(label.marks) for label in streamed(probabilities, right, flags=flags)]
    for marks, flag in zip(found, flags.tolist(), strict=True):
        assert not (flag & taken and marks - set(LEFT))
        marks |= {Mark.PERIOD} if flag & period else {Mark.COMMA} if flag & comma else set()
    allowed = {None, "open at the end"} if flags[-1] else {None}
    assert violation(found)[0] in allowed


def test_documents_are_apart():
    decoder = OnlineDecoder(replace(DecodeSettings(), sentence_capitals=True))
    ends, capital = table([{Mark.PERIOD: 0.9}]), np.array([[0.9, 0.1, 0.0]], dtype=np.float32)
    flags = np.zeros(1, dtype=np.uint32)
    assert decoder.commit(ends, capital, flags, True)[0][0].marks == {Mark.PERIOD}
    ((second,), _) = decoder.commit(table([{}]), capital, flags, True)
    assert second.case is Case.O
