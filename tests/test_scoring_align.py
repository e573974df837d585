"""Scores of a recogniser's words: counts of words and marks, and how they agree with sclite."""

import random
import re
import shutil
import subprocess
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

SCTK = shutil.which("sctk")
needs_sclite = pytest.mark.skipif(SCTK is None, reason="sctk, which brings sclite, is not installed")
WORDS = st.lists(st.sampled_from("abcd"), max_size=12)
LABELS = st.builds(Labels, st.frozensets(st.sampled_from(MARKS), max_size=3), st.sampled_from(CASES))
SIDE = st.lists(st.tuples(st.sampled_from("abc"), LABELS), max_size=8)
SIDES = st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=4).filter(lambda pairs: any(ref for ref, _ in pairs))


def edits(reference, hypothesis):
    """Correct, substituted, deleted and inserted words."""
    alignment = align(reference, hypothesis)
    counts = tuple(int(wrong.sum()) for wrong in alignment.errors)
    return len(reference) - counts[0] - counts[1], *counts


def literal_edits(reference, hypothesis):
    """The same by the definition: cost and counts of each cell; of equal costs the first of the three."""

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
def test_word_counts_are_those_of_a_literal_dynamic_programme(reference, hypothesis):
    assert edits(reference, hypothesis) == literal_edits(tuple(reference), tuple(hypothesis))


def sclite_edits(pairs, folder):
    """Counts of sclite for pairs of lists of words, none of them empty."""
    for name, side in (("ref", 0), ("hyp", 1)):
        rows = (" ".join(pair[side]) + f" (s-{number:06d})\n" for number, pair in enumerate(pairs))
        (folder / name).write_text("".join(rows), encoding="ascii")
    command = [SCTK, "sclite", "-r", folder / "ref", "trn", "-h", folder / "hyp", "trn", "-i", "spu_id"]
    out = subprocess.run([*command, "-o", "pralign", "stdout"], check=True, capture_output=True).stdout.decode("ascii")
    rows = re.findall(r"^id: \(s-(\d+)\)\nScores: \(#C #S #D #I\) (\d+) (\d+) (\d+) (\d+)$", out, re.M)
    found = {int(number): tuple(map(int, counts)) for number, *counts in rows}
    return [found[number] for number in range(len(pairs))]


def drawn_pairs(rng, count=150):
    """Pairs of lists of words of several lengths, of few different words and of more."""
    for alphabet, longest in (("ab", 9), ("abcd", 12), ("abcdefghijklmn", 40)):
        yield from ([rng.choices(alphabet, k=rng.randint(1, longest)) for _ in range(2)] for _ in range(count))


@needs_sclite
def test_word_counts_are_those_of_sclite(tmp_path):
    pairs = list(drawn_pairs(random.Random(4)))
    assert [edits(*pair) for pair in pairs] == sclite_edits(pairs, tmp_path)


@given(WORDS, WORDS)
def test_swapped_words_swap_insertions_and_deletions(reference, hypothesis):
    forth, back = align(reference, hypothesis), align(hypothesis, reference)
    assert forth.cost == back.cost
    (_, deleted, inserted), (_, deleted_back, inserted_back) = ([int(x.sum()) for x in a.errors] for a in (forth, back))
    assert inserted - deleted == deleted_back - inserted_back == len(hypothesis) - len(reference)


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
