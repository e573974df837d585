"""A written token -> the words and marks in it, without regard to the tokens around it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeGuard

from asr_punct.marks import LEFT, Case, Mark, apply_case, case_of
from asr_punct.text.abbreviations import rules_of
from asr_punct.text.characters import MARK_OF, shape_of

Kind = Literal["left", "right", "dash", "double", "single", "other"]


@dataclass(frozen=True, slots=True)
class WordAtom:
    """A word inside a token.

    Attributes:
        text: the word in lower case.
        form: the word as it is written.
        case: its case.
        start: where it begins in the token.
        end: where it ends; a period that follows is outside.
        period: whether one period follows directly.
        brackets: brackets taken out of it (`niño(s)`).
    """

    text: str
    form: str
    case: Case
    start: int
    end: int
    period: bool = False
    brackets: str = ""


@dataclass(frozen=True, slots=True)
class MarkAtom:
    """A mark, or something that is none, inside a token.

    Attributes:
        kind: side of the mark; `double` and `single` are quotation marks whose side the context tells.
        glyph: the characters as they stand.
        mark: what `left` and `right` marks are.
        start: where it begins in the token.
        after_word: a word stands before it in the token.
        before_word: a word stands after it in the token.
        glued: a word without a period stands directly before it.
    """

    kind: Kind
    glyph: str
    mark: Mark | None
    start: int
    after_word: bool
    before_word: bool
    glued: bool = False


Atom = WordAtom | MarkAtom

_RUN = "[aAo0%][aAo0m%]*"
_BRACKETED = r"\((?:[ao]{1,4}|A)\)"
_POINT = r"(?<!a)\.|\.(?!Aa)"
_JOIN = rf"(?:['69`/_·-]|\*+|(?<=0)[,:](?=0)|{_POINT})"
_WORD = rf"(?:-(?=%?\.?0))?(?:\.(?=0))?(?:{_BRACKETED}(?=[aAo]))?{_RUN}(?:{_JOIN}{_RUN}|{_BRACKETED}(?:{_RUN})?)*"
_SCAN = re.compile(
    rf"""(?P<word>{_WORD})|(?P<ellipsis>\.{{3,}}|(?<=[?!])\.\.|…)|(?P<dash>-+|–)|(?P<open>66|``|«)|(?P<close>99|»)"""
    rf"""|(?P<double>"|'')|(?P<single>['69`])|(?P<mark>[.।,;:?!¿¡])|(?P<other>.)""",
    re.DOTALL,
)
_URL = re.compile(r"(?:https?://|ftp://|www\.)[^\s<>\"«»“”„…–—¿¡]*[\w/=#&%+~@]", re.IGNORECASE)
_YEAR = re.compile(r"\d\ds?")
_GROUPS: dict[str, tuple[Kind, Mark | None]] = {
    "ellipsis": ("right", Mark.ELLIPSIS),
    "dash": ("dash", None),
    "open": ("left", Mark.OPEN_QUOTE),
    "close": ("right", Mark.QUOTE),
    "double": ("double", None),
    "single": ("single", None),
    "other": ("other", None),
}
_BRACKETS = frozenset("()[]{}")
LONGEST_CACHED = 64
"""Characters of a token whose reading is kept: longer ones are rare, and would fill the memory."""


def scan(token: str, language: str = "es") -> tuple[Atom, ...]:
    """The atoms of a token, in order; every character that is no formatting belongs to one of them.

    Args:
        token: characters without white space.
        language: language code or a mixture of them (`es+eu`).
    """
    return (_cached_scan if len(token) <= LONGEST_CACHED else _scan)(token, language)


