"""Train a model: the stage that `asr-punct train` calls."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import torch
from lightning.pytorch.callbacks import EarlyStopping

from asr_punct.checkpoint import (
    WEIGHTS,
    ModelInfo,
    checked_file,
    load_tokenizer,
    read_info,
)
from asr_punct.config import Config, EncoderConfig, ModelConfig, differing_keys
from asr_punct.errors import ConfigError
from asr_punct.model.encoder import Encoder, new_encoder
from asr_punct.model.pos import PosFusion, PosTagger
from asr_punct.model.pretrained import pretrained_encoder, pretrained_tokenizer
from asr_punct.model.tagger import Tagger, build_tagger
from asr_punct.model.weights import load_parts, load_pos_tagger
from asr_punct.subwords import SubwordTokenizer, train_tokenizer, train_unigram_tokenizer, train_word_tokenizer
from asr_punct.training.callbacks import AverageWeights, EpochLines, KeepBest
from asr_punct.training.card import write_card
from asr_punct.training.classes import find_classes
from asr_punct.training.corpus import read_marks, read_words
from asr_punct.training.datamodule import TRAIN, PunctuationData
from asr_punct.training.lightning_module import DEV_CASE_F1, DEV_F1, DEV_PERPLEXITY, TRAIN_LOSS, PunctuationModule
from asr_punct.training.run import Run, build_trainer, check_data, fit, is_finished, make_directories, resolve_device

log = logging.getLogger(__name__)
_TOKENIZERS = {"bpe": train_tokenizer, "unigram": train_unigram_tokenizer, "word": train_word_tokenizer}
_EPOCH_LINE = {
    "loss": f"{TRAIN_LOSS}_epoch",
    "dev punctuation F1": DEV_F1,
    "case F1": DEV_CASE_F1,
    "perplexity": DEV_PERPLEXITY,
}


def train(
    config: Config,
    data: Path,
    output: Path,
    *,
    init: Path | None = None,
    heads: Collection[str] = (),
    resume: bool = False,
    device: str | None = None,
) -> ModelInfo:
    """Train on `data/train.tsv`, choose by `data/dev.tsv`, and leave the best model in `output`.

    Args:
        config: model and training.
        data: directory of the two corpora.
        output: the model directory to make.
        init: model directory whose tokenizer and weights are the start; its model configuration holds.
        heads: keys of `model.heads` that hold in spite of it; a head that they change is new.
        resume: go on from the last whole epoch of a killed run; a finished one is left as it is.
        device: `cpu`, `cuda` or another torch device; a GPU where there is one by default.

    Raises:
        AsrPunctError: the output is there already, the run was started with another configuration, or the device or
            the data cannot be used; then nothing is written.
    """
    run = Run(output)
    place = resolve_device(device)
    if init:
        config = replace(config, model=model_of(init, config.model, heads))
    if is_finished(run, config, resume):
        log.info("%s is trained already", output)
        return read_info(output)
    check_data(data)
    torch.manual_seed(config.training.seed)
    started = with_classes(config, data)
    model, tokenizer = start_model(started, data, init, run.tokenizer)
    info = ModelInfo(started.model, model.encoder.settings)
    corpora = PunctuationData(data, tokenizer, config, info.max_tokens)
    facts = {"data": str(data), "words": len(corpora.train), "dev_words": len(corpora.dev)}
    seed = {"seed": config.training.seed}
    keep = KeepBest(output, replace(info, training={**facts, **seed}), config.training.monitor)
    stop = EarlyStopping(keep.metric, mode=keep.mode, patience=config.training.patience)
    averages = [AverageWeights(config.training.optimizer.ema_decay)] if config.training.optimizer.ema_decay else []
    callbacks = [keep, stop, EpochLines(_EPOCH_LINE), *averages]
    trainer = build_trainer(run, config.training, callbacks, place)
    module = PunctuationModule(model, config.training, steps_per_epoch=len(corpora.epoch(0)))
    if config.training.compile:
        module.model.compile(dynamic=True)
    make_directories(run, config, tokenizer)
    fit(run, trainer, module, corpora)
    keep.write(finished=True)
    write_card(output)
    return read_info(output)


def model_of(init: Path, asked: ModelConfig, heads: Collection[str] = ()) -> ModelConfig:
    """The model configuration of a start; what is asked for in vain is told.

    Args:
        init: the model directory.
        asked: what training was asked for.
        heads: keys of its `heads` that hold; classes are found anew for another kind of head or another `class_count`.

    Raises:
        ConfigError: they do not go with the start's others.
    """
    model = read_info(init).model
    wanted = replace(model.heads, **{key: getattr(asked.heads, key) for key in heads})
    if "classes" not in heads and (wanted.kind, wanted.class_count) != (model.heads.kind, model.heads.class_count):
        wanted = replace(wanted, classes=())
    model = replace(model, heads=wanted)
    ignored = [key for key in differing_keys(asked, model) if key != "heads.classes"]
    if ignored:
        log.warning("--init: the model stays as in %s; not used: %s", init, " ".join(f"model.{key}" for key in ignored))
    return model


def with_classes(config: Config, data: Path) -> Config:
    """The configuration whose punctuation head has the classes of the training corpus, where it is to have some."""
    heads = config.model.heads
    if heads.kind != "classes" or heads.classes:
        return config
    classes = find_classes(read_marks(data / TRAIN), heads.class_count)
    return replace(config, model=replace(config.model, heads=replace(heads, classes=classes)))


def start_model(
    config: Config, data: Path, init: Path | None = None, tokenizer_file: Path | None = None
) -> tuple[Tagger, SubwordTokenizer]:
    """Model and tokenizer as they are before the first step; a resumed run then loads its checkpoint over them.

    Args:
        config: model and training.
        data: directory of the corpora.
        init: model directory whose tokenizer and weights are the start.
        tokenizer_file: the tokenizer of a run that is resumed.
    """
    encoder = config.model.encoder
    if init:
        info = read_info(init)
        tokenizer = load_tokenizer(init, info)
        model, new = load_parts(checked_file(init, info, WEIGHTS), info, config.model)
        if new:
            log.info("--init: %s gives all parts but these, which are new: %s", init, " ".join(new))
    else:
        tokenizer = _tokenizer(encoder, data, tokenizer_file)
        name = encoder.name
        if name:
            vectors: Encoder = pretrained_encoder(
                name,
                masked_lm=bool(encoder.sequence_hidden),
                attention_dropout=encoder.attention_dropout,
                hidden_dropout=encoder.hidden_dropout,
            )
        else:
            vectors = new_encoder(encoder, tokenizer.size, tokenizer.pad)
        model = build_tagger(config.model, vectors, tokenizer)
        _take_pos_tagger(model, config)
    return model, tokenizer


def _take_pos_tagger(model: Tagger, config: Config) -> None:
    """Give a new model's tagger its weights, and their rows. Raises ConfigError where none are named."""
    if not (isinstance(model.pos, PosFusion) and isinstance(model.pos.tagger, PosTagger)):
        return
    if not config.training.pos_tagger:
        raise ConfigError("training: pos_tagger names nothing, expected a directory of recipes/pos.py (tagger own)")
    load_pos_tagger(model.pos.tagger, Path(config.training.pos_tagger))
    if config.model.pos.weights == "tagger":
        model.pos.take_weights()


def _tokenizer(encoder: EncoderConfig, data: Path, file: Path | None) -> SubwordTokenizer:
    if file:
        return SubwordTokenizer.from_file(file, encoder.max_subwords)
    if encoder.name:
        return pretrained_tokenizer(encoder.name, encoder.max_subwords)
    trained = _TOKENIZERS[encoder.tokenizer](read_words(data / TRAIN), encoder.vocabulary)
    return SubwordTokenizer(trained, encoder.max_subwords)
