"""The look-ahead buffer of a stream, which returns each word with its window once enough words follow it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from asr_punct.features import DOCUMENT_END, DOCUMENT_START, NO_BOUNDARY
from asr_punct.inference.tokens import Token, TokenReader, share_marks
from asr_punct.inference.windows import Window
from asr_punct.pauses import UNKNOWN_PAUSE, buckets
from asr_punct.words import Seconds, Word


@dataclass(frozen=True)
class Decision:
    """A word that can be decided now.

    Attributes:
        words: the word and those beside it that consist of marks, in order.
        tokens: their tokens.
        window: the words around it; decides the word and those after it. None if all tokens consist of marks.
        end: whether the document ends with the window.
    """

    words: tuple[Word, ...]
    tokens: tuple[Token, ...]
    window: Window[Token] | None
    end: bool


class Lookahead:
    """Returns a decision for each word as soon as `right` words follow it, in bounded memory.

    Args:
        reader: makes tokens of words.
        left: maximum number of words before a word in its window.
        right: number of words after it, 1 or more.
        max_words: maximum number of words of a window; a larger one loses words at the end of its longer side.
        max_subwords: maximum number of sub-words of a window, likewise.
    """

    def __init__(self, reader: TokenReader, left: int, right: int, *, max_words: int, max_subwords: int) -> None:
        self._reader, self._left, self._right = reader, left, right
        self._max_words, self._max_subwords = max_words, max_subwords
        self.clear()

    def clear(self) -> None:
        """Drop the current document."""
        self._pending: deque[tuple[Word, Token]] = deque()  # undecided words, also those that consist of marks
        self._words: list[Token] = []  # decided words that are still context, then undecided words
        self._undecided = 0

    def push(self, word: Word, pause: Seconds | None = None) -> Iterator[Decision]:
        """Add the next word of the document.

        Args:
            word: the word.
            pause: pause before the word, None if unknown.
        """
        (read,) = self._reader.read([word])
        token = replace(read, pause=UNKNOWN_PAUSE, boundary=NO_BOUNDARY if self._words else DOCUMENT_START)
        if self._pending:
            last, token = share_marks(self._pending[-1][1], token)
            self._update_last(replace(last, pause=int(buckets([pause])[0])))
        self._pending.append((word, token))
        if token.core:
            self._words.append(token)
            self._undecided += 1
        if self._undecided > self._right:
            yield self._decide(end=False)

    def flush(self) -> Iterator[Decision]:
        """End the document and decide all its remaining words; the next word begins another document."""
        if self._undecided:
            last = self._words[-1]
            self._words[-1] = replace(last, boundary=last.boundary + DOCUMENT_END)
        while self._undecided:
            yield self._decide(end=True)
        if self._pending:
            yield _decision(self._pending, None, True)
        self.clear()

    def _update_last(self, token: Token) -> None:
        self._pending[-1] = self._pending[-1][0], token
        if token.core:
            self._words[-1] = token

    def _decide(self, end: bool) -> Decision:
        """Return the decision of the first undecided word."""
        index = len(self._words) - self._undecided
        first, last = self._fit_window(max(0, index - self._left), index)
        window = Window(tuple(self._words[first:last]), (index - first, last - first))
        self._undecided -= 1
        at_end = end and last == len(self._words)
        del self._words[: max(0, index + 1 - self._left)]
        return _decision(self._take_pending(), window, at_end)

    def _take_pending(self) -> Iterator[tuple[Word, Token]]:
        """Remove and return the first pending word and the words beside it that consist of marks."""
        has_word = False
        while self._pending and not (has_word and self._pending[0][1].core):
            word, token = self._pending.popleft()
            has_word = has_word or bool(token.core)
            yield word, token

    def _fit_window(self, first: int, index: int) -> tuple[int, int]:
        """Return the bounds of the largest window within the limits that begins at `first` or later, around `index`."""
        last = len(self._words)
        subwords = sum(len(word.subwords) for word in self._words[first:last])
        while last - first > 1 and (last - first > self._max_words or subwords > self._max_subwords):
            if index - first >= last - 1 - index:
                subwords -= len(self._words[first].subwords)
                first += 1
            else:
                last -= 1
                subwords -= len(self._words[last].subwords)
        return first, last


def _decision(pending: Iterable[tuple[Word, Token]], window: Window[Token] | None, end: bool) -> Decision:
    words, tokens = zip(*pending, strict=True)
    return Decision(words, tokens, window, end)
