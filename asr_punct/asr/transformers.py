"""CTC models and Whisper of Hugging Face `transformers` as recognisers, and CTC models for alignment."""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import torch
from safetensors import SafetensorError
from transformers import (
    AutoFeatureExtractor,
    AutoModelForCTC,
    AutoTokenizer,
    Wav2Vec2CTCTokenizer,
    Wav2Vec2FeatureExtractor,
    pipeline,
)
from transformers.utils import logging as transformers_logging

from asr_punct.align.ctc_model import CtcVocabulary, Floats, character_vocabulary, measure_hop, subword_vocabulary
from asr_punct.asr.transcribe import LONGEST_SEGMENT, recognised_words, whisper_language
from asr_punct.audio import Samples
from asr_punct.errors import ArgumentError, ModelError, first_line
from asr_punct.hub import local_copy
from asr_punct.model.device import open_device
from asr_punct.words import Seconds, TimeSource, Word

_WHISPER = "seq2seq_whisper"
_TIME_SOURCES: dict[str, TimeSource] = {"ctc": "ctc", "ctc_with_lm": "ctc", _WHISPER: "whisper"}
"""Time source for each `type` of the pipeline that can compute word times."""
_MASKING_WEIGHT = "masked_spec_embed"
"""Weight used only for SpecAugment masking in training; checkpoints may lack it."""


class TransformersRecogniser:
    """A CTC model with the tokenizer of wav2vec 2.0, or Whisper, as a `Recogniser`.

    Raises ArgumentError for an unknown device or a model without word times, and OSError or ValueError if transformers
    cannot load the model or compute word times with it.
    """

    merge_segments_up_to: Seconds = LONGEST_SEGMENT

    def __init__(self, name: str, language: str | None, device: str) -> None:
        torch_device = _prepare(device)
        task = "automatic-speech-recognition"
        self._pipeline = cast(Any, pipeline)(task, model=local_copy(name), device=torch_device)
        kind, tokenizer = self._pipeline.type, self._pipeline.tokenizer
        if kind not in _TIME_SOURCES or (kind == "ctc" and not isinstance(tokenizer, Wav2Vec2CTCTokenizer)):
            found = f"{type(self._pipeline.model).__name__} with {type(tokenizer).__name__}"
            expected = "a CTC model with Wav2Vec2CTCTokenizer, or Whisper, which have word times"
            raise ArgumentError("asr", f"{name!r}, {found}", expected)
        self.rate = int(self._pipeline.feature_extractor.sampling_rate)
        self.time_source = _TIME_SOURCES[kind]
        self.language = language
        self._generation = _generation_options(self._pipeline, language)
        # Trial run on one second of silence: a Whisper checkpoint without alignment heads fails here, not at the first
        # segment.
        list(self.words(np.zeros(self.rate, np.float32)))

    def words(self, samples: Samples) -> Iterator[Word]:
        """Transcribe a segment."""
        for chunk in self._pipeline(samples, return_timestamps="word", generate_kwargs=self._generation)["chunks"]:
            yield from recognised_words(chunk["text"], *chunk["timestamp"])


def _generation_options(recognition: Any, language: str | None) -> dict[str, str]:
    """Return the options of Whisper's `generate`: the language, which an English-only model does not accept."""
    language = whisper_language(language)
    if language is None or recognition.type != _WHISPER:
        return {}
    is_multilingual = getattr(recognition.model.generation_config, "is_multilingual", False)
    return {"language": language} if is_multilingual else {}


class TransformersCtcModel:
    """A CTC model (`...ForCTC`) with its feature extractor, as an `align.ctc_model.AcousticModel`."""

    def __init__(self, name: str, model: Any, extractor: Any, vocabulary: CtcVocabulary) -> None:
        self.name, self.vocabulary = name, vocabulary
        self._model, self._extractor = model, extractor
        self.rate = int(extractor.sampling_rate)
        self.hop = measure_hop(self.log_probs, name)

    def log_probs(self, samples: Samples) -> Floats:
        """Return float32 (frames, vocabulary) for float32 (samples,)."""
        features = self._extractor(samples, sampling_rate=self.rate, return_tensors="pt")
        with torch.inference_mode():
            logits = self._model(**features.to(self._model.device)).logits
        return cast(Floats, logits[0].float().log_softmax(dim=-1).cpu().numpy().astype(np.float32))


def open_ctc_model(name: str, device: str) -> TransformersCtcModel:
    """Load a CTC model, any of `AutoModelForCTC`, from a directory or the hub.

    Raises ModelError if it cannot be loaded, is no CTC model, or has another blank than its tokenizer; AsrPunctError
    for an unknown device.
    """
    torch_device = _prepare(device)
    try:
        source = local_copy(name)
        model, loading = AutoModelForCTC.from_pretrained(source, output_loading_info=True)
        tokenizer = AutoTokenizer.from_pretrained(source)
        extractor = _extractor(source, model)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise ModelError(name, first_line(error), "a CTC model of transformers with its tokenizer") from None
    missing = [weight for weight in loading["missing_keys"] if not weight.endswith(_MASKING_WEIGHT)]
    if missing:
        raise ModelError(name, f"no weight {sorted(missing)[0]}", "a model trained for CTC")
    vocabulary = _vocabulary(name, tokenizer, model.config)
    return TransformersCtcModel(name, model.eval().to(torch_device), extractor, vocabulary)


def _prepare(device: str) -> torch.device:
    """Check the device and return it, and silence transformers."""
    torch_device = open_device(device)
    messages = cast(Any, transformers_logging)
    messages.set_verbosity_error()
    messages.disable_progress_bar()
    return torch_device


def _extractor(name: str, model: Any) -> Any:
    """Return the model's feature extractor, or the default one if the model reads waveforms and none was saved."""
    try:
        return cast(Any, AutoFeatureExtractor).from_pretrained(name)
    except (OSError, ValueError):
        if model.main_input_name != "input_values":
            raise
        return cast(Any, Wav2Vec2FeatureExtractor)()


def _vocabulary(name: str, tokenizer: Any, config: Any) -> CtcVocabulary:
    size, blank = config.vocab_size, config.pad_token_id
    if blank is None or not 0 <= blank < size:
        raise ModelError(name, f"blank (pad_token_id) {blank}", f"an index from 0 to {size - 1}")
    if tokenizer.pad_token_id != blank:
        raise ModelError(name, f"pad token {tokenizer.pad_token_id} in its tokenizer", f"{blank}, as in config.json")
    if not isinstance(tokenizer, Wav2Vec2CTCTokenizer):
        return subword_vocabulary(
            lambda word: tokenizer(word, add_special_tokens=False)["input_ids"], size, blank, tokenizer.unk_token_id
        )
    special = {*tokenizer.all_special_tokens} - {tokenizer.word_delimiter_token}
    symbols = {symbol: id_ for symbol, id_ in tokenizer.get_vocab().items() if symbol not in special}
    return character_vocabulary(symbols, size, blank, tokenizer.word_delimiter_token)
