"""Substitute, delete and insert random words in training windows (Alam et al. 2020, section 4.1.2).

The paper changes sub-words; this module changes words, which have the labels.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from asr_punct.config import AugmentConfig
from asr_punct.marks import CASES, Case
from asr_punct.pauses import UNKNOWN_PAUSE
from asr_punct.training.corpus import WordArrays

_LOWER = CASES.index(Case.O)


def augment(batch: WordArrays, config: AugmentConfig, replacements: range, rng: Generator) -> WordArrays:
    """Change each word of training windows with probability `config.rate`.

    * A substituted word keeps its labels, its case and its pause.
    * The labels of a deleted word are deleted too; its pause is added to the pause before it. A window that would lose
      all its words keeps the first one.
    * A word is inserted before the changed word. It has no labels and an unknown pause.

    `replacements` are the vocabulary indices of the words to substitute and insert, drawn uniformly.
    """
    change, kind = rng.random((2, len(batch.words)))
    drawn = rng.integers(replacements.start, replacements.stop, size=len(batch.words), dtype=np.int32)
    changed = change < config.rate
    substituted = changed & (kind < config.substitution)
    deleted = changed & ~substituted & (kind < config.substitution + config.deletion)
    inserted = changed & ~substituted & ~deleted
    kept = ~deleted
    emptied = ~np.logical_or.reduceat(kept, np.flatnonzero(batch.first))
    kept |= batch.first & emptied[batch.rows]
    result = replace(batch, words=np.where(substituted, drawn, batch.words)).without(~kept)
    return _inserted(result, inserted[kept], drawn[kept]).with_edges_of(batch)


def _inserted(batch: WordArrays, before: npt.NDArray[np.bool_], words: npt.NDArray[np.int32]) -> WordArrays:
    """Insert `words[i]` before word i of the batch where `before[i]` is true."""
    copies = 1 + before
    result = batch.select(np.repeat(np.arange(len(copies)), copies))
    new = (np.cumsum(copies) - copies)[before]
    result.words[new], result.pauses[new] = words[before], UNKNOWN_PAUSE
    result.marks[new], result.cases[new] = 0, _LOWER
    return result
