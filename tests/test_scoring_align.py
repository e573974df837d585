"""Scores of a recogniser's words: counts of words and marks."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct.align.edit import align
from asr_punct.marks import CASES, MARKS, Labels
from asr_punct.scoring import Scores, score
from asr_punct.scoring.evaluate import pair_words
from asr_punct.scoring.html.confusion import confusion_matrix
from asr_punct.scoring.metrics import make_scores
from asr_punct.words import Utterance, Word, annotate

WORDS = st.lists(st.sampled_from("abcd"), max_size=12)
LABELS = st.builds(Labels, st.frozensets(st.sampled_from(MARKS), max_size=3), st.sampled_from(CASES))
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
@settings(deadline=None)
def test_word_counts_are_those_of_sclite(reference, hypothesis):
    counts = tuple(int(wrong.sum()) for wrong in align(reference, hypothesis).errors)
    found = (len(reference) - counts[0] - counts[1], *counts)
    assert found == literal_edits(tuple(reference), tuple(hypothesis))


def utterances(pairs, side):
    return [
        annotate(
            Utterance(tuple(Word(word) for word, _ in pair[side]), str(n)),
            labels=tuple(label for _, label in pair[side]),
        )
        for n, pair in enumerate(pairs)
    ]


@given(SIDES)
@settings(deadline=None)
def test_counts_of_an_alignment_add_up(pairs):
    references, hypotheses = utterances(pairs, 0), utterances(pairs, 1)
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
@settings(deadline=None)
def test_the_confusion_matrix_has_every_slot_once(pairs):
    references, hypotheses = utterances(pairs, 0), utterances(pairs, 1)
    paired = pair_words(references, hypotheses, align=True)
    slots = make_scores(paired.count()).slots
    counts = confusion_matrix(paired.pairs, paired.classes)
    marks = counts[:-1, :-1]
    assert marks.trace() == slots.correct
    assert marks.sum() - marks.trace() == slots.substituted
    assert (counts[:-1, -1].sum(), counts[-1, :-1].sum()) == (slots.deleted, slots.inserted)
