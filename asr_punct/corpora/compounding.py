"""Short sentences joined into longer ones, as running text joins clauses.

Lists of sentences (Common Voice's above all) end them after a dozen words. A model that reads little else learns to
end a sentence there; joined sentences teach it that a clause with its verb may go on. So far for Basque, whose free
texts are such lists: `A eta B`, `A, baina B`, and, with a verb of the table below at the end of A, `Adenean, B`,
`Adela esan du` and the like.
"""

from __future__ import annotations

import random
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from asr_punct.corpora.spelling import LabelledLine
from asr_punct.marks import Case, Labels, Mark

_SHORTEST, _LONGEST = 3, 32


class _Link(NamedTuple):
    """What joins two clauses: the mark after the first, words between them, and how often it is used."""

    mark: Mark | None
    words: tuple[str, ...]
    weight: float


class _Subordination(NamedTuple):
    """What makes a clause subordinate: letters of its verb's -n form that are cut, the ending, words after it."""

    cut: int
    ending: str
    words: tuple[str, ...]
    weight: float


_LINKS = (
    _Link(None, ("eta",), 5),
    _Link(Mark.COMMA, ("eta",), 3),
    _Link(Mark.COMMA, ("baina",), 2),
    _Link(Mark.COMMA, ("beraz",), 0.5),
    _Link(Mark.COMMA, ("izan", "ere"), 0.5),
    _Link(None, ("edo",), 0.5),
    _Link(None, ("edota",), 0.2),
    _Link(Mark.COMMA, ("nahiz", "eta"), 0.2),
    _Link(Mark.COMMA, ("hau", "da"), 0.2),
    _Link(Mark.SEMICOLON, (), 1.5),
    _Link(Mark.SEMICOLON, ("hala", "ere"), 0.3),
    _Link(Mark.COLON, (), 0.5),
)
_BEFORE = (
    _Subordination(0, "ean", (), 3),
    _Subordination(0, "ez", (), 2),
    _Subordination(0, "", ("arren",), 1.5),
    _Subordination(0, "", ("bitartean",), 0.7),
    _Subordination(0, "ez", ("gero",), 0.3),
    _Subordination(1, "la", (), 0.7),
    _Subordination(1, "lako", (), 1.0),
)
"""Clauses that come first, with a comma after them."""
_SAYING = tuple(
    (verb, auxiliary)
    for verb in ("esan", "adierazi", "jakinarazi", "azaldu", "salatu", "gaineratu", "nabarmendu", "ohartarazi")
    for auxiliary in ("du", "dute", "zuen", "zuten")
)
_CONNECTORS = frozenset(("eta", "baina", "baita", "beraz", "edo", "edota", "hala", "izan", "ere"))
"""A sentence that begins with one of these is joined with nothing before it."""
_RELATIVE = {  # auxiliaries and the commonest other finite verbs -> their -n form
    "da": "den", "dira": "diren", "zen": "zen", "ziren": "ziren",
    "du": "duen", "dute": "duten", "ditu": "dituen", "dituzte": "dituzten",
    "zuen": "zuen", "zuten": "zuten", "zituen": "zituen", "zituzten": "zituzten",
    "naiz": "naizen", "gara": "garen", "zara": "zaren", "zarete": "zareten", "nintzen": "nintzen", "ginen": "ginen",
    "dut": "dudan", "dugu": "dugun", "duzu": "duzun", "duzue": "duzuen", "nuen": "nuen", "genuen": "genuen",
    "ditut": "ditudan", "ditugu": "ditugun", "dituzu": "dituzun", "nituen": "nituen", "genituen": "genituen",
    "zaio": "zaion", "zaie": "zaien", "zaizkio": "zaizkion", "zaizkie": "zaizkien", "zait": "zaidan",
    "zaigu": "zaigun", "zitzaion": "zitzaion", "zitzaien": "zitzaien", "zitzaizkion": "zitzaizkion",
    "dio": "dion", "diote": "dioten", "dizkio": "dizkion", "dizkiote": "dizkioten", "die": "dien", "diete": "dieten",
    "zion": "zion", "zioten": "zioten", "zizkion": "zizkion", "zien": "zien", "zieten": "zieten",
    "dago": "dagoen", "daude": "dauden", "zegoen": "zegoen", "zeuden": "zeuden",
    "daiteke": "daitekeen", "daitezke": "daitezkeen", "dezake": "dezakeen", "dezakete": "dezaketen",
    "zitekeen": "zitekeen", "zezakeen": "zezakeen", "litzateke": "litzatekeen", "luke": "lukeen", "lukete": "luketen",
}  # fmt: skip


