"""Words in several parts, as in Whisper's output: ` self` and `-driving`, ` $5` and `,000`.

White space at the start of a part, or at the end of the part before, starts a new word.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice, pairwise
from typing import TypeVar

from asr_punct.formats.tokens import mean_confidence, written_words
from asr_punct.marks import Glyphs
from asr_punct.words import Utterance, Word

_Item = TypeVar("_Item")


def word_sizes(texts: Iterable[str]) -> list[int]:
    """Return the number of tokens of each word of consecutive texts: 2 and 1 for ` self`, `-driving`, ` car`."""
    sizes, continues = list[int](), False
    for text in filter(None, texts):
        tokens = len(text.split())
        if tokens and continues and not text[0].isspace():
            sizes[-1] += 1
            tokens -= 1
        sizes += [1] * tokens
        continues = not text[-1].isspace()
    return sizes


def part_sizes(texts: Sequence[str]) -> list[int]:
    """Return `word_sizes`, or 1 for each token if no text begins with white space (WhisperX, Chinese)."""
    if any(text[:1].isspace() for text in texts):
        return word_sizes(texts)
    return [1] * sum(len(text.split()) for text in texts)


def grouped(items: Iterable[_Item], sizes: Iterable[int]) -> Iterator[list[_Item]]:
    """Yield consecutive groups of the given sizes."""
    left = iter(items)
    return (list(islice(left, size)) for size in sizes)


def join_parts(parts: Sequence[Word]) -> Word:
    """Return one word: first start, last end, mean confidence. An end before the start becomes None."""
    if len(parts) == 1:
        return parts[0]
    start, end = parts[0].start, parts[-1].end
    return Word(
        "".join(part.text for part in parts),
        start,
        None if start is not None and end is not None and end < start else end,
        mean_confidence(part.confidence for part in parts),
    )


def written_parts(utterance: Utterance, parts: Iterable[Sequence[str]], glyphs: Glyphs) -> list[str]:
    """Return the written words cut into their parts: left marks on the first part, right marks on the last.

    `parts` has the tokens of each word; none for a word without an entry, which is left out.
    """
    found: list[str] = []
    glyphs = glyphs.of(utterance.language)
    for text, labels, tokens in zip(written_words(utterance, glyphs), utterance.labels, parts, strict=True):
        before = len(glyphs.before(labels.marks))
        inner = [before + end for end in accumulate(map(len, tokens[:-1]))]
        found += [text[first:last] for first, last in pairwise([0, *inner, len(text)])] if tokens else []
    return found
