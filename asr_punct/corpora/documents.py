"""Running text and unordered lines -> sections, of which parts are made, and documents, of which windows are."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

Block = list[str]
"""Lines that belong together: a speaker's turn, a chapter."""
Section = list[Block]
"""Consecutive blocks; of a long one a part."""


def sections(blocks: Iterable[Block], size: int) -> Iterator[Section]:
    """Consecutive blocks of at least `size` words together, the last one of fewer; a longer block is cut at lines."""
    section: Section = []
    words = 0
    for block in blocks:
        section.append([])
        for line in block:
            section[-1].append(line)
            words += count_words((line,))
            if words >= size:
                yield section
                section, words = [[]], 0
        if not section[-1]:
            section.pop()
    if section:
        yield section


def count_words(lines: Iterable[str]) -> int:
    """Words of the lines, near enough."""
    return sum(line.count(" ") + 1 for line in lines)


def documents(parts: Sequence[Section], ordered: bool, rng: random.Random) -> Iterator[Block]:
    """Lines of each document: of running text some turns in a row, else 1 to 12 lines in random order.

    Args:
        parts: sections of a text.
        ordered: whether lines follow each other as they were said or written.
        rng: what decides.
    """
    if ordered:
        for section in parts:
            yield from _grouped(section, _turns, rng)
    else:
        lines = [[line] for section in parts for block in section for line in block]
        rng.shuffle(lines)
        yield from _grouped(lines, _lines, rng)


def _grouped(blocks: Sequence[Block], draw: Callable[[random.Random], int], rng: random.Random) -> Iterator[Block]:
    start = 0
    while start < len(blocks):
        stop = start + draw(rng)
        document = [line for block in blocks[start:stop] for line in block]
        if document:
            yield document
        start = stop


def _turns(rng: random.Random) -> int:
    """How many turns of running text a document has: often one, else up to twenty."""
    return 1 if rng.random() < 0.6 else rng.randint(2, 20)


def _lines(rng: random.Random) -> int:
    """How many unordered lines a document has: one, two or three, up to twelve, about as often."""
    return rng.choice((1, rng.randint(2, 3), rng.randint(4, 12)))
