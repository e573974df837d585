"""Words in pieces, as Whisper's models give some: ` self` and `-driving`, ` $5` and `,000`.

White space before a piece tells that a word begins with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice, pairwise
from typing import TypeVar

from asr_punct.formats.entries import mean_confidence, written_words
from asr_punct.marks import Glyphs
from asr_punct.words import Utterance, Word

_Item = TypeVar("_Item")


def word_sizes(texts: Iterable[str]) -> list[int]:
    """How many tokens make up each word of texts that follow each other: white space alone stands between words."""
    sizes, open_ = list[int](), False
    for text in filter(None, texts):
        tokens = len(text.split())
        if tokens and open_ and not text[0].isspace():
            sizes[-1] += 1
            tokens -= 1
        sizes += [1] * tokens
        open_ = not text[-1].isspace()
    return sizes


def piece_sizes(texts: Sequence[str]) -> list[int]:
    """`word_sizes` of a segment's pieces; where none begins with white space (WhisperX, Chinese) each is a word."""
    if any(text[:1].isspace() for text in texts):
        return word_sizes(texts)
    return [1] * sum(len(text.split()) for text in texts)


def grouped(items: Iterable[_Item], sizes: Iterable[int]) -> Iterator[list[_Item]]:
    """Groups of so many items each."""
    left = iter(items)
    return (list(islice(left, size)) for size in sizes)


def joined(pieces: Sequence[Word]) -> Word:
    """The word of one or more pieces: the start of the first, the end of the last, the mean of their confidences.

    An end before the start is not known.
    """
    if len(pieces) == 1:
        return pieces[0]
    start, end = pieces[0].start, pieces[-1].end
    return Word(
        "".join(piece.text for piece in pieces),
        start,
        None if start is not None and end is not None and end < start else end,
        mean_confidence(piece.confidence for piece in pieces),
    )


def written_pieces(utterance: Utterance, pieces: Iterable[Sequence[str]], glyphs: Glyphs) -> list[str]:
    """The words with their marks and case, cut into the pieces that they come in.

    Marks before a word stand on its first piece, those after it on its last.

    Args:
        utterance: the words.
        pieces: the tokens of each, none where its file has it in no pieces.
        glyphs: how marks are written.
    """
    found: list[str] = []
    for text, labels, parts in zip(written_words(utterance, glyphs), utterance.labels, pieces, strict=True):
        before = len(glyphs.before(labels.marks))
        inner = [before + end for end in accumulate(map(len, parts[:-1]))]
        found += [text[first:last] for first, last in pairwise([0, *inner, len(text)])] if parts else []
    return found
