"""Decoding of whole documents, compared with brute force."""

import itertools

import numpy as np
import pytest
from dummies import refused
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pair_rules import ENDS, OPENS, PAIRS, bonus, given_cost, table, violation

from asr_punct.decode import Decoder, DecodeSettings
from asr_punct.decode.decoder import BLOCK_WORDS
from asr_punct.decode.given import GivenPairs
from asr_punct.decode.inputs import DecoderInput, WordFlag, given_flags
from asr_punct.decode.online import OnlineDecoder
from asr_punct.decode.settings import check_stored, parse_class_weights, with_class_weights
from asr_punct.decode.states import PairSearch
from asr_punct.errors import ArgumentError, ModelError
from asr_punct.marks import LEFT, MARKS, Case, Labels, Mark

PENALTIES = (2.0, 1.0, np.inf)
GIVEN_PERIOD = WordFlag.RIGHT_TAKEN | given_flags({Mark.PERIOD})


def labels_of(rows, parameters=None, flags=None, sizes=(10_000,), cases=None, classes=()):
    """Labels of one document, pushed in parts of the given sizes, the last one repeated."""
    decoder, done, result = Decoder(parameters or DecodeSettings(), classes), 0, []
    probabilities = np.array(rows, dtype=np.float32)
    words = len(probabilities)
    cases = np.tile(np.eye(3, dtype=np.float32)[0], (words, 1)) if cases is None else cases
    flags = np.zeros(words, dtype=np.uint32) if flags is None else flags
    for size in itertools.chain(sizes, itertools.repeat(max(sizes[-1], 1))):
        part = slice(done, done + size)
        done += size
        result += decoder.push(probabilities[part], cases[part], flags[part], done >= words)
        if done >= words:
            break
    return result


def without(mark, **changes):
    """The default settings, with a mark that may not be set."""
    return DecodeSettings(enabled=frozenset(MARKS) - {mark}, **changes)


def marks_of(rows, **keywords):
    """Marks of words given as probabilities by mark."""
    return [set(label.marks) for label in labels_of(table(rows), **keywords)]


# Rules of pairs, by brute force


def total(rows, scores, unopened):
    penalties = dict(zip((Mark.QUESTION, Mark.EXCLAMATION), PENALTIES, strict=False))
    gained = sum(scores[i][MARKS.index(mark)] for i, marks in enumerate(rows) for mark in marks)
    gained += sum(bonus(marks, dict(zip(MARKS, scores[i], strict=True))) for i, marks in enumerate(rows))
    return gained - sum(penalties[mark] for mark in unopened)


def subsets(marks):
    return [set(chosen) for size in range(len(marks) + 1) for chosen in itertools.combinations(marks, size)]


@st.composite
def small_problems(draw):
    """Few words, few marks, any scores, perhaps a pair without rule."""
    words, count = draw(st.sampled_from([(2, 6), (3, 4), (4, 3)]))
    paired = draw(st.permutations([mark for pair in PAIRS for mark in pair]))[: count - 1]
    others = draw(st.permutations([Mark.PERIOD, Mark.COMMA, Mark.ELLIPSIS, Mark.COLON]))
    chosen = [*paired, others[0]]
    if draw(st.booleans()):
        pair = draw(st.sampled_from(PAIRS))
        chosen = [*{*pair, *chosen[: count - 2]}, others[0]][:count]
    scores = np.full((words, len(MARKS)), -np.inf)
    values = draw(arrays.arrays(np.float64, (words, len(chosen)), elements=st.floats(-5, 5)))
    scores[:, [MARKS.index(mark) for mark in chosen]] = values
    active = tuple(draw(st.sampled_from([True, True, True, False])) for _ in PAIRS)
    return scores, chosen, active


