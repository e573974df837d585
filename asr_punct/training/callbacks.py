"""Lightning callbacks: checkpoints, the best model's directory, averaged weights."""

from dataclasses import replace
from io import BufferedWriter, FileIO
from pathlib import Path
from typing import Any

import lightning
import torch
from lightning.fabric.plugins.io.torch_io import TorchCheckpointIO
from lightning.pytorch.callbacks import Callback
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from asr_punct.checkpoint import ONNX, ONNX_INT8, WEIGHTS, ModelInfo, read_info, write_info
from asr_punct.errors import InputError, first_line
from asr_punct.model.weights import save_tagger
from asr_punct.partial import EXPECTED_OUTPUT, io_errors, unfinished
from asr_punct.training.lightning_module import DEV_CASE_F1, DEV_F1, DEV_PERPLEXITY


class _File(FileIO):
    """A file to write; `failure` is the error of its last write."""

    failure: OSError | None = None

    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except OSError as error:
            self.failure = error
            raise


class SafeCheckpointIO(TorchCheckpointIO):
    """Write checkpoints atomically, and read them without running pickled code."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Any, storage_options: Any | None = None) -> None:
        """Write a checkpoint; the file appears when it is complete. Raises InputError if that fails."""
        with unfinished(Path(path)) as partial, io_errors(path, EXPECTED_OUTPUT), _File(partial, "w") as file:
            try:
                with BufferedWriter(file) as buffered:
                    torch.save(checkpoint, buffered)
            except RuntimeError as error:  # torch does not tell why a write failed
                raise file.failure or error from None

    def load_checkpoint(self, path: Any, map_location: Any = None, weights_only: bool | None = None) -> dict[str, Any]:
        """Read tensors and plain values only. Raises InputError if the file contains anything else."""
        try:
            checkpoint: dict[str, Any] = torch.load(path, map_location=map_location or "cpu", weights_only=True)
        except Exception as error:  # torch raises pickle, zip and runtime errors alike
            raise InputError(path, first_line(error), "a checkpoint of asr-punct train") from None
        return checkpoint


class KeepBest(Callback):
    """Write the model directory whenever the monitored score of the development set improves.

    `info` is written to its config.json, with the scores.
    """

    def __init__(self, directory: Path, info: ModelInfo, monitor: str = "f1") -> None:
        self.directory, self.info = directory, info
        self.metric, self.mode = {"f1": (DEV_F1, "max"), "perplexity": (DEV_PERPLEXITY, "min")}[monitor]
        self._best: dict[str, float] = {}
        self._has_new_weights = False

    def on_validation_end(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        scores = {name: float(trainer.callback_metrics[name]) for name in (DEV_F1, DEV_CASE_F1, self.metric)}
        sign = 1 if self.mode == "max" else -1
        if self._best and not sign * scores[self.metric] > sign * self._best[self.metric]:  # also if it is NaN
            return
        self._best = {**scores, "best_epoch": float(trainer.current_epoch + 1)}
        if not trainer.is_global_zero:
            return
        save_tagger(pl_module.model, self.directory / WEIGHTS)
        self._has_new_weights = True
        for graph in (ONNX, ONNX_INT8):  # of a finished run that got more epochs
            (self.directory / graph).unlink(missing_ok=True)
        self.write(finished=False)

    def write(self, finished: bool) -> None:
        """Write `config.json` with the description and the best scores of the run. Old weights keep their tuning."""
        facts = {**self.info.training, **{name: round(value, 6) for name, value in self._best.items()}}
        decoding = (self.info if self._has_new_weights else read_info(self.directory)).decoding
        write_info(self.directory, replace(self.info, decoding=decoding, training={**facts, "finished": finished}))

    def state_dict(self) -> dict[str, Any]:
        return dict(self._best)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._best = dict(state_dict)


class AverageWeights(Callback):
    """Evaluate and save an exponential moving average of the weights (Polyak and Juditsky 1992).

    It swaps the weights during validation, so it must follow `KeepBest`, which saves them, in the list of callbacks.
    """

    def __init__(self, decay: float) -> None:
        self._decay = decay

    def setup(self, trainer: lightning.Trainer, pl_module: Any, stage: str) -> None:
        self._average = AveragedModel(pl_module.model, multi_avg_fn=self._update)

    def _update(self, averages: Any, weights: Any, previous_steps: Tensor | int) -> None:
        step = int(previous_steps) + 1
        decay = min(self._decay, step / (step + 10))  # soon forgets the first weights
        update: Any = get_ema_multi_avg_fn
        update(decay)(averages, weights, previous_steps)

    def on_train_start(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        self._average.to(pl_module.device)
        self._averaged_steps = trainer.global_step

    def on_train_batch_end(
        self, trainer: lightning.Trainer, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Update the average with the new weights, but not after a part of a batch."""
        if trainer.global_step > self._averaged_steps:
            self._average.update_parameters(pl_module.model)
            self._averaged_steps = trainer.global_step

    def on_validation_start(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        for average, weight in zip(self._average.parameters(), pl_module.parameters(), strict=True):
            average.data, weight.data = weight.data, average.data

    def on_validation_end(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        self.on_validation_start(trainer, pl_module)

    def state_dict(self) -> dict[str, Any]:
        return dict(self._average.state_dict())

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._average.load_state_dict(state_dict)
