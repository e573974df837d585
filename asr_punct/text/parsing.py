"""Read a line of written text: lower-case words and their canonical labels, which written text can express."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from asr_punct.characters import clean
from asr_punct.glyphs import glyphs
from asr_punct.languages import DEFAULT_LANGUAGE, PeriodKind, any_language, facts_of
from asr_punct.letter_case import apply_case, case_of
from asr_punct.marks import OPENER, RIGHT, STOPS, Case, Kind, Labels, Mark
from asr_punct.text.periods import Period, PeriodContext, kind_of, read_period
from asr_punct.text.scanner import MarkPart, WordPart, scan

# y . . . nada
_SPACED_ELLIPSIS = re.compile(r"\.(?:\s\.){2,}(?!\S)")
# the first hyphen of gorputz- eta keinu-hizkuntza, the first two of diru-, lan- edo lur-galera
_SUSPENDED = re.compile(
    rf"(?<=\w)-(?=(?:,\s+[\w-]+-){{0,4}},?\s+(?:{'|'.join(any_language().after_suspended)})\b)", re.IGNORECASE
)
_DASH_BEFORE_WORD = re.compile(r"(?<!\S)-(?=\w)")
# quotation marks that may open or close
_SIDELESS = frozenset(('"', "＂", "″", "''", "'", "´", "′", "`"))
_UNMARKED: frozenset[Mark] = frozenset()
_CLAUSE_ENDS = frozenset(mark for mark in RIGHT if mark.kind <= Kind.COMMA) - {Mark.PERIOD}


@dataclass(frozen=True, slots=True)
class Parsed:
    """The content of a line of text: the words in lower case, their labels, and `forms`, the words as written.

    An abbreviation's period is included in the words. `dropped` counts the dropped glyphs: brackets, symbols, invisible
    characters, repeated marks, marks without a word, and marks that `canonical` removes.
    """

    words: tuple[str, ...]
    labels: tuple[Labels, ...]
    forms: tuple[str, ...]
    dropped: Counter[str] = field(default_factory=Counter)


def parse(text: str, language: str = DEFAULT_LANGUAGE) -> Parsed:
    """Read words, marks and case of one line of written text.

    Any string is accepted; white space of any kind separates tokens. The labels are canonical (`canonical`): writing
    and reading them again returns the same.

    The end of the text counts as the end of a sentence. Abbreviations and apostrophes depend on the language, a code or
    mixture (`es+eu`).
    """
    line = _LineReader(language)
    for token in _rewrite(clean(text, line.dropped), language, line.dropped).split():
        for part in scan(token, language):
            if isinstance(part, WordPart):
                line.add_word(part)
            else:
                line.add_mark(part)
    return line.finish()


def _rewrite(text: str, language: str, dropped: Counter[str]) -> str:
    """Replace `. . .` by one ellipsis. Remove the first hyphen of `gorputz- eta keinu-hizkuntza`: it is not a dash."""
    if ". ." in text:
        text = _SPACED_ELLIPSIS.sub(Mark.ELLIPSIS.glyph, text)
    if "- " in text and facts_of(language).after_suspended and not _DASH_BEFORE_WORD.search(text):
        text, count = _SUSPENDED.subn("", text)
        dropped.update({"-": count} if count else {})
    return text


class _LineReader:
    """Collects the words and marks of a line. `_opening` has the opening marks of the next word, with their glyphs."""

    def __init__(self, language: str) -> None:
        self.dropped: Counter[str] = Counter()
        self._language = language
        self._words: list[str] = []
        self._forms: list[str] = []
        self._cases: list[Case] = []
        self._marks: list[frozenset[Mark]] = []
        self._indices_with_period: list[int] = []
        self._opening: dict[Mark, str] = {}
        self._in_quotes = {"double": False, "single": False}

    def add_word(self, part: WordPart) -> None:
        """Take the next word; its period is decided later."""
        if part.period:
            self._indices_with_period.append(len(self._words))
        self._words.append(part.text)
        self._forms.append(part.form)
        self._cases.append(part.case)
        self._marks.append(frozenset(self._opening) if self._opening else _UNMARKED)
        self._opening.clear()
        if part.brackets:
            self.dropped.update(part.brackets)

    def add_mark(self, part: MarkPart) -> None:
        """Give a mark to the word before or keep it for the word after."""
        is_apostrophe = part.kind == "single" and part.glued and not self._in_quotes["single"]
        if is_apostrophe and facts_of(self._language).apostrophes:
            self._words[-1] += part.glyph
            self._forms[-1] += part.glyph
            return
        match part.kind:
            case "left":
                self._open(part.mark, part.glyph)
            case "right":
                self._close(part.mark, part)
            case "dash":
                self._dash(part)
            case "double" | "single":
                self._quote(part)
            case "other":
                self.dropped[part.glyph] += 1

    def finish(self) -> Parsed:
        """Decide about the periods and make the labels canonical."""
        if self._words and self._opening.get(Mark.OPEN_QUOTE) in _SIDELESS:
            self._add(-1, Mark.QUOTE, self._opening.pop(Mark.OPEN_QUOTE))
        self.dropped.update(self._opening.values())
        words, cases, marks = self._words, self._cases, self._marks
        for i in self._indices_with_period:
            if read_period(words[i], cases[i], _context_of(words, cases, marks, i), self._language) is Period.MARK:
                self._add(i, Mark.PERIOD, ".")
            else:
                words[i] += "."
                self._forms[i] += "."
        for found in marks:
            if found and (weaker := found - _one_stop(found)):
                self.dropped.update(glyphs(self._language).glyph[mark] for mark in weaker)
        _make_canonical(words, cases, marks, self._language)
        return Parsed(tuple(words), tuple(map(_cached_labels, marks, cases)), tuple(self._forms), self.dropped)

    def _add(self, index: int, mark: Mark, glyph: str) -> None:
        if mark in self._marks[index]:
            self.dropped[glyph] += 1
        else:
            self._marks[index] |= {mark}

    def _open(self, mark: Mark | None, glyph: str) -> None:
        if mark is None or mark in self._opening:
            self.dropped[glyph] += 1
        else:
            self._opening[mark] = glyph

    def _close(self, mark: Mark | None, part: MarkPart) -> None:
        """Add a mark to the word before; drop `¿?` without a word inside, and `…` in `«…and`."""
        opener = self._opening.pop(OPENER[mark], None) if mark in OPENER else None
        if opener is not None:
            self.dropped.update((opener, part.glyph))
        elif mark is None or not self._words or (self._opening and part.before_word and not part.after_word):
            self.dropped[part.glyph] += 1
        else:
            self._add(-1, mark, part.glyph)

    def _dash(self, part: MarkPart) -> None:
        """Decide between OPEN_DASH and DASH, as `asr_punct.text` describes."""
        at_left_edge = part.before_word and not part.after_word
        if not self._words or self._opening or at_left_edge:
            self._open(Mark.OPEN_DASH, part.glyph)
        else:
            self._add(-1, Mark.DASH, part.glyph)

    def _quote(self, part: MarkPart) -> None:
        """A quotation mark opens before a word, closes after a word; between words, or alone, it alternates."""
        opens = part.before_word if part.after_word != part.before_word else not self._in_quotes[part.kind]
        self._in_quotes[part.kind] = opens
        if opens:
            self._open(Mark.OPEN_QUOTE, part.glyph)
        else:
            self._close(Mark.QUOTE, part)


def canonical(words: Sequence[str], labels: Sequence[Labels], language: str = DEFAULT_LANGUAGE) -> tuple[Labels, ...]:
    """Return the labels that `parse` finds in the written words.

      * Of COMMA, COLON, SEMICOLON and PERIOD on one word only the strongest (the last in this list) stays; ELLIPSIS
        replaces PERIOD.
      * A word that ends with its own period has PERIOD exactly where `read_period` finds the end of a sentence.
      * PERIOD is removed where it would be read as part of an abbreviation (`etc` + PERIOD is written `etc.`).
      * The case becomes one that can be written: ALL_CAPS on one letter is FIRST_CAP, `ß` has none.

    On canonical labels reading inverts writing: `parse(write_text(words, canonical(words, labels, language), glyphs))`
    returns words and labels, for words that reading can yield (not `hola,` or `-`) and the glyphs of the language.
    Applying the function twice changes nothing.

    The words are in lower case, an abbreviation's period included; `language` is a code or mixture.
    """
    cases = [
        label.case if label.case is Case.O else case_of(apply_case(word, label.case))
        for word, label in zip(words, labels, strict=True)
    ]
    marks = [label.marks for label in labels]
    _make_canonical(words, cases, marks, language)
    return tuple(map(_cached_labels, marks, cases))


def _make_canonical(words: Sequence[str], cases: Sequence[Case], marks: list[frozenset[Mark]], language: str) -> None:
    """Make the marks of each word canonical, in place; the cases are canonical already."""
    for i, word in enumerate(words):
        if word.endswith("."):
            marks[i] = _one_stop(marks[i] - {Mark.PERIOD})
            if read_period(word[:-1], cases[i], _context_of(words, cases, marks, i), language) is Period.BOTH:
                marks[i] |= {Mark.PERIOD}
        elif marks[i]:
            marks[i] = _one_stop(marks[i])
            if (
                Mark.PERIOD in marks[i]
                and kind_of(word, language) is not PeriodKind.PLAIN  # quick check: the next ones are slower
                and _period_touches(marks[i], language)
                and read_period(word, cases[i], _context_of(words, cases, marks, i), language) is not Period.MARK
            ):
                marks[i] -= {Mark.PERIOD}


@lru_cache(maxsize=1 << 13)
def _one_stop(marks: frozenset[Mark]) -> frozenset[Mark]:
    """Keep at most one of PERIOD, SEMICOLON, COLON and COMMA, and no PERIOD beside ELLIPSIS."""
    if Mark.ELLIPSIS in marks:
        marks -= {Mark.PERIOD}
    return marks.difference([mark for mark in STOPS if mark in marks][1:])


def _context_of(
    words: Sequence[str], cases: Sequence[Case], marks: Sequence[frozenset[Mark]], index: int
) -> PeriodContext:
    """Return the context of a period after the word at `index`."""
    last = index + 1 == len(words)
    return PeriodContext(
        before=words[index - 1] if index else "",
        after="" if last else words[index + 1].removesuffix("."),
        after_case=Case.O if last else cases[index + 1],
        ends_clause=not marks[index].isdisjoint(_CLAUSE_ENDS),
    )


_cached_labels = lru_cache(maxsize=1 << 14)(Labels)
"""Returns the same object for equal labels, to save memory."""


@lru_cache(maxsize=1 << 14)
def _period_touches(marks: frozenset[Mark], language: str) -> bool:
    """Whether PERIOD is written directly after the word, as a full stop."""
    style = glyphs(language)
    return style.glyph[Mark.PERIOD] == "." and next(mark for mark in style.right if mark in marks) is Mark.PERIOD
