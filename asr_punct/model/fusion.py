"""How pauses are fused with word vectors: S, D and f of AutoPunct's Table 4 (section 3.2.1), and a late GRU."""

from __future__ import annotations

from typing import Literal, cast

import torch
from torch import Tensor, nn

from asr_punct.config import PauseConfig
from asr_punct.pauses import BUCKET_MS, UNKNOWN, smoothing_matrix


class NoPauses(nn.Module):
    """Word vectors as they are."""

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Return `vectors`, (batch, words, width)."""
        return vectors


class ContinuousPauses(nn.Module):
    """The silence in seconds, repeated over the vector; an unknown one has a learnt vector of its own."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.unknown = nn.Parameter(torch.zeros(width))

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Add silences, given as buckets (batch, words), to `vectors` (batch, words, width)."""
        seconds = (pauses * (BUCKET_MS / 1000)).unsqueeze(-1).to(vectors.dtype)
        is_unknown = (pauses == UNKNOWN).unsqueeze(-1)
        return vectors + torch.where(is_unknown, self.unknown.to(vectors.dtype), seconds)


class DiscretePauses(nn.Module):
    """An embedding a bucket, averaged over its neighbours by a fixed matrix S: the smoothed table is `S @ E`."""

    smoothing: Tensor

    def __init__(self, config: PauseConfig, width: int) -> None:
        super().__init__()
        shape: Literal["uniform", "gaussian"] = "gaussian" if config.kind == "discrete-gaussian" else "uniform"
        matrix = smoothing_matrix(shape, config.window_s, config.sigma_s)
        self.register_buffer("smoothing", torch.from_numpy(matrix), persistent=False)
        self.embedding = nn.Parameter(torch.empty(len(matrix), width).normal_(std=0.02))

    def table(self, buckets: Tensor | None = None) -> Tensor:
        """The smoothed table, (buckets + 1, width), whose last row is the unknown pause; or the named rows of it."""
        smoothing = self.smoothing if buckets is None else self.smoothing[buckets]
        with torch.autocast(self.embedding.device.type, enabled=False):
            return smoothing @ self.embedding

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Add silences, given as buckets (batch, words), to `vectors` (batch, words, width).

        On a CPU only the rows that occur are smoothed: a batch has a few of them. A GPU would have to wait for which.
        """
        if pauses.is_cuda:
            return vectors + nn.functional.embedding(pauses, self.table())
        buckets, places = cast(tuple[Tensor, Tensor], torch.unique(pauses, return_inverse=True))
        return vectors + nn.functional.embedding(places, self.table(buckets))

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


class LatePauses(nn.Module):
    """A GRU over contextual vectors and silences (Tilk and Alumäe 2016, second stage).

    It reads the silence in seconds, as the paper's does, and whether it is unknown, which the paper's is not told.

    Args:
        width: size of the vectors and of the GRU.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.recurrent = nn.GRU(width + 2, width, batch_first=True)

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """States, (batch, words, width), from `vectors` of that shape and silences as buckets (batch, words)."""
        is_unknown = pauses == UNKNOWN
        seconds = torch.where(is_unknown, 0.0, pauses * (BUCKET_MS / 1000))
        inputs = torch.stack([seconds, is_unknown.float()], dim=-1).to(vectors.dtype)
        return cast(Tensor, self.recurrent(torch.cat([vectors, inputs], dim=-1))[0])


def build_fusion(config: PauseConfig, width: int) -> nn.Module:
    """The fusion that the configuration names."""
    if config.kind == "none":
        return NoPauses()
    if config.kind == "continuous":
        return ContinuousPauses(width)
    if config.kind == "late-gru":
        return LatePauses(width)
    return DiscretePauses(config, width)
