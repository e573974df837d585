"""Run a model with torch: models that were not exported, and devices other than the CPU."""

from __future__ import annotations

from pathlib import Path

import torch

from asr_punct.checkpoint import ModelInfo
from asr_punct.features import Features, WindowProbabilities
from asr_punct.model.device import open_device
from asr_punct.model.tagger import Tagger
from asr_punct.model.weights import load_tagger


class TorchBackend:
    """Runs a model in evaluation mode on the device of its weights."""

    runtime = "torch"

    def __init__(self, model: Tagger) -> None:
        self._model = model
        self._device = next(model.parameters()).device
        self.batch_tokens = 1024 if self._device.type == "cpu" else 16_384

    @classmethod
    def load(cls, weights: Path, info: ModelInfo, device: str, threads: int = 0) -> TorchBackend:
        """Load a model.

        `device` is one of torch (`cpu`, `cuda`, `cuda:1`, `mps`). `threads` are those on the CPU; 0 leaves torch's
        choice, which is OMP_NUM_THREADS if it is set. Raises AsrPunctError if there is no such device.
        """
        if threads:
            torch.set_num_threads(threads)
        opened = open_device(device)
        return cls(load_tagger(weights, info).fold().to(opened))

    def probabilities(self, features: Features) -> WindowProbabilities:
        """Return the probabilities of a batch; those at padding are meaningless."""
        tensors = {name: torch.from_numpy(array).to(self._device) for name, array in features.inputs().items()}
        with torch.inference_mode():
            output = self._model(**tensors)
            labels, cases = output.label_probabilities, output.case_logits.softmax(dim=-1)
        return WindowProbabilities(labels.float().cpu().numpy(), cases.float().cpu().numpy())
