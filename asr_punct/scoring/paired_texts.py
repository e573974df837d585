"""Score hypotheses against references."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from asr_punct import progress
from asr_punct.errors import InputError
from asr_punct.pauses import with_pauses
from asr_punct.scoring.counts import Counts, count
from asr_punct.scoring.mark_classes import MarkClasses, mark_classes
from asr_punct.scoring.pairing import WordPair, pair_utterances
from asr_punct.scoring.scores import Resampling, Scores, make_scores
from asr_punct.scoring.significance import SAMPLES, SEED, bootstrap
from asr_punct.words import Utterance, check_utterances

_HINT = "to read a file: formats.labelled.read_labelled"


@dataclass(frozen=True)
class PairedTexts:
    """A reference and a hypothesis whose words are paired. The references are the units of resampling.

    `written_error_units` has the unit of each error between the written words, with marks and capitals. `is_aligned` is
    whether the words of the hypothesis are a recogniser's, aligned with those of the reference.
    """

    references: Sequence[Utterance]
    pairs: Sequence[WordPair]
    written_error_units: Sequence[int]
    classes: MarkClasses
    is_aligned: bool

    def count(self) -> Counts:
        """Return the counts of each utterance of the reference."""
        return count(self.pairs, self.written_error_units, self.classes, len(self.references), self.is_aligned)


def pair_words(
    references: Iterable[Utterance],
    hypotheses: Iterable[Utterance],
    merge: int | None = None,
    *,
    align: bool = False,
    name: str = "hypothesis",
) -> PairedTexts:
    """Pair the words of labelled references and hypotheses, which can have other boundaries of utterances.

    `merge` scores 4, 3 or 2 classes of marks, "no mark" included; None: each mark is a class. With `align` the
    hypotheses have a recogniser's words, which are aligned with the reference's. `name` is that of the hypotheses in an
    error. Raises InputError if words differ without `align`, labels are missing, or the reference is empty, and
    ArgumentError if `merge` is another number, or a value is not an utterance.
    """
    classes = mark_classes(merge)
    references = check_utterances(references, "references", _HINT)
    hypotheses = check_utterances(hypotheses, "hypotheses", _HINT)
    expected, found = (list(with_pauses(classes.relabel(side))) for side in (references, hypotheses))
    if not any(reference.words for reference in expected):
        raise InputError("reference", "no words", "labelled utterances")
    with progress.step(f"pairing the words of {name}"):
        return PairedTexts(expected, *pair_utterances(expected, found, name, align=align), classes, align)


def join_texts(texts: Mapping[str, PairedTexts]) -> PairedTexts:
    """Return one or more texts with the same classes as one; the ids of references begin with the text's name."""
    references, pairs, error_units = list[Utterance](), list[WordPair](), list[int]()
    for name, text in texts.items():
        start = len(references)
        pairs += (replace(pair, unit=start + pair.unit) for pair in text.pairs)
        error_units += (start + unit for unit in text.written_error_units)
        references += (replace(u, id=f"{name} {u.id or i}") for i, u in enumerate(text.references, start=1))
    return replace(next(iter(texts.values())), references=references, pairs=pairs, written_error_units=error_units)


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
    """Score marks and case of the hypotheses; arguments and errors are those of `pair_words` and `score_counts`."""
    return score_counts(pair_words(references, hypotheses, merge, align=align, name=name).count(), samples, seed)
