"""Scores of marks and case: metrics, intervals, tables."""

from asr_punct.scoring.counts import Counts
from asr_punct.scoring.evaluate import count_labels, score
from asr_punct.scoring.scores import CaseScores, Rate, Scores
from asr_punct.scoring.significance import Difference, bootstrap, paired

__all__ = ["CaseScores", "Counts", "Difference", "Rate", "Scores", "bootstrap", "count_labels", "paired", "score"]
