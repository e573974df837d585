"""Windows around single words, made while the words come: what a stream decides each word by."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from asr_punct.decode.decoder import Flags
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, NO_BOUNDARY, WordInput
from asr_punct.inference.merge import word_flags
from asr_punct.inference.windows import Window
from asr_punct.marks import Labels
from asr_punct.pauses import UNKNOWN, buckets
from asr_punct.text import split_token
from asr_punct.words import Seconds, Word

Encode = Callable[[Sequence[str]], list[tuple[int, ...]]]
"""Sub-words of words without the marks at their edges."""


@dataclass
class Token:
    """A token of the input on its way.

    Attributes:
        word: as it came.
        given: the labels that it came with.
        parts: the word, and what stands on its left and its right: left, word, right.
    """

    word: Word
    given: Labels
    parts: tuple[str, str, str]

    @property
    def core(self) -> str:
        """The token without the marks at its edges; nothing is left of one that is marks alone."""
        return self.parts[1]

    def flags(self) -> int:
        """What the input leaves to a model: flags of `decode.decoder`."""
        return word_flags(self.word.text, self.parts, self.given)


@dataclass(frozen=True)
class Sight:
    """What one word is decided by.

    Attributes:
        tokens: the word and the tokens beside it that are marks alone, in order.
        window: the words around it, of which it decides the word itself and those after it; None where the tokens are
            marks alone.
        flags: of those that it decides, (words,).
        end: whether the document ends with the window.
    """

    tokens: tuple[Token, ...]
    window: Window | None
    flags: Flags
    end: bool


class Lookahead:
    """Tokens in, a sight of each word out as soon as `right` words came after it. What it holds is bounded.

    Args:
        left: words before a word that its window holds at most.
        right: words after it that are waited for, 1 or more.
        most_words: words of a window.
        most_subwords: sub-words of a window. Where a window would be larger, words are left out at the end of the
            longer of its two sides.
        encode: gives words their sub-words.
        language: whose conventions the tokens follow.
    """

    def __init__(
        self, left: int, right: int, *, most_words: int, most_subwords: int, encode: Encode, language: str
    ) -> None:
        self._left, self._right = left, right
        self._most_words, self._most_subwords = most_words, most_subwords
        self._encode, self._language = encode, language
        self.forget()

    def forget(self) -> None:
        """Begin a document, whatever is left of the one before."""
        self._tokens: deque[Token] = deque()  # that are not decided
        self._ahead: deque[Token] = deque()  # words among them
        self._words: list[WordInput] = []  # these words, and as many before them as windows hold
        self._last: Token | None = None

    def push(self, word: Word, pause: Seconds | None = None) -> Iterator[Sight]:
        """The document's next token.

        Args:
            word: the token.
            pause: silence between it and the token before it, None where that is unknown.
        """
        token = Token(word, word.labels or Labels(), split_token(word.text, self._language))
        if self._last:
            self._meet(self._last, token, pause)
        self._last = token
        self._tokens.append(token)
        if token.core:
            boundary = NO_BOUNDARY if self._words else DOCUMENT_START
            self._words.append(WordInput(self._encode([token.core])[0], UNKNOWN, boundary))
            self._ahead.append(token)
        if len(self._ahead) > self._right:
            yield self._sight(end=False)

    def _meet(self, last: Token, token: Token, pause: Seconds | None) -> None:
        """What two neighbours tell of each other: the pause between them, and that one is marks alone."""
        if last.core:
            self._words[-1] = replace(self._words[-1], pause=int(buckets([pause])[0]))
            if not token.core:
                last.parts = (*last.parts[:2], last.parts[2] + "".join(token.parts))
        elif token.core:
            token.parts = ("".join(last.parts) + token.parts[0], *token.parts[1:])

    def flush(self) -> Iterator[Sight]:
        """The document ends: all that is left of it, by as many words as there are. What follows is another one."""
        if self._ahead:
            self._words[-1] = replace(self._words[-1], boundary=self._words[-1].boundary + DOCUMENT_END)
        while self._ahead:
            yield self._sight(end=True)
        if self._tokens:
            yield Sight(tuple(self._tokens), None, np.zeros(0, dtype=np.uint8), True)
        self.forget()

    def _sight(self, end: bool) -> Sight:
        """Of the first word ahead, which is then decided."""
        place = len(self._words) - len(self._ahead)
        first, last = self._span(max(0, place - self._left), place)
        window = Window(tuple(self._words[first:last]), (place - first, last - first))
        flags = np.array([token.flags() for token in islice(self._ahead, last - place)], dtype=np.uint8)
        self._ahead.popleft()
        following = self._ahead[0] if self._ahead else None
        tokens = []
        while self._tokens and self._tokens[0] is not following:
            tokens.append(self._tokens.popleft())
        del self._words[: max(0, place + 1 - self._left)]
        return Sight(tuple(tokens), window, flags, end and last == place + len(self._ahead) + 1)

    def _span(self, first: int, place: int) -> tuple[int, int]:
        """First word of the window around the word at `place`, and the one after its last."""
        last = len(self._words)
        subwords = sum(len(word.subwords) for word in self._words[first:last])
        while last - first > 1 and (last - first > self._most_words or subwords > self._most_subwords):
            if place - first >= last - 1 - place:
                subwords -= len(self._words[first].subwords)
                first += 1
            else:
                last -= 1
                subwords -= len(self._words[last].subwords)
        return first, last
