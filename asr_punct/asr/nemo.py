"""Models of NeMo as recognisers, and CTC models and hybrids of NeMo for alignment."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from nemo.collections.asr.models import ASRModel, EncDecCTCModel, EncDecHybridRNNTCTCModel
from nemo.utils import logging as nemo_logging

from asr_punct.align.ctc_model import CtcVocabulary, Floats, character_vocabulary, measure_hop, subword_vocabulary
from asr_punct.asr.nemo_data import check_archive, read_hypothesis
from asr_punct.asr.transcribe import LONGEST_SEGMENT
from asr_punct.audio import Samples
from asr_punct.errors import ModelError, first_line
from asr_punct.hub import NEMO_FILE
from asr_punct.model.device import open_device
from asr_punct.words import Seconds, TimeSource, Word


class NemoRecogniser:
    """A CTC model, transducer or hybrid as a `Recogniser`; see `load_recogniser` for names and errors."""

    merge_segments_up_to: Seconds = LONGEST_SEGMENT

    def __init__(self, name: str, language: str | None, device: str) -> None:
        self._model = load_recogniser(name, device)
        self.rate = int(self._model.cfg.preprocessor.sample_rate)
        ctc = isinstance(self._model, EncDecCTCModel) or getattr(self._model, "cur_decoder", None) == "ctc"
        self.time_source: TimeSource = "ctc" if ctc else "asr"
        self.language = language

    def words(self, samples: Samples) -> Iterator[Word]:
        """Transcribe a segment."""
        (hypothesis,) = self._model.transcribe([samples], batch_size=1, timestamps=True, verbose=False)
        yield from read_hypothesis(hypothesis, "NeMo")[0]


class NemoCtcModel:
    """A CTC model, or the CTC head of a hybrid, as an `align.ctc_model.AcousticModel`.

    Raises ModelError if the model has no CTC head, or has a tokenizer for each of several languages.
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
        self.hop = measure_hop(self.log_probs, name)

    def log_probs(self, samples: Samples) -> Floats:
        """Return float32 (frames, vocabulary) for float32 (samples,)."""
        signal = torch.from_numpy(samples)[None].to(self._model.device)
        length = torch.tensor([len(samples)], device=signal.device)
        with torch.inference_mode():
            output, frames, *_ = self._model(input_signal=signal, input_signal_length=length)
            if self._hybrid:  # `output` is that of the encoder
                output = self._model.ctc_decoder(encoder_output=output)
        log_probs = output[0, : int(frames[0])].float().log_softmax(dim=-1)
        return cast(Floats, log_probs.cpu().numpy().astype(np.float32))


def load_recogniser(name: str, device: str) -> Any:
    """Load a model in evaluation mode. `name` is a `.nemo` file, or a model name of NVIDIA's catalogue or the hub.

    Raises ModelError if the model cannot be loaded, and AsrPunctError for an unknown device.
    """
    torch_device = open_device(device)
    nemo_logging.setLevel(nemo_logging.ERROR)
    is_file = Path(name).suffix == NEMO_FILE
    if is_file:
        check_archive(name)
    load = ASRModel.restore_from if is_file else ASRModel.from_pretrained
    try:
        return load(name, map_location=torch_device).eval()
    except Exception as error:  # archives, configurations and the hub fail in many ways
        raise ModelError(name, first_line(error), "a recogniser of NeMo") from None


def _vocabulary(name: str, model: Any, decoder: Any) -> CtcVocabulary:
    """Return the model's vocabulary. NeMo's blank has the id after those of the symbols."""
    blank = len(decoder.vocabulary)
    tokenizer = getattr(model, "tokenizer", None)
    if tokenizer is None:
        symbols = {symbol: id_ for id_, symbol in enumerate(decoder.vocabulary)}
        return character_vocabulary(symbols, blank + 1, blank, " ")
    if hasattr(tokenizer, "tokenizers_dict"):
        raise ModelError(name, "a tokenizer for each of several languages", "one tokenizer")
    return subword_vocabulary(tokenizer.text_to_ids, blank + 1, blank, getattr(tokenizer, "unk_id", None))
