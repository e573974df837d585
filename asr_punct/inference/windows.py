"""Overlapping windows over a stream of words of any length, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from asr_punct.config import WindowConfig
from asr_punct.features import DOCUMENT_END, WordInput


@dataclass(frozen=True)
class Window:
    """Consecutive words of one document, and which of them this window decides.

    Attributes:
        words: the words.
        keep: first word that it decides, and the one after the last.
    """

    words: tuple[WordInput, ...]
    keep: tuple[int, int]


def plan_windows(words: Iterable[WordInput], config: WindowConfig, max_tokens: int) -> Iterator[Window]:
    """Cut documents into overlapping windows whose kept parts are all the words, once each and in order.

    Args:
        words: the words of any number of documents; each document's last one has the flag DOCUMENT_END.
        config: words of a window, and words at its inner edges that a neighbour decides.
        max_tokens: sub-words of a window at most, both special tokens included.
    """
    buffer: list[WordInput] = []
    decided = tokens = 0
    for word in words:
        while buffer and (len(buffer) == config.words or tokens + len(word.subwords) > max_tokens - 2):
            margin = min(config.margin, len(buffer) - decided - 1, len(buffer) // 2)
            yield Window(tuple(buffer), (decided, len(buffer) - margin))
            del buffer[: len(buffer) - 2 * margin]
            decided, tokens = margin, sum(len(kept.subwords) for kept in buffer)
        buffer.append(word)
        tokens += len(word.subwords)
        if word.boundary & DOCUMENT_END:
            yield Window(tuple(buffer), (decided, len(buffer)))
            buffer, decided, tokens = [], 0, 0
    if buffer:
        yield Window(tuple(buffer), (decided, len(buffer)))