@settings(max_examples=100)
@given(small_problems())
def test_no_assignment_of_marks_is_better(problem):
    scores, chosen, active = problem
    watched = {mark for pair, on in zip(PAIRS, active, strict=True) if on for mark in pair}
    words = [row for row in subsets(chosen) if not violation([row], set())[0]]
    best = -np.inf
    for rows in itertools.product(words, repeat=len(scores)):
        wrong, unopened = violation(rows, watched)
        if wrong is None:
            best = max(best, total(rows, scores, unopened))
    found = PairSearch(active, PENALTIES).balance(scores)[0]
    rows = [{mark for mark, on in zip(MARKS, row, strict=True) if on} for row in found]
    wrong, unopened = violation(rows, watched)
    assert wrong is None
    assert total(rows, scores, unopened) == pytest.approx(best, abs=1e-9)


GIVEN_LEFT = [frozenset(), frozenset(), frozenset(), {Mark.OPEN_QUES}, {Mark.OPEN_EXCL}, OPENS]
GIVEN_RIGHT = [frozenset(), frozenset(), {Mark.PERIOD}, {Mark.COMMA}, {Mark.QUESTION}, {Mark.EXCLAMATION}, ENDS]


@pytest.mark.parametrize("share", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("seed", range(15))
def test_a_search_near_given_marks_finds_what_one_of_all_words_does(seed, share, monkeypatch):
    rng = np.random.default_rng(seed)
    scores = rng.normal(-4, 2.5, (100, len(MARKS)))
    flags = np.zeros(100, dtype=np.uint32)
    for i in np.flatnonzero(rng.random(100) < share):
        left, right = (sides[rng.integers(len(sides))] for sides in (GIVEN_LEFT, GIVEN_RIGHT))
        ended = WordFlag.ENDED if set(right) & {Mark.PERIOD, *ENDS} else 0
        flags[i] = given_flags({*left, *right}) | [WordFlag.MUST_OPEN, WordFlag.NEVER_OPEN, 0][rng.integers(3)] | ended
        scores[i, [mark in LEFT if left else False for mark in MARKS]] = -np.inf
        scores[i, [mark not in LEFT if right else False for mark in MARKS]] = -np.inf
    words = DecoderInput(scores, scores[:, :2], np.zeros((100, 3)), flags)
    search = PairSearch((True, True, True), (2.0, 2.0, 2.0))
    found = search.balance(scores, GivenPairs.of(words))[0]
    monkeypatch.setattr(GivenPairs, "relevant", lambda self, distance: np.ones(len(self.ended), dtype=bool))
    assert (found == search.balance(scores, GivenPairs.of(words))[0]).all()


@settings(max_examples=150)
@given(
    arrays.arrays(np.float64, (3, len(MARKS)), elements=st.floats(-5, 5)),
    st.lists(st.tuples(st.sampled_from(GIVEN_LEFT), st.sampled_from(GIVEN_RIGHT)), min_size=3, max_size=3),
    st.lists(st.sampled_from([True, False, None]), min_size=3, max_size=3),
)
def test_no_marks_are_better_given_those_of_the_input(scores, sides, must_open):
    used = [Mark.PERIOD, *(mark for pair in PAIRS[:2] for mark in pair)]
    scores[:, [mark not in used for mark in MARKS]] = -np.inf
    fixed = [frozenset(left) | frozenset(right) for left, right in sides]
    flags = np.zeros(3, dtype=np.uint32)
    choices = []
    for i, (left, right) in enumerate(sides):
        opening = {True: WordFlag.MUST_OPEN, False: WordFlag.NEVER_OPEN, None: 0}[must_open[i]]
        flags[i] = given_flags(fixed[i]) | opening
        free = [mark for mark in used if not (left if mark in LEFT else right)]
        scores[i, [mark not in free for mark in MARKS]] = -np.inf
        choices.append(
            [fixed[i] | row for row in map(frozenset, subsets(free)) if right or not violation([row], set())[0]]
        )
    penalties = dict(zip((Mark.QUESTION, Mark.EXCLAMATION, Mark.QUOTE), PENALTIES, strict=True))

    def value(rows):
        gained = sum(scores[i][MARKS.index(mark)] for i, marks in enumerate(rows) for mark in marks - fixed[i])
        gained += sum(bonus(marks - fixed[i], dict(zip(MARKS, scores[i], strict=True))) for i, marks in enumerate(rows))
        return gained - given_cost(rows, fixed, must_open, penalties, scores)

    words = DecoderInput(scores, scores[:, :2], np.zeros((3, 3)), flags)
    found = PairSearch((True, True, True), PENALTIES).balance(scores, GivenPairs.of(words))[0]
    rows = [
        frozenset(mark for mark, on in zip(MARKS, row, strict=True) if on) | each
        for row, each in zip(found, fixed, strict=True)
    ]
    assert value(rows) == pytest.approx(max(map(value, itertools.product(*choices))), abs=1e-9)


@settings(max_examples=5)
@given(st.integers(0, 10_000), st.lists(st.integers(0, 900), min_size=1, max_size=6), st.floats(-9, 1))
def test_the_sizes_of_parts_change_nothing_and_blocks_are_balanced(seed, sizes, mean):
    scores = np.random.default_rng(seed).normal(mean, 4, (BLOCK_WORDS + 500, len(MARKS)))
    probabilities = (1 / (1 + np.exp(-scores))).astype(np.float32)
    found = labels_of(probabilities)
    assert found == labels_of(probabilities, sizes=[*sizes, 137])
    assert violation([label.marks for label in found])[0] is None


def test_an_endless_document_is_decoded_with_a_bounded_lag():
    """Even if a quotation never closes, or no sentence ever ends."""
    for mark in (Mark.OPEN_QUOTE, Mark.COMMA, Mark.OPEN_QUES):
        decoder, waiting = Decoder(DecodeSettings()), 0
        row = np.array([[0.99 if m is mark else 0.001 for m in MARKS]] * 100, dtype=np.float32)
        row[:, MARKS.index(Mark.QUOTE)] = 0.4
        for _ in range(25):
            waiting += 100 - len(decoder.push(row, np.ones((100, 3), np.float32), np.zeros(100, np.uint32), False))
            assert waiting <= BLOCK_WORDS + 100


# Examples


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([{"OPEN_QUES": 0.4}, {}, {"QUESTION": 0.9}], [{"OPEN_QUES"}, set(), {"QUESTION"}]),
        ([{"OPEN_QUES": 0.01}, {}, {"QUESTION": 0.9}], [set(), set(), {"QUESTION"}]),
        ([{"OPEN_QUES": 0.9}, {}, {"QUESTION": 0.3}], [{"OPEN_QUES"}, set(), {"QUESTION"}]),
        ([{"OPEN_QUES": 0.9}, {}, {"PERIOD": 0.9}], [set(), set(), {"PERIOD"}]),
        ([{"OPEN_QUES": 0.5}, {"QUESTION": 0.6, "COMMA": 0.65}], [{"OPEN_QUES"}, {"QUESTION"}]),
        ([{"OPEN_QUES": 0.5}, {"QUESTION": 0.6, "COMMA": 0.8}], [set(), {"COMMA"}]),
        ([{"QUOTE": 0.9}], [set()]),
        ([{"OPEN_QUOTE": 0.9}, {"PERIOD": 0.9}, {"QUOTE": 0.4}], [{"OPEN_QUOTE"}, {"PERIOD"}, {"QUOTE"}]),
        (
            [{"OPEN_EXCL": 0.8, "OPEN_QUES": 0.8}, {"QUESTION": 0.8, "EXCLAMATION": 0.7}],
            [{"OPEN_EXCL", "OPEN_QUES"}, {"QUESTION", "EXCLAMATION"}],
        ),
    ],
)
def test_examples_of_pairs(rows, expected):
    assert marks_of(rows) == expected


