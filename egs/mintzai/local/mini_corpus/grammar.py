"""A probabilistic grammar with features: rules in a text file, expanded to sentences.

A file holds heads at the left edge and their alternatives, indented, below them::

    $n: s p                               a feature and its values
    people.$n
      {the.$n} {noun.$n}                  {head}: an expansion; $n has one value within an alternative
      [3] {the.$n} <old|new|> {noun.$n}   [3]: weight; <a|b|>: a choice, here perhaps nothing
    name
      ^{@plural {noun}} | none            {@name text}: a function on text; |: two alternatives on one line

A feature of the head is bound by the caller (`{people.p}`); one that stands in an alternative alone is drawn when
it is first met, unless the whole expansion was given a value for it. Alternatives are drawn from a shuffled deck,
so that all of them are used before one comes again. Other characters (`^` is one) mean nothing here.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from asr_punct.errors import InputError
from mini_corpus.syntax import Application, Body, Choice, Literal, Reference, parse_bodies

TextFunction = Callable[[str, str], str]
"""A function of a grammar: (the rest of its name after the first point, text) -> text."""
Source = Callable[[random.Random], str]
"""A head whose expansions are computed, a number for instance."""
_VARIABLE = re.compile(r"\$(\w+)")
_KEPT_APART = 3
"""An alternative does not come again before as many others, if its head has more."""
_WEIGHT = re.compile(r"\[(\d+)\] ")


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to expand a head, with the values of the head's features."""

    body: Body
    features: Mapping[str, str]


@dataclass(frozen=True)
class Grammar:
    """Rules and what they call.

    Attributes:
        rules: the alternatives of every head, its features filled in; one of weight 3 stands three times.
        domains: the values of every feature.
        functions: text functions by the first part of their name.
        sources: computed heads.
    """

    rules: Mapping[str, tuple[Alternative, ...]]
    domains: Mapping[str, tuple[str, ...]]
    functions: Mapping[str, TextFunction]
    sources: Mapping[str, Source]

    @classmethod
    def read(
        cls, paths: Sequence[Path], functions: Mapping[str, TextFunction], sources: Mapping[str, Source]
    ) -> Grammar:
        """The grammar that stands in some files; features are declared before their use.

        Raises:
            InputError: a line that is no rule, with its number.
        """
        domains: dict[str, tuple[str, ...]] = {}
        rules: dict[str, list[Alternative]] = {}
        head = ""
        for place, line in _lines(paths):
            if line.startswith("$"):
                name, _, values = line[1:].partition(":")
                domains[name] = tuple(values.split())
            elif not line[0].isspace():
                head = line.strip()
            elif not head:
                raise InputError(place, "an alternative", "a head before it")
            else:
                for name, alternative in _alternatives(head, line.strip(), domains, place):
                    rules.setdefault(name, []).extend(alternative)
        return cls({name: tuple(found) for name, found in rules.items()}, domains, functions, sources)

    def missing(self) -> list[str]:
        """Heads and functions that some rule names and that do not exist, whatever the features' values."""
        lacking = set()
        for alternatives in self.rules.values():
            for alternative in alternatives:
                for kind, name in _names(alternative.body):
                    known = self.functions if kind == "@" else self.rules.keys() | self.sources.keys()
                    for filled in _fillings(name, alternative.features, self.domains):
                        key = filled.split(".")[0] if kind == "@" else filled
                        if key not in known:
                            lacking.add(kind + filled)
        return sorted(lacking)


def _lines(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Place and text of every line that says something."""
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                yield f"{path}:{number}", line


def _alternatives(
    head: str, text: str, domains: Mapping[str, tuple[str, ...]], place: str
) -> Iterator[tuple[str, list[Alternative]]]:
    """The alternatives of a line for every value of the head's features, as often as their weight says."""
    weight = 1
    if found := _WEIGHT.match(text):
        weight, text = int(found[1]), text[found.end() :]
    bodies = parse_bodies(text.replace(" | ", "|"), place)
    names = _VARIABLE.findall(head)
    for values in itertools.product(*(domains[name] for name in names)):
        features = dict(zip(names, values, strict=True))
        yield _fill(head, features), [Alternative(body, features) for body in bodies] * weight


def _fill(text: str, features: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: features[found[1]], text)


def _fillings(name: str, features: Mapping[str, str], domains: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    free = [variable for variable in _VARIABLE.findall(name) if variable not in features]
    for values in itertools.product(*(domains[variable] for variable in free)):
        yield _fill(name, {**features, **dict(zip(free, values, strict=True))})


def _names(body: Body) -> Iterator[tuple[str, str]]:
    for node in body:
        match node:
            case Reference(name):
                yield "", name
            case Application(name, inner):
                yield "@", name
                yield from _names(inner)
            case Choice(bodies):
                for inner in bodies:
                    yield from _names(inner)


class Writer:
    """Expands a grammar, with decks of its own.

    Args:
        grammar: the rules.
        rng: every draw comes from it.
    """

    def __init__(self, grammar: Grammar, rng: random.Random) -> None:
        self._grammar, self._rng = grammar, rng
        self._decks: dict[str, list[Alternative]] = {}
        self._recent: dict[str, list[Alternative]] = {}
        self._given: Mapping[str, str] = {}

    def write(self, head: str, given: Mapping[str, str]) -> str:
        """One expansion of `head`, with the given values of features in all its rules."""
        self._given = given
        return self._reference(head)

    def _reference(self, name: str) -> str:
        if source := self._grammar.sources.get(name):
            return source(self._rng)
        alternative = self._draw(name)
        return self._body(alternative.body, {**self._given, **alternative.features})

    def _draw(self, name: str) -> Alternative:
        """The next alternative of a head; what came last comes late in a new deck."""
        deck, recent = self._decks.setdefault(name, []), self._recent.setdefault(name, [])
        if not deck:
            deck.extend(self._grammar.rules[name])
            self._rng.shuffle(deck)
            deck.sort(key=lambda alternative: not any(alternative is one for one in recent))
        recent.append(deck.pop())
        del recent[:-_KEPT_APART]
        return recent[-1]

    def _body(self, body: Body, features: dict[str, str]) -> str:
        return "".join(self._node(node, features) for node in body)

    def _node(self, node: Literal | Reference | Choice | Application, features: dict[str, str]) -> str:
        match node:
            case Literal(text):
                return self._fill(text, features)
            case Reference(name):
                return self._reference(self._fill(name, features))
            case Choice(bodies):
                return self._body(self._rng.choice(bodies), features)
            case Application(name, inner):
                function, _, argument = self._fill(name, features).partition(".")
                return self._grammar.functions[function](argument, self._body(inner, features))

    def _fill(self, text: str, features: dict[str, str]) -> str:
        for variable in _VARIABLE.findall(text):
            if variable not in features:
                features[variable] = self._rng.choice(self._grammar.domains[variable])
        return _fill(text, features)
