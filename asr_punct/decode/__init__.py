"""Turn a model's probabilities of marks (or classes) and cases into labels.

`settings`: the settings stored with a model, and logits.
`states`, `word_marks`: the rules of paired marks as a state machine, and of the marks on one word.
`decoder`, `online`: decoding of whole documents and of live streams.
`classes`: models whose labels are classes.
`tune`: fits the settings on a development corpus.
"""

from asr_punct.decode.decoder import Decoder
from asr_punct.decode.settings import DecodeSettings

__all__ = ["DecodeSettings", "Decoder"]
