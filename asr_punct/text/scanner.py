"""Scan a written token: the words and marks in it, without regard to the tokens around it."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeGuard

from asr_punct.caching import cached_by_word
from asr_punct.characters import MARK_OF, shape_of
from asr_punct.languages import DEFAULT_LANGUAGE, facts_of
from asr_punct.letter_case import apply_case, case_of
from asr_punct.marks import LEFT, Case, Mark
from asr_punct.text.entities import unescape_with_places

MarkKind = Literal["left", "right", "dash", "double", "single", "other"]


@dataclass(frozen=True, slots=True)
class WordPart:
    """A word inside a token: lower-case `text`, `form` as written, case, and `start` and `end` in the token.

    `period` is whether a period follows directly; `end` is before it. `brackets` were removed from the word
    (`niño(s)`).
    """

    text: str
    form: str
    case: Case
    start: int
    end: int
    period: bool = False
    brackets: str = ""


@dataclass(frozen=True, slots=True)
class MarkPart:
    """A mark or another symbol inside a token; `mark` is only for the kinds `left` and `right`.

    The kinds `double` and `single` are quotation marks whose side depends on the context. `start` is its place in the
    token; `after_word` and `before_word` are whether it is after and before a word of the token, and `glued` whether a
    word without a period ends directly before it.
    """

    kind: MarkKind
    glyph: str
    mark: Mark | None
    start: int
    after_word: bool
    before_word: bool
    glued: bool = False


Part = WordPart | MarkPart

# Regular expressions of shapes (`characters`), not of characters.
_RUN = "[aAo0%][aAo0m%]*"  # letters, digits and pronounced symbols: 50%
_BRACKETED = r"\((?:[ao]{1,4}|A)\)"  # niño(s), [T]he
_POINT = r"(?<!a)\.|\.(?!Aa)"  # 3.500, a.eus; not fin.Luego
# between two runs: teórico-práctico, o'clock, km/h, 10:30
_JOIN = rf"(?:['69`/_·-]|\*+|(?<=0)[,:](?=0)|{_POINT})"
# a minus or decimal point, then runs that are joined: -5, .5
_WORD = rf"(?:-(?=%?\.?0))?(?:\.(?=0))?(?:{_BRACKETED}(?=[aAo]))?{_RUN}(?:{_JOIN}{_RUN}|{_BRACKETED}(?:{_RUN})?)*"
_SCAN = re.compile(
    rf"""(?P<word>{_WORD})|(?P<ellipsis>\.{{3,}}|(?<=[?!])\.\.|…)|(?P<dash>-+|–)|(?P<open>66|``|«)|(?P<close>99|»)"""
    rf"""|(?P<double>"|'')|(?P<single>['69`])|(?P<mark>[{re.escape("".join(MARK_OF))}])|(?P<other>.)""",
    re.DOTALL,
)
# to the last letter, digit or symbol that can end an address: http://a.eus/b.
_URL = re.compile(r"(?:https?://|ftp://|www\.)[^\s<>\"«»“”„…–—¿¡]*[\w/=#&%+~@]", re.IGNORECASE)
_YEAR = re.compile(r"\d\ds?")  # '90s
_GROUPS: dict[str, tuple[MarkKind, Mark | None]] = {
    "ellipsis": ("right", Mark.ELLIPSIS),
    "dash": ("dash", None),
    "open": ("left", Mark.OPEN_QUOTE),
    "close": ("right", Mark.QUOTE),
    "double": ("double", None),
    "single": ("single", None),
    "other": ("other", None),
}
_BRACKETS = frozenset("()[]{}")


@cached_by_word(1 << 16)
def scan(token: str, language: str = DEFAULT_LANGUAGE) -> tuple[Part, ...]:
    """Return the parts of a token without white space; every character except formatting belongs to one of them."""
    if token.isalpha():
        return (_word(token, 0, len(token)),)
    if "&" in token and (unescaped := unescape_with_places(token))[0] != token:
        text, places = unescaped
        return tuple(_moved(part, places) for part in _scan(text, language))
    return _scan(token, language)


