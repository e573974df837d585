"""Words between which a subtitle should not break, an article and its noun, and words before which it should.

The languages have the lists. Those that texts mix share theirs, because such a text has the code of only one of them.
"""

from functools import cache

from asr_punct.languages import Language, facts_of


def binds(word: str, following: str, language: str) -> bool:
    """Whether a word without marks belongs to the following word, both in lower case and without marks."""
    lists = _lists(language)
    return (
        word in lists.binds_next
        or word in lists.phrase_openers
        or following in lists.binds_previous
        or word in lists.bound_pairs.get(following, ())
    )


def opens_phrase(word: str, language: str) -> bool:
    """Whether a word, in lower case and without marks, is an article, preposition or conjunction."""
    return word in _lists(language).phrase_openers


@cache
def _lists(language: str) -> Language:
    known = facts_of(language)
    return facts_of(f"{language}+{known.mixed_with}") if known.mixed_with else known
