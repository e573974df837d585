"""A recogniser's errors in training windows, so that a model meets in training what it will meet in use.

How recognisers err, in per cent of the reference's words (`align.edit`, measured):

* English talks, IWSLT 2011 (test2011asr against test2011, 12,626 words): substitutions 7.3, deletions 2.4, insertions
  4.0. Of the substitutes 92 % are words that texts have, over half are common ones, and 37 % have keys (`confusions`)
  that are equal or a letter apart: most confusions are between short words. Common words are 78 % of the deletions (3 %
  of them are deleted) and 71 % of the insertions; fillers and the like 5 % of these, repeated words 6 %. Errors come in
  clusters: 100 words have 13.1 with a standard deviation of 6.4, where independent ones would have 3.6.
* Basque parliament, five sizes of Whisper fine-tuned on Basque (18,700 words each): substitutions 2.9 to 6.3, deletions
  1.7 to 2.0 (`ba`, `eta`, `ez`, `bueno` are half of them), insertions 0.4 to 1.9. Half of the substitutes are no words;
  38 to 52 % sound alike or are a letter apart. 45 to 61 % of the utterances, of 12 words, have no error.
* Basque Common Voice, Whisper small fine-tuned on Basque: names inside a sentence are substituted 2.5 times as often as
  other words (17 % against 7 %).

For Spanish there were no recordings to measure. Rates that follow: `substitution` 0.05 to 0.07, `name_substitution`
0.15, `any_word` 0.1 for Basque and 0.4 for English, `deletion` 0.03, `repetition` and `filler` 0.01 (speakers who are
less rehearsed repeat and hesitate more), in half or more of the windows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from asr_punct.config import NoiseConfig
from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.marks import CASES, LEFT, Case, mark_bits
from asr_punct.training.confusions import Confusions
from asr_punct.training.corpus import WordArrays

_LEFT = np.uint16(mark_bits(LEFT))
_LOWER, _FIRST_CAP = CASES.index(Case.O), CASES.index(Case.FIRST_CAP)

_Bools = npt.NDArray[np.bool_]


def add_noise(batch: WordArrays, config: NoiseConfig, confusions: Confusions, rng: Generator) -> WordArrays:
    """Training windows with substituted, deleted, repeated and inserted words; every mark stays.

    * A substituted word keeps its labels, as in `align.projection.project`.
    * Only common words without labels are deleted, and never a window's first word or one at a document's edge. The
      pause of the word before goes on through the deleted word's pause: it is their sum, or unknown if one of them is.
    * Of a repeated word the first copy has the marks on the left, the second those on the right, and a capital only if
      it is not the sentence's: in names and acronyms.
    * Fillers have no labels. Inserted words have the pause of the word that they stand beside.

    Args:
        batch: windows of words from the vocabulary without its extra words.
        config: the rates.
        confusions: of the vocabulary.
        rng: what decides.

    Returns:
        The windows; the words may be extra ones.
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
    """Words whose deletion loses no label and leaves no window empty."""
    free: _Bools = (batch.marks == 0) & (batch.cases == _LOWER) & (batch.boundaries == 0) & ~batch.first
    return free


def _inserted(
    batch: WordArrays, repeated: _Bools, filled: _Bools, names: _Bools, fillers: npt.NDArray[np.int32], rng: Generator
) -> WordArrays:
    """A second copy after each `repeated` word, and then a filler after each `filled` one."""
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
    not_first, not_last = np.ones((2, len(result.words)), np.bool_)
    not_first[starts], not_last[ends - 1] = False, False
    result.boundaries[not_first] &= ~np.uint8(DOCUMENT_START)
    result.boundaries[not_last] &= ~np.uint8(DOCUMENT_END)
    return result
