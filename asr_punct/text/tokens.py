"""A token as it stands in the input: its word, and the marks that it carries already."""

from __future__ import annotations

from functools import lru_cache

from asr_punct.marks import LEFT, Mark
from asr_punct.text.abbreviations import rules_of
from asr_punct.text.periods import Context, Period, read_period
from asr_punct.text.scan import LONGEST_CACHED, Atom, MarkAtom, WordAtom, scan

_LEFT_KINDS = {"dash": Mark.OPEN_DASH, "double": Mark.OPEN_QUOTE, "single": Mark.OPEN_QUOTE}
_RIGHT_KINDS = {"dash": Mark.DASH, "double": Mark.QUOTE, "single": Mark.QUOTE}


def split_token(token: str, language: str = "es") -> tuple[str, str, str]:
    """Marks before the word, the word, marks after it; joined they are the token.

    The word keeps its case and whatever stands inside it, and its period where it is an abbreviation. It is empty
    where the token has marks and symbols only; marks that open are then before it, all else after.

    Args:
        token: characters without white space.
        language: language code or mixture.
    """
    return (_cached_split if len(token) <= LONGEST_CACHED else _split)(token, language)


def _split(token: str, language: str) -> tuple[str, str, str]:
    atoms = scan(token, language)
    words = [atom for atom in atoms if isinstance(atom, WordAtom)]
    if not words:
        closing = next((atom for atom in atoms if isinstance(atom, MarkAtom) and atom.kind != "left"), None)
        cut = len(token) if closing is None else closing.start
        return token[:cut], "", token[cut:]
    last = words[-1]
    end = last.end + _kept_after(last, atoms, language)
    return token[: words[0].start], token[words[0].start : end], token[end:]


_cached_split = lru_cache(maxsize=1 << 16)(_split)


def read_marks(before: str, after: str) -> frozenset[Mark]:
    """The marks that stand on a word: those that open, before it, and all others, after it.

    Args:
        before: what `split_token` found before the word.
        after: what it found after the word.
    """
    left = {_LEFT_KINDS.get(atom.kind, atom.mark) for atom in _marks(before)}
    right = {_RIGHT_KINDS.get(atom.kind, atom.mark) for atom in _marks(after)}
    return frozenset(m for m in left if m in LEFT) | frozenset(m for m in right if m and m not in LEFT)


def _marks(edge: str) -> list[MarkAtom]:
    return [atom for atom in scan(edge) if isinstance(atom, MarkAtom)]


def _kept_after(word: WordAtom, atoms: tuple[Atom, ...], language: str) -> int:
    """How many characters after a token's last word belong to it: its period, or an apostrophe with no partner."""
    if word.period:
        return int(read_period(word.text, word.case, Context(), language) is not Period.MARK)
    singles = [atom for atom in atoms if isinstance(atom, MarkAtom) and atom.kind == "single"]
    alone = len(singles) == 1 and singles[0].glued and singles[0].start == word.end
    return int(alone and rules_of(language).apostrophes)
