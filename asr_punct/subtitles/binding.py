"""Words between which a subtitle should not break, an article and its noun, and words before which it should.

The line breaks of Netflix's Timed Text Style Guide (General Requirements, Line Treatment) name the relations: articles,
prepositions, conjunctions, subject pronouns, auxiliaries, negations. `binding.json` has frequent words of each relation
by language:

* `opens`: words that open a phrase, and belong to the next word;
* `binds_next`: other words that belong to the next word;
* `binds_previous`: words that belong to the word before them: auxiliaries, demonstratives and postpositions of Basque;
* `pairs`: first words of pairs that belong together, by the second word;
* `numbered` and `counted`: words that belong to the number or letter after them (`June 30`, `type C`), and to that
  before them (`7 million`); `numerals` are numbers in words.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_suffix(".json")
_SIGN = re.compile(r".*[0-9].*|[a-z]|[ivxlc]+")
"""A number in digits or Roman numerals, or a letter."""
_MIXED = ("es", "eu")
"""Languages that share their lists, because a text that mixes them has the code of only one of them."""


@dataclass(frozen=True, slots=True)
class _Lists:
    opens: frozenset[str] = frozenset()
    binds_next: frozenset[str] = frozenset()
    binds_previous: frozenset[str] = frozenset()
    numerals: frozenset[str] = frozenset()
    numbered: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()
    pairs: Mapping[str, frozenset[str]] = field(default_factory=dict)


def binds(word: str, following: str, language: str) -> bool:
    """Whether a word without marks belongs to the following word, both in lower case and without marks."""
    lists = _lists(language)
    return (
        word in lists.binds_next
        or word in lists.opens
        or following in lists.binds_previous
        or word in lists.pairs.get(following, ())
        or (word in lists.numbered and (following in lists.numerals or _SIGN.fullmatch(following) is not None))
        or (following in lists.counted and (word in lists.numerals or any(map(str.isdigit, word))))
    )


def opens_phrase(word: str, language: str) -> bool:
    """Whether a word, in lower case and without marks, is an article, preposition or conjunction."""
    return word in _lists(language).opens


@cache
def _lists(language: str) -> _Lists:
    content = json.loads(_FILE.read_text(encoding="utf-8"))
    parts = [content.get(each, {}) for each in (_MIXED if language in _MIXED else (language,))]
    pairs = {second: _words(lines) for part in parts for second, lines in part.get("pairs", {}).items()}
    names = [each.name for each in fields(_Lists) if each.name != "pairs"]
    return _Lists(*(_words(line for part in parts for line in part.get(name, ())) for name in names), pairs)


def _words(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(" ".join(lines).split())
