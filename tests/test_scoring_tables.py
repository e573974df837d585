"""Scores as text and tables."""

import re

import pytest

from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.scoring import compare_counts, concatenate, join_texts, pair_words, score, score_counts, tables
from asr_punct.scoring.mark_classes import MERGED
from asr_punct.scoring.metrics import headline_rates
from asr_punct.scoring.names import metric_names
from asr_punct.words import Utterance, Word, annotate

COMMA, PERIOD = (Labels(frozenset({mark})) for mark in (Mark.COMMA, Mark.PERIOD))
CAP = Labels(case=Case.FIRST_CAP)


def utterance(*labels):
    return annotate(Utterance((Word("a"),) * len(labels)), labels=labels)


REFERENCE = [utterance(COMMA, CAP, PERIOD), utterance(CAP, PERIOD)]
HYPOTHESIS = [utterance(COMMA, CAP, COMMA), utterance(Labels(), PERIOD)]


def test_table_is_aligned_markdown():
    assert tables.table(["name", "F1"], [["a", "100.0"], ["longer", "–"]]) == (
        "| name   |    F1 |\n"
        "| ------ | ----: |\n"
        "| a      | 100.0 |\n"
        "| longer |     – |\n"
    )  # fmt: skip


@pytest.mark.parametrize(("rate", "text"), [(None, "–"), (0.0, "0.0"), (0.76449, "76.4"), (1.0, "100.0")])
def test_percent(rate, text):
    assert tables.percent(rate) == text


@pytest.mark.parametrize(
    ("bounds", "sign", "text"), [(None, "", "–"), ((0.6449, 0.7), "", "64.5..70.0"), ((-0.01, 0.02), "+", "-1.0..+2.0")]
)
def test_interval(bounds, sign, text):
    assert tables.interval(bounds, sign) == text


def test_the_report_has_every_score_with_interval_and_mapping():
    text = tables.report(score(REFERENCE, HYPOTHESIS, samples=20, seed=8), glyphs("en"), "Test set")
    assert text.startswith("# Test set\n\n5 words. Marks: 13 marks, each a class of its own.\n")
    assert re.search(r"^\| \. +\| +100\.0 \| +50\.0 \| +66\.7 \| +[\d.]+ \| +2 \|$", text, re.M)
    assert re.search(r"^\| ” +\| +– \| +– \| +– \| +– \| +0 \|$", text, re.M)
    for name in ("micro", "one class", "Abc", "ABC", "surface", "mean F1", "slot error rate", "punctuation error rate"):
        assert re.search(rf"^\| {name} .*\d\.\.\d|^\| {name} .*–", text, re.M), name
    assert "bootstrap, 20 samples of 2 utterances, seed 8" in text
    assert "word error rate" not in text
    assert "| word error rate " in tables.report(score(REFERENCE, HYPOTHESIS, align=True, samples=0), glyphs("en"))


def test_the_report_has_the_mapping_of_merged_classes():
    text = tables.report(score(REFERENCE, HYPOTHESIS, merge=3, samples=0), glyphs("es"))
    assert "Marks: classes (, : – (dash)) (. ! ; ?), not scored ¿ « » … ¡ – (opening dash).\n" in text
    assert re.search(r"^\| \. ! ; \? +\| +100\.0 \|", text, re.M)
    assert "No intervals" in text


def test_comparison():
    first, second = (pair_words(REFERENCE, side).count() for side in (HYPOTHESIS, REFERENCE))
    text = tables.comparison(compare_counts(first, second, samples=50), "old", "new")
    assert re.search(r"^\| metric +\| +old \| +new \| +difference \| +95 % \| +p \|$", text, re.M)
    assert re.search(
        r"^\| micro\.f1 +\| +66\.7 \| +100\.0 \| +\+33\.3 \| +\+0\.0\.\.\+50\.0 \| +\d\.\d{3} \|$", text, re.M
    )


@pytest.mark.parametrize("merge", [None, *MERGED])
def test_every_metric_has_a_name(merge):
    paired = pair_words(REFERENCE, HYPOTHESIS, merge, align=True)
    differences = compare_counts(paired.count(), paired.count(), samples=0)
    names = metric_names(paired.classes, glyphs("es"))
    assert names.keys() == headline_rates(paired.count()).keys()
    assert len(set(names.values())) == len(names)
    assert re.search(r"^\| F1 of (,|\.).* \| +[\d.]+ \|", tables.comparison(differences, "a", "b", names), re.M)


def test_the_summary_has_a_row_for_each_test_set():
    scores = score(REFERENCE, HYPOTHESIS, samples=0)
    header, _, row = tables.summary({"news": scores}).splitlines()
    assert [cell.strip() for cell in header.split("|")[3:7]] == [
        *("F1 of marks", "mean F1", "slot error rate", "F1 of case"),
    ]
    assert [cell.strip() for cell in row.split("|")[1:5]] == ["news", "5", "66.7", "66.7"]


@pytest.mark.parametrize("align", [False, True])
def test_joined_texts_have_the_counts_of_their_parts(align):
    texts = {name: pair_words(side, HYPOTHESIS, align=align) for name, side in (("a", REFERENCE), ("b", HYPOTHESIS))}
    joined = join_texts(texts)
    expected = concatenate([text.count() for text in texts.values()])
    assert score_counts(joined.count(), samples=20) == score_counts(expected, samples=20)
    assert [u.id for u in joined.references] == ["a 1", "a 2", "b 1", "b 2"]
