"""CMU's PocketSphinx with the US-English model that its package carries."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from asr_punct.audio import Samples
from asr_punct.errors import AsrPunctError
from asr_punct.words import Seconds, TimeSource, Word

_FILLER = re.compile(r"<.*>|\[.*\]|\+\+.*\+\+")
"""`<s> </s> <sil> [NOISE] [SPEECH] ++COUGH++`: what is no word in its dictionaries."""
_PRONUNCIATION = re.compile(r"\(\d+\)$")
"""Marks a pronunciation of a word other than its first: `the(2)`."""
_LETTER = re.compile(r"([a-z])\.")
"""A letter that is spelled, whose period would be taken for the end of a sentence; `mr.` and `u.s.` are so written."""


class PocketSphinx:
    """English, on the CPU.

    Args:
        device: `cpu`.

    Raises:
        AsrPunctError: another device.
    """

    rate = 16000
    times: TimeSource = "asr"
    language: str | None = "en"
    joined: Seconds = 0.0

    def __init__(self, device: str = "cpu") -> None:
        from pocketsphinx import Decoder

        if device != "cpu":
            raise AsrPunctError(f"--device: found {device!r}, expected cpu: PocketSphinx runs on no other")
        self._decoder = Decoder(samprate=self.rate, loglevel="FATAL")
        self._frames_a_second = int(self._decoder.config["frate"])

    def words(self, samples: Samples) -> Iterator[Word]:
        """The words of a piece; each ends where the next one or a silence begins."""
        pcm = np.rint(np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()
        if not pcm:
            return
        self._decoder.start_utt()
        self._decoder.process_raw(pcm, full_utt=True)
        self._decoder.end_utt()
        for segment in self._decoder.seg() or ():
            text = _PRONUNCIATION.sub("", segment.word)
            text = letter[1] if (letter := _LETTER.fullmatch(text)) else text
            if not _FILLER.fullmatch(text):
                start, end = segment.start_frame, segment.end_frame + 1
                confidence = round(min(max(segment.prob, 0.0), 1.0), 4)
                yield Word(text, start / self._frames_a_second, end / self._frames_a_second, confidence)
