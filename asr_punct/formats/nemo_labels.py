"""NeMo's labels of punctuation and case: a line of words in one file, as many pairs (`OU OO ,O ?U`) in another.

A pair is the mark after the word or O, and U where the word has a capital or O. Marks before a word have no place in
it, and of several after a word one is written: the first of question mark, exclamation mark, period, ellipsis,
semicolon, colon, comma, dash and closing quotation mark.
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
    """Labels as pairs with spaces between them, one for each word."""
    return " ".join(_mark(label, glyphs) + ("O" if label.case is Case.O else "U") for label in labels)


def _mark(label: Labels, glyphs: Glyphs) -> str:
    return next((glyphs.glyph[mark] for mark in _STRONGEST if mark in label.marks), NO_MARKS)


def read_nemo_labels(text: Pathlike, labels: Pathlike) -> Iterator[Utterance]:
    """Utterances with labels, lazily, a line each; words are in lower case, an empty line in both ends the document.

    Args:
        text: file of the words.
        labels: file of their pairs.

    Raises:
        InputError: the files differ in lines or a line in words, or what stands there is no pair.
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
