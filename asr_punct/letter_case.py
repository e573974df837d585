"""Capitals: the case label of a written word, and a word written with a case label."""

from __future__ import annotations

import html
import re

from asr_punct.marks import Case

CHARACTER_REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});", re.IGNORECASE)
"""A character of HTML and XML by name or number, such as `&amp;`: it has no case, whatever letters it has."""
_UNCASED = re.compile(r"[<>\[\]@]|://|www\.|^\(?%[a-z]", re.IGNORECASE)


def case_of(word: str) -> Case:
    """Return the case label of a written word.

    ALL_CAPS needs at least two letters. In mixed case the first letter counts: `EiTB` is FIRST_CAP and `eBay` is O.
    Letters without case (`º`) are ignored.
    """
    word = _without_references(word)
    letters, lower = [c for c in word if _has_case(c)], word.lower()
    if len(letters) >= 2 and word != lower and word == apply_case(lower, Case.ALL_CAPS):
        return Case.ALL_CAPS
    if letters and letters[0] != letters[0].lower():
        return Case.FIRST_CAP
    return Case.O


def apply_case(word: str, case: Case) -> str:
    """Apply a case label. A word in which this would change more than case (`straße` in ALL_CAPS) is not changed."""
    if case is Case.O:
        return word
    if case is Case.ALL_CAPS:
        cased = word.upper() if "&" not in word else _upper_outside_references(word)
    else:
        first = next((i for i, c in enumerate(_without_references(word)) if _has_case(c)), 0)
        cased = word[:first] + word[first : first + 1].upper() + word[first + 1 :]
    return cased if cased.lower() == word.lower() else word


def takes_case(word: str) -> bool:
    """Return whether a word may be given capitals: tags (`<unk>`, `[noise]`, `%uh`) and addresses may not.

    Arrows before it (`>>hola`) are those of a change of speaker.
    """
    return not _UNCASED.search(word.lstrip(">") if word.startswith(">>") else word)


def _without_references(word: str) -> str:
    """Return a word of the same length, with `a` or `&` for its character references: those of letters, and others."""

    def replaced(match: re.Match[str]) -> str:
        return len(match[0]) * ("a" if html.unescape(match[0]).isalpha() else "&")

    return CHARACTER_REFERENCE.sub(replaced, word) if "&" in word else word


def _upper_outside_references(word: str) -> str:
    result, end = "", 0
    for match in CHARACTER_REFERENCE.finditer(word):
        result += word[end : match.start()].upper() + match[0]
        end = match.end()
    return result + word[end:].upper()


def _has_case(char: str) -> bool:
    return char.isalpha() and char.lower() != char.upper()