@pytest.mark.parametrize("sizes", [(2,), (1, 0)])
def test_no_dash_ends_a_document(sizes):
    assert marks_of([{"DASH": 0.9}, {"DASH": 0.9, "PERIOD": 0.8}], sizes=sizes) == [{Mark.DASH}, {Mark.PERIOD}]


@pytest.mark.parametrize(("off", "expected"), [("OPEN_QUOTE", {Mark.QUOTE}), ("QUOTE", {Mark.OPEN_QUOTE})])
def test_a_pair_with_one_mark_that_is_not_enabled_has_no_rule(off, expected):
    rows = [{"OPEN_QUOTE": 0.9, "QUOTE": 0.9}]
    assert marks_of(rows, parameters=without(off)) == [expected]


def test_thresholds_are_by_mark_and_case_is_the_likeliest():
    marks = np.full((2, 13), 0.4, dtype=np.float32)
    cases = np.array([[0.2, 0.5, 0.3], [0.1, 0.2, 0.7]], dtype=np.float32)
    both = frozenset({Mark.DASH, Mark.PERIOD})
    parameters = DecodeSettings({mark: 0.3 if mark in both else 0.5 for mark in MARKS})
    found = labels_of(np.repeat(marks, 2, 0), parameters, cases=np.repeat(cases, [1, 3], 0))[:2]
    assert found == [Labels(both, Case.FIRST_CAP), Labels(both, Case.ALL_CAPS)]


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_sentences_begin_with_capitals_whatever_the_sizes_of_parts(seed, sizes):
    rng = np.random.default_rng(seed)
    marks = rng.uniform(0, 0.7, (60, len(MARKS))).astype(np.float32)
    cases = rng.dirichlet([1, 1, 1], 60).astype(np.float32)
    parameters = DecodeSettings(sentence_capitals=True)
    found = labels_of(marks, parameters, sizes=sizes, cases=cases)
    assert found == labels_of(marks, parameters, cases=cases)
    may_begin = cases[:, 0] < 7 * cases[:, 1:].max(axis=1)
    for label, following, begins in zip(found, found[1:], may_begin[1:], strict=False):
        assert following.case != Case.O or not begins or not label.marks & {Mark.PERIOD, Mark.QUESTION}


