"""Scores as text and tables, counts of an aligned recogniser, intervals and paired comparison."""

import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import LABELS, labelled

from asr_punct.errors import ArgumentError
from asr_punct.glyphs import glyphs
from asr_punct.marks import MARKS, Case, Labels, Mark
from asr_punct.scoring import (
    Scores,
    bootstrap,
    compare_counts,
    concatenate,
    join_texts,
    markdown,
    pair_words,
    score,
    score_counts,
)
from asr_punct.scoring.edit import align_words
from asr_punct.scoring.html.charts import confusion_matrix
from asr_punct.scoring.mark_classes import MERGED
from asr_punct.scoring.markdown import metric_names
from asr_punct.scoring.scores import headline_rates, make_scores

COMMA, PERIOD = (Labels(frozenset({mark})) for mark in (Mark.COMMA, Mark.PERIOD))
CAP = Labels(case=Case.FIRST_CAP)


def utterance(*labels):
    return labelled("a" * len(labels), labels)


REFERENCE = [utterance(COMMA, CAP, PERIOD), utterance(CAP, PERIOD)]
HYPOTHESIS = [utterance(COMMA, CAP, COMMA), utterance(Labels(), PERIOD)]


def test_table_is_aligned_markdown():
    assert markdown.table(["name", "F1"], [["a", "100.0"], ["longer", "–"]]) == (
        "| name   |    F1 |\n"
        "| ------ | ----: |\n"
        "| a      | 100.0 |\n"
        "| longer |     – |\n"
    )  # fmt: skip


def test_the_report_has_every_score_with_interval_and_mapping():
    text = markdown.report(score(REFERENCE, HYPOTHESIS, samples=20, seed=8), glyphs("en"), "Test set")
    assert text.startswith(f"# Test set\n\n5 words. Marks: {len(MARKS)} marks, each a class of its own.\n")
    assert re.search(r"^\| \. +\| +100\.0 \| +50\.0 \| +66\.7 \| +[\d.]+ \| +2 \|$", text, re.M)
    assert re.search(r"^\| ” +\| +– \| +– \| +– \| +– \| +0 \|$", text, re.M)
    for name in ("micro", "one class", "Abc", "ABC", "surface", "mean F1", "slot error rate", "punctuation error rate"):
        assert re.search(rf"^\| {name} .*\d\.\.\d|^\| {name} .*–", text, re.M), name
    assert "bootstrap, 20 samples of 2 utterances, seed 8; they are too narrow" in text
    assert "word error rate" not in text
    assert "| word error rate " in markdown.report(score(REFERENCE, HYPOTHESIS, align=True, samples=0), glyphs("en"))


def test_the_report_has_the_mapping_of_merged_classes():
    text = markdown.report(score(REFERENCE, HYPOTHESIS, merge=3, samples=0), glyphs("es"))
    assert "Marks: classes (, : – (dash)) (. ! ; ?), not scored ¿ « » … ¡ – (opening dash).\n" in text
    assert re.search(r"^\| \. ! ; \? +\| +100\.0 \|", text, re.M)
    assert "No intervals" in text


def test_comparison():
    first, second = (pair_words(REFERENCE, side).count() for side in (HYPOTHESIS, REFERENCE))
    text = markdown.comparison(compare_counts(first, second, samples=50), "old", "new")
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
    assert re.search(r"^\| F1 of (,|\.).* \| +[\d.]+ \|", markdown.comparison(differences, "a", "b", names), re.M)


def test_the_summary_has_a_row_for_each_test_set():
    scores = score(REFERENCE, HYPOTHESIS, samples=0)
    header, _, row = markdown.summary({"news": scores}).splitlines()
    assert [cell.strip() for cell in header.split("|")[3:7]] == [
        *("F1 of marks", "mean F1", "slot error rate", "F1 of case")
    ]
    assert [cell.strip() for cell in row.split("|")[1:5]] == ["news", "5", "66.7", "66.7"]


@pytest.mark.parametrize("align", [False, True])
def test_joined_texts_have_the_counts_of_their_parts(align):
    texts = {name: pair_words(side, HYPOTHESIS, align=align) for name, side in (("a", REFERENCE), ("b", HYPOTHESIS))}
    joined = join_texts(texts)
    expected = concatenate([text.count() for text in texts.values()])
    assert score_counts(joined.count(), samples=20) == score_counts(expected, samples=20)
    assert [u.id for u in joined.references] == ["a 1", "a 2", "b 1", "b 2"]


# Words and marks of an aligned recogniser


WORDS = st.lists(st.sampled_from("abcd"), max_size=12)
SIDE = st.lists(st.tuples(st.sampled_from("abc"), LABELS), max_size=8)
SIDES = st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=4).filter(lambda pairs: any(ref for ref, _ in pairs))


