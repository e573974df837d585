"""Scores: a pair counted by hand, agreement with scikit-learn, pairing, bad input."""

import json
from functools import reduce

import numpy as np
import pytest
from dummies import json_lines
from hypothesis import given
from hypothesis import strategies as st
from labelled import LABELS, labelled, parse
from sklearn.metrics import f1_score, precision_recall_fscore_support

from asr_punct.errors import ArgumentError, AsrPunctError, InputError
from asr_punct.marks import CASES, MARKS
from asr_punct.scoring import concatenate, pair_words, read_score_sets, score, score_counts, write_score_sets
from asr_punct.words import Utterance, Word

PAIRS = st.lists(st.lists(st.tuples(LABELS, LABELS), max_size=6), min_size=1, max_size=5).filter(any)


# word        reference            hypothesis           slots                                    case
# --------------------------------------------------------------------------------------------------------------
# hola        COMMA, FIRST_CAP     PERIOD, FIRST_CAP    COMMA fn, PERIOD fp: 1 substitution      FIRST_CAP tp
# qué         OPEN_QUES            OPEN_QUES            OPEN_QUES tp                             FIRST_CAP fp
# dice                                                                                           .
# EiTB        QUESTION+QUOTE, 0    COMMA                QUESTION, QUOTE fn, COMMA fp: 1 sub,     surface tp: both EiTB
#                                                       1 deletion
# bai         PERIOD               PERIOD               PERIOD tp                                ALL_CAPS fn
# ez          PERIOD, FIRST_CAP    PERIOD+QUOTE         PERIOD tp, QUOTE fp: 1 insertion         FIRST_CAP fn
REFERENCE = [
    parse("hola/COMMA/FIRST_CAP qué/OPEN_QUES dice EiTB/QUESTION+QUOTE"),
    parse("bai/PERIOD/ALL_CAPS ez/PERIOD/FIRST_CAP"),
]
HYPOTHESIS = [
    parse("hola/PERIOD/FIRST_CAP qué/OPEN_QUES/FIRST_CAP dice EiTB/COMMA"),
    parse("bai/PERIOD ez/PERIOD+QUOTE"),
]
# Slots: tp OPEN_QUES 1, PERIOD 2 = 3; fp PERIOD, COMMA, QUOTE = 3; fn COMMA, QUESTION, QUOTE = 3. Micro 3/6.
# C 3, S 2, D 1, I 1: slot error rate 4/6, punctuation error rate 4/7.
# Positions with a mark: reference hola> <qué EiTB> bai> ez> = 5, hypothesis the same 5: one class is perfect.
# Mean F1: COMMA 0, PERIOD 4/5, QUESTION 0, OPEN_QUES 1, QUOTE 0 = 1.8/5.
# Case: FIRST_CAP tp 1 (hola) fp 1 (qué) fn 1 (ez); ALL_CAPS fn 1 (bai); micro 1/(1 + 1/2 + 2/2).
# Surface: Hola tp, EiTB tp, Qué fp, BAI fn, Ez fn: P 2/3, R 2/4, F1 4/7.
NEVER = {"precision": None, "recall": None, "f1": None, "support": 0}
GOLDEN = {
    "words": 6,
    "marks": {mark.value: NEVER for mark in MARKS}
    | {
        "COMMA": {"precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 1},
        "PERIOD": {"precision": 0.666667, "recall": 1.0, "f1": 0.8, "support": 2},
        "QUESTION": {"precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 1},
        "OPEN_QUES": {"precision": 1.0, "recall": 1.0, "f1": 1.0, "support": 1},
        "QUOTE": {"precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 1},
    },
    "micro": {"precision": 0.5, "recall": 0.5, "f1": 0.5, "support": 6},
    "mean_f1": 0.36,
    "one_class": {"precision": 1.0, "recall": 1.0, "f1": 1.0, "support": 5},
    "slot_error_rate": 0.666667,
    "punctuation_error_rate": 0.571429,
    "case": {
        "FIRST_CAP": {"precision": 0.5, "recall": 0.5, "f1": 0.5, "support": 2},
        "ALL_CAPS": {"precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 1},
        "micro": {"precision": 0.5, "recall": 0.333333, "f1": 0.4, "support": 3},
        "surface": {"precision": 0.666667, "recall": 0.5, "f1": 0.571429, "support": 4},
    },
    "ci95": {},
    "slots": {"correct": 3, "substituted": 2, "deleted": 1, "inserted": 1},
}


def test_scores_of_a_pair_counted_by_hand():
    scores = score(REFERENCE, HYPOTHESIS, samples=0).as_dict()
    assert scores == GOLDEN
    assert list(scores["marks"]) == list(MARKS)


def test_a_file_of_scores_with_intervals_is_read_back(tmp_path):
    sets = {"es/a": score(REFERENCE, HYPOTHESIS, merge=4, samples=50, seed=3), "es/b": score(REFERENCE, REFERENCE)}
    write_score_sets(sets, tmp_path / "scores.json")
    write_score_sets(read_score_sets(tmp_path / "scores.json"), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "scores.json").read_text()
    written = json.loads((tmp_path / "scores.json").read_text())["es/a"]
    assert written["bootstrap"] == {"samples": 50, "seed": 3, "units": 2}
    assert written["merged"]["COMMA"] == ["COMMA", "COLON", "DASH"]
    assert written["ci95"]["micro.f1"][0] <= written["micro"]["f1"] <= written["ci95"]["micro.f1"][1]
    assert "marks.QUESTION.f1" in written["ci95"]


def to_utterances(pairs, side):
    return [labelled("a" * len(u), [pair[side] for pair in u]) for u in pairs]


@given(PAIRS)
def test_scores_agree_with_scikit_learn(pairs):
    scores = score(to_utterances(pairs, 0), to_utterances(pairs, 1), samples=0)
    flat = [pair for utterance in pairs for pair in utterance]
    truth, guess = (np.array([[m in pair[side].marks for m in MARKS] for pair in flat], int) for side in (0, 1))
    present = [i for i in range(len(MARKS)) if (truth[:, i] | guess[:, i]).any()]
    expected = np.array(precision_recall_fscore_support(truth, guess, average=None, zero_division=0))
    for i, rate in enumerate(scores.marks.values()):
        assert rate.support == truth[:, i].sum()
        assert (rate.f1 is None) == (i not in present)
        if rate.f1 is not None:
            assert (rate.precision, rate.recall, rate.f1) == pytest.approx(tuple(expected[:3, i]))
    if present:
        assert scores.micro.f1 == pytest.approx(f1_score(truth, guess, average="micro"))
        assert scores.mean_f1 == pytest.approx(f1_score(truth, guess, labels=present, average="macro"))
    else:
        assert scores.micro.f1 is scores.mean_f1 is scores.slot_error_rate is None
    cases = [[CASES.index(pair[side].case) for pair in flat] for side in (0, 1)]
    if any(map(any, cases)):
        assert scores.case.micro.f1 == pytest.approx(f1_score(*cases, labels=[1, 2], average="micro"))


def test_words_can_have_marks_and_another_division():
    whole = [parse("Hola,/PERIOD/FIRST_CAP qué/OPEN_QUES/FIRST_CAP dice EiTB?/COMMA bai/PERIOD ez/PERIOD+QUOTE")]
    assert score(REFERENCE, whole, samples=0).as_dict() == GOLDEN


def test_utterances_of_the_same_ids_may_come_in_any_order():
    references = [parse("a/COMMA", id="u1"), parse("b/PERIOD", id="u2")]
    assert score(references, references[::-1]).micro.f1 == 1.0


@pytest.mark.parametrize(
    ("hypotheses", "place", "found", "expected"),
    [
        (["a b", "d e"], "x.tsv: utterance 2 (u2), word 1", "'d'", "'c'"),
        (["a b", "c"], "x.tsv: utterance 2 (u2), word 2", "the end", "'d'"),
        (["a b", "c d e"], "x.tsv", "'e'", "the end"),
        ([], "x.tsv: utterance 1 (u1), word 1", "the end", "'a'"),
    ],
)
def test_the_first_difference_of_words_is_named(hypotheses, place, found, expected):
    references = [parse("a b", id="u1"), parse("c d", id="u2")]
    with pytest.raises(InputError) as error:
        score(references, [parse(text) for text in hypotheses], name="x.tsv")
    assert (error.value.place, error.value.setting.name) == (place, "align")
    assert error.value.found.startswith(found)
    assert error.value.expected.startswith(expected)


@pytest.mark.parametrize("aligned", [False, True])
def test_labels_are_required(aligned):
    bare = Utterance((Word("a"),), id="u9")
    for sides, place in (
        (([bare], [parse("a")]), "reference: utterance 1 (u9)"),
        (([parse("a b")], [parse("a"), Utterance((Word("b"),))]), "hypothesis: utterance 2"),
    ):
        with pytest.raises(InputError) as error:
            score(*sides, align=aligned)
        assert (error.value.place, error.value.found) == (place, "no labels")


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (("a", "b"), "references: found str, expected Utterance"),
        (([], ["b"]), "hypotheses: found str, expected Utterance"),
        ((Utterance(()), []), r"references: found a single Utterance, expected several, such as \[utterance\]"),
    ],
)
def test_values_that_are_no_utterances_are_refused(values, found):
    with pytest.raises(AsrPunctError, match=f"^{found}"):
        score(*values)


def test_an_empty_reference_and_an_unknown_merge_are_refused():
    with pytest.raises(InputError) as error:
        score([labelled((), ())], [])
    assert (error.value.place, error.value.found) == ("reference", "no words")
    with pytest.raises(ArgumentError) as error:
        score(REFERENCE, HYPOTHESIS, merge=5)
    assert (error.value.place, error.value.found) == ("merge", "5")


@pytest.mark.parametrize(("reference", "hypothesis", "options", "expected"), json_lines("score_examples.jsonl"))
def test_small_cases(reference, hypothesis, options, expected):
    """A row is a reference, a hypothesis, options of `score` and some scores."""
    scores = score([parse(reference)], [parse(hypothesis)], samples=0, **options).as_dict()
    found = {path: reduce(dict.__getitem__, path.split("."), scores) for path in expected}
    assert found == pytest.approx(expected, abs=1e-6)


def test_recognised_words_pair_by_id_then_by_recording_then_as_one_document():
    references = [parse("a/COMMA b", id="u1", recording="r1"), parse("c d/PERIOD", id="u2", recording="r2")]
    by_id = score(references, [parse("c d/PERIOD", id="u2")], align=True, samples=0)  # u1: no words recognised
    assert (by_id.wer, by_id.micro.recall) == (0.5, 0.5)
    recordings = [parse("c d/PERIOD", recording="r2"), parse("a/COMMA b", recording="r1")]
    assert score(references, recordings, align=True).wer == 0
    assert score(references, [parse("a/COMMA b c d/PERIOD")], align=True).wer == 0
    assert score(references, [parse("c d/PERIOD a/COMMA b")], align=True).wer == 1


def test_line_numbers_are_ids_if_both_have_as_many_lines():
    references = [parse("a/COMMA b", id="1", recording="1"), parse("c d/PERIOD", id="2", recording="1")]
    shifted = [parse("c d/PERIOD", id="1", recording="1"), parse("a/COMMA b", id="2", recording="1")]
    assert score(references, shifted, align=True).wer == 1
    for recording in ("1", "7"):
        assert score(references, [parse("a/COMMA b c d/PERIOD", id="1", recording=recording)], align=True).wer == 0


def test_units_are_utterances_of_the_reference_even_in_one_document():
    references = [parse("a/COMMA b/PERIOD"), labelled((), ()), parse("c d/PERIOD")]
    scores = score(references, [parse("a b/PERIOD c e d/PERIOD")], align=True, samples=20)
    assert scores.bootstrap.units == 3
    counts = pair_words(references, [parse("a b/PERIOD c e d/PERIOD")], align=True).count()
    assert counts.words.tolist() == [2, 0, 2]
    assert counts.word_errors.tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert counts.written_errors.tolist() == [1, 0, 1]
    assert counts.edits.tolist() == [[1, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]]
    assert {"wer", "micro.f1", "marks.PERIOD.f1"} <= scores.ci95.keys()


def test_counts_of_parts_are_those_of_the_whole():
    truth = ("bai/COMMA/FIRST_CAP horixe/PERIOD", "quién/QUESTION", "nadie/COLON ni ana/PERIOD", "ez")
    guess = ("bai/O/FIRST_CAP horixe/PERIOD", "quién/PERIOD", "nadie/COMMA ni ana/PERIOD", "ez")
    references, hypotheses = ([parse(text) for text in texts] for texts in (truth, guess))
    parts = [pair_words(references[i:j], hypotheses[i:j]).count() for i, j in ((0, 1), (1, 4))]
    assert score_counts(concatenate(parts)) == score(references, hypotheses)


@pytest.mark.parametrize("content", ["", "[]", '{"es": 3}', '{"es": {"words": 2}}'])
def test_other_files_are_reported(tmp_path, content):
    (tmp_path / "scores.json").write_text(content)
    with pytest.raises(InputError) as error:
        read_score_sets(tmp_path / "scores.json")
    assert error.value.place == str(tmp_path / "scores.json")
