"""Recognisers of NeMo: CTC models, transducers and hybrids of both."""

from __future__ import annotations

from collections.abc import Iterator

from asr_punct.audio import Samples
from asr_punct.nemo.hypotheses import hypothesis_words
from asr_punct.recognisers.pieces import LONGEST
from asr_punct.words import Seconds, TimeSource, Word


class NemoRecogniser:
    """A model by its `.nemo` file, or its name at NVIDIA's or on the hub.

    Args:
        name: which.
        language: of what it writes, where that is known.
        device: a torch device.

    Raises:
        AsrPunctError: there is no such device, or NeMo cannot load it.
    """

    joined: Seconds = LONGEST

    def __init__(self, name: str, language: str | None, device: str = "cpu") -> None:
        from nemo.collections.asr.models import EncDecCTCModel

        from asr_punct.nemo.acoustic import load_recogniser

        self._model = load_recogniser(name, device)
        self.rate = int(self._model.cfg.preprocessor.sample_rate)
        ctc = isinstance(self._model, EncDecCTCModel) or getattr(self._model, "cur_decoder", None) == "ctc"
        self.times: TimeSource = "ctc" if ctc else "asr"
        self.language = language

    def words(self, samples: Samples) -> Iterator[Word]:
        """The words of a piece."""
        (hypothesis,) = self._model.transcribe([samples], batch_size=1, timestamps=True, verbose=False)
        yield from hypothesis_words(hypothesis, "NeMo")
