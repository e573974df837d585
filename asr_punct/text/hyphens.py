"""Capitals of words with a hyphen: all parts of a name (`Ocasio-Cortez`, `Jean-Paul`), the first of another word.

Letters that someone spells (`j-o-n`) all have one.

In English most such words with a capital are names. In Spanish and Basque, which write compounds and endings with a
hyphen (`Franco-alemán`, `Donostia-ko`), only those that begin with a common first name or a surname in -ez are.
"""

from collections.abc import Sequence

from asr_punct.languages import any_language, facts_of

_SHORT_NAME = 4
_ANY = any_language()
_LOWER_ENDINGS = tuple(_ANY.lower_endings)


def with_capital_parts(word: str, language: str) -> str:
    """Return a lower-case word with a capital, or with one in each part of a name."""
    first, *others = word.split("-")
    if len(others) > 1 and all(len(part) == 1 and part.isalpha() for part in (first, *others)) and first not in others:
        return word.upper()
    if facts_of(language).compounds and not _is_name(first, others, facts_of(language).suffixes):
        return _capitalised(word)
    if first in _ANY.compound_beginnings or len(first) == 1 or first in others:  # `e-mail`, `bye-bye`
        return "-".join([_capitalised(first), *others])
    return "-".join([_capitalised(first), *(part if _is_lower(part) else _capitalised(part) for part in others)])


def _is_name(first: str, others: Sequence[str], suffixes: frozenset[str]) -> bool:
    begins = first in _ANY.first_names or (len(first) > _SHORT_NAME and first.endswith(tuple(_ANY.surname_endings)))
    return begins and all(len(part) > 1 and part not in suffixes for part in others)


def _is_lower(part: str) -> bool:
    return part in _ANY.lower_parts or (len(part) > 5 and part.endswith(_LOWER_ENDINGS)) or not part[:1].isalpha()


def _capitalised(part: str) -> str:
    return part[:1].upper() + part[1:]
