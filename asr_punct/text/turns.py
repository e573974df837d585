"""Dashes and arrows that begin a speaker's turn, as in subtitles: `- has visto a ana - no`, `>> cómo estás >> bien`.

* `>>` or `>>>`, the captioners' sign, always begins a turn.
* A dash at the start of an utterance begins a turn, and the utterance is a dialogue.
* In a dialogue every further dash does that has a space before it, alone or at a word, but for one before a reporting
  clause (`- hola - dijo ana - qué tal`) and the next one, which ends this clause.
* In other utterances a hyphen at a word does (`cómo estás -bien`). A dash between spaces is a parenthesis, a range or
  a compound (`el eje madrid - parís`), and long dashes too are parentheses.
* A dash in a number (`-5`, `3 - 5`) begins none, nor one within an utterance that has a dash at the end of a word:
  that one closes a parenthesis (`-hola -dijo ana- qué tal`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from asr_punct.characters import characters_of, shape_of
from asr_punct.marks import Mark
from asr_punct.text.reporting import reports

_ALL_DASHES = characters_of([Mark.DASH])
_DASHES = frozenset(_ALL_DASHES)
_ARROWS = re.compile("(?:>|&gt;){2,}")


def may_begin_turn(token: str) -> bool:
    """Whether a token is an arrow or a dash, or a word that begins with one and no number."""
    return has_arrow(token) or _has_dash(token)


def has_arrow(token: str) -> bool:
    """Whether a token begins with `>>`."""
    return _ARROWS.match(token) is not None


def _has_dash(token: str) -> bool:
    return token[:1] in _DASHES and not token[1:2].isdigit() and (len(token) == 1 or token[1] not in _DASHES)


def closes_parenthesis(tokens: Iterable[str]) -> bool:
    """Whether a word ends with a dash."""
    return any(len(token) > 1 and token[-1] in _DASHES and token[0] not in _DASHES for token in tokens)


class Turns:
    """Tells which tokens of an utterance begin a turn. `has_parentheses` is whether dashes close some."""

    def __init__(self, has_parentheses: bool) -> None:
        self._has_parentheses = has_parentheses
        self._is_dialogue = self._in_clause = False

    def begins(self, tokens: Sequence[str], at_start: bool, final: bool) -> bool | None:
        """Return whether the first of the tokens, which `may_begin_turn`, begins a turn; None: see the next ones.

        `at_start` is whether no word of the utterance is before it, `final` whether no tokens follow.
        """
        if has_arrow(tokens[0]):
            return True
        if at_start:
            self._is_dialogue = True
            return True
        if self._has_parentheses:
            return False
        if not self._is_dialogue:
            return shape_of(tokens[0][0]) == "-" and len(tokens[0]) > 1
        if self._in_clause:
            self._in_clause = False
            return False
        is_clause = reports([tokens[0].lstrip(_ALL_DASHES), *tokens[1:]], final)
        self._in_clause = bool(is_clause)
        return None if is_clause is None else not is_clause
