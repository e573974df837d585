"""Pre-train a model's trunk on the words of a corpus alone: a stage before `asr-punct train --init`."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import torch

from asr_punct.checkpoint import WEIGHTS, ModelInfo, read_info, write_info
from asr_punct.config import AugmentConfig, Config, NoiseConfig, TrainingConfig
from asr_punct.errors import ConfigError
from asr_punct.model.electra import ReplacedTokenDetector
from asr_punct.model.weights import save_tagger
from asr_punct.training.callbacks import EpochLines
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.electra_module import DEV_DETECTION_F1, PretrainingModule
from asr_punct.training.fit import start_model
from asr_punct.training.lightning_module import TRAIN_LOSS
from asr_punct.training.run import Run, build_trainer, check_data, fit, is_finished, make_directories, resolve_device

log = logging.getLogger(__name__)
_EPOCH_LINE = {"loss": f"{TRAIN_LOSS}_epoch", "dev detection F1": DEV_DETECTION_F1}


def pretrain(config: Config, data: Path, output: Path, *, resume: bool = False, device: str | None = None) -> ModelInfo:
    """Train encoder and context by replaced-token detection, and leave in `output` a model to start from.

    Its heads and its fusion with pauses are as random as a new model's. Tokenizer and windows are those of training.

    Args:
        config: model, training and pre-training.
        data: directory of `train.tsv` and `dev.tsv`.
        output: the model directory to make.
        resume: go on from the last whole epoch of a killed run; a finished one is left as it is.
        device: `cpu`, `cuda` or another torch device; a GPU where there is one by default.

    Raises:
        AsrPunctError: the output is there already, the run was started with another configuration, or the device or
            the data cannot be used; then nothing is written.
    """
    run, place = Run(output), resolve_device(device)
    if is_finished(run, config, resume):
        log.info("%s is pre-trained already", output)
        return read_info(output)
    check_data(data)
    if config.model.pos.tagger != "none":
        raise ConfigError(f"pretraining: found pos.tagger {config.model.pos.tagger}, expected none: only words learn")
    training, settings = training_of_words(config), config.pretraining
    torch.manual_seed(training.seed)
    model, tokenizer = start_model(config, data, tokenizer_file=run.tokenizer)
    info = ModelInfo(config.model, model.encoder.settings)
    corpora = PunctuationData(data, tokenizer, replace(config, training=training), info.max_tokens)
    detector = ReplacedTokenDetector(
        model,
        config.model,
        mask=tokenizer.mask,
        masked=settings.masked,
        generator=settings.generator,
        hides=settings.hides,
    )
    module = PretrainingModule(detector, settings, training, steps_per_epoch=len(corpora.epoch(0)))
    if training.compile:
        detector.model.context.compile(dynamic=True)
    trainer = build_trainer(run, training, [EpochLines(_EPOCH_LINE)], place)
    make_directories(run, config, tokenizer)
    fit(run, trainer, module, corpora)
    save_tagger(model, output / WEIGHTS)
    facts = {"data": str(data), "words": len(corpora.train), "dev_words": len(corpora.dev), "seed": training.seed}
    write_info(output, replace(info, training={**facts, **module.scores(), "finished": True}))
    return read_info(output)


def training_of_words(config: Config) -> TrainingConfig:
    """How the words alone are trained on: the pre-training's rates; no pauses, no errors but the generator's."""
    own = config.pretraining
    return replace(
        config.training,
        epochs=own.epochs,
        learning_rate=own.learning_rate,
        encoder_learning_rate=None,
        muon_learning_rate=own.muon_learning_rate,
        warmup_epochs=own.warmup_epochs,
        decay=own.decay,
        generated_pauses=False,
        pause_dropout=1.0,
        subword_dropout=0.0,
        noise=NoiseConfig(),
        augment=AugmentConfig(),
    )
