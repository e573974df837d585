"""Change the words of training windows: random edits, and the errors of a speech recogniser.

`augment` substitutes, deletes and inserts random words (Alam et al. 2020, section 4.1.2). The paper changes sub-words;
here words are changed, which have the labels. `add_noise` makes the errors of a recogniser, so that a model learns to
cope with them. The rates in `conf/small_noise.yaml` follow measured errors, in per cent of the reference words:

* English talks, IWSLT 2011 (12,626 words): substitutions 7.3, deletions 2.4, insertions 4.0. 37 % of the substitutes
  sound like the word or differ from it by one letter. 78 % of the deletions and 71 % of the insertions are common.
* Basque parliament, five Whisper models (18,700 words each): substitutions 2.9 to 6.3, deletions 1.7 to 2.0, insertions
  0.4 to 1.9. About half of the utterances have no error.
* Basque Common Voice: names inside a sentence are substituted 2.5 times as often as other words.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from asr_punct.config import AugmentConfig, NoiseConfig
from asr_punct.marks import CASES, LEFT, Case, mark_bits
from asr_punct.pauses import UNKNOWN_PAUSE
from asr_punct.training.confusions import Confusions
from asr_punct.training.corpus import WordArrays

_LEFT = np.uint16(mark_bits(LEFT))
_LOWER, _FIRST_CAP = CASES.index(Case.O), CASES.index(Case.FIRST_CAP)
_Bools = npt.NDArray[np.bool_]


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
    result = batch.repeat(copies)
    new = (np.cumsum(copies) - copies)[before]
    result.words[new], result.pauses[new] = words[before], UNKNOWN_PAUSE
    result.marks[new], result.cases[new] = 0, _LOWER
    return result


def add_noise(batch: WordArrays, config: NoiseConfig, confusions: Confusions, rng: Generator) -> WordArrays:
    """Substitute, delete, repeat and insert words in training windows, without changing the marks and their order.

    * A substituted word keeps its labels.
    * Only common words without labels are deleted, never a window's first word or a word at the edge of a document.
      The pause of a deleted word is added to the pause before it.
    * Of a repeated word the first copy has the marks before the word, the second copy those after it. The second copy
      has a capital only if it is a name or an acronym.
    * Fillers have no labels. An inserted filler or second copy has the pause of the word before it.

    The windows must not contain words of `confusions.extra`, which have no candidates.
    """
    noisy = (rng.random(int(batch.rows[-1]) + 1) < config.windows)[batch.rows]
    common = noisy & confusions.common[batch.words]
    deletable = (batch.marks == 0) & (batch.cases == _LOWER) & (batch.boundaries == 0) & ~batch.first
    deleted = common & deletable & (rng.random(len(noisy)) < config.deletion)
    repeated = common & ~deleted & (rng.random(len(noisy)) < config.repetition)
    filled = noisy & ~deleted & (rng.random(len(noisy)) < config.filler)
    names = confusions.names[batch.words]
    batch = replace(batch, words=_substituted(batch.words, noisy, config, confusions, rng))
    if deleted.any():
        batch, kept = batch.without(deleted), ~deleted
        repeated, filled, names = repeated[kept], filled[kept], names[kept]
    if repeated.any() or filled.any():
        batch = _with_copies(batch, repeated, filled, names, confusions.fillers, rng)
    return batch


def _substituted(
    words: npt.NDArray[np.int32], noisy: _Bools, config: NoiseConfig, confusions: Confusions, rng: Generator
) -> npt.NDArray[np.int32]:
    """Return words, some of them replaced: by any word of the corpus, as often as it occurs, or by a candidate."""
    rates = np.where(confusions.names[words], config.name_substitution, config.substitution)
    chosen = np.flatnonzero(noisy & (rng.random(len(words)) < rates))
    kind, choice = rng.random((2, len(chosen)))
    any_word = kind < config.any_word
    shares = choice[any_word] * confusions.cumulative[-1]
    first = confusions.offsets[words[chosen]]
    counts = confusions.offsets[words[chosen] + 1] - first
    similar = ~any_word & (counts > 0)
    result = words.copy()
    result[chosen[any_word]] = np.searchsorted(confusions.cumulative, shares, side="right")
    result[chosen[similar]] = confusions.candidates[(first + (choice * counts).astype(np.int64))[similar]]
    return result


def _with_copies(
    batch: WordArrays, repeated: _Bools, filled: _Bools, names: _Bools, fillers: npt.NDArray[np.int32], rng: Generator
) -> WordArrays:
    """Insert a second copy after each `repeated` word, then a filler after each `filled` word."""
    copies = 1 + repeated + filled.astype(np.int64)
    ends = np.cumsum(copies)
    starts = ends - copies
    result = batch.repeat(copies)
    second, filler = starts[repeated] + 1, ends[filled] - 1
    result.marks[second - 1] &= _LEFT
    result.marks[second] &= ~_LEFT
    result.cases[second[(result.cases[second] == _FIRST_CAP) & ~names[repeated]]] = _LOWER
    result.words[filler] = rng.choice(fillers, len(filler))
    result.marks[filler], result.cases[filler] = 0, _LOWER
    return result.with_edges_of(batch)