@pytest.mark.parametrize(
    ("period", "capital", "flag", "expected"),
    [
        (0.6, 0.6, 0, ({Mark.PERIOD}, Case.FIRST_CAP)),
        (0.6, 0.45, 0, ({Mark.PERIOD}, Case.FIRST_CAP)),  # the period is worth more than the capital costs
        (0.6, 0.35, 0, (set(), Case.O)),
        (0.4, 0.9, 0, (set(), Case.FIRST_CAP)),  # a name
        (0.45, 0.6, 0, ({Mark.PERIOD}, Case.FIRST_CAP)),  # the capital makes the period likelier
        (0.45, 0.52, 0, (set(), Case.O)),  # the sentence end, which is not likely enough, explains the capital
        (0.1, 0.6, 0, (set(), Case.FIRST_CAP)),
        (0.999, 0.05, 0, ({Mark.PERIOD}, Case.O)),  # a number needs no capital: `Hil zen. 1976an hasi zen`
        (0.999, 0.05, WordFlag.NEVER_NAME, ({Mark.PERIOD}, Case.FIRST_CAP)),
    ],
)
def test_a_period_and_the_next_capital_are_decided_together(period, capital, flag, expected):
    cases = np.array([[1, 0, 0], [1 - capital, capital, 0]], dtype=np.float32)
    marks, flags = table([{Mark.PERIOD: period}, {}]), np.array([0, flag], dtype=np.uint32)
    first, second = labels_of(marks, DecodeSettings(sentence_capitals=True), flags=flags, cases=cases)
    assert (first.marks, second.case) == expected