def literal_edits(reference, hypothesis):
    """Correct, substituted, deleted and inserted words by dynamic programming with the costs of sclite (4, 3, 3)."""

    @cache
    def cell(i, j):
        if i == 0 and j == 0:
            return 0, (0, 0, 0, 0)
        ways = []
        if i and j:
            equal = reference[i - 1] == hypothesis[j - 1]
            ways.append((cell(i - 1, j - 1), 0 if equal else 4, 0 if equal else 1))
        if j:
            ways.append((cell(i, j - 1), 3, 3))
        if i:
            ways.append((cell(i - 1, j), 3, 2))
        (cost, counts), step, kind = min(ways, key=lambda way: way[0][0] + way[1])
        return cost + step, tuple(count + (k == kind) for k, count in enumerate(counts))

    return cell(len(reference), len(hypothesis))[1]


@given(WORDS, WORDS)
def test_word_counts_are_those_of_sclite(reference, hypothesis):
    found = align_words(reference, hypothesis)
    correct, deleted, inserted = (int(kind.sum()) for kind in (found.equal, found.hypothesis < 0, found.reference < 0))
    substituted = len(found.equal) - correct - deleted - inserted
    assert (correct, substituted, deleted, inserted) == literal_edits(tuple(reference), tuple(hypothesis))


def side_of(pairs, side):
    return [
        labelled([word for word, _ in pair[side]], [label for _, label in pair[side]], id=str(n))
        for n, pair in enumerate(pairs)
    ]


@given(SIDES)
def test_counts_of_an_alignment_add_up(pairs):
    references, hypotheses = side_of(pairs, 0), side_of(pairs, 1)
    scores = score(references, hypotheses, align=True, samples=0)
    words, slots = scores.word_edits, scores.slots
    assert words.correct + words.substituted + words.deleted == sum(len(ref) for ref, _ in pairs) == scores.words
    assert words.correct + words.substituted + words.inserted == sum(len(hyp) for _, hyp in pairs)
    marks = [sum(len(label.marks) for pair in pairs for _, label in pair[side]) for side in (0, 1)]
    assert slots.correct + slots.substituted + slots.deleted == marks[0] == scores.micro.support
    assert slots.correct + slots.substituted + slots.inserted == marks[1]
    assert scores.wer * scores.words == pytest.approx(words.substituted + words.deleted + words.inserted)
    assert Scores.from_dict(scores.as_dict()).word_edits == words


@given(SIDES)
def test_the_confusion_matrix_has_every_slot_once(pairs):
    references, hypotheses = side_of(pairs, 0), side_of(pairs, 1)
    paired = pair_words(references, hypotheses, align=True)
    slots = make_scores(paired.count()).slots
    counts = confusion_matrix(paired)
    marks = counts[:-1, :-1]
    assert marks.trace() == slots.correct
    assert marks.sum() - marks.trace() == slots.substituted
    assert (counts[:-1, -1].sum(), counts[-1, :-1].sum()) == (slots.deleted, slots.inserted)


# Intervals and comparison


def counts_of(truth, guess):
    """Counts of utterances from two arrays of "has a comma", (utterances, words)."""
    sides = (
        [utterance(*(COMMA if has_comma else Labels() for has_comma in row)) for row in rows] for rows in (truth, guess)
    )
    return pair_words(*sides).count()


def simulated(rng, utterances, errors, words=12):
    truth = rng.random((utterances, words)) < 0.3
    return truth, truth ^ (rng.random((utterances, words)) < errors)


def test_an_interval_is_that_of_a_literal_bootstrap():
    truth, guess = simulated(np.random.default_rng(2), 25, 0.2)
    found = bootstrap(counts_of(truth, guess), 4000)
    assert {"marks.COMMA.f1", "micro.f1", "mean_f1", "one_class.f1", "slot_error_rate"} <= found.keys()
    assert not {"marks.PERIOD.f1", "case.micro.f1", "wer"} & found.keys()  # undefined
    low, high = found["micro.f1"]
    rng = np.random.default_rng(9)
    drawn = []
    for _ in range(4000):
        rows = rng.integers(25, size=25)
        right, wrong = (truth & guess)[rows].sum(), (truth ^ guess)[rows].sum()
        drawn.append(2 * right / (2 * right + wrong))
    assert (low, high) == pytest.approx(np.percentile(drawn, [2.5, 97.5]), abs=0.01)


def test_paired_finds_a_real_difference_and_no_false_one():
    rng = np.random.default_rng(6)
    truth, good = simulated(rng, 200, 0.1)
    bad, same = (truth ^ (rng.random(truth.shape) < errors) for errors in (0.3, 0.1))
    better = compare_counts(counts_of(truth, bad), counts_of(truth, good))["micro.f1"]
    assert better.p < 0.01
    assert 0 < better.ci95[0] < better.difference < better.ci95[1]
    assert better.difference == pytest.approx(better.second - better.first)
    assert compare_counts(counts_of(truth, good), counts_of(truth, same))["micro.f1"].p > 0.05


def test_one_utterance_has_no_intervals():
    counts = counts_of(*simulated(np.random.default_rng(1), 1, 0.2))
    assert bootstrap(counts) == {}
    itself = compare_counts(counts, counts)["micro.f1"].as_dict()
    assert (itself["difference"], itself["ci95"], itself["p"]) == (0.0, None, None)


def test_paired_refuses_different_utterances():
    rng = np.random.default_rng(1)
    with pytest.raises(ArgumentError):
        compare_counts(counts_of(*simulated(rng, 3, 0.2)), counts_of(*simulated(rng, 4, 0.2)))
