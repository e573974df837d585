"""A line of written text -> lower-case words and their labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from asr_punct.marks import OPENER, Case, Labels, Mark, glyphs
from asr_punct.text.abbreviations import rules_of
from asr_punct.text.characters import clean
from asr_punct.text.label_sets import NO_MARKS, context_of, labels_of, one_stop, settle
from asr_punct.text.periods import Period, read_period
from asr_punct.text.scan import MarkAtom, WordAtom, scan

_SPACED_ELLIPSIS = re.compile(r"\.(?:\s\.){2,}(?!\S)")
_SUSPENDED = re.compile(r"(?<=\w)-(?=(?:,\s+[\w-]+-){0,4},?\s+(?:eta|edo|zein|nahiz|ala)\b)", re.IGNORECASE)
_DASH_BEFORE_WORD = re.compile(r"(?<!\S)-(?=\w)")
_SIDELESS = frozenset(('"', "＂", "″", "''", "'", "´", "′", "`"))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A line of text, read.

    Attributes:
        words: the words in lower case, an abbreviation's period included.
        labels: marks and case, one for each word.
        forms: the words as they are written, capitals included.
        dropped: how often each glyph was left out: brackets, symbols, invisible characters, repeated marks, marks
            with no word to stand on, the weaker of two stops.
    """

    words: tuple[str, ...]
    labels: tuple[Labels, ...]
    forms: tuple[str, ...]
    dropped: Counter[str] = field(default_factory=Counter)


def parse(text: str, language: str = "es") -> Parsed:
    """Words, marks and case of one line of written text.

    Any string is accepted; white space of any kind separates tokens. The words and labels that come out are
    canonical (`canonical`): writing and reading them again gives the same.

    Args:
        text: an utterance, a sentence or a paragraph; its end counts as the end of a sentence.
        language: language code or mixture (`es+eu`); abbreviations and apostrophes depend on it.
    """
    line = _Line(language)
    for token in _rewrite(clean(text, line.dropped), language, line.dropped).split():
        for atom in scan(token, language):
            if isinstance(atom, WordAtom):
                line.add_word(atom)
            else:
                line.add_mark(atom)
    return line.finish()


def _rewrite(text: str, language: str, dropped: Counter[str]) -> str:
    """Text with `. . .` as one ellipsis, and Basque compounds without the hyphen for the part that they share.

    In `gorputz- eta keinu-hizkuntza` the first hyphen is no dash, and nobody says it.
    """
    if ". ." in text:
        text = _SPACED_ELLIPSIS.sub("…", text)
    if "- " in text and rules_of(language).suspends and not _DASH_BEFORE_WORD.search(text):
        text, count = _SUSPENDED.subn("", text)
        if count:
            dropped["-"] += count
    return text


class _Line:
    """What was read of a line so far.

    Args:
        language: language code or mixture.
    """

    def __init__(self, language: str) -> None:
        self.dropped: Counter[str] = Counter()
        self._language = language
        self._apostrophes = rules_of(language).apostrophes
        self._words: list[str] = []
        self._forms: list[str] = []
        self._cases: list[Case] = []
        self._marks: list[frozenset[Mark]] = []
        self._periods: list[int] = []
        self._waiting: dict[Mark, str] = {}
        self._open = {"double": False, "single": False}
        self._add: dict[str, Callable[[MarkAtom], None]] = {
            "left": self._left,
            "right": self._right,
            "dash": self._dash,
            "double": self._quote,
            "single": self._single,
            "other": self._other,
        }

    def add_word(self, atom: WordAtom) -> None:
        """The next word, with the marks that were waiting for it."""
        if atom.period:
            self._periods.append(len(self._words))
        self._words.append(atom.text)
        self._forms.append(atom.form)
        self._cases.append(atom.case)
        self._marks.append(frozenset(self._waiting) if self._waiting else NO_MARKS)
        self._waiting.clear()
        if atom.brackets:
            self.dropped.update(atom.brackets)

    def add_mark(self, atom: MarkAtom) -> None:
        """The next mark, given to the word before or kept for the word after."""
        self._add[atom.kind](atom)

    def finish(self) -> Parsed:
        """What was read, with every period given to its word or to the sentence."""
        if self._words and self._waiting.get(Mark.OPEN_QUOTE) in _SIDELESS:
            self._put(-1, Mark.QUOTE, self._waiting.pop(Mark.OPEN_QUOTE))
        self.dropped.update(self._waiting.values())
        words, cases, marks = self._words, self._cases, self._marks
        for i in self._periods:
            if read_period(words[i], cases[i], context_of(words, cases, marks, i), self._language) is Period.MARK:
                self._put(i, Mark.PERIOD, ".")
            else:
                words[i] += "."
                self._forms[i] += "."
        for found in marks:
            if found and found != one_stop(found):
                self.dropped.update(glyphs(self._language).glyph[mark] for mark in found - one_stop(found))
        settle(words, cases, marks, self._language)
        return Parsed(tuple(words), tuple(map(labels_of, marks, cases)), tuple(self._forms), self.dropped)

    def _put(self, index: int, mark: Mark, glyph: str) -> None:
        if mark in self._marks[index]:
            self.dropped[glyph] += 1
        else:
            self._marks[index] |= {mark}

    def _left(self, atom: MarkAtom) -> None:
        self._wait(atom.mark, atom.glyph)

    def _wait(self, mark: Mark | None, glyph: str) -> None:
        if mark is None or mark in self._waiting:
            self.dropped[glyph] += 1
        else:
            self._waiting[mark] = glyph

    def _right(self, atom: MarkAtom) -> None:
        self._close(atom.mark, atom)

    def _close(self, mark: Mark | None, atom: MarkAtom) -> None:
        """A mark of the word before; `¿?` with no word in it leaves nothing, nor does `…` in `«…and`."""
        opener = self._waiting.pop(OPENER[mark], None) if mark in OPENER else None
        if opener is not None:
            self.dropped.update((opener, atom.glyph))
        elif mark is None or not self._words or (self._waiting and atom.before_word and not atom.after_word):
            self.dropped[atom.glyph] += 1
        else:
            self._put(-1, mark, atom.glyph)

    def _dash(self, atom: MarkAtom) -> None:
        alone = atom.after_word == atom.before_word
        if not self._words or self._waiting or (not alone and atom.before_word):
            self._wait(Mark.OPEN_DASH, atom.glyph)
        else:
            self._put(-1, Mark.DASH, atom.glyph)

    def _quote(self, atom: MarkAtom) -> None:
        """A quotation mark opens where a word follows it in its token, closes where one precedes, else in turn."""
        opens = atom.before_word if atom.after_word != atom.before_word else not self._open[atom.kind]
        self._open[atom.kind] = opens
        if opens:
            self._wait(Mark.OPEN_QUOTE, atom.glyph)
        else:
            self._close(Mark.QUOTE, atom)

    def _single(self, atom: MarkAtom) -> None:
        if self._apostrophes and atom.glued and not self._open["single"]:
            self._words[-1] += atom.glyph
            self._forms[-1] += atom.glyph
        else:
            self._quote(atom)

    def _other(self, atom: MarkAtom) -> None:
        self.dropped[atom.glyph] += 1
