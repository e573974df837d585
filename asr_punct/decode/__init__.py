"""Turn a model's probabilities of marks (or classes) and cases into labels.

`settings`: the settings stored with a model, and the marks that may be added.
`inputs`: what the decoder reads for each word, flags and logits; probabilities for users.
`states`, `word_marks`: the rules of paired marks as a state machine, and of the marks on one word.
`capitals`: the case of each word.
`decoder`, `online`: decoding of whole documents and of live streams; `plain`: both without rules.
`fitting`: fits the settings on a development corpus, by `calibration` and `thresholds`.
"""

from asr_punct.decode.decoder import Decoder
from asr_punct.decode.settings import DecodeSettings

__all__ = ["DecodeSettings", "Decoder"]
