"""Metrics of marks, case and words, on counts of one or more units.

Definitions
    *Slot*: one (word, mark) pair. A word without marks has no slot, so "no mark" is never a class.
    *Position*: the left or the right side of a word. If m marks of the reference are missing at a position and e others
    are there, min(m, e) are substitutions S; the others are deletions D (missing) or insertions I (extra). C counts the
    correct slots.
    *Precision* tp / (tp + fp), *recall* tp / (tp + fn), *F1* 2 tp / (2 tp + fp + fn), *support* tp + fn. *Micro* pools
    the counts of all marks (González-Docasal et al. 2021, Table 4, and Table 6 for FIRST_CAP and ALL_CAPS).
    *One class*: a position is correct if both texts have any mark there (Poláček et al. 2023, Table 3).
    *Surface*: words written with a capital, correct only if the written forms are equal (`EiTB`). If a word of the
    reference is in lower case, its label gives the written form.

Conventions
    Precision, recall and F1 of a class in neither text are None (NaN in arrays). For a class in one of the texts, F1 is
    defined, and precision or recall is 0 if its denominator is 0. Other rates with denominator 0 are None. All rates
    are fractions.

Recognised words
    The labels of the reference are projected on the hypothesis' words (`align.projection.project`) and scored there. A
    mark that no word of the hypothesis can have is a deletion, so support is that of the complete reference. The case
    of words that were not recognised is not scored.
"""

from collections.abc import Mapping

import numpy as np

from asr_punct.scoring.counts import CASE_CLASSES, Array, Counts
from asr_punct.scoring.scores import CaseScores, Edits, Interval, Rate, Resampling, Scores


def f1(counts: Array) -> Array:
    """F1 = 2 tp / (2 tp + fp + fn), NaN for a class in neither text; (…, 3) -> (…,)."""
    tp, fp, fn = np.moveaxis(counts, -1, 0)
    return _ratio(2 * tp, 2 * tp + fp + fn)


def mean_f1(counts: Counts) -> Array:
    """Mean of the F1 of the classes that are in either text, NaN if there are none; (…,).

    González-Docasal et al. 2021, Table 5, give the F1 of each mark; Shi et al. 2021 the mean of three.
    """
    marks = f1(counts.marks)
    return _ratio(np.nansum(marks, axis=-1), np.count_nonzero(~np.isnan(marks), axis=-1))


def slot_error_rate(counts: Counts) -> Array:
    """(S + D + I) / (C + S + D), above 1 for many insertions, NaN without reference slots; (…,).

    Makhoul et al. 1999, Performance measures for information extraction.
    """
    correct, substituted, deleted, inserted = np.moveaxis(counts.edits, -1, 0)
    return _ratio(substituted + deleted + inserted, correct + substituted + deleted)


def punctuation_error_rate(counts: Counts) -> Array:
    """(S + D + I) / (C + S + D + I), at most 1, NaN without slots; (…,).

    Meister et al. 2023, LibriSpeech-PC; used by NeMo.
    """
    return _ratio(counts.edits[..., 1:].sum(axis=-1), counts.edits.sum(axis=-1))


def word_error_rate(counts: Counts) -> Array:
    """(S + D + I) / words of the reference, in lower case and without marks, aligned as by sclite; (…,)."""
    return _ratio(counts.word_errors.sum(axis=-1), counts.words)


def written_word_error_rate(counts: Counts) -> Array:
    """Word error rate of the words with capitals and (scored) marks, which are aligned separately; (…,)."""
    return _ratio(counts.written_errors, counts.words)


def headline_rates(counts: Counts) -> dict[str, Array]:
    """Return the rates that get an interval, by their path in a scores file; each (…,), NaN if undefined."""
    marks, case = f1(counts.marks), f1(counts.case)
    rates = {f"marks.{name}.f1": marks[..., i] for i, name in enumerate(counts.classes.names)}
    rates |= {
        "micro.f1": f1(counts.marks.sum(axis=-2)),
        "mean_f1": mean_f1(counts),
        "one_class.f1": f1(counts.one_class),
        "slot_error_rate": slot_error_rate(counts),
        "punctuation_error_rate": punctuation_error_rate(counts),
    }
    rates |= {f"case.{name}.f1": case[..., i] for i, name in enumerate(CASE_CLASSES)}
    rates |= {"case.micro.f1": f1(counts.case.sum(axis=-2)), "case.surface.f1": f1(counts.surface)}
    if counts.has_word_errors:
        rates |= {"wer": word_error_rate(counts), "written_wer": written_word_error_rate(counts)}
    return rates


def make_scores(
    counts: Counts, ci95: Mapping[str, Interval] | None = None, resampling: Resampling | None = None
) -> Scores:
    """Return the scores of the sum over all units."""
    total = counts.total()
    rates = {metric: None if np.isnan(rate) else float(rate) for metric, rate in headline_rates(total).items()}
    words, errors = int(total.words), total.word_errors.astype(int).tolist()
    return Scores(
        words=words,
        marks={name: _rate(tp_fp_fn) for name, tp_fp_fn in zip(counts.classes.names, total.marks, strict=True)},
        micro=_rate(total.marks.sum(axis=0)),
        mean_f1=rates["mean_f1"],
        one_class=_rate(total.one_class),
        slot_error_rate=rates["slot_error_rate"],
        punctuation_error_rate=rates["punctuation_error_rate"],
        case=CaseScores(
            {name.value: _rate(tp_fp_fn) for name, tp_fp_fn in zip(CASE_CLASSES, total.case, strict=True)},
            _rate(total.case.sum(axis=0)),
            _rate(total.surface),
        ),
        ci95=ci95 or {},
        bootstrap=resampling,
        merged=counts.classes.members if counts.classes.is_merged else None,
        wer=rates.get("wer"),
        written_wer=rates.get("written_wer"),
        slots=Edits(*total.edits.astype(int).tolist()),
        word_edits=Edits(words - errors[0] - errors[1], *errors) if counts.has_word_errors else None,
    )


def _rate(counts: Array) -> Rate:
    """Return the rates of tp, fp and fn, (3,)."""
    tp, fp, fn = counts.tolist()
    if not (tp or fp or fn):
        return Rate(None, None, None, 0)
    precision, recall = (tp / (tp + errors) if tp else 0.0 for errors in (fp, fn))
    return Rate(precision, recall, 2 * tp / (2 * tp + fp + fn), int(tp + fn))


def _ratio(numerator: Array, denominator: Array) -> Array:
    """Return quotients, NaN where the denominator is 0."""
    quotients = np.full(np.shape(denominator), np.nan)
    np.divide(numerator, denominator, out=quotients, where=np.asarray(denominator) > 0)
    return quotients
