"""Words between which a subtitle should not break, an article and its noun, and words before which it should.

The languages have the lists. Those that texts mix share theirs, because such a text has the code of only one of them.
"""

import re
from functools import cache

from asr_punct.languages import Language, facts_of

_SIGN = re.compile(r".*[0-9].*|[a-z]|[ivxlc]+")
"""A number in digits or Roman numerals, or a letter."""


def binds(word: str, following: str, language: str) -> bool:
    """Whether a word without marks belongs to the following word, both in lower case and without marks."""
    lists = _lists(language)
    return (
        word in lists.binds_next
        or word in lists.phrase_openers
        or following in lists.binds_previous
        or word in lists.bound_pairs.get(following, ())
        or (word in lists.numbered and (following in lists.numerals or _SIGN.fullmatch(following) is not None))
        or (following in lists.counted and (word in lists.numerals or any(map(str.isdigit, word))))
    )


def opens_phrase(word: str, language: str) -> bool:
    """Whether a word, in lower case and without marks, is an article, preposition or conjunction."""
    return word in _lists(language).phrase_openers


@cache
def _lists(language: str) -> Language:
    known = facts_of(language)
    return facts_of(f"{language}+{known.mixed_with}") if known.mixed_with else known
