"""NeMo's corpus of punctuation and case: a file with lines of words, another with lines of labels (`OU OO ,O ?U`).

A label is the mark after the word (O: none), then U for a capital or O. Marks before the word cannot be written, and
of several marks after it only the strongest (`marks.STRONGEST_FIRST`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest

from asr_punct.errors import InputError, plural
from asr_punct.files import Pathlike, display_name, read_lines
from asr_punct.formats.lines.text import read_text
from asr_punct.glyphs import Glyphs
from asr_punct.marks import NO_MARKS, STRONGEST_FIRST, Case, Labels
from asr_punct.text import read_marks
from asr_punct.words import Utterance, Word, annotate

_CASES = {"O": Case.O, "U": Case.FIRST_CAP}


def format_labels(labels: Iterable[Labels], glyphs: Glyphs) -> str:
    """Return NeMo's labels of the words, separated by spaces."""
    return " ".join(_mark(label, glyphs) + ("O" if label.case is Case.O else "U") for label in labels)


def _mark(label: Labels, glyphs: Glyphs) -> str:
    return next((glyphs.glyph[mark] for mark in STRONGEST_FIRST if mark in label.marks), NO_MARKS)


def read_nemo_labels(text: Pathlike, labels: Pathlike) -> Iterator[Utterance]:
    """Yield each line as a labelled utterance with lower-case words; an empty line in both files ends the document.

    Raises InputError if the files differ in the number of lines, or of words in a line, or a label is invalid.
    """
    name = display_name(labels)
    for number, (utterance, row) in enumerate(zip_longest(read_text(text), read_lines(labels)), start=1):
        if utterance is None or row is None:
            shorter = display_name(text) if utterance is None else name
            raise InputError(shorter, plural(number - 1, "line"), "as many lines of labels as of words")
        _, labels_line = row
        columns, place = labels_line.split(), f"{name}:{number}"
        if len(columns) != len(utterance.words):
            expected = f"{len(utterance.words)}, one for each word of {display_name(text)}"
            raise InputError(place, plural(len(columns), "label"), expected)
        parsed = tuple(_parse(label, place) for label in columns)
        words = tuple(Word(word.text.lower()) for word in utterance.words)
        yield annotate(replace(utterance, words=words), labels=parsed)


def _parse(label: str, place: str) -> Labels:
    mark, case = label[:-1], label[-1]
    marks = read_marks("", mark)  # NeMo has marks on the right side only
    if case not in _CASES or not (marks or mark == NO_MARKS):
        raise InputError(place, f"label {label!r}", "a mark or O, then U or O, such as OU or ,O")
    return Labels(marks, _CASES[case])
