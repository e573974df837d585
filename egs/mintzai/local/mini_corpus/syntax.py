"""What a rule of a grammar says: its nodes, and the parser of one alternative."""

from __future__ import annotations

import re
from dataclasses import dataclass

from asr_punct.errors import InputError

_TOKEN = re.compile(r"\{@|[{}<>|]|[^{}<>|]+")


@dataclass(frozen=True, slots=True)
class Literal:
    """Text as it stands (its features are still to be filled in)."""

    text: str


@dataclass(frozen=True, slots=True)
class Reference:
    """The expansion of another head."""

    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several bodies, each as likely."""

    bodies: tuple[Body, ...]


@dataclass(frozen=True, slots=True)
class Application:
    """A function on the expansion of a body."""

    name: str
    body: Body


Node = Literal | Reference | Choice | Application
Body = tuple[Node, ...]


def parse_bodies(text: str, place: str) -> tuple[Body, ...]:
    """The alternatives of one line, which `|` separates.

    Raises:
        InputError: brackets that do not pair.
    """
    return _Parser(text, place).parse()


class _Parser:
    """Recursive descent over one alternative."""

    def __init__(self, text: str, place: str) -> None:
        self._tokens: list[str] = _TOKEN.findall(text)
        self._at = 0
        self._text, self._place = text, place

    def parse(self) -> tuple[Body, ...]:
        bodies = self._bodies()
        if self._at < len(self._tokens):
            raise InputError(self._place, f"a stray {self._tokens[self._at]!r}", "balanced brackets")
        return bodies

    def _bodies(self) -> tuple[Body, ...]:
        bodies = [self._body()]
        while self._at < len(self._tokens) and self._tokens[self._at] == "|":
            self._at += 1
            bodies.append(self._body())
        return tuple(bodies)

    def _body(self) -> Body:
        nodes: list[Node] = []
        while self._at < len(self._tokens) and self._tokens[self._at] not in "|>}":
            token = self._tokens[self._at]
            self._at += 1
            nodes.append(self._node(token))
        return tuple(nodes)

    def _node(self, token: str) -> Node:
        if token == "{":
            name = self._next()
            self._close("}")
            return Reference(name)
        if token == "{@":
            name, _, rest = self._next().partition(" ")
            body = ((Literal(rest),) if rest else ()) + self._body()
            self._close("}")
            return Application(name, body)
        if token == "<":
            bodies = self._bodies()
            self._close(">")
            return Choice(bodies)
        return Literal(token)

    def _next(self) -> str:
        if self._at == len(self._tokens):
            raise InputError(self._place, f"the end of {self._text!r}", "a name")
        self._at += 1
        return self._tokens[self._at - 1]

    def _close(self, bracket: str) -> None:
        if self._at == len(self._tokens) or self._next() != bracket:
            raise InputError(self._place, f"{self._text!r}", f"a closing {bracket!r}")
