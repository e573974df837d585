"""Reporting clauses, which say who speaks: `dijo Ana`, `she said`, `galdetu zuen`."""

from __future__ import annotations

from collections.abc import Sequence

from asr_punct.characters import characters_of
from asr_punct.languages import any_language
from asr_punct.marks import MARKS, SENTENCE_OPENINGS

_ANY = any_language()
_ASKING, _REPORTING = _ANY.asking, _ANY.asking | _ANY.saying
_STRIPPED = characters_of(mark for mark in MARKS if mark not in SENTENCE_OPENINGS)


def reports(tokens: Sequence[str], final: bool) -> bool | None:
    """Return whether tokens begin with a reporting clause; None: that depends on those that follow, unless `final`."""
    first, second, *_ = [*(token.lower().strip(_STRIPPED) for token in tokens if token), "", ""]
    if not (final or second) and (not first or first in _REPORTING or first in _ANY.before_saying):
        return None
    return (first in _REPORTING and second not in _ANY.indirect) or (
        first in _ANY.before_saying and second in _REPORTING
    )


def asks(tokens: Sequence[str]) -> bool:
    """Whether the reporting clause with which tokens begin is of a question (`preguntó ella`)."""
    return bool(reports(tokens, final=True)) and not _ASKING.isdisjoint(token.lower() for token in tokens[:2])


def is_reporting(word: str) -> bool:
    """Whether a word in lower case is a verb of saying."""
    return word in _REPORTING


def ends_reporting(tokens: Sequence[str], only_asking: bool = False) -> bool:
    """Whether tokens end with a verb of saying, or with it and its pronoun or auxiliary (`asked her`)."""
    verbs = _ASKING if only_asking else _REPORTING
    last = [token.lower() for token in tokens[-2:]]
    return bool(last) and (last[-1] in verbs or (last[-1] in _ANY.after_saying and last[0] in verbs))