def _scan(token: str, language: str) -> tuple[Part, ...]:
    has_url = "://" in token or "www." in token.lower()
    matches = list(_SCAN.finditer(shape_of(_URL.sub(_as_letters, token) if has_url else token)))
    words = [i for i, match in enumerate(matches) if _is_word(match)]
    first, last = (words[0], words[-1]) if words else (len(matches), -1)
    parts: list[Part] = []
    for i, match in enumerate(matches):
        before = parts[-1] if parts else None
        after_word, before_word = i > first, i < last
        if _is_word(match):
            parts.append(_word(token, *match.span()))
        elif match.lastgroup == "word":
            symbols = token[match.start() : match.end()]
            parts.extend(MarkPart("other", char, None, match.start(), after_word, before_word) for char in symbols)
        elif match[0] == "." and _ends_at(before, match.start()):
            parts[-1] = replace(before, period=True)
        else:
            parts.append(_mark(token, match, after_word, before_word, _ends_at(before, match.start())))
    if len(matches) > 1:
        _join_apostrophe(token, parts, language)
        _join_suffix(parts, language)
    return tuple(parts)


def _moved(part: Part, places: Sequence[int]) -> Part:
    """Return a part of an unescaped token at its place in the token."""
    if isinstance(part, MarkPart):
        return replace(part, start=places[part.start])
    return replace(part, start=places[part.start], end=places[part.end])


def _as_letters(address: re.Match[str]) -> str:
    """Return letters of the same length, so that an address is scanned as one word."""
    return "a" * len(address[0])


def _is_word(match: re.Match[str]) -> bool:
    """Whether a match is a word: one symbol is, a run of symbols (`====`) is not."""
    return match.lastgroup == "word" and (len(match[0]) == 1 or not set(match[0]).isdisjoint("aAo0"))


def _ends_at(part: Part | None, position: int) -> TypeGuard[WordPart]:
    """Whether a part is a word without a period that ends at the position."""
    return isinstance(part, WordPart) and part.end == position and not part.period


def _word(token: str, start: int, end: int) -> WordPart:
    core = token[start:end]
    brackets = "".join(c for c in core if c in _BRACKETS)
    core = "".join(c for c in core if c not in _BRACKETS) if brackets else core
    form, text = (unicodedata.normalize("NFC", word) for word in (core, core.lower()))
    case = case_of(apply_case(text, case_of(core)))  # O if `apply_case` cannot write it
    return WordPart(text, form, case, start, end, brackets=brackets)


def _mark(token: str, match: re.Match[str], after_word: bool, before_word: bool, glued: bool) -> MarkPart:
    glyph, shape = token[match.start() : match.end()], match[0]
    kind, mark = _GROUPS.get(str(match.lastgroup), ("right", MARK_OF.get(shape)))
    return MarkPart("left" if mark in LEFT else kind, glyph, mark, match.start(), after_word, before_word, glued)


def _join_apostrophe(token: str, parts: list[Part], language: str) -> None:
    """Join a leading apostrophe to its word (`'90s`, English `'em`), unless it opens a quotation; in place."""
    singles = [i for i, part in enumerate(parts) if isinstance(part, MarkPart) and part.kind == "single"]
    if len(singles) != 1 or singles[0] + 1 == len(parts):
        return
    mark, word = parts[singles[0] : singles[0] + 2]
    if isinstance(word, WordPart) and (_YEAR.fullmatch(word.text) or word.text in facts_of(language).clipped):
        parts[singles[0] : singles[0] + 2] = [replace(_word(token, mark.start, word.end), period=word.period)]


def _join_suffix(parts: list[Part], language: str) -> None:
    """Join a Basque ending to the quoted word before it (`«Argia»ko`, `"Gara"-ren`); in place."""
    suffixes = facts_of(language).suffixes
    words = [i for i, part in enumerate(parts) if isinstance(part, WordPart)]
    if len(words) < 2 or not suffixes:
        return
    first, last = words[-2:]
    word, quote, ending = parts[first], parts[first + 1], parts[last]
    hyphen = "".join(part.glyph for part in parts[first + 2 : last] if isinstance(part, MarkPart))
    if not (isinstance(word, WordPart) and isinstance(quote, MarkPart) and isinstance(ending, WordPart)):
        return
    if quote.glued and _closes(quote) and hyphen in ("", "-") and ending.text in suffixes and ending.case is Case.O:
        text, form = word.text + hyphen + ending.text, word.form + hyphen + ending.form
        joined = replace(word, text=text, form=form, end=ending.end, period=ending.period)
        parts[first : last + 1] = [joined, replace(quote, before_word=False, glued=False)]


def _closes(part: MarkPart) -> bool:
    return part.mark is Mark.QUOTE or part.kind in ("double", "single")
