"""Scores of a recogniser's words: counts of words and marks, and how they agree with sclite."""

import json
import lzma
import random
import re
import shutil
import subprocess
from functools import cache

import pytest
from dummies import file
from hypothesis import given, settings
from hypothesis import strategies as st
from test_scoring import parse

from asr_punct.align.edit import align, comparable
from asr_punct.marks import CASES, MARKS, Labels
from asr_punct.scoring import Scores, score
from asr_punct.scoring.confusion import confusion
from asr_punct.scoring.evaluate import pair_words
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
    counts = alignment.substitutions, alignment.deletions, alignment.insertions
    return len(reference) - counts[0] - counts[1], *counts


def literal_edits(reference, hypothesis):
    """The same by the definition: every cell holds its cost and its counts, on equal costs the first of the three."""

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
def test_words_are_counted_as_a_literal_programme_counts_them(reference, hypothesis):
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


def as_ascii(pairs):
    """Each different word as a word of letters alone, which sclite reads as it stands."""
    number = {}
    return [[[f"w{number.setdefault(word, len(number))}" for word in side] for side in pair] for pair in pairs]


def drawn_pairs(rng, count=150):
    """Pairs of lists of words of several lengths, of few different words and of more."""
    for alphabet, longest in (("ab", 9), ("abcd", 12), ("abcdefghijklmn", 40)):
        yield from ([rng.choices(alphabet, k=rng.randint(1, longest)) for _ in range(2)] for _ in range(count))


