"""Cut documents of any length into windows, in bounded memory."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from asr_punct.config import WindowConfig
from asr_punct.features import DOCUMENT_END, WordInput

W = TypeVar("W", bound=WordInput)


@dataclass(frozen=True)
class Window(Generic[W]):
    """Consecutive words of one document.

    `kept_range` has the index of the first word that this window decides, and of the one after the last.
    """

    words: tuple[W, ...]
    kept_range: tuple[int, int]

    @property
    def kept(self) -> tuple[W, ...]:
        """The words that this window decides."""
        return self.words[slice(*self.kept_range)]

    @cached_property
    def token_count(self) -> int:
        """Number of sub-words, both special tokens included."""
        return sum(len(word.subwords) for word in self.words) + 2


def plan_windows(words: Iterable[W], config: WindowConfig, max_tokens: int) -> Iterator[Window[W]]:
    """Cut documents into overlapping windows that decide each word exactly once, in order (see `cut_documents`)."""

    def advance(size: int, decided: int) -> tuple[int, int]:
        margin = min(config.margin, size - decided - 1, size // 2)  # decides one word or more
        return size - margin, size - 2 * margin

    return cut_documents(words, config.words, max_tokens, advance)


def cut_documents(
    words: Iterable[W], max_words: int, max_tokens: int, advance: Callable[[int, int], tuple[int, int]]
) -> Iterator[Window[W]]:
    """Cut documents into windows that are as long as their limits allow.

    Args:
        words: words of any number of documents; the last word of each has the flag DOCUMENT_END.
        max_words: maximum number of words of a window.
        max_tokens: maximum number of sub-words of a window, both special tokens included.
        advance: returns the end of the words that a window decides, and the first word of the next window, from the
            number of its words and its first undecided word; all are indices in the window.
    """
    buffer: list[W] = []
    decided = tokens = 0
    for word in words:
        while buffer and (len(buffer) == max_words or tokens + len(word.subwords) > max_tokens - 2):
            end, next_start = advance(len(buffer), decided)
            yield Window(tuple(buffer), (decided, end))
            tokens -= sum(len(dropped.subwords) for dropped in buffer[:next_start])
            del buffer[:next_start]
            decided = end - next_start
        buffer.append(word)
        tokens += len(word.subwords)
        if word.boundary & DOCUMENT_END:
            yield Window(tuple(buffer), (decided, len(buffer)))
            buffer, decided, tokens = [], 0, 0
    if buffer:
        yield Window(tuple(buffer), (decided, len(buffer)))
