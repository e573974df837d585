"""Divide texts into sections, which are assigned to the parts of a corpus, and sections into documents."""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from asr_punct.marks import Mark
from asr_punct.words import Word, marks_of

Block = list[str]
"""Consecutive lines: a speaker's turn, a chapter."""
Section = list[Block]
"""Consecutive blocks, or a part of a long block."""
SpokenLine = tuple[str, str]
"""A line and the name of its speaker in the document, `""` if there is none."""
LabelledLine = tuple[Word, ...]
"""Labelled words of a line."""
_Line = TypeVar("_Line")


def sections(blocks: Iterable[Block], size: int) -> Iterator[Section]:
    """Join consecutive blocks to sections of at least `size` words; the last may be shorter, long blocks are cut."""
    section: Section = []
    words = 0
    for block in blocks:
        section.append([])
        for line in block:
            section[-1].append(line)
            words += word_count((line,))
            if words >= size:
                yield section
                section, words = [[]], 0
        if not section[-1]:
            section.pop()
    if section:
        yield section


def word_count(lines: Iterable[str]) -> int:
    """Return the approximate number of words."""
    return sum(line.count(" ") + 1 for line in lines)


def running_documents(blocks: Sequence[list[_Line]], rng: random.Random) -> Iterator[list[_Line]]:
    """Yield the lines of each document of running text: 1 to 20 consecutive blocks."""
    start = 0
    while start < len(blocks):
        count = 1 if rng.random() < 0.6 else rng.randint(2, 20)
        if document := [line for block in blocks[start : start + count] for line in block]:
            yield document
        start += count


def joined_documents(lines: Sequence[str], rng: random.Random) -> Iterator[Block]:
    """Yield the lines of each document of unrelated lines: 1 to 12."""
    start = 0
    while start < len(lines):
        count = rng.choice((1, rng.randint(2, 3), rng.randint(4, 12)))
        yield list(lines[start : start + count])
        start += count


def short_documents(lines: Sequence[str], rng: random.Random) -> Iterator[Block]:
    """Yield the lines of each document of everyday sentences: most often one, else a pair or a few.

    Half of the pairs are a question and another line, as in a conversation.
    """
    questions = [line for line in lines if line.endswith("?")]
    start = 0
    while start < len(lines):
        count = rng.choices((1, 2, rng.randint(3, 5)), (6, 3, 1))[0]
        document = list(lines[start : start + count])
        if count == 2 and questions and rng.random() < 0.5:
            document[0] = rng.choice(questions)
        yield document
        start += count


def with_speakers(blocks: Sequence[Block]) -> list[list[SpokenLine]]:
    """Return the lines of consecutive turns, each turn spoken by another one of two speakers."""
    return [[(line, f"speaker{number % 2 + 1}") for line in block] for number, block in enumerate(blocks)]


def with_answers(document: Block) -> list[SpokenLine]:
    """Return the lines of a document of everyday sentences; a question is answered by the next line's speaker."""
    if len(document) == 2 and document[0].endswith("?"):
        return [line for turn in with_speakers([[line] for line in document]) for line in turn]
    return [(line, "") for line in document]


def shuffled_lines(parts: Iterable[Section], rng: random.Random) -> list[str]:
    """Return all lines of the sections in random order."""
    lines = [line for section in parts for block in section for line in block]
    rng.shuffle(lines)
    return lines


def mix_languages(
    document: Sequence[LabelledLine], others: Sequence[LabelledLine], rng: random.Random
) -> list[LabelledLine]:
    """Insert lines of another language, drawn from `others`, into a document; some share a sentence instead."""
    result = []
    for line in document:
        other = rng.choice(others)
        shared = join_at_commas(*rng.sample((line, other), 2))
        if shared and rng.random() < 0.5:
            result.append(shared)
        else:
            result += [line, other] if rng.random() < 0.7 else [line]
    return result


def join_at_commas(first: LabelledLine, second: LabelledLine) -> LabelledLine | None:
    """Join the beginning of `first`, up to a comma, and the end of `second`, after a comma.

    Returns None unless both are plain sentences: no marks but commas and the last period.
    """
    left, right = _first_comma(first), _first_comma(second)
    return None if left is None or right is None else first[: left + 1] + second[right + 1 :]


def _first_comma(line: LabelledLine) -> int | None:
    """Return the index of the first comma of a plain sentence."""
    *inner, last = map(marks_of, line)
    if not last <= {Mark.COMMA, Mark.PERIOD} or not all(marks <= {Mark.COMMA} for marks in inner):
        return None
    return next((i for i, marks in enumerate(inner) if marks), None)
