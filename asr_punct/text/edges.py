"""The marks at the edges of a token: split them off, or read them."""

import unicodedata

from asr_punct.caching import cached_by_word
from asr_punct.characters import MARK_SHAPES, shape_of
from asr_punct.languages import DEFAULT_LANGUAGE, facts_of
from asr_punct.marks import Mark
from asr_punct.text.periods import Period, PeriodContext, read_period
from asr_punct.text.scanner import MarkPart, Part, WordPart, scan

_STRIPPED = MARK_SHAPES + "()x"
"""Shapes of marks, brackets and symbols, at the edges of a word that is compared."""
# marks of the kinds of `MarkPart` that depend on the side of the word
_LEFT_KINDS = {"dash": Mark.OPEN_DASH, "double": Mark.OPEN_QUOTE, "single": Mark.OPEN_QUOTE}
_RIGHT_KINDS = {"dash": Mark.DASH, "double": Mark.QUOTE, "single": Mark.QUOTE}


@cached_by_word(1 << 16)
def split_token(token: str, language: str = DEFAULT_LANGUAGE) -> tuple[str, str, str]:
    """Return the marks before the word, the word, and the marks after it; joined they are the token.

    The word keeps its case, everything inside it, and the period of an abbreviation. It is empty if the token has only
    marks and symbols; opening marks are then in the first part, all others in the last.
    """
    parts = scan(token, language)
    words = [part for part in parts if isinstance(part, WordPart)]
    if not words:
        closing = next((part for part in parts if isinstance(part, MarkPart) and part.kind != "left"), None)
        cut = len(token) if closing is None else closing.start
        return token[:cut], "", token[cut:]
    end = words[-1].end + _kept_after(words[-1], parts, language)
    return token[: words[0].start], token[words[0].start : end], token[end:]


@cached_by_word(1 << 12)
def glued_marks(before: str) -> str:
    """Return the beginning of the marks before a word, as split off by `split_token`, that belongs to the word before.

    It ends with a mark that follows words: `,` of `,cómo`, `",` of `",dijo`, but nothing of `¿` or `-`.
    """
    end = 0
    for part in _marks(before):
        if part.kind == "left":
            break
        if part.kind == "right":
            end = part.start + len(part.glyph)
    return before[:end]


def has_bracket(edge: str, shapes: str = "()") -> bool:
    """Whether the marks beside a word, as split off by `split_token`, contain a bracket of these shapes."""
    return not set(shape_of(edge)).isdisjoint(shapes)


def read_marks(before: str, after: str) -> frozenset[Mark]:
    """Return the opening marks in `before` and the other marks in `after`, as split off by `split_token`."""
    left = {_LEFT_KINDS.get(part.kind, part.mark) for part in _marks(before)}
    right = {_RIGHT_KINDS.get(part.kind, part.mark) for part in _marks(after)}
    return frozenset(m for m in left if m and m.is_left) | frozenset(m for m in right if m and not m.is_left)


def _marks(edge: str) -> list[MarkPart]:
    return [part for part in scan(edge) if isinstance(part, MarkPart)]


def _kept_after(word: WordPart, parts: tuple[Part, ...], language: str) -> int:
    """Number of characters after a token's last word that belong to it: its period, or an unpaired apostrophe."""
    if word.period:
        return int(read_period(word.text, word.case, PeriodContext(), language) is not Period.MARK)
    singles = [part for part in parts if isinstance(part, MarkPart) and part.kind == "single"]
    is_unpaired = len(singles) == 1 and singles[0].glued and singles[0].start == word.end
    return int(is_unpaired and facts_of(language).apostrophes)


def strip_marks(word: str) -> str:
    """Return the word in NFC without punctuation at its edges. A token of punctuation alone is returned whole."""
    word = unicodedata.normalize("NFC", word)
    if word.isalnum():
        return word
    shape = shape_of(word)
    start = len(shape) - len(shape.lstrip(_STRIPPED))
    return word[start : len(shape.rstrip(_STRIPPED))] or word


def comparison_form(word: str) -> str:
    """Return the word in lower case and without punctuation at its edges, for comparison with another word."""
    return strip_marks(word).lower()