@pytest.mark.parametrize("quote", [0, WordFlag.QUOTED | given_flags({Mark.QUOTE})])
@pytest.mark.parametrize("sizes", [(2,), (1,)])
@pytest.mark.parametrize(("capital", "expected"), [(0.94, Case.O), (0.999, Case.FIRST_CAP)])
def test_a_capital_that_a_sentence_end_explains_is_not_written_without_it(capital, expected, sizes, quote):
    cases = np.array([[1, 0, 0], [1 - capital, capital, 0], [1, 0, 0]], dtype=np.float32)
    rows = table([{Mark.PERIOD: 0.9, Mark.QUESTION: 0.1}, {}, {}])
    parameters = without(Mark.PERIOD, sentence_capitals=True)
    found = labels_of(rows, parameters, sizes=sizes, cases=cases, flags=np.array([quote, 0, 0], dtype=np.uint32))
    assert found == [Labels(), Labels(case=expected), Labels()]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ({}, {"PERIOD"}),
        ({"COMMA": 0.9, "QUESTION": 0.1}, {"QUESTION"}),
        ({"COLON": 0.9, "DASH": 0.9}, {"PERIOD"}),
        ({"ELLIPSIS": 0.4, "PERIOD": 0.3}, {"ELLIPSIS"}),
        ({"EXCLAMATION": 0.8, "PERIOD": 0.1}, {"EXCLAMATION"}),
    ],
)
@pytest.mark.parametrize("sizes", [(2,), (1, 0)])
def test_a_document_of_sentences_ends_with_a_mark(last, expected, sizes):
    sentences = DecodeSettings(sentence_capitals=True, unopened=dict.fromkeys(ENDS, 0.0))
    assert marks_of([{}, last], parameters=sentences, sizes=sizes) == [set(), expected]
    given_comma = np.array([0, WordFlag.RIGHT_TAKEN | given_flags({Mark.COMMA})], dtype=np.uint32)
    assert marks_of([{}, last], parameters=sentences, sizes=sizes, flags=given_comma) == [set(), set()]


def test_a_question_that_costs_too_much_at_the_end_of_a_document_is_a_sentence():
    sentences = DecodeSettings(sentence_capitals=True)
    assert marks_of([{}, {"QUESTION": 0.2}], parameters=sentences) == [set(), {Mark.PERIOD}]
    assert marks_of([{}, {}], parameters=without(Mark.PERIOD, sentence_capitals=True)) == [set(), set()]


@pytest.mark.parametrize(
    ("letters", "capitals", "commas"),
    [
        ("abca", "ABCA", [3]),  # a comma may follow the last letter
        ("ayb ", "ayb ", [0, 1, 2, 3]),
        ("bey ", "bey ", [0, 1, 2, 3]),
        ("by c", "by c", [0, 1, 2, 3]),
        ("beat", "BEAT", [3]),
    ],
)
def test_spelled_letters_are_alike(letters, capitals, commas):
    conjunction = WordFlag.LETTER | WordFlag.CONJUNCTION | WordFlag.NEVER_NAME
    kinds = {" ": 0, "y": conjunction, "e": conjunction}
    flags = np.array([kinds.get(letter, WordFlag.LETTER) for letter in letters], dtype=np.uint32)
    rows = table([{"COMMA": 0.9}] * 4)
    for found in (labels_of(rows, flags=flags), one_by_one(rows, flags)):
        assert [i for i, label in enumerate(found) if Mark.COMMA in label.marks] == commas
        assert [label.case is Case.FIRST_CAP for label in found] == [letter.isupper() for letter in capitals]


def one_by_one(rows, flags):
    """Labels of a stream that sees three words ahead."""
    decoder, result = OnlineDecoder(DecodeSettings()), []
    cases = np.tile(np.eye(3, dtype=np.float32)[0], (len(rows), 1))
    for i in range(len(rows)):
        seen = slice(i, i + 4)
        result += decoder.commit(rows[seen], cases[seen], flags[seen], i + 4 >= len(rows))[0]
    return result


@pytest.mark.parametrize("pair", PAIRS)
def test_no_pair_stays_open_where_another_person_speaks(pair):
    rows = [{pair[0]: 0.99}, {pair[1]: 0.2}, {}, {pair[1]: 0.99}]
    flags = np.array([0, WordFlag.TURN_ENDS, 0, 0], dtype=np.uint32)
    assert marks_of(rows) == [{pair[0]}, set(), set(), {pair[1]}]
    assert marks_of(rows, flags=flags)[:3] == [{pair[0]}, {pair[1]}, set()]