def real_rows(folder):
    """Reference and hypothesis, 400 lines of each recogniser of the Basque pairs."""
    for path in sorted((folder / "speech" / "eu_asr_pairs").glob("*.tsv.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            rows = [line.rstrip("\n").split("\t") for line, _ in zip(lines, range(400), strict=False)]
        yield [row for row in rows if len(row) == 2]


def in_words(rows):
    pairs = [[[word for token in side.split() if (word := comparable(token))] for side in row] for row in rows]
    return [pair for pair in pairs if all(pair)]


@needs_sclite
def test_words_are_counted_as_sclite_counts_them(tmp_path):
    pairs = list(drawn_pairs(random.Random(4)))
    assert [edits(*pair) for pair in pairs] == sclite_edits(pairs, tmp_path)


@needs_sclite
def test_real_transcripts_are_counted_as_sclite_counts_them(real_data, tmp_path):
    for pairs in map(in_words, real_rows(real_data)):
        assert [edits(*pair) for pair in pairs] == sclite_edits(as_ascii(pairs), tmp_path)


def command_edits(run, rows, language, folder):
    """The command's counts for lines of written text, and the error rate that it gives."""
    sides = [file(folder, f"{name}.txt", "".join(f"{row[i]}\n" for row in rows)) for i, name in enumerate("rh")]
    scores = folder / "scores.json"
    status, _, error = run("score", *sides, "--align", "--lang", language, "--json", scores, "--quiet")
    assert (status, error) == (0, "")
    found = json.loads(scores.read_text(encoding="utf-8"))
    return tuple(found["word_edits"].values()), found["wer"]


def written(rng, words):
    """The words as a line of text, some with capitals and marks."""
    cased = ((word.upper(), word)[rng.random() < 0.8] for word in words)
    return " ".join(word + rng.choice(["", "", "", ",", "?", ";"]) for word in cased)


@needs_sclite
def test_the_command_counts_words_as_sclite_does(run, tmp_path):
    rng = random.Random(6)
    spoken = {letter: f"t{letter}sa" for letter in "abcdefghijklmn"}
    for _ in range(8):
        pairs = [[[spoken[letter] for letter in side] for side in pair] for pair in drawn_pairs(rng, count=8)]
        counts = tuple(map(sum, zip(*sclite_edits(pairs, tmp_path), strict=True)))
        rows = [[written(rng, side) for side in pair] for pair in pairs]
        found, wer = command_edits(run, rows, "es", tmp_path)
        assert found == counts
        assert wer == pytest.approx(sum(counts[1:]) / sum(counts[:3]), abs=1e-6)


@needs_sclite
def test_the_command_counts_real_transcripts_as_sclite_does(run, real_data, tmp_path):
    for rows in real_rows(real_data):
        # "、" parts words in written text, though no space does.
        rows = [row for row in rows if all(side.split() and "、" not in side for side in row)]
        counts = tuple(map(sum, zip(*sclite_edits(as_ascii(in_words(rows)), tmp_path), strict=True)))
        assert command_edits(run, rows, "eu", tmp_path)[0] == counts


@given(WORDS, WORDS)
def test_insertions_and_deletions_change_places_with_the_sides(reference, hypothesis):
    forth, back = align(reference, hypothesis), align(hypothesis, reference)
    assert forth.cost == back.cost
    assert forth.insertions - forth.deletions == back.deletions - back.insertions == len(hypothesis) - len(reference)


def test_what_is_missing_on_one_side_is_extra_on_the_other():
    full, bare = [parse("hola/COMMA ana/PERIOD qué/OPEN_QUES tal/QUESTION")], [parse("hola ana tal")]
    forth, back = (score(*sides, align=True, samples=0) for sides in ((full, bare), (bare, full)))
    assert (forth.slots.deleted, forth.slots.inserted) == (back.slots.inserted, back.slots.deleted) == (4, 0)
    assert (forth.word_edits.deleted, forth.word_edits.inserted) == (1, 0)
    assert (back.word_edits.deleted, back.word_edits.inserted) == (0, 1)


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
def test_the_confusion_matrix_holds_every_slot_once(pairs):
    references, hypotheses = utterances(pairs, 0), utterances(pairs, 1)
    paired = pair_words(references, hypotheses, align=True)
    slots = make_scores(paired.count()).slots
    found = confusion(paired.pairs, paired.classes)
    marks = found.counts[:-1, :-1]
    assert marks.trace() == slots.correct
    assert marks.sum() - marks.trace() == slots.substituted
    assert (found.counts[:-1, -1].sum(), found.counts[-1, :-1].sum()) == (slots.deleted, slots.inserted)


@given(SIDES)
@settings(deadline=None)
def test_identical_transcripts_have_no_errors(pairs):
    references = utterances(pairs, 0)
    scores = score(references, references, align=True, samples=0)
    assert scores.wer == scores.written_wer == 0
    assert scores.micro.f1 in (None, 1.0)
    assert scores.slots.substituted == scores.slots.deleted == scores.slots.inserted == 0


# hola, → Hola.   (case and mark)   written: 1
# vamos → vamos   (right)
# casa. → caza    (word and mark)   written: 1
@pytest.mark.parametrize(
    ("hypothesis", "written"),
    [
        ("hola/COMMA/FIRST_CAP vamos casa/PERIOD", 0),
        ("hola/PERIOD/FIRST_CAP vamos casa/PERIOD", 1),
        ("hola/COMMA vamos casa/PERIOD", 1),
        ("hola vamos caza", 2),
        ("hola/COMMA/FIRST_CAP vamos eh casa/PERIOD", 1),
        ("vamos", 2),
    ],
)
def test_written_words_are_wrong_where_a_capital_or_a_mark_is(hypothesis, written):
    references = [parse("hola/COMMA/FIRST_CAP vamos casa/PERIOD")]
    scores = score(references, [parse(hypothesis)], align=True, samples=0)
    assert scores.written_wer == pytest.approx(written / 3)


def test_marks_that_are_not_scored_are_not_written_either():
    scores = score([parse("a/QUOTE b/COMMA")], [parse("a b/COLON")], 4, align=True, samples=0)
    assert scores.written_wer == 0


def test_lines_of_text_pair_by_number_only_where_there_are_as_many():
    references = [parse("a/COMMA b", id="1", recording="1"), parse("c d/PERIOD", id="2", recording="1")]
    shifted = [parse("c d/PERIOD", id="1", recording="1"), parse("a/COMMA b", id="2", recording="1")]
    assert score(references, shifted, align=True).wer == 1
    assert score(references, [parse("a/COMMA b c d/PERIOD", id="1", recording="1")], align=True).wer == 0
    assert score(references, [parse("a/COMMA b c d/PERIOD", id="1", recording="7")], align=True).wer == 0
