"""Models of transformers' speech recognition pipeline that tell when words are said: CTC models and Whisper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from asr_punct.audio import Samples
from asr_punct.errors import AsrPunctError
from asr_punct.hub import reach_hub_for
from asr_punct.recognisers.pieces import LONGEST
from asr_punct.recognisers.transcribe import heard
from asr_punct.words import Seconds, TimeSource, Word

_TIMES: dict[str, TimeSource] = {"ctc": "ctc", "ctc_with_lm": "ctc", "tdt": "asr", "seq2seq_whisper": "whisper"}
"""Sources of times by the pipeline's names for kinds of models."""


class TransformersRecogniser:
    """A model by its directory, or its name on the hub.

    Args:
        name: which.
        language: of what it writes, where that is known.
        device: a torch device.

    Raises:
        AsrPunctError: there is no such device, or the model gives no times.
        OSError, ValueError: transformers cannot load it, or tell the times of its words.
    """

    joined: Seconds = LONGEST

    def __init__(self, name: str, language: str | None, device: str = "cpu") -> None:
        from transformers import pipeline

        from asr_punct.model.device import open_device
        from asr_punct.model.quiet import silence_transformers

        silence_transformers()
        reach_hub_for(name)
        place = open_device(device)
        self._pipeline = cast(Any, pipeline)("automatic-speech-recognition", model=name, device=place)
        if self._pipeline.type not in _TIMES:
            kind = type(self._pipeline.model).__name__
            raise AsrPunctError(f"--asr: found {name!r}, a {kind}, expected a CTC model or Whisper, which give times")
        self.rate = int(self._pipeline.feature_extractor.sampling_rate)
        self.times = _TIMES[self._pipeline.type]
        self.language = language
        list(self.words(np.zeros(self.rate, np.float32)))  # a Whisper model may lack what its word times need

    def words(self, samples: Samples) -> Iterator[Word]:
        """The words of a piece."""
        for chunk in self._pipeline(samples, return_timestamps="word")["chunks"]:
            yield from heard(chunk["text"], *chunk["timestamp"])
