"""Recognisers of NeMo; CTC models, and the CTC heads of hybrid ones, for the aligner to listen with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from nemo.collections.asr.models import ASRModel, EncDecCTCModel, EncDecHybridRNNTCTCModel
from nemo.utils import logging as messages

from asr_punct.align.emissions import Floats, hop_of
from asr_punct.align.spelling import Vocabulary, characters, pieces
from asr_punct.asr.archive import check_recogniser
from asr_punct.asr.hypotheses import hypothesis_words
from asr_punct.asr.segments import LONGEST
from asr_punct.audio import Samples
from asr_punct.errors import ModelError, first_line
from asr_punct.model.device import open_device
from asr_punct.words import Seconds, TimeSource, Word


class NemoCtcModel:
    """A model as `align.emissions.AcousticModel` describes it.

    Args:
        name: for messages.
        model: an `EncDecCTCModel` or `EncDecHybridRNNTCTCModel`, or of a class derived from one, in evaluation mode.

    Raises:
        ModelError: it is another model, or its tokenizer is one for several languages.
    """

    def __init__(self, name: str, model: Any) -> None:
        if not isinstance(model, EncDecCTCModel | EncDecHybridRNNTCTCModel):
            raise ModelError(name, type(model).__name__, "a CTC model, or a hybrid one with a CTC head")
        self.name, self._model = name, model
        self._hybrid = isinstance(model, EncDecHybridRNNTCTCModel)
        self.rate = int(model.cfg.preprocessor.sample_rate)
        self.vocabulary = _vocabulary(name, model, model.ctc_decoder if self._hybrid else model.decoder)
        model.preprocessor.featurizer.dither = 0.0
        model.preprocessor.featurizer.pad_to = 0
        self.hop = hop_of(self.log_probs, name)

    def log_probs(self, samples: Samples) -> Floats:
        """float32 (frames, vocabulary) of float32 (samples,)."""
        signal = torch.from_numpy(samples)[None].to(self._model.device)
        length = torch.tensor([len(samples)], device=signal.device)
        with torch.inference_mode():
            first, frames, *_ = self._model(input_signal=signal, input_signal_length=length)
            heard = self._model.ctc_decoder(encoder_output=first) if self._hybrid else first
        heard = heard[0, : int(frames[0])].float().log_softmax(dim=-1)
        return cast(Floats, heard.cpu().numpy().astype(np.float32))


def open_nemo_model(name: str, device: str) -> NemoCtcModel:
    """A model of a `.nemo` file, or of a name that NeMo knows.

    Raises:
        ModelError: it cannot be loaded, or is no CTC model.
        AsrPunctError: there is no such device.
    """
    return NemoCtcModel(name, load_recogniser(name, device))


def load_recogniser(name: str, device: str) -> Any:
    """A model of any kind, as `open_nemo_model`, in evaluation mode.

    Raises:
        ModelError: it cannot be loaded.
        AsrPunctError: there is no such device.
    """
    place = open_device(device)
    messages.setLevel(messages.ERROR)
    is_file = Path(name).suffix == ".nemo"
    if is_file:
        check_recogniser(name)
    try:
        if is_file:
            model = ASRModel.restore_from(name, map_location=place)
        else:
            model = ASRModel.from_pretrained(name, map_location=place)
    except Exception as error:  # whatever an archive, its configuration or the hub can do wrong
        raise ModelError(name, first_line(error), "a recogniser of NeMo") from None
    return model.eval()


def _vocabulary(name: str, model: Any, decoder: Any) -> Vocabulary:
    """Characters, or the tokenizer's pieces; NeMo's blank is the number after the last."""
    blank = len(decoder.vocabulary)
    tokenizer = getattr(model, "tokenizer", None)
    if tokenizer is None:
        symbols = {symbol: number for number, symbol in enumerate(decoder.vocabulary)}
        return characters(symbols, blank + 1, blank, " ")
    if hasattr(tokenizer, "tokenizers_dict"):
        raise ModelError(name, "a tokenizer for each of several languages", "one tokenizer")
    return pieces(tokenizer.text_to_ids, blank + 1, blank, getattr(tokenizer, "unk_id", None))


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
        self._model = load_recogniser(name, device)
        self.rate = int(self._model.cfg.preprocessor.sample_rate)
        ctc = isinstance(self._model, EncDecCTCModel) or getattr(self._model, "cur_decoder", None) == "ctc"
        self.times: TimeSource = "ctc" if ctc else "asr"
        self.language = language

    def words(self, samples: Samples) -> Iterator[Word]:
        """The words of a piece."""
        (hypothesis,) = self._model.transcribe([samples], batch_size=1, timestamps=True, verbose=False)
        yield from hypothesis_words(hypothesis, "NeMo")
