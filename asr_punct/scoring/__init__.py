"""Scores of marks and case, with intervals, as tables and as a page."""

from asr_punct.scoring.counts import Counts, concatenate
from asr_punct.scoring.paired_texts import join_texts, pair_words, score, score_counts
from asr_punct.scoring.scores import Rate, Scores, read_score_sets, write_score_sets
from asr_punct.scoring.significance import Difference, bootstrap, compare_counts

__all__ = [
    "Counts",
    "Difference",
    "Rate",
    "Scores",
    "bootstrap",
    "compare_counts",
    "concatenate",
    "join_texts",
    "pair_words",
    "read_score_sets",
    "score",
    "score_counts",
    "write_score_sets",
]
