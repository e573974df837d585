"""Words substituted, deleted and inserted at random in training windows (Alam et al. 2020, section 4.1.2).

The paper's tokens are sub-words; here they are words, which have the labels: a word that is substituted becomes the
unknown word, which is a single unknown sub-word, or a random one. `training.noise` makes errors as recognisers do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from asr_punct.config import AugmentConfig
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, NO_BOUNDARY
from asr_punct.marks import CASES, Case
from asr_punct.pauses import UNKNOWN
from asr_punct.training.corpus import WordArrays

_LOWER = CASES.index(Case.O)

_Bools = npt.NDArray[np.bool_]


def augment(batch: WordArrays, config: AugmentConfig, replacements: range, rng: Generator) -> WordArrays:
    """Training windows in which each word is changed with probability `config.rate`.

    * A substituted word keeps its labels, its case among them, and its pause.
    * With a deleted word its labels go. The pause of the word before goes on through the deleted word's pause: it is
      their sum, or unknown if one of them is. A window whose words would all be deleted keeps its first one.
    * A word is inserted before the changed one. It has no labels, and an unknown pause.
    * The first and last words of a window have the flags of those that were there before.

    Args:
        batch: windows, each of words of one document.
        config: the rates.
        replacements: words that substitute or are inserted, places in the vocabulary, drawn uniformly.
        rng: what decides.

    Returns:
        The windows, which may have grown.
    """
    change, kind = rng.random((2, len(batch.words)))
    drawn = rng.integers(replacements.start, replacements.stop, size=len(batch.words), dtype=np.int32)
    changed = change < config.rate
    substituted = changed & (kind < config.substitution)
    deleted = changed & ~substituted & (kind < config.substitution + config.deletion)
    inserted = changed & ~substituted & ~deleted
    kept = ~deleted
    kept |= batch.first & ~np.logical_or.reduceat(kept, np.flatnonzero(batch.first))[batch.rows]
    result = replace(batch, words=np.where(substituted, drawn, batch.words)).without(~kept)
    result = _inserted(result, inserted[kept], drawn[kept])
    return replace(result, boundaries=_edges(batch, result))


def _inserted(batch: WordArrays, before: _Bools, words: npt.NDArray[np.int32]) -> WordArrays:
    """Words without labels put in before some words: of `words`, (all words,), those at the same places."""
    copies = 1 + before
    result = batch.at(np.repeat(np.arange(len(copies)), copies))
    new = (np.cumsum(copies) - copies)[before]
    result.words[new], result.pauses[new] = words[before], UNKNOWN
    result.marks[new], result.cases[new] = 0, _LOWER
    return result


def _edges(before: WordArrays, after: WordArrays) -> npt.NDArray[np.uint8]:
    """Flags of the same windows `after` a change, whose first and last words have those of the ones `before`."""
    flags = np.full(len(after.words), NO_BOUNDARY, np.uint8)
    flags[after.first] |= before.boundaries[before.first] & DOCUMENT_START
    flags[after.last] |= before.boundaries[before.last] & DOCUMENT_END
    return flags
