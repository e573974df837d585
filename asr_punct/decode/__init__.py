"""Probabilities of marks, or of classes, and of cases to labels.

`settings` holds what a model directory keeps for it, `classes` what classes of marks are worth, `words` what may stand
on one word, `balance` the exact search for the best marks of which ¿ ? ¡ ! « » are balanced, `decoder` runs it over a
stream in bounded memory.
"""

from asr_punct.decode.decoder import Decoder
from asr_punct.decode.settings import CAPITAL_FOLLOWS, Calibration, DecodeSettings, FloatArray, case_scores, mark_scores

__all__ = ["CAPITAL_FOLLOWS", "Calibration", "DecodeSettings", "Decoder", "FloatArray", "case_scores", "mark_scores"]
