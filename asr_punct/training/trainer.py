"""Lightning's trainer of a training run."""

import logging
import warnings
from collections.abc import Sequence
from contextlib import nullcontext

import lightning
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from lightning.pytorch.loggers import TensorBoardLogger
from lightning.pytorch.strategies import DDPStrategy
from torch.nn.attention import SDPBackend, sdpa_kernel

from asr_punct.config import TrainingConfig
from asr_punct.errors import AsrPunctError
from asr_punct.model.device import has_bf16
from asr_punct.training.callbacks import SafeCheckpointIO
from asr_punct.training.distributed import Process
from asr_punct.training.run import Run


def build_trainer(
    run: Run, config: TrainingConfig, callbacks: Sequence[Callback], device: torch.device, process: Process
) -> lightning.Trainer:
    """Build the trainer, which writes a checkpoint after every epoch. Several processes train with DDP."""
    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
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


def fit(
    run: Run, trainer: lightning.Trainer, module: lightning.LightningModule, corpora: lightning.LightningDataModule
) -> None:
    """Train, from the last complete epoch if there is one. Raises AsrPunctError if training is interrupted."""
    # On a CPU the backward pass of flash attention is slow: with MATH a step of a small encoder is 1.4 times faster.
    on_cpu = trainer.strategy.root_device.type == "cpu"
    with warnings.catch_warnings(), sdpa_kernel(SDPBackend.MATH) if on_cpu else nullcontext():
        warnings.filterwarnings("ignore", module="lightning")  # hints about workers and sanity checks
        trainer.fit(module, corpora, ckpt_path=run.checkpoint)
    if trainer.interrupted:
        raise AsrPunctError(f"{run.directory}: training was interrupted; --resume continues after the last epoch")
