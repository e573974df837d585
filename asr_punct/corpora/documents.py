"""Divide texts into sections, which are assigned to the parts of a corpus, and sections into documents."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

Block = list[str]
"""Consecutive lines: a speaker's turn, a chapter."""
Section = list[Block]
"""Consecutive blocks, or a part of a long block."""


def sections(blocks: Iterable[Block], size: int) -> Iterator[Section]:
    """Join consecutive blocks to sections of at least `size` words; the last may be shorter, long blocks are cut."""
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
    """Return the approximate number of words."""
    return sum(line.count(" ") + 1 for line in lines)


def documents(parts: Sequence[Section], ordered: bool, rng: random.Random) -> Iterator[Block]:
    """Return the lines of each document: some consecutive turns of running text, else 1 to 12 lines at random.

    Args:
        parts: sections of a text.
        ordered: whether the text is running text.
        rng: random generator.
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
    return 1 if rng.random() < 0.6 else rng.randint(2, 20)


def _lines(rng: random.Random) -> int:
    return rng.choice((1, rng.randint(2, 3), rng.randint(4, 12)))
