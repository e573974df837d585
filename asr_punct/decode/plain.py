"""Decoding as in papers: a mark where its probability is over a half, or those of the likeliest class; no rules.

The case is the likeliest one. Only what the input says is respected: a side of a word that has marks gets no others.
The settings that `asr-punct tune` fits are not used, except for class weights that the user gives.
"""

from asr_punct.decode.decoder import Decoder
from asr_punct.decode.inputs import DecoderInput, FlagArray, FloatArray
from asr_punct.decode.online import OnlineDecoder
from asr_punct.decode.settings import DecodeSettings
from asr_punct.marks import CASES, MARKS, Case, Labels


class PlainDecoder(Decoder):
    """Decodes each word of a document on its own."""

    def push(
        self, labels: FloatArray, cases: FloatArray, flags: FlagArray, end: bool, texts: tuple[str, ...] = ()
    ) -> list[Labels]:
        return _label(DecoderInput.from_probabilities(labels, cases, flags, self._settings, self._classes))


class PlainOnlineDecoder(OnlineDecoder):
    """Decodes each word of a stream on its own."""

    def commit(
        self,
        labels: FloatArray,
        cases: FloatArray,
        flags: FlagArray,
        end: bool,
        count: int = 1,
        texts: tuple[str, ...] = (),
    ) -> tuple[list[Labels], list[Labels]]:
        result = _label(DecoderInput.from_probabilities(labels, cases, flags, self._settings, self._classes))
        return result[:count], result[count:]


def new_decoder(settings: DecodeSettings, classes: tuple[str, ...]) -> Decoder:
    """Return the decoder of documents that the settings ask for."""
    return (PlainDecoder if settings.plain else Decoder)(settings, classes)


def new_online_decoder(settings: DecodeSettings, classes: tuple[str, ...]) -> OnlineDecoder:
    """Return the decoder of streams that the settings ask for."""
    return (PlainOnlineDecoder if settings.plain else OnlineDecoder)(settings, classes)


def _label(words: DecoderInput) -> list[Labels]:
    cases = words.cases.argmax(axis=1).tolist()
    return [
        Labels(frozenset(mark for mark, logit in zip(MARKS, row, strict=True) if logit > 0), Case(CASES[case]))
        for row, case in zip(words.marks.tolist(), cases, strict=True)
    ]
