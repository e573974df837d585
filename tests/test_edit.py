"""Word alignment and projection of labels."""

import tracemalloc
from functools import cache

import numpy as np
import pytest
from dummies import bare_words
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.align.edit import align, comparison_form
from asr_punct.align.projection import project
from asr_punct.errors import InputError
from asr_punct.marks import CASES, MARKS, Labels, parse_case, parse_marks
from asr_punct.words import Utterance, Word, annotate

WORDS = st.lists(st.sampled_from("abc"), max_size=9)
LABELS = st.builds(Labels, st.frozensets(st.sampled_from(MARKS), max_size=3), st.sampled_from(CASES))


def literal_cost(reference, hypothesis):
    @cache
    def cost(i, j):
        if i == 0 or j == 0:
            return 3 * (i + j)
        correct = cost(i - 1, j - 1) + (0 if reference[i - 1] == hypothesis[j - 1] else 4)
        return min(correct, cost(i - 1, j) + 3, cost(i, j - 1) + 3)

    return cost(len(reference), len(hypothesis))


@given(WORDS, WORDS)
def test_align_costs_the_minimum_and_uses_every_word_once_in_order(reference, hypothesis):
    alignment = align(reference, hypothesis)
    assert alignment.cost == literal_cost(tuple(reference), tuple(hypothesis))
    assert [i for i in alignment.reference if i >= 0] == list(range(len(reference)))
    assert [j for j in alignment.hypothesis if j >= 0] == list(range(len(hypothesis)))
    for i, j, equal in zip(alignment.reference, alignment.hypothesis, alignment.equal, strict=True):
        assert i >= 0 or j >= 0
        assert equal == (i >= 0 and j >= 0 and reference[i] == hypothesis[j])


def test_memory_is_far_below_that_of_the_cost_matrix():
    rng = np.random.default_rng(5)
    reference, hypothesis = ([str(w) for w in rng.integers(40, size=n)] for n in (3000, 3100))
    tracemalloc.start()
    align(reference, hypothesis)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 3000 * 3100 / 10


@pytest.mark.parametrize(
    ("word", "form"),
    [("Hola,", "hola"), ("«¿Qué?»", "qué"), ("EE.UU.", "ee.uu"), ("50%", "50%"), ("—", "—"), ("aña", "aña")],
)
def test_words_are_compared_in_lower_case_and_without_marks(word, form):
    assert comparison_form(word) == form


def parse(text):
    """`word/MARKS/CASE` tokens, both labels optional."""
    words, labels = [], []
    for token in text.split():
        word, *rest = token.split("/")
        words.append(Word(word))
        marks = parse_marks(rest[0]) if rest and rest[0] else frozenset()
        labels.append(Labels(marks, parse_case(rest[1]) if len(rest) > 1 else CASES[0]))
    return annotate(Utterance(tuple(words)), labels=tuple(labels))


def plain(text):
    return Utterance(tuple(Word(w, start=i, end=i + 0.5) for i, w in enumerate(text.split())), time_source="asr")


CAP = "FIRST_CAP"


@pytest.mark.parametrize(
    ("reference", "words", "expected", "moved", "lost"),
    [
        # right, substituted and inserted words
        (f"sí/COMMA/{CAP} claro/PERIOD", "sí claro", f"sí/COMMA/{CAP} claro/PERIOD", 0, 0),
        (f"sí/COMMA/{CAP} claro/PERIOD", "sin claros", f"sin/COMMA/{CAP} claros/PERIOD", 0, 0),
        ("uno/COMMA dos/PERIOD", "uno eh dos", "uno/COMMA eh dos/PERIOD", 0, 0),
        # a stop moves to the word before, an opening mark to the word after
        ("voy mañana/PERIOD", "voy", "voy/PERIOD", 1, 0),
        ("dime/COLON cómo/OPEN_QUES estás/QUESTION", "dime estás", "dime/COLON estás/OPEN_QUES+QUESTION", 1, 0),
        ("un «/O gran/OPEN_QUOTE pacto/QUOTE", "un « pacto", "un «/O pacto/OPEN_QUOTE+QUOTE", 1, 0),
        # of two stops the stronger stays, of equal ones the earlier
        ("sí/COMMA claro/PERIOD pues/O", "sí pues", "sí/PERIOD pues", 1, 1),
        ("sí/PERIOD claro/COMMA pues", "sí pues", "sí/PERIOD pues", 0, 1),
        ("sí/QUESTION claro/PERIOD pues", "sí pues", "sí/QUESTION pues", 0, 1),
        ("a/COMMA b/COMMA c/SEMICOLON d", "a d", "a/SEMICOLON d", 1, 2),
        # the strongest arrives with all the stops of its word, and a closing quote stays
        ("di/QUOTE+COMMA ya/QUESTION+ELLIPSIS eso", "di eso", "di/QUOTE+QUESTION+ELLIPSIS eso", 2, 1),
        # a pair within deleted words leaves nothing
        ("vale/COMMA no/OPEN_QUES+QUESTION pues", "vale pues", "vale/COMMA pues", 0, 2),
        ("dijo ven/OPEN_QUOTE acá/QUOTE+PERIOD pues", "dijo pues", "dijo/PERIOD pues", 1, 2),
        # nowhere to go
        ("sí/COMMA vamos", "vamos", "vamos", 0, 1),
        ("vamos ya/OPEN_EXCL", "vamos", "vamos", 0, 1),
        ("sí/PERIOD", "", "", 0, 1),
        # the capital of a sentence passes on, that of a name does not
        (f"pero/O/{CAP} yo no/PERIOD", "yo no", f"yo/O/{CAP} no/PERIOD", 0, 0),
        ("eta/O/ALL_CAPS dijo no/PERIOD", "dijo no", f"dijo/O/{CAP} no/PERIOD", 0, 0),
        (f"vino ana/O/{CAP} ayer", "vino ayer", "vino ayer", 0, 0),
        (f"ven/PERIOD/{CAP} pero/O/{CAP} tú no/PERIOD", "ven tú no", f"ven/PERIOD/{CAP} tú/O/{CAP} no/PERIOD", 0, 0),
        (f"sí/PERIOD/{CAP} iphone nuevo", "iphone nuevo", "iphone nuevo", 0, 1),
    ],
)
def test_labels_are_projected(reference, words, expected, moved, lost):
    hypothesis = plain(words)
    projection = project(parse(reference), hypothesis)
    assert projection.utterance.labels == parse(expected).labels
    assert bare_words(projection.utterance) == hypothesis.words
    assert (projection.moved, len(projection.lost)) == (moved, lost)


def test_project_names_a_reference_without_labels():
    with pytest.raises(InputError, match="reference 'u7': found no labels"):
        project(Utterance((Word("a"),), id="u7"), plain("a"))


@given(st.lists(st.tuples(st.sampled_from("abc"), LABELS), max_size=8), WORDS)
def test_project_accounts_for_every_mark(reference, words):
    utterance = annotate(Utterance(tuple(Word(w) for w, _ in reference)), labels=tuple(label for _, label in reference))
    projection = project(utterance, plain(" ".join(words)))
    slots = sum(len(label.marks) for _, label in reference)
    placed = sum(len(label.marks) for label in projection.utterance.labels)
    assert placed + len(projection.lost) == slots
    assert all(mark in utterance.labels[i].marks for i, mark in projection.lost)
    assert projection.moved <= placed
