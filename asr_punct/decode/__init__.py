"""Turn a model's probabilities of marks (or classes) and cases into labels.

`settings` holds the parameters stored with a model, `classes` handles models whose labels are classes, `states` lists
the rules of paired marks as a state machine, `decoder` decodes whole documents, `online` decodes live streams, and
`tune` fits the settings on a development corpus.
"""

from asr_punct.decode.decoder import Decoder
from asr_punct.decode.settings import CAPITAL_FOLLOWS, Calibration, DecodeSettings, FloatArray

__all__ = ["CAPITAL_FOLLOWS", "Calibration", "DecodeSettings", "Decoder", "FloatArray"]
