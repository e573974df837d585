"""NeMo's labels of punctuation and case: a line of words in one file, as many pairs (`OU OO ,O ?U`) in another.

A pair is the mark after the word (O: none), then U for a capital or O. Marks before a word cannot be written, and only
one mark after it: the first of question mark, exclamation mark, period, ellipsis, semicolon, colon, comma, dash and
closing quotation mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest

from asr_punct.errors import InputError, counted_as
from asr_punct.formats.files import Pathlike, display_name, read_lines
from asr_punct.formats.text import read_text
from asr_punct.marks import NO_MARKS, Case, Glyphs, Labels, Mark
from asr_punct.text import read_marks
from asr_punct.words import Utterance, Word, annotate

_STRONGEST = (
    Mark.QUESTION,
    Mark.EXCLAMATION,
    Mark.PERIOD,
    Mark.ELLIPSIS,
    Mark.SEMICOLON,
    Mark.COLON,
    Mark.COMMA,
    Mark.DASH,
    Mark.QUOTE,
)
_CASES = {"O": Case.O, "U": Case.FIRST_CAP}


def write_pairs(labels: Iterable[Labels], glyphs: Glyphs) -> str:
    """Return the pairs of the words, with spaces between them."""
    return " ".join(_mark(label, glyphs) + ("O" if label.case is Case.O else "U") for label in labels)


def _mark(label: Labels, glyphs: Glyphs) -> str:
    return next((glyphs.glyph[mark] for mark in _STRONGEST if mark in label.marks), NO_MARKS)


def read_nemo_labels(text: Pathlike, labels: Pathlike) -> Iterator[Utterance]:
    """Yield a labelled utterance for each line, in lower case; an empty line in both files ends the document.

    Args:
        text: file with the words.
        labels: file with their pairs.

    Raises:
        InputError: the files differ in the number of lines, or of words in a line, or a pair is invalid.
    """
    name = display_name(labels)
    for number, (utterance, row) in enumerate(zip_longest(read_text(text), read_lines(labels)), start=1):
        if utterance is None or row is None:
            short = display_name(text) if utterance is None else name
            raise InputError(short, counted_as(number - 1, "line"), "as many in the files of words and of labels")
        pairs, place = row[1].split(), f"{name}:{number}"
        if len(pairs) != len(utterance.words):
            raise InputError(place, f"{len(pairs)} labels", f"{len(utterance.words)}, one for each word of {text}")
        known = tuple(_labels(pair, place) for pair in pairs)
        words = tuple(Word(word.text.lower()) for word in utterance.words)
        yield annotate(replace(utterance, words=words), labels=known)


def _labels(pair: str, place: str) -> Labels:
    mark, case = pair[:-1], pair[-1]
    marks = read_marks("", mark)
    if case not in _CASES or not (marks or mark == NO_MARKS):
        raise InputError(place, f"label {pair!r}", "a mark or O, then U or O, such as OU or ,O")
    return Labels(marks, _CASES[case])
