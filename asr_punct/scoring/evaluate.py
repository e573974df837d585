"""From utterances to scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from asr_punct import progress
from asr_punct.errors import InputError
from asr_punct.pauses import with_pauses
from asr_punct.scoring.classes import MarkClasses, mark_classes
from asr_punct.scoring.counts import Counts, count
from asr_punct.scoring.metrics import make_scores
from asr_punct.scoring.pairing import SideBySide, recognised_words, same_words
from asr_punct.scoring.scores import Resampling, Scores
from asr_punct.scoring.significance import SAMPLES, SEED, bootstrap
from asr_punct.words import Utterance


def score(
    references: Iterable[Utterance],
    hypotheses: Iterable[Utterance],
    merge: int | None = None,
    *,
    align: bool = False,
    samples: int = SAMPLES,
    seed: int = SEED,
    name: str = "hypothesis",
) -> Scores:
    """Score marks and case of `hypotheses` by `references`.

    Args:
        references: labelled utterances.
        hypotheses: labelled utterances of the same words, divided into utterances in any way.
        merge: score 4, 3 or 2 classes of marks, "no mark" counted; None: each mark on its own.
        align: the hypotheses' words are a recogniser's: align them with the reference's.
        samples: bootstrap samples of the utterances of the reference; 0: no intervals.
        seed: of the bootstrap.
        name: what the hypotheses are called in an error, such as their file.

    Raises:
        InputError: without `align`, words differ; labels are missing; the reference is empty.
        AsrPunctError: `merge` is another number.
    """
    return score_counts(count_labels(references, hypotheses, merge, align=align, name=name), samples, seed)


def score_counts(counts: Counts, samples: int = SAMPLES, seed: int = SEED) -> Scores:
    """Scores with intervals of what was counted; arguments as in `score`."""
    ci95 = bootstrap(counts, samples, seed)
    return make_scores(counts, ci95, Resampling(samples, seed, counts.units) if ci95 else None)


def count_labels(
    references: Iterable[Utterance],
    hypotheses: Iterable[Utterance],
    merge: int | None = None,
    *,
    align: bool = False,
    name: str = "hypothesis",
) -> Counts:
    """Counts of each utterance of the reference, for `score` and for `significance.paired`; arguments as there."""
    return pair_words(references, hypotheses, merge, align=align, name=name).count()


@dataclass(frozen=True)
class Paired:
    """A reference and a hypothesis brought onto the same words.

    Attributes:
        references: the utterances of the reference: the units that are resampled.
        pairs: what is scored as one, an utterance or several.
        classes: the classes of marks.
        aligned: whether the hypothesis has words of its own (a recogniser's).
    """

    references: Sequence[Utterance]
    pairs: Sequence[SideBySide]
    classes: MarkClasses
    aligned: bool

    def count(self) -> Counts:
        """Counts of each utterance of the reference."""
        return count(self.pairs, self.classes, len(self.references), has_word_errors=self.aligned)


def pair_words(
    references: Iterable[Utterance],
    hypotheses: Iterable[Utterance],
    merge: int | None = None,
    *,
    align: bool = False,
    name: str = "hypothesis",
) -> Paired:
    """Bring both onto the same words, with the pauses between them; arguments and errors as of `score`."""
    classes = mark_classes(merge)
    expected, found = (list(with_pauses(classes.relabel(side))) for side in (references, hypotheses))
    if not any(reference.words for reference in expected):
        raise InputError("reference", "no words", "labelled utterances")
    pair = recognised_words if align else same_words
    with progress.step(f"pairing the words of {name}"):
        return Paired(expected, list(pair(expected, found, name)), classes, align)
