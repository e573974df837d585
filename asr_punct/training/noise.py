"""Add errors of a speech recogniser to the words of training windows, so that a model learns to cope with them.

The default rates of `conf/small_noise.yaml` follow measured errors, in per cent of the reference's words:

* English talks, IWSLT 2011 (test2011asr against test2011, 12,626 words): substitutions 7.3, deletions 2.4, insertions
  4.0. 37 % of the substitutes sound alike or differ by a letter; 78 % of the deletions and 71 % of the insertions are
  common words. Errors cluster: 13.1 in 100 words, standard deviation 6.4 (3.6 if they were independent).
* Basque parliament, five Whisper models (18,700 words each): substitutions 2.9 to 6.3, of which 38 to 52 % sound alike
  or differ by a letter, deletions 1.7 to 2.0, insertions 0.4 to 1.9. About half of the utterances have no error.
* Basque Common Voice: names inside a sentence are substituted 2.5 times as often as other words (17 % against 7 %).

Spanish could not be measured.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from asr_punct.config import NoiseConfig
from asr_punct.marks import CASES, LEFT, Case, mark_bits
from asr_punct.training.confusions import Confusions
from asr_punct.training.corpus import WordArrays

_LEFT = np.uint16(mark_bits(LEFT))
_LOWER, _FIRST_CAP = CASES.index(Case.O), CASES.index(Case.FIRST_CAP)

_Bools = npt.NDArray[np.bool_]


def add_noise(batch: WordArrays, config: NoiseConfig, confusions: Confusions, rng: Generator) -> WordArrays:
    """Substitute, delete, repeat and insert words in training windows; every mark stays.

    * A substituted word keeps its labels.
    * Only common words without labels are deleted, never a window's first word or a word at the edge of a document.
      The pause before the deleted word then includes the pause after it (`WordArrays.without`).
    * The first copy of a repeated word has the marks on its left, the second copy those on its right. The second copy
      has a capital only if it is a name or an acronym.
    * Fillers have no labels. Inserted words have the pause of the word before them.

    Args:
        batch: windows of words of the vocabulary, without its extra words.
        config: the rates.
        confusions: of the vocabulary.
        rng: random generator.
    """
    noisy = (rng.random(int(batch.rows[-1]) + 1) < config.windows)[batch.rows]
    common = noisy & confusions.common[batch.words]
    deleted = common & _deletable(batch) & (rng.random(len(noisy)) < config.deletion)
    repeated = common & ~deleted & (rng.random(len(noisy)) < config.repetition)
    filled = noisy & ~deleted & (rng.random(len(noisy)) < config.filler)
    names = confusions.names[batch.words]
    batch = replace(batch, words=_substituted(batch.words, noisy, config, confusions, rng))
    if deleted.any():
        batch, kept = batch.without(deleted), ~deleted
        repeated, filled, names = repeated[kept], filled[kept], names[kept]
    if repeated.any() or filled.any():
        batch = _inserted(batch, repeated, filled, names, confusions.fillers, rng)
    return batch


def _substituted(
    words: npt.NDArray[np.int32], noisy: _Bools, config: NoiseConfig, confusions: Confusions, rng: Generator
) -> npt.NDArray[np.int32]:
    rates = np.where(confusions.names[words], config.name_substitution, config.substitution)
    hit = np.flatnonzero(noisy & (rng.random(len(words)) < rates))
    by_any, choice = rng.random((2, len(hit)))
    first = confusions.offsets[words[hit]]
    number = confusions.offsets[words[hit] + 1] - first
    result = words.copy()
    alike = (by_any >= config.any_word) & (number > 0)
    result[hit[alike]] = confusions.candidates[(first + (choice * number).astype(np.int64))[alike]]
    drawn = by_any < config.any_word
    share = choice[drawn] * confusions.cumulative[-1]
    result[hit[drawn]] = np.searchsorted(confusions.cumulative, share, side="right")
    return result


def _deletable(batch: WordArrays) -> _Bools:
    """Return which words can be deleted without losing a label or emptying a window."""
    free: _Bools = (batch.marks == 0) & (batch.cases == _LOWER) & (batch.boundaries == 0) & ~batch.first
    return free


def _inserted(
    batch: WordArrays, repeated: _Bools, filled: _Bools, names: _Bools, fillers: npt.NDArray[np.int32], rng: Generator
) -> WordArrays:
    """Insert a second copy after each `repeated` word, then a filler after each `filled` word."""
    copies = 1 + repeated + filled.astype(np.int64)
    ends = np.cumsum(copies)
    starts = ends - copies
    result = batch.at(np.repeat(np.arange(len(copies)), copies))
    second, filler = starts[repeated] + 1, ends[filled] - 1
    result.marks[second - 1] &= _LEFT
    result.marks[second] &= ~_LEFT
    result.cases[second[(result.cases[second] == _FIRST_CAP) & ~names[repeated]]] = _LOWER
    result.words[filler] = rng.choice(fillers, len(filler))
    result.marks[filler], result.cases[filler] = 0, _LOWER
    return result.with_edges_of(batch)