def test_a_capital_follows_a_sentence_end_of_the_input():
    lower = np.tile(np.array([0.8, 0.2, 0], dtype=np.float32), (2, 1))
    flags = np.array([GIVEN_PERIOD | WordFlag.ENDED, 0], dtype=np.uint32)
    for sentence_capitals, case in ((True, Case.FIRST_CAP), (False, Case.O)):
        settings = DecodeSettings(sentence_capitals=sentence_capitals)
        _, second = labels_of(table([{}, {}]), settings, flags=flags, cases=lower)
        assert second.case == case


def test_the_end_of_a_document_does_not_affect_the_next_one():
    decoder = Decoder(DecodeSettings(sentence_capitals=True))
    document = table([{Mark.PERIOD: 0.9}]), np.array([[1, 0, 0]], dtype=np.float32), np.zeros(1, dtype=np.uint32)
    for _ in range(2):
        assert decoder.push(*document, True) == [Labels(frozenset({Mark.PERIOD}), Case.O)]


# Rules of reading


@pytest.mark.parametrize(("words", "expected"), [(40, "OPEN_QUES"), (41, None)])
def test_a_question_has_40_words_at_most(words, expected):
    rows = [{"OPEN_QUES": 0.9}, *[{}] * (words - 2), {"QUESTION": 0.9}]
    found = marks_of(rows)
    assert found[0] == ({expected} if expected else set())
    assert found[-1] == {"QUESTION"}


def test_questions_are_kept_wherever_a_block_ends():
    rows = [{} for _ in range(2 * BLOCK_WORDS)]
    edges = [(begin, begin + 30) for begin in range(0, len(rows) - 30, 37)]
    for begin, end in edges:
        rows[begin], rows[end] = {"OPEN_QUES": 0.9}, {"QUESTION": 0.9}
    assert [place for place, marks in enumerate(marks_of(rows)) if marks] == [place for pair in edges for place in pair]


def test_a_quotation_longer_than_a_block_is_not_marked():
    assert marks_of([{"OPEN_QUOTE": 0.9}, *[{}] * 2 * BLOCK_WORDS, {"QUOTE": 0.9}]) == [set()] * (2 * BLOCK_WORDS + 2)


def test_a_long_question_does_not_affect_a_short_one_before_it():
    short = [{"OPEN_QUES": 0.9}, {}, {"QUESTION": 0.9}]
    found = marks_of([*short, {"OPEN_QUES": 0.9}, *[{}] * 40, {"QUESTION": 0.9}])
    assert found[:4] == [{"OPEN_QUES"}, set(), {"QUESTION"}, set()]


@pytest.mark.parametrize(("distance", "kept"), [(1, True), (40, True), (41, False)])
def test_a_dash_on_the_first_word_needs_another_dash_near(distance, kept):
    rows = [{"OPEN_DASH": 0.9}, *[{}] * (distance - 1), {"OPEN_DASH": 0.9}]
    assert marks_of(rows) == [{Mark.OPEN_DASH} if kept else set(), *[set()] * (distance - 1), {Mark.OPEN_DASH}]
    long = [*rows, *[{}] * BLOCK_WORDS]
    assert [Mark.OPEN_DASH in marks_of(long, sizes=sizes)[0] for sizes in ((10_000,), (900,), (1,))] == [kept] * 3


@pytest.mark.parametrize("sizes", [(2,), (1,)])
@pytest.mark.parametrize(
    ("set_marks", "flag", "case"),
    [
        (["COMMA"], WordFlag.NEVER_NAME, Case.O),
        (["EXCLAMATION"], WordFlag.NEVER_NAME, Case.FIRST_CAP),
        (["ELLIPSIS"], WordFlag.NEVER_NAME, Case.FIRST_CAP),
        (["COMMA"], 0, Case.FIRST_CAP),
        (["PERIOD"], WordFlag.NEVER_NAME, Case.FIRST_CAP),
        (["DASH"], WordFlag.NEVER_NAME, Case.FIRST_CAP),
    ],
)
def test_a_function_word_has_no_capital_after_a_comma(set_marks, flag, case, sizes):
    cases = np.array([[1, 0, 0], [0.3, 0.7, 0], [1, 0, 0]], dtype=np.float32)
    flags = np.array([0, flag, 0], dtype=np.uint32)
    marks = table([dict.fromkeys(set_marks, 0.99), {}, {}])
    first, second, _ = labels_of(marks, flags=flags, cases=cases, sizes=sizes)
    assert (first.marks, second.case) == (set(set_marks), case)


