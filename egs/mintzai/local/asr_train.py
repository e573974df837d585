#!/usr/bin/env python3
"""Train a small CTC recogniser with NeMo.

A second run goes on after the last finished epoch of a killed one, from the checkpoint TARGET.ckpt.
"""

import json
import os
from pathlib import Path
from typing import Any

from lightning.pytorch import Trainer, seed_everything
from lightning.pytorch.callbacks import Callback
from nemo.collections.asr.models import EncDecCTCModel
from omegaconf import OmegaConf

from asr_punct.errors import run_script

_SEED = 1


class EpochEnd(Callback):
    """Print a line at the end of each epoch and replace the checkpoint of the epoch before."""

    def __init__(self, checkpoint: Path) -> None:
        self._checkpoint, self._losses = checkpoint, list[float]()

    def on_train_batch_end(self, trainer: Trainer, model: Any, outputs: Any, batch: Any, number: int) -> None:
        self._losses.append(float(outputs["loss"]))

    def on_train_epoch_end(self, trainer: Trainer, model: Any) -> None:
        mean = sum(self._losses) / len(self._losses)
        print(f"epoch {trainer.current_epoch + 1}/{trainer.max_epochs}: loss {mean:.3f}", flush=True)
        self._losses.clear()
        partial = self._checkpoint.with_suffix(".partial")
        trainer.save_checkpoint(partial)
        os.replace(partial, self._checkpoint)


def letters(manifest: Path) -> list[str]:
    """Return the characters of the texts of a manifest."""
    texts = (json.loads(line)["text"] for line in manifest.read_text(encoding="utf-8").splitlines())
    return sorted(set("".join(texts)))


def main(config: Path, manifest: Path, target: Path, changes: list[str]) -> None:
    values = OmegaConf.merge(OmegaConf.load(config), OmegaConf.from_dotlist(changes))
    values.model.labels = letters(manifest)
    values.model.train_ds.manifest_filepath = str(manifest)
    seed_everything(_SEED)
    last = Path(f"{target}-start")  # the recipe removes it if the command has changed
    trainer = Trainer(
        **values.trainer,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[EpochEnd(last)],
    )
    model = EncDecCTCModel(cfg=values.model, trainer=trainer)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    print(f"{parameters} parameters, {len(values.model.labels)} letters")
    trainer.fit(model, ckpt_path=str(last) if last.exists() else None)
    model.save_to(f"{target}.partial.nemo")
    os.replace(f"{target}.partial.nemo", target)
    last.unlink()


if __name__ == "__main__":
    run_script(main)
