"""Train a model: the function behind `asr-punct train`."""

import logging
import warnings
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import lightning
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from lightning.pytorch.loggers import TensorBoardLogger
from lightning.pytorch.strategies import DDPStrategy

from asr_punct.checkpoint import ModelInfo, read_info
from asr_punct.config import Config, TrainingConfig
from asr_punct.errors import AsrPunctError, ConfigError, Setting
from asr_punct.logs import log_level
from asr_punct.model.device import has_bf16
from asr_punct.model.tagger import Tagger
from asr_punct.training.callbacks import AverageWeights, KeepBest, SafeCheckpointIO
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.distributed import Process, connected, from_leader, resolve_device
from asr_punct.training.epoch_report import EpochReport
from asr_punct.training.lightning_module import DEV_CASE_F1, DEV_F1, DEV_PERPLEXITY, TRAIN_LOSS, PunctuationModule
from asr_punct.training.mapped import Corpora
from asr_punct.training.run import Run, check_data, is_finished, make_directories, write_card
from asr_punct.training.start import inherited, start_config, start_model, with_classes
from asr_punct.training.teacher import Teacher

log = logging.getLogger(__name__)
_METRICS = {
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
    """Train on `data/train.tsv`, and write the model of the epoch that is best on `data/dev.tsv` to `output`.

    In each process of `torchrun` this trains a part of every batch. The device is by default a GPU if there is one.

    With `init`, a model directory, train that model further, from its weights, thresholds, calibration and casing list.
    Only the keys `heads` of `config.model.heads` replace its own; a head that they change has new weights, and the
    settings of a new model. With `resume`, continue a killed run after its last complete epoch, or
    a finished run that gets more epochs; another finished run is not changed. Raises AsrPunctError if the output
    exists, the run has another configuration or other data, or the device or data cannot be used; then nothing is
    written.
    """
    process = Process.current()
    run, torch_device = Run(output), resolve_device(device, process)
    if init:
        config = replace(config, model=start_config(init, config.model, heads))
    if process.count > 1 and config.training.optimizer.kind == "adagrad":
        raise ConfigError("training.optimizer.kind", "adagrad", "another one with several processes")
    if process.count > 1 and (hidden := config.model.encoder.sequence_hidden):
        expected = "0 with several processes: each would normalise on its own"
        raise ConfigError("model.encoder.sequence_hidden", str(hidden), expected)
    with (
        connected(process, torch_device),
        log_level("lightning.pytorch", logging.WARNING),
        closing(run),
    ):
        if from_leader(process, lambda: is_finished(run, config, resume)):
            log.info("%s is already trained", output)
            return read_info(output)
        corpora = from_leader(process, lambda: Corpora.open(data))
        corpora = corpora if corpora.is_here else Corpora.open(data)
        from_leader(process, lambda: check_data(run, corpora))
        keep = _train(config, corpora, run, init, torch_device, process)
        from_leader(process, lambda: _finish(keep))
    return read_info(output)


def _train(
    config: Config, corpora: Corpora, run: Run, init: Path | None, device: torch.device, process: Process
) -> KeepBest:
    torch.manual_seed(config.training.seed)
    complete = with_classes(config, corpora)
    model, tokenizer = start_model(complete, corpora, init, run.tokenizer, process)
    from_before = inherited(init, complete.model)
    info = ModelInfo(complete.model, model.encoder.settings, from_before.decoding)
    teacher = Teacher.load(config.training.teacher, config.model.window.words) if config.training.teacher else None
    data = PunctuationData(corpora, tokenizer, config, info.max_tokens, process, teacher)
    facts = {"data": str(corpora.directory), "words": len(data.train), "dev_words": len(data.dev)}
    info = replace(info, training={**facts, "seed": config.training.seed})
    keep = KeepBest(run.directory, info, config.training.monitor)
    stop = EarlyStopping(keep.metric, mode=keep.mode, patience=config.training.patience)
    ema_decay = config.training.optimizer.ema_decay
    averages = [AverageWeights(ema_decay)] if ema_decay else []
    trainer = _build_trainer(run, config.training, [keep, stop, EpochReport(_METRICS), *averages], device, process)
    module = PunctuationModule(model, config.training, len(data.epoch(0)), teacher, corpora.train.mark_sets())
    if device.type == "cpu":
        _use_plain_attention(model)
    if config.training.compile:
        module.model.compile(dynamic=True)
    from_leader(process, lambda: make_directories(run, config, tokenizer, corpora, from_before.casing))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="lightning")  # hints about workers and sanity checks
        trainer.fit(module, data, ckpt_path=run.checkpoint)
    if trainer.interrupted:
        expected = "another run, which continues after the last epoch"
        raise AsrPunctError(run.directory, "an interrupted training", expected, Setting("resume"))
    return keep


def _use_plain_attention(model: Tagger) -> None:
    """Compute attention without torch's fused function, whose backward pass is slow on a CPU."""
    for module in model.modules():
        if hasattr(module, "set_attn_implementation"):  # not in transformers 4.51
            cast(Any, module).set_attn_implementation("eager")


def _build_trainer(
    run: Run, config: TrainingConfig, callbacks: Sequence[Callback], device: torch.device, process: Process
) -> lightning.Trainer:
    """Return the trainer, which writes a checkpoint after every epoch. Several processes train with DDP."""
    bf16 = has_bf16(device.type) if config.precision == "auto" else config.precision == "bf16"
    checkpoint = ModelCheckpoint(
        dirpath=run.state, filename="last", save_on_train_epoch_end=True, enable_version_counter=False
    )
    single = 1 if device.index is None else [device.index]
    return lightning.Trainer(
        accelerator=device.type,
        devices=single if process.count == 1 else process.local_count,
        num_nodes=process.count // process.local_count,
        strategy="auto" if process.count == 1 else DDPStrategy(broadcast_buffers=False, find_unused_parameters=True),
        use_distributed_sampler=False,
        accumulate_grad_batches=config.accumulate,
        precision="bf16-mixed" if bf16 else "32-true",
        max_epochs=config.epochs,
        gradient_clip_val=config.optimizer.clip_norm,
        reload_dataloaders_every_n_epochs=1,
        num_sanity_val_steps=0,
        callbacks=[*callbacks, checkpoint],
        plugins=[SafeCheckpointIO()],
        logger=TensorBoardLogger(run.state, name="", version="tensorboard"),
        enable_progress_bar=False,
        enable_model_summary=False,
        log_every_n_steps=20,
    )


def _finish(keep: KeepBest) -> None:
    keep.write(finished=True)
    write_card(keep.directory)