def words_without_capitals(lines: Iterable[LabelledLine]) -> frozenset[str]:
    """Words that stand without a capital somewhere: those that need none inside a sentence."""
    return frozenset(
        word for line in lines for word, label in zip(line.words, line.labels, strict=True) if label.case is Case.O
    )


def compounded(
    document: Sequence[LabelledLine], common: Container[str], share: float, rng: random.Random
) -> list[LabelledLine]:
    """Basque lines of which some are joined with the one after them.

    Args:
        document: unordered lines.
        common: words that lose the capital of a sentence's first word.
        share: probability that a line is joined with the next one, where both are plain sentences: no marks in them
            but commas and the last period, and not more than 32 words together.
        rng: what decides.
    """
    result: list[LabelledLine] = []
    for line in document:
        if result and _fit(result[-1], line) and rng.random() < share:
            result[-1] = _join(result[-1], _inside(line, common), rng)
        else:
            result.append(line)
    return result


def _fit(first: LabelledLine, second: LabelledLine) -> bool:
    short = len(first.words) + len(second.words) <= _LONGEST
    return short and second.words[0] not in _CONNECTORS and _plain(first) and _plain(second)


def _plain(line: LabelledLine) -> bool:
    last = line.labels[-1].marks
    inner = all(label.marks <= {Mark.COMMA} for label in line.labels[:-1])
    return len(line.words) >= _SHORTEST and last == {Mark.PERIOD} and inner


def _join(first: LabelledLine, second: LabelledLine, rng: random.Random) -> LabelledLine:
    relative = _RELATIVE.get(first.words[-1])
    if relative and rng.random() < 0.5:
        if rng.random() < 0.3:
            return _reported(first, second, relative, rng)
        kind = rng.choices(_BEFORE, [kind.weight for kind in _BEFORE])[0]
        return _linked(_subordinate(first, relative, kind), Mark.COMMA, (), second)
    link = rng.choices(_LINKS, [link.weight for link in _LINKS])[0]
    return _linked(first, link.mark, link.words, second)


def _reported(first: LabelledLine, second: LabelledLine, relative: str, rng: random.Random) -> LabelledLine:
    """`Adela esan du, eta B`: what was said, by whom is not told."""
    words = rng.choice(_SAYING)
    said = _subordinate(first, relative, _Subordination(1, "la", words, 1))
    return _linked(said, Mark.COMMA if rng.random() < 0.5 else None, ("eta",), second)


def _subordinate(line: LabelledLine, relative: str, kind: _Subordination) -> LabelledLine:
    verb = relative[: len(relative) - kind.cut] + kind.ending
    labels = (*line.labels[:-1], Labels(frozenset(), line.labels[-1].case), *[Labels()] * len(kind.words))
    return LabelledLine((*line.words[:-1], verb, *kind.words), labels)


def _linked(first: LabelledLine, mark: Mark | None, words: tuple[str, ...], second: LabelledLine) -> LabelledLine:
    """Two clauses in one sentence."""
    end = Labels(frozenset({mark} if mark else ()), first.labels[-1].case)
    labels = (*first.labels[:-1], end, *[Labels()] * len(words), *second.labels)
    return LabelledLine((*first.words, *words, *second.words), labels)


def _inside(line: LabelledLine, common: Container[str]) -> LabelledLine:
    """The line as it stands inside a sentence."""
    first = line.labels[0]
    if first.case is Case.FIRST_CAP and line.words[0] in common:
        return LabelledLine(line.words, (Labels(first.marks), *line.labels[1:]))
    return line
