"""Scores of marks and case: metrics, intervals, tables."""

from asr_punct.scoring.counts import Counts, concatenate
from asr_punct.scoring.evaluate import Paired, count_labels, pair_words, score, score_counts
from asr_punct.scoring.scores import CaseScores, Rate, Scores, read_score_sets, write_score_sets
from asr_punct.scoring.significance import Difference, bootstrap, paired

__all__ = [
    "CaseScores",
    "Counts",
    "Difference",
    "Paired",
    "Rate",
    "Scores",
    "bootstrap",
    "concatenate",
    "count_labels",
    "pair_words",
    "paired",
    "read_score_sets",
    "score",
    "score_counts",
    "write_score_sets",
]
