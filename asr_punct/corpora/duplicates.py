"""Lines that repeat an earlier line, exactly or nearly, by MinHash signatures (Broder 1997) in bands.

The similarity of two lines is that of their sets of word pairs (Jaccard); the share of equal entries of their
signatures estimates it. Two lines are compared where one band of their signatures is equal, which finds nine in ten
of the pairs at the limit and nearly all above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LIMIT = 0.7
"""Similarity from which a line is a near duplicate."""
EXACT_WORDS = 6
"""Shorter lines repeat naturally (greetings, answers) and are kept."""
NEAR_WORDS = 8
_BANDS, _ROWS = 8, 4
_CHUNK_WORDS = 1 << 18
_WORD = re.compile(r"\w+")

_Numbers = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Duplicates:
    """Which lines repeat an earlier one.

    Attributes:
        exact: *Shape:* (lines,), those of the same words; only lines of `EXACT_WORDS` words and more.
        near: *Shape:* (lines,), those of similar words; only lines of `NEAR_WORDS` words and more.
    """

    exact: npt.NDArray[np.bool_]
    near: npt.NDArray[np.bool_]


def find_duplicates(lines: Iterable[str]) -> Duplicates:
    """Compare all lines; case and marks do not count. Memory grows by some 150 bytes a line.

    Args:
        lines: of them the first of several alike is no duplicate.
    """
    vocabulary: dict[str, int] = {}
    seen: set[int] = set()
    exact: list[bool] = []
    places: list[int] = []
    chunk: list[list[int]] = []
    words = 0
    signatures = [np.zeros((0, _BANDS * _ROWS), dtype=np.uint32)]
    for number, line in enumerate(lines):
        ids = [vocabulary.setdefault(word, len(vocabulary)) for word in _WORD.findall(line.lower())]
        key = hash(tuple(ids))
        exact.append(len(ids) >= EXACT_WORDS and key in seen)
        seen.add(key)
        if len(ids) >= NEAR_WORDS and not exact[-1]:
            places.append(number)
            chunk.append(ids)
            words += len(ids)
            if words >= _CHUNK_WORDS:
                signatures.append(_signatures(chunk))
                chunk, words = [], 0
    signatures.append(_signatures(chunk))
    near = np.zeros(len(exact), dtype=np.bool_)
    near[np.array(places, dtype=np.int64)[_repeated(np.concatenate(signatures))]] = True
    return Duplicates(np.array(exact, dtype=np.bool_), near)


def _signatures(lines: Sequence[Sequence[int]]) -> npt.NDArray[np.uint32]:
    """MinHash signatures over pairs of neighbouring words, (lines, bands x rows)."""
    if not lines:
        return np.zeros((0, _BANDS * _ROWS), dtype=np.uint32)
    lengths = np.array([len(line) for line in lines])
    ids = np.array([number for line in lines for number in line], dtype=np.uint64) + np.uint64(1)
    inner = np.ones(len(ids), dtype=np.bool_)
    inner[np.cumsum(lengths) - 1] = False
    pairs = _mixed(ids[:-1] * np.uint64(0x9E3779B97F4A7C15) + ids[1:])[inner[:-1]]
    starts = np.cumsum(lengths - 1) - (lengths - 1)
    rng = np.random.default_rng(0)
    factors = rng.integers(1, 1 << 63, size=_BANDS * _ROWS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    columns = [np.minimum.reduceat((pairs * factor) >> np.uint64(32), starts) for factor in factors]
    return np.stack(columns, axis=1).astype(np.uint32)


def _mixed(values: _Numbers) -> _Numbers:
    """Hashes of numbers (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _repeated(signatures: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Which signatures are like an earlier one that shares a band with them, (lines,)."""
    found = np.zeros(len(signatures), dtype=np.bool_)
    for band in range(_BANDS if len(signatures) else 0):
        rows = np.ascontiguousarray(signatures[:, band * _ROWS : (band + 1) * _ROWS]).view(np.uint64)
        keys = _mixed(_mixed(rows[:, 0]) + rows[:, 1])
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        begins = np.concatenate([[True], ordered[1:] != ordered[:-1]])
        first = order[np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))]
        later = ~begins
        same = (signatures[order[later]] == signatures[first[later]]).mean(axis=1) >= LIMIT
        found[order[later][same]] = True
    return found
