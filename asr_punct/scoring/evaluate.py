"""Score hypotheses by references."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from asr_punct import progress
from asr_punct.errors import InputError
from asr_punct.pauses import with_pauses
from asr_punct.scoring.counts import Counts, count
from asr_punct.scoring.mark_classes import MarkClasses, mark_classes
from asr_punct.scoring.metrics import make_scores
from asr_punct.scoring.pairing import SideBySide, recognised_words, same_words
from asr_punct.scoring.scores import Resampling, Scores
from asr_punct.scoring.significance import SAMPLES, SEED, bootstrap
from asr_punct.words import Utterance


@dataclass(frozen=True)
class Paired:
    """A reference and a hypothesis on the same words.

    Attributes:
        references: utterances of the reference; the units of resampling.
        pairs: groups of one or more utterances that are scored together.
        classes: the classes of marks.
        aligned: the hypothesis has words of a recogniser.
    """

    references: Sequence[Utterance]
    pairs: Sequence[SideBySide]
    classes: MarkClasses
    aligned: bool

    def count(self) -> Counts:
        """Return the counts of each utterance of the reference."""
        return count(self.pairs, self.classes, len(self.references), has_word_errors=self.aligned)


def pair_words(
    references: Iterable[Utterance],
    hypotheses: Iterable[Utterance],
    merge: int | None = None,
    *,
    align: bool = False,
    name: str = "hypothesis",
) -> Paired:
    """Pair the words of references and hypotheses.

    Args:
        references: labelled utterances.
        hypotheses: labelled utterances of the same words, in any division into utterances.
        merge: score 4, 3 or 2 classes of marks, "no mark" included; None: each mark is a class.
        align: the hypotheses have a recogniser's words; align them with the reference's.
        name: name of the hypotheses in an error, such as their file.

    Raises:
        InputError: without `align`, words differ; labels are missing; the reference is empty.
        AsrPunctError: `merge` is another number.
    """
    classes = mark_classes(merge)
    expected, found = (list(with_pauses(classes.relabel(side))) for side in (references, hypotheses))
    if not any(reference.words for reference in expected):
        raise InputError("reference", "no words", "labelled utterances")
    pair = recognised_words if align else same_words
    with progress.step(f"pairing the words of {name}"):
        return Paired(expected, list(pair(expected, found, name)), classes, align)


def count_labels(
    references: Iterable[Utterance],
    hypotheses: Iterable[Utterance],
    merge: int | None = None,
    *,
    align: bool = False,
    name: str = "hypothesis",
) -> Counts:
    """Return the counts of each utterance of the reference; arguments and errors as in `pair_words`."""
    return pair_words(references, hypotheses, merge, align=align, name=name).count()


def score_counts(counts: Counts, samples: int = SAMPLES, seed: int = SEED) -> Scores:
    """Return the scores with intervals from `samples` bootstrap samples of the utterances (0: no intervals)."""
    ci95 = bootstrap(counts, samples, seed)
    return make_scores(counts, ci95, Resampling(samples, seed, counts.units) if ci95 else None)


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
    """Score marks and case of the hypotheses; arguments and errors as in `pair_words` and `score_counts`."""
    return score_counts(count_labels(references, hypotheses, merge, align=align, name=name), samples, seed)
