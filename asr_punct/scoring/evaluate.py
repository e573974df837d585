"""From utterances to scores."""

from __future__ import annotations

from collections.abc import Iterable

from asr_punct.errors import InputError
from asr_punct.scoring.classes import mark_classes
from asr_punct.scoring.counts import Counts, count
from asr_punct.scoring.metrics import make_scores
from asr_punct.scoring.pairing import recognised_words, same_words
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
    classes = mark_classes(merge)
    expected, found = classes.relabel(references), classes.relabel(hypotheses)
    if not any(reference.words for reference in expected):
        raise InputError("reference", "no words", "labelled utterances")
    pair = recognised_words if align else same_words
    return count(pair(expected, found, name), classes, len(expected), has_word_errors=align)
