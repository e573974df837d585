"""Find lines that repeat an earlier line, exactly or nearly (MinHash, Broder 1997)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal

from asr_punct.errors import MissingExtraError

NEAR_SIMILARITY = 0.7
"""Jaccard similarity of word-bigram sets above which lines count as near duplicates; approximate, as LSH candidates are
not verified."""
_MIN_EXACT_WORDS = 6
"""Shorter lines (greetings, answers) may be repeated."""
_MIN_NEAR_WORDS = 8
"""Shorter lines may have near duplicates."""
_HASHES = 64
"""Hash functions of a MinHash signature."""


def find_duplicates(lines: Iterable[str]) -> Iterator[Literal["exact", "near"] | None]:
    """Yield the kind of duplicate that each line is, or None; case and punctuation are ignored.

    Raises:
        MissingExtraError: the package datasketch is not installed.
    """
    try:
        from datasketch import MinHash, MinHashLSH
    except ImportError:
        raise MissingExtraError("finding duplicate lines", "train", "datasketch") from None
    seen: set[int] = set()
    index = MinHashLSH(threshold=NEAR_SIMILARITY, num_perm=_HASHES)
    for number, line in enumerate(lines):
        words = re.findall(r"\w+", line.lower())
        key = hash(tuple(words))
        if key in seen and len(words) >= _MIN_EXACT_WORDS:
            yield "exact"
            continue
        seen.add(key)
        kind: Literal["near"] | None = None
        if len(words) >= _MIN_NEAR_WORDS:
            bigrams = [" ".join(pair).encode() for pair in pairwise(words)]
            (signature,) = MinHash.generator([bigrams], num_perm=_HASHES)
            if index.query(signature):
                kind = "near"
            else:
                index.insert(number, signature)
        yield kind
