"""The marks at the edges of a token: split them off, read them, or remove them."""

import re
import unicodedata
from dataclasses import replace

from asr_punct.caching import cached_by_word
from asr_punct.marks import Mark, takes_case
from asr_punct.text.abbreviations import rules_of
from asr_punct.text.characters import MARK_SHAPES, shape_of
from asr_punct.text.periods import Period, PeriodContext, read_period
from asr_punct.text.scanner import MarkPart, Part, WordPart, scan
from asr_punct.words import Utterance, without_labels

_STRIPPED = MARK_SHAPES + "()x"
"""Shapes of marks, brackets and symbols, at the edges of a word that is compared."""
# regular expressions of shapes (`characters`); < and > count as brackets
_TAG = re.compile(r"\(/?[0m_-]*[aAo][aAo0m_-]*\)")
_SYMBOLS = re.compile("m*x[xm]*")
_ANGLES = str.maketrans("<>", "()")
# marks of the kinds of `MarkPart` that depend on the side of the word
_LEFT_KINDS = {"dash": Mark.OPEN_DASH, "double": Mark.OPEN_QUOTE, "single": Mark.OPEN_QUOTE}
_RIGHT_KINDS = {"dash": Mark.DASH, "double": Mark.QUOTE, "single": Mark.QUOTE}


@cached_by_word(1 << 16)
def split_token(token: str, language: str = "es") -> tuple[str, str, str]:
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


def split_sound(token: str) -> tuple[str, str, str] | None:
    """Return the marks before a sound, the sound, and the marks after it; None for all other tokens.

    A sound is one word in brackets, with a letter (`[noise]`, `<unk>`, `(laughs)`, `{breath}`), or symbols that nobody
    pronounces (`♪`).
    """
    shape = shape_of(token)
    start, end = len(shape) - len(shape.lstrip(MARK_SHAPES)), len(shape.rstrip(MARK_SHAPES))
    if _SYMBOLS.fullmatch(shape, start, end) or _TAG.fullmatch(shape_of(token.translate(_ANGLES)), start, end):
        return token[:start], token[start:end], token[end:]
    return None


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
    return int(is_unpaired and rules_of(language).apostrophes)


def without_marks(utterance: Utterance, language: str) -> Utterance:
    """Return the utterance without labels, without the marks at the edges of its words, and in lower case.

    Tokens that consist of marks, tags and addresses stay. The rules are those of `language`.
    """
    words = (replace(word, text=_bare(word.text, language)) for word in utterance.words)
    return without_labels(replace(utterance, words=tuple(words)))


def _bare(token: str, language: str) -> str:
    before, core, after = split_token(token, language)
    if not core or not takes_case(token):
        return token
    return f"{_symbols(before)}{core.lower()}{_symbols(after)}"


def _symbols(text: str) -> str:
    return "".join(char for char, shape in zip(text, shape_of(text), strict=True) if shape not in MARK_SHAPES)


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
