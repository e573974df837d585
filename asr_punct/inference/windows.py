"""Cut documents of any length into windows, in bounded memory."""

from collections.abc import Iterable, Iterator
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
    """Cut documents into overlapping windows that decide each word exactly once, in order.

    Windows are as long as the limits allow; they overlap by twice the margin of `config`, or less if they are short.

    Args:
        words: words of any number of documents; the last word of each has the flag DOCUMENT_END.
        config: sizes in words.
        max_tokens: maximum number of sub-words of a window, both special tokens included.
    """
    buffer: list[W] = []
    decided = tokens = 0
    for word in words:
        while buffer and (len(buffer) == config.words or tokens + len(word.subwords) > max_tokens - 2):
            margin = min(config.margin, len(buffer) - decided - 1, len(buffer) // 2)  # decides one word or more
            yield Window(tuple(buffer), (decided, len(buffer) - margin))
            dropped = len(buffer) - 2 * margin
            tokens -= sum(len(each.subwords) for each in buffer[:dropped])
            del buffer[:dropped]
            decided = margin
        buffer.append(word)
        tokens += len(word.subwords)
        if word.boundary & DOCUMENT_END:
            yield Window(tuple(buffer), (decided, len(buffer)))
            buffer, decided, tokens = [], 0, 0
    if buffer:
        yield Window(tuple(buffer), (decided, len(buffer)))
