"""Find lines that repeat an earlier line, exactly or nearly (MinHash, Broder 1997)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal

from asr_punct.errors import MissingExtraError

LIMIT = 0.7
"""Jaccard similarity, of the sets of word pairs, from which a line is a near duplicate."""
EXACT_WORDS = 6
"""Fewest words of a duplicate; shorter lines (greetings, answers) repeat naturally."""
NEAR_WORDS = 8
"""Fewest words of a near duplicate."""
_HASHES = 64


def find_duplicates(lines: Iterable[str]) -> Iterator[Literal["exact", "near"] | None]:
    """Yield for each line whether it repeats an earlier one; case and marks do not count.

    Raises:
        MissingExtraError: the package datasketch is not installed.
    """
    try:
        from datasketch import MinHash, MinHashLSH
    except ImportError:
        raise MissingExtraError("finding duplicate lines", "train", "datasketch") from None
    seen: set[int] = set()
    index = MinHashLSH(threshold=LIMIT, num_perm=_HASHES)
    for number, line in enumerate(lines):
        words = re.findall(r"\w+", line.lower())
        key = hash(tuple(words))
        if key in seen and len(words) >= EXACT_WORDS:
            yield "exact"
            continue
        seen.add(key)
        if len(words) < NEAR_WORDS:
            yield None
            continue
        pairs = [" ".join(pair).encode() for pair in pairwise(words)]
        (signature,) = MinHash.generator([pairs], num_perm=_HASHES)
        if index.query(signature):
            yield "near"
        else:
            index.insert(number, signature)
            yield None
