"""Where sentences of restored transcripts end: by the marks of labels and of the words' text."""

from asr_punct.marks import LEFT, SENTENCE_ENDS, Case, Mark
from asr_punct.text.edges import read_marks, split_token
from asr_punct.text.periods import is_initial
from asr_punct.words import Word, marks_of

_LEFT = frozenset(LEFT)


def all_marks(word: Word, language: str) -> frozenset[Mark]:
    """Return the marks of a word: those of its labels and those in its text."""
    before, _, after = split_token(word.text, language)
    return marks_of(word) | read_marks(before, after)


def marks_after(word: Word, language: str) -> frozenset[Mark]:
    """Return the marks after a word, of its labels and in its text; none if they are only the period of an initial."""
    before, core, after = split_token(word.text, language)
    marks = (marks_of(word) | read_marks(before, after)) - _LEFT
    case = word.labels.case if word.labels else Case.O
    return frozenset() if marks == {Mark.PERIOD} and is_initial(core, case, language) else marks


def ends_sentence(word: Word, language: str) -> bool:
    """Whether a sentence ends with the word: it has `.`, `?` or `!`, and is no initial."""
    return not SENTENCE_ENDS.isdisjoint(marks_after(word, language))
