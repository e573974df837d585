"""How pauses are fused with word vectors: the variants S, D and f of AutoPunct's Table 4 (section 3.2.1)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from asr_punct.config import PauseConfig
from asr_punct.pauses import smoothing_matrix


class NoPauses(nn.Module):
    """Word vectors as they are."""

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Return `vectors`, (batch, words, width)."""
        return vectors


class ContinuousPauses(nn.Module):
    """The silence in seconds, repeated over the vector; an unknown one has a learnt vector of its own."""

    def __init__(self, config: PauseConfig, width: int) -> None:
        super().__init__()
        self.unknown_bucket = config.buckets
        self.seconds_per_bucket = config.hop_ms / 1000
        self.unknown = nn.Parameter(torch.zeros(width))

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Add silences, given as buckets (batch, words), to `vectors` (batch, words, width)."""
        seconds = (pauses * self.seconds_per_bucket).unsqueeze(-1).to(vectors.dtype)
        is_unknown = (pauses == self.unknown_bucket).unsqueeze(-1)
        return vectors + torch.where(is_unknown, self.unknown.to(vectors.dtype), seconds)


class DiscretePauses(nn.Module):
    """An embedding a bucket, averaged over its neighbours by a fixed matrix S: the smoothed table is `S @ E`."""

    smoothing: Tensor

    def __init__(self, config: PauseConfig, width: int) -> None:
        super().__init__()
        shape = "gaussian" if config.kind == "discrete-gaussian" else "uniform"
        matrix = smoothing_matrix(
            shape,
            window_s=config.window_s,
            sigma_s=config.sigma_s,
            n_buckets=config.buckets,
            hop_ms=config.hop_ms,
        )
        self.register_buffer("smoothing", torch.from_numpy(matrix), persistent=False)
        self.embedding = nn.Parameter(torch.empty(config.buckets + 1, width).normal_(std=0.02))

    def table(self) -> Tensor:
        """The smoothed table, (buckets + 1, width); the last row is the unknown pause."""
        with torch.autocast(self.embedding.device.type, enabled=False):
            return self.smoothing @ self.embedding

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Add silences, given as buckets (batch, words), to `vectors` (batch, words, width)."""
        return vectors + nn.functional.embedding(pauses, self.table())

    def folded(self) -> FoldedPauses:
        """The same function with the smoothing done once, for inference and export."""
        return FoldedPauses(self.table().detach())


class FoldedPauses(nn.Module):
    """One look-up a word in a table that is smoothed already."""

    table: Tensor

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.register_buffer("table", table)

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Add silences, given as buckets (batch, words), to `vectors` (batch, words, width)."""
        return vectors + nn.functional.embedding(pauses, self.table)


def build_fusion(config: PauseConfig, width: int) -> nn.Module:
    """The fusion that the configuration names."""
    if config.kind == "none":
        return NoPauses()
    if config.kind == "continuous":
        return ContinuousPauses(config, width)
    return DiscretePauses(config, width)