@pytest.mark.parametrize("sizes", [(2,), (1,)])
@pytest.mark.parametrize("comma", ["predicted", "given"])
@pytest.mark.parametrize(
    ("opening", "case"), [("OPEN_QUES", Case.O), ("OPEN_EXCL", Case.O), ("OPEN_QUOTE", Case.FIRST_CAP)]
)
def test_a_question_after_a_comma_begins_in_lower_case(opening, case, comma, sizes):
    closing = dict(PAIRS)[Mark(opening)]
    rows = [{"COMMA": 0.99} if comma == "predicted" else {}, {opening: 0.99}, {closing: 0.99}]
    cases = np.array([[1, 0, 0], [0.3, 0.7, 0], [1, 0, 0]], dtype=np.float32)
    given_comma = WordFlag.RIGHT_TAKEN | given_flags({Mark.COMMA})
    flags = np.array([0 if comma == "predicted" else given_comma, WordFlag.NEVER_NAME, 0], dtype=np.uint32)
    assert labels_of(table(rows), flags=flags, cases=cases, sizes=sizes)[1] == Labels({opening}, case)


@pytest.mark.parametrize(("flag", "case"), [(WordFlag.LONG_WORD, Case.FIRST_CAP), (0, Case.ALL_CAPS)])
def test_a_long_word_needs_more_evidence_for_capitals(flag, case):
    cases = np.array([[0.1, 0.3, 0.6], [0.01, 0.02, 0.97]], dtype=np.float32)
    found = labels_of(table([{}, {}]), flags=np.full(2, flag, dtype=np.uint32), cases=cases)
    assert [label.case for label in found] == [case, Case.ALL_CAPS]


# Marks of the input


def test_nothing_is_set_beside_marks_of_the_input():
    rows = [{"OPEN_DASH": 0.9, "COMMA": 0.9}] * 3
    flags = np.array([WordFlag.LEFT_TAKEN, WordFlag.RIGHT_TAKEN, 0], dtype=np.uint32)
    assert marks_of(rows, flags=flags) == [{Mark.COMMA}, {Mark.OPEN_DASH}, {Mark.OPEN_DASH, Mark.COMMA}]


@pytest.mark.parametrize(
    ("rows", "given", "expected"),
    [
        ([{"OPEN_QUES": 0.02}, {"QUESTION": 0.9}, {}], {2: {Mark.QUESTION}}, [{"OPEN_QUES"}, set(), set()]),
        ([{}, {"PERIOD": 0.2}, {"PERIOD": 0.4}], {0: {Mark.OPEN_QUES}}, [set(), set(), {"QUESTION"}]),
        ([{}, {"PERIOD": 0.6}, {}], {0: {Mark.OPEN_EXCL}}, [set(), {"EXCLAMATION"}, set()]),
        ([{}, {}, {}], {0: {Mark.OPEN_QUES}, 2: {Mark.PERIOD}}, [set(), set(), set()]),
        ([{}, {}, {}], {0: {Mark.OPEN_EXCL}, 2: {Mark.QUESTION}}, [set(), set(), set()]),
        ([{"OPEN_QUES": 0.9}, {"QUESTION": 0.9}, {"QUESTION": 0.9}], {1: {Mark.PERIOD}}, [set(), set(), {"QUESTION"}]),
    ],
)
def test_examples_of_pairs_with_marks_of_the_input(rows, given, expected):
    flags = np.zeros(len(rows), dtype=np.uint32)
    for word, marks in given.items():
        taken = WordFlag.LEFT_TAKEN if marks <= OPENS else WordFlag.RIGHT_TAKEN | WordFlag.MUST_OPEN
        flags[word] = taken | given_flags(marks)
    assert marks_of(rows, flags=flags) == expected


