"""Labelled utterances for tests of scores and alignments."""

from hypothesis import strategies as st

from asr_punct.marks import CASES, MARKS, Case, Labels, parse_case, parse_marks
from asr_punct.words import Utterance, Word, annotate

LABELS = st.builds(Labels, st.frozensets(st.sampled_from(MARKS), max_size=3), st.sampled_from(CASES))


def labelled(words, labels, **fields):
    return annotate(Utterance(tuple(map(Word, words)), **fields), labels=tuple(labels))


def parse(text, **fields):
    """`word/MARKS/CASE` tokens, both labels optional."""
    words, labels = [], []
    for token in text.split():
        word, *rest = token.split("/")
        words.append(word)
        marks = parse_marks(rest[0]) if rest and rest[0] else frozenset()
        labels.append(Labels(marks, parse_case(rest[1]) if len(rest) > 1 else Case.O))
    return labelled(words, labels, **fields)
