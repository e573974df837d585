"""What a training run begins with: a new model, or the weights and settings of another one."""

import logging
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from asr_punct.checkpoint import CASING, WEIGHTS, existing_file, load_tokenizer, read_info, verified_file
from asr_punct.config import Config, EncoderConfig, ModelConfig, below, differing_keys
from asr_punct.decode import DecodeSettings
from asr_punct.decode.settings import new_settings
from asr_punct.errors import ConfigError
from asr_punct.marks import MARKS, NO_MARKS, Mark, format_marks
from asr_punct.model.encoder import Encoder, new_encoder
from asr_punct.model.pos import PosTagger
from asr_punct.model.pretrained import pretrained_encoder, pretrained_tokenizer
from asr_punct.model.tagger import Tagger
from asr_punct.model.weights import load_parts, load_pos_tagger
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.distributed import SINGLE_PROCESS, Process, from_leader
from asr_punct.training.mapped import Corpora

log = logging.getLogger(__name__)


def start_config(init: Path, configured: ModelConfig, head_keys: Collection[str] = ()) -> ModelConfig:
    """Return the model configuration of `init` with these keys of `configured.heads`; warn of other differences.

    The model gets vectors of speakers if `configured` has them. With another `kind` or `class_count` of its heads the
    classes are empty, for `with_classes` to find. Raises ConfigError if `head_keys` contradict the other keys
    of `init`.
    """
    model = read_info(init).model
    with below("model.heads"):
        new = replace(model.heads, **{key: getattr(configured.heads, key) for key in head_keys})
    if "classes" not in head_keys and (new.kind, new.class_count) != (model.heads.kind, model.heads.class_count):
        new = replace(new, classes=())
    model = replace(model, heads=new, speakers=model.speakers or configured.speakers)
    ignored = [key for key in differing_keys(configured, model) if key != "heads.classes"]
    if ignored and configured != ModelConfig():  # a configuration of training alone says nothing of the model
        log.warning("the model stays as in %s; not used: %s", init, " ".join(f"model.{key}" for key in ignored))
    return model


@dataclass(frozen=True)
class Inherited:
    """What a run takes from the model that it begins with, beside the weights: what `tune` and a casing list added."""

    decoding: DecodeSettings
    casing: Path | None = None
    """The casing list of that model."""


def inherited(init: Path | None, model: ModelConfig) -> Inherited:
    """Return the settings of the model directory `init` for a run of `model`, and log them in one line.

    Without `init`, and where `model` has other heads, whose probabilities are not those that the settings were fitted
    to, they are those of a new model.
    """
    if init is None:
        return Inherited(new_settings(model.language))
    info = read_info(init)
    casing = existing_file(init, info, CASING) if CASING in info.files else None
    kept = info.model.heads == model.heads
    names = ["weights", *["thresholds", "calibration"] * kept, *["casing list"] * (casing is not None)]
    log.info("from %s: %s", init, ", ".join(names))
    return Inherited(info.decoding if kept else new_settings(model.language), casing)


def with_classes(config: Config, corpora: Corpora) -> Config:
    """Return the configuration with the classes of the training corpus, if its head needs classes and has none."""
    heads = config.model.heads
    if heads.kind != "classes" or heads.classes:
        return config
    classes = find_classes(corpora.train.mark_sets(), heads.class_count)
    return replace(config, model=replace(config.model, heads=replace(heads, classes=classes)))


def find_classes(sets: Counter[frozenset[Mark]], class_count: int) -> tuple[str, ...]:
    """Return `HeadConfig.classes` of a corpus; `sets` is the number of words with each set of marks."""
    counts = {mark: sum(count for marks, count in sets.items() if mark in marks) for mark in MARKS}
    single = sorted((mark for mark in MARKS if counts[mark]), key=lambda mark: -counts[mark])
    several = {format_marks(marks): count for marks, count in sets.items() if len(marks) > 1 and count >= class_count}
    return (NO_MARKS, *single, *sorted(several, key=lambda name: (-several[name], name)))


def start_model(
    config: Config,
    corpora: Corpora,
    init: Path | None = None,
    tokenizer_file: Path | None = None,
    process: Process = SINGLE_PROCESS,
) -> tuple[Tagger, SubwordTokenizer]:
    """Return model and tokenizer before the first step. A resumed run has a `tokenizer_file`."""
    encoder = config.model.encoder
    if init:
        info = read_info(init)
        model, new = load_parts(verified_file(init, info, WEIGHTS), info, config.model)
        if new:
            log.info("parts not in %s are new: %s", init, " ".join(new))
        return model, load_tokenizer(init, info)
    tokenizer = _tokenizer(encoder, corpora, tokenizer_file, process)
    if encoder.name:
        built: Encoder = pretrained_encoder(
            encoder.name,
            masked_lm=bool(encoder.sequence_hidden),
            attention_dropout=encoder.attention_dropout,
            hidden_dropout=encoder.hidden_dropout,
        )
    else:
        built = new_encoder(encoder, tokenizer.size, tokenizer.pad)
    model = Tagger(config.model, built, tokenizer)
    if model.pos and isinstance(model.pos.tagger, PosTagger):
        if not config.training.pos_tagger:
            raise ConfigError("training.pos_tagger", "nothing", "a directory of recipes/pos.py")
        load_pos_tagger(model.pos.tagger, Path(config.training.pos_tagger))
        if config.model.pos.weights == "tagger":
            model.pos.copy_tagger_weights()
    return model, tokenizer


def _tokenizer(encoder: EncoderConfig, corpora: Corpora, file: Path | None, process: Process) -> SubwordTokenizer:
    if file:
        return SubwordTokenizer.from_file(file, encoder.max_subwords)
    if encoder.name:
        return pretrained_tokenizer(encoder.name, encoder.max_subwords)
    size, kind = encoder.vocabulary, encoder.tokenizer
    trained = from_leader(process, lambda: train_tokenizer(corpora.train.words(), size, kind))
    return SubwordTokenizer(trained, encoder.max_subwords)
