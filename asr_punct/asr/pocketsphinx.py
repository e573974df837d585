"""CMU PocketSphinx with the US English model of its package."""

import re
from collections.abc import Iterator

import numpy as np

from asr_punct.audio import Samples
from asr_punct.errors import ArgumentError
from asr_punct.words import Seconds, TimeSource, Word

_FILLER = re.compile(r"<.*>|\[.*\]|\+\+.*\+\+")
"""Dictionary entries that are not words: `<s> </s> <sil> [NOISE] [SPEECH] ++COUGH++`."""
_PRONUNCIATION = re.compile(r"\(\d+\)$")
"""Number of an alternative pronunciation: `the(2)`."""
_LETTER = re.compile(r"([a-z])\.")
"""A spelled letter, `b.`, whose period would look like the end of a sentence. `mr.` and `u.s.` keep theirs."""


class PocketSphinx:
    """PocketSphinx as a `Recogniser`. It has one model, so `name` and `language` are not used.

    Raises ArgumentError for a device other than `cpu`.
    """

    rate = 16000
    time_source: TimeSource = "asr"
    language: str | None = "en"
    merge_segments_up_to: Seconds = 0.0

    def __init__(self, name: str, language: str | None, device: str) -> None:
        from pocketsphinx import Decoder

        if device != "cpu":
            raise ArgumentError("device", repr(device), "cpu, the only one for PocketSphinx")
        self._decoder = Decoder(samprate=self.rate, loglevel="FATAL")
        self._frames_a_second = int(self._decoder.config["frate"])

    def words(self, samples: Samples) -> Iterator[Word]:
        """Transcribe a segment. A word ends where the next one or a silence begins. Fillers are left out."""
        pcm = np.rint(np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()
        if not pcm:
            return
        self._decoder.start_utt()
        self._decoder.process_raw(pcm, full_utt=True)
        self._decoder.end_utt()
        for entry in self._decoder.seg() or ():
            text = _PRONUNCIATION.sub("", entry.word)
            text = letter[1] if (letter := _LETTER.fullmatch(text)) else text
            if not _FILLER.fullmatch(text):
                start, end = entry.start_frame / self._frames_a_second, (entry.end_frame + 1) / self._frames_a_second
                yield Word(text, start, end, confidence=round(min(max(entry.prob, 0.0), 1.0), 4))