# Models with classes


@st.composite
def class_problems(draw):
    """Probabilities of O and of classes of one mark each that no pair or order binds, and weights."""
    classes = ("O", *draw(st.permutations(["COMMA", "PERIOD", "QUESTION"])))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    probabilities = rng.dirichlet([draw(st.sampled_from([0.05, 0.5, 2.0]))] * 4, draw(st.integers(0, 80)))
    named = draw(st.sets(st.sampled_from(classes)))
    weights = {name: draw(st.floats(0.01, 100)) for name in sorted(named)}
    return probabilities.astype(np.float32), classes, weights


@settings(max_examples=60)
@given(class_problems(), st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_the_most_likely_weighted_class_is_set(problem, sizes):
    probabilities, classes, weights = problem
    found = labels_of(probabilities, DecodeSettings(class_weights=weights), sizes=sizes, classes=classes)
    weighted = np.maximum(probabilities.astype(float), 1e-37) * [weights.get(name, 1.0) for name in classes]
    expected = [classes[number] for number in weighted.argmax(axis=1)]
    assert ["+".join(label.marks) or "O" for label in found] == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"O": 0.2, "PERIOD": 0.3, "PERIOD+QUOTE": 0.5}, {"PERIOD", "QUOTE"}),
        ({"O": 0.6, "PERIOD": 0.3, "PERIOD+QUOTE": 0.09}, set()),
    ],
)
def test_a_class_sets_all_of_its_marks(row, expected):
    classes = ("O", "PERIOD", "PERIOD+QUOTE", "OPEN_QUOTE")
    rows = [{"OPEN_QUOTE": 0.5, "O": 0.45}, row]
    first, second = labels_of([[row.get(name, 0.001) for name in classes] for row in rows], classes=classes)
    assert (first.marks, second.marks) == ({"OPEN_QUOTE"} if "QUOTE" in expected else set(), expected)


def test_a_mark_that_is_not_enabled_leaves_its_place_empty():
    classes = ("O", "COMMA", "PERIOD")
    found = labels_of([[0.1, 0.2, 0.7], [0.2, 0.7, 0.1]], without(Mark.PERIOD), classes=classes)
    assert [set(label.marks) for label in found] == [set(), {Mark.COMMA}]


@pytest.mark.parametrize("weight", [0.25, 1.0, 5.0])
def test_a_weight_multiplies_the_odds_of_a_mark(weight):
    """The threshold moves so that the mark is set from where its weighted odds reach those of the old one."""
    settings = without(Mark.DASH, thresholds=dict.fromkeys(MARKS, 0.3))
    moved = with_class_weights(settings, parse_class_weights(f"COMMA={weight}"), ())
    assert weight * moved.thresholds[Mark.COMMA] / (1 - moved.thresholds[Mark.COMMA]) == pytest.approx(0.3 / 0.7)
    assert moved.thresholds[Mark.PERIOD] == pytest.approx(0.3)
    assert moved.enabled == settings.enabled


@pytest.mark.parametrize("wrong", ["QUESTION", "QUESTION=2,", "QUESTION=much"])
def test_malformed_weights_are_refused(wrong):
    with pytest.raises(ArgumentError) as error:
        parse_class_weights(wrong)
    assert error.value.place == "class_weights"
    assert error.value.found.strip("'") in wrong
    assert "COMMA=" in error.value.expected


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, np.inf])
def test_the_weights_of_a_file_are_those_that_a_user_may_give(wrong):
    classes, settings = ("O", "COMMA"), DecodeSettings(class_weights={"COMMA": 1e-12})
    check_stored(settings, classes, "config.json")
    with_class_weights(settings, {"COMMA": 1e-12}, classes)
    with refused("config.json: class_weights.COMMA", kind=ModelError):
        check_stored(DecodeSettings(class_weights={"COMMA": wrong}), classes, "config.json")
    with refused("class_weights", kind=ArgumentError):
        with_class_weights(settings, {"COMMA": wrong}, classes)
