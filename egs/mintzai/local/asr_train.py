#!/usr/bin/env python3
"""Train a small CTC recogniser with NeMo.

local/asr_train.py CONFIG.yaml TRAIN.json OUT.nemo [KEY=VALUE …]

Killed and started again it goes on after the last whole epoch, which OUT.nemo.ckpt holds until the end.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from lightning.pytorch import Trainer, seed_everything
from lightning.pytorch.callbacks import Callback
from nemo.collections.asr.models import EncDecCTCModel
from omegaconf import OmegaConf

_SEED = 1


class EpochEnd(Callback):
    """At the end of each epoch a line about it, and its checkpoint under the name of the one before.

    Args:
        checkpoint: its name.
    """

    def __init__(self, checkpoint: Path) -> None:
        self._checkpoint, self._losses = checkpoint, list[float]()

    def on_train_batch_end(self, trainer: Trainer, model: Any, outputs: Any, batch: Any, number: int) -> None:
        """Keep the loss of the step."""
        self._losses.append(float(outputs["loss"]))

    def on_train_epoch_end(self, trainer: Trainer, model: Any) -> None:
        """Tell the mean loss and keep the state."""
        mean = sum(self._losses) / len(self._losses)
        print(f"epoch {trainer.current_epoch + 1}/{trainer.max_epochs}: loss {mean:.3f}", flush=True)
        self._losses.clear()
        partial = self._checkpoint.with_suffix(".partial")
        trainer.save_checkpoint(partial)
        os.replace(partial, self._checkpoint)


def letters(manifest: Path) -> list[str]:
    """The characters of the texts of a manifest."""
    texts = (json.loads(line)["text"] for line in manifest.read_text(encoding="utf-8").splitlines())
    return sorted(set("".join(texts)))


def main(config: str, manifest: str, target: str, *changes: str) -> None:
    """Train, and write the model when all is done."""
    values = OmegaConf.merge(OmegaConf.load(config), OmegaConf.from_dotlist(list(changes)))
    values.model.labels = letters(Path(manifest))
    values.model.train_ds.manifest_filepath = manifest
    seed_everything(_SEED)
    last = Path(f"{target}.ckpt")
    trainer = Trainer(
        **values.trainer,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[EpochEnd(last)],
    )
    model = EncDecCTCModel(cfg=values.model, trainer=trainer)
    print(
        f"{sum(parameter.numel() for parameter in model.parameters())} parameters, {len(values.model.labels)} letters"
    )
    trainer.fit(model, ckpt_path=str(last) if last.exists() else None)
    model.save_to(f"{target}.partial.nemo")
    os.replace(f"{target}.partial.nemo", target)
    last.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:])
