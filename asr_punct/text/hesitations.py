"""Hesitations: words that are nothing else; Spanish `este`, Basque `e` and English `like` are not among them."""

from functools import cache

from asr_punct.languages import parse_language

_HESITATIONS = {
    "en": "uh uhh um umm uhm erm hmm hm mmm",
    "es": "eh ehh ehm em emm mmm hmm hm",
    "eu": "eh ehh ehm em emm mmm hmm hm",
}
_FURTHER = {"en": "er mm", "es": "mm", "eu": "ee eee mm"}
"""Words that are mostly hesitations: they are no reason to leave a word out."""


@cache
def hesitations(language: str) -> frozenset[str]:
    """Return the hesitations of a language."""
    return frozenset(_HESITATIONS.get(language, "").split())


@cache
def likely_hesitations(language: str) -> frozenset[str]:
    """Return the words that are hesitations, or mostly are, in a language or one of a mixture (`es+eu`)."""
    codes = parse_language(language).split("+")
    words = (f"{_HESITATIONS.get(code, '')} {_FURTHER.get(code, '')}".split() for code in codes)
    return frozenset().union(*words)
