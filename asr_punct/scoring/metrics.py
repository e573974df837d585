"""Scores of marks and case against a reference on the same words.

Definitions
    *Slot*: one (word, mark). A slot of the reference is missed or found, one of the hypothesis right or wrong; a word
    without marks has no slot, so "no mark" is never a class.
    *Precision* tp / (tp + fp), *recall* tp / (tp + fn), *F1* 2 tp / (2 tp + fp + fn), *support* tp + fn.
    *Micro* pools tp, fp and fn over all marks (González-Docasal et al. 2021, Table 4); *mean F1* is the mean of the F1
    of the marks (ibid. Table 5 gives them one by one; Shi et al. 2021 print the mean of three). Case is scored alike
    over FIRST_CAP and ALL_CAPS (ibid. Table 6).
    *Position*: one side, left or right, of one word. *One class*: a position counts as found where both carry any
    mark, whichever it is (Poláček et al. 2023, Table 3, where the marks are merged into one class).
    *Substitution*: at a position where m marks of the reference are missing and e others stand, min(m, e) of them are
    substitutions S; the rest are deletions D (missing) or insertions I (extra). C counts the slots found.
    *Slot error rate* (S + D + I) / (C + S + D): errors by slots of the reference (Makhoul et al. 1999, Performance
    measures for information extraction); over 1 where there are many insertions.
    *Punctuation error rate* (S + D + I) / (C + S + D + I) (Meister et al. 2023, LibriSpeech-PC; NeMo): at most 1.
    *Surface*: the words written with a capital in them, right only where the written forms are the same (`EiTB`). A
    reference that holds no written forms is written by its labels.
    *Word error rate* (only for a recogniser's words): substitutions, deletions and insertions by reference words, in
    lower case and without marks, aligned as sclite aligns them. *Written word error rate*: the same over the words as
    they are written, capitals and marks (of the classes that are scored) on them, in an alignment of their own.

Conventions
    A class in neither reference nor hypothesis has precision, recall and F1 None, and stands outside the mean. One
    that is in either has an F1; its precision or recall is 0 where the denominator is. A rate without a denominator is
    None. All rates are fractions.

Recognised words
    The labels of the reference are projected onto the hypothesis' words (`align.projection.project`) and scored
    there. A mark of the reference that finds no place there counts as a deletion, so the support is that of the whole
    reference; the case of words that were not recognised is not scored.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from asr_punct.scoring.counts import CASE_CLASSES, Array, Counts
from asr_punct.scoring.scores import CaseScores, Edits, Interval, Rate, Resampling, Scores


def headline_rates(counts: Counts) -> dict[str, Array]:
    """The rates that get an interval, by their path in a scores file; each (…,), NaN where undefined."""
    marks = _f1(counts.marks)
    case = _f1(counts.case)
    correct, substituted, deleted, inserted = np.moveaxis(counts.edits, -1, 0)
    errors = substituted + deleted + inserted
    rates = {f"marks.{name}.f1": marks[..., i] for i, name in enumerate(counts.classes.names)}
    rates |= {
        "micro.f1": _f1(counts.marks.sum(axis=-2)),
        "mean_f1": _ratio(np.nansum(marks, axis=-1), np.count_nonzero(~np.isnan(marks), axis=-1)),
        "one_class.f1": _f1(counts.one_class),
        "slot_error_rate": _ratio(errors, correct + substituted + deleted),
        "punctuation_error_rate": _ratio(errors, correct + errors),
    }
    rates |= {f"case.{name}.f1": case[..., i] for i, name in enumerate(CASE_CLASSES)}
    rates |= {"case.micro.f1": _f1(counts.case.sum(axis=-2)), "case.surface.f1": _f1(counts.surface)}
    if counts.has_word_errors:
        rates["wer"] = _ratio(counts.word_errors.sum(axis=-1), counts.words)
        rates["written_wer"] = _ratio(counts.written_errors, counts.words)
    return rates


def make_scores(
    counts: Counts, ci95: Mapping[str, Interval] | None = None, resampling: Resampling | None = None
) -> Scores:
    """Scores of the sum over all units."""
    total = counts.total()
    rates = {metric: _value(rate) for metric, rate in headline_rates(total).items()}
    words, errors = int(total.words), total.word_errors.astype(int).tolist()
    return Scores(
        words=words,
        marks={name: _rate(three) for name, three in zip(counts.classes.names, total.marks, strict=True)},
        micro=_rate(total.marks.sum(axis=0)),
        mean_f1=rates["mean_f1"],
        one_class=_rate(total.one_class),
        slot_error_rate=rates["slot_error_rate"],
        punctuation_error_rate=rates["punctuation_error_rate"],
        case=CaseScores(
            {name.value: _rate(three) for name, three in zip(CASE_CLASSES, total.case, strict=True)},
            _rate(total.case.sum(axis=0)),
            _rate(total.surface),
        ),
        ci95=ci95 or {},
        resampling=resampling,
        merged=counts.classes.members if counts.classes.is_merged else None,
        wer=rates.get("wer"),
        written_wer=rates.get("written_wer"),
        slots=Edits(*total.edits.astype(int).tolist()),
        word_edits=Edits(words - errors[0] - errors[1], *errors) if counts.has_word_errors else None,
    )


def _rate(three: Array) -> Rate:
    """Rate of one group of three counts; (3,)."""
    right, wrong, missed = three.tolist()
    if not (right or wrong or missed):
        return Rate(None, None, None, 0)
    precision, recall = (right / (right + other) if right else 0.0 for other in (wrong, missed))
    return Rate(precision, recall, 2 * right / (2 * right + wrong + missed), int(right + missed))


def _f1(three: Array) -> Array:
    """F1 of groups of three counts; (…, 3) -> (…,)."""
    right, wrong, missed = np.moveaxis(three, -1, 0)
    return _ratio(2 * right, 2 * right + wrong + missed)


def _ratio(part: Array, whole: Array) -> Array:
    """Quotients, NaN where the denominator is 0."""
    quotients = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=quotients, where=np.asarray(whole) > 0)
    return quotients


def _value(rate: Array) -> float | None:
    return None if np.isnan(rate) else float(rate)