def _scan(token: str, language: str) -> tuple[Atom, ...]:
    if token.isalpha():
        return (_word(token, 0, len(token)),)
    shape = shape_of(_URL.sub(_as_letters, token) if "://" in token or "www." in token.lower() else token)
    matches = list(_SCAN.finditer(shape))
    words = [i for i, match in enumerate(matches) if _is_word(match)]
    first, last = (words[0], words[-1]) if words else (len(matches), -1)
    atoms: list[Atom] = []
    for i, match in enumerate(matches):
        before = atoms[-1] if atoms else None
        if _is_word(match):
            atoms.append(_word(token, *match.span()))
        elif match.lastgroup == "word":
            symbols = token[match.start() : match.end()]
            atoms.extend(MarkAtom("other", char, None, match.start(), i > first, i < last) for char in symbols)
        elif match[0] == "." and _ends_at(before, match.start()):
            atoms[-1] = replace(before, period=True)
        else:
            atoms.append(_mark(token, match, i > first, i < last, _ends_at(before, match.start())))
    if len(matches) > 1:
        _join_apostrophe(token, atoms, language)
        _join_suffix(token, atoms, language)
    return tuple(atoms)


_cached_scan = lru_cache(maxsize=1 << 16)(_scan)


def _as_letters(address: re.Match[str]) -> str:
    return "a" * len(address[0])


def _is_word(match: re.Match[str]) -> bool:
    """Whether a match is a word: one symbol is, a run of symbols (`====`) is not."""
    return match.lastgroup == "word" and (len(match[0]) == 1 or not set(match[0]).isdisjoint("aAo0"))


def _ends_at(atom: Atom | None, position: int) -> TypeGuard[WordAtom]:
    """Whether an atom is a word that ends there."""
    return isinstance(atom, WordAtom) and atom.end == position and not atom.period


def _word(token: str, start: int, end: int) -> WordAtom:
    core = token[start:end]
    brackets = "".join(c for c in core if c in _BRACKETS)
    core = "".join(c for c in core if c not in _BRACKETS) if brackets else core
    form = core if core.isascii() else unicodedata.normalize("NFC", core)
    text = core.lower()
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    return WordAtom(text, form, case_of(apply_case(text, case_of(core))), start, end, False, brackets)


def _mark(token: str, match: re.Match[str], after_word: bool, before_word: bool, glued: bool) -> MarkAtom:
    glyph, shape = token[match.start() : match.end()], match[0]
    kind, mark = _GROUPS.get(str(match.lastgroup), ("right", MARK_OF.get(shape)))
    if mark in LEFT:
        kind = "left"
    return MarkAtom(kind, glyph, mark, match.start(), after_word, before_word, glued)


def _join_apostrophe(token: str, atoms: list[Atom], language: str) -> None:
    """Join a leading apostrophe to its word (`'90s`, English `'em`), unless it opens a quotation; in place."""
    singles = [i for i, atom in enumerate(atoms) if isinstance(atom, MarkAtom) and atom.kind == "single"]
    if len(singles) != 1 or singles[0] + 1 == len(atoms):
        return
    mark, word = atoms[singles[0] : singles[0] + 2]
    if isinstance(word, WordAtom) and (_YEAR.fullmatch(word.text) or word.text in rules_of(language).clipped):
        atoms[singles[0] : singles[0] + 2] = [replace(_word(token, mark.start, word.end), period=word.period)]


def _join_suffix(token: str, atoms: list[Atom], language: str) -> None:
    """Join a Basque ending to the quoted word that it belongs to (`«Argia»ko`, `"Gara"-ren`); in place."""
    suffixes = rules_of(language).suffixes
    words = [i for i, atom in enumerate(atoms) if isinstance(atom, WordAtom)]
    if len(words) < 2 or not suffixes:
        return
    first, last = words[-2:]
    word, quote, ending = atoms[first], atoms[first + 1], atoms[last]
    hyphen = "".join(atom.glyph for atom in atoms[first + 2 : last] if isinstance(atom, MarkAtom))
    if not (isinstance(word, WordAtom) and isinstance(quote, MarkAtom) and isinstance(ending, WordAtom)):
        return
    if quote.glued and _closes(quote) and hyphen in ("", "-") and ending.text in suffixes and ending.case is Case.O:
        text, form = word.text + hyphen + ending.text, word.form + hyphen + ending.form
        joined = replace(word, text=text, form=form, end=ending.end, period=ending.period)
        atoms[first : last + 1] = [joined, replace(quote, before_word=False, glued=False)]


def _closes(atom: MarkAtom) -> bool:
    return atom.mark is Mark.QUOTE or atom.kind in ("double", "single")
