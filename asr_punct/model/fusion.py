"""Fusion of pauses with word vectors: S, D and f of AutoPunct's Table 4 (section 3.2.1), and a late GRU."""

from __future__ import annotations

from typing import Literal, cast

import torch
from torch import Tensor, nn

from asr_punct.config import PauseConfig
from asr_punct.pauses import BUCKET_MS, UNKNOWN, smoothing_matrix


class Fusion(nn.Module):
    """Base of all fusions, which is also the one of models without pauses."""

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Return `vectors`, (batch, words, width), fused with `pauses`, (batch, words), as buckets."""
        return vectors

    def fold(self) -> Fusion:
        """Return the same function for inference and export."""
        return self


class ContinuousPauses(Fusion):
    """Adds the pause in seconds to each value of the vector, or a learnt vector if the pause is unknown."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.unknown = nn.Parameter(torch.zeros(width))

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Return the sum, (batch, words, width)."""
        seconds = (pauses * (BUCKET_MS / 1000)).unsqueeze(-1).to(vectors.dtype)
        is_unknown = (pauses == UNKNOWN).unsqueeze(-1)
        return vectors + torch.where(is_unknown, self.unknown.to(vectors.dtype), seconds)


class DiscretePauses(Fusion):
    """Adds the embedding of the pause's bucket, averaged over neighbouring buckets: a row of S @ E."""

    smoothing: Tensor

    def __init__(self, config: PauseConfig, width: int) -> None:
        super().__init__()
        shape: Literal["uniform", "gaussian"] = "gaussian" if config.kind == "discrete-gaussian" else "uniform"
        matrix = smoothing_matrix(shape, config.window_s, config.sigma_s)
        self.register_buffer("smoothing", torch.from_numpy(matrix), persistent=False)
        self.embedding = nn.Parameter(torch.empty(len(matrix), width).normal_(std=0.02))

    def table(self, buckets: Tensor | None = None) -> Tensor:
        """Return the smoothed table, (buckets + 1, width), with the unknown pause last; or only some of its rows."""
        smoothing = self.smoothing if buckets is None else self.smoothing[buckets]
        with torch.autocast(self.embedding.device.type, enabled=False):
            return smoothing @ self.embedding

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Return the sum, (batch, words, width).

        A CPU smooths only the rows of the batch. A GPU would have to wait for their list.
        """
        if pauses.is_cuda:
            return vectors + nn.functional.embedding(pauses, self.table())
        buckets, places = cast(tuple[Tensor, Tensor], torch.unique(pauses, return_inverse=True))
        return vectors + nn.functional.embedding(places, self.table(buckets))

    def fold(self) -> Fusion:
        """Return a look-up in the smoothed table."""
        return FoldedPauses(self.table().detach())


class FoldedPauses(Fusion):
    """Adds a row of a smoothed table."""

    table: Tensor

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.register_buffer("table", table)

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Return the sum, (batch, words, width)."""
        return vectors + nn.functional.embedding(pauses, self.table)


class LatePauses(Fusion):
    """A GRU over contextual vectors and pauses (Tilk and Alumäe 2016, second stage).

    It reads the pause in seconds, as in the paper, and a flag for unknown pauses, which the paper does not have.

    Args:
        width: size of the vectors and of the GRU.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.recurrent = nn.GRU(width + 2, width, batch_first=True)

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Return the GRU's states, (batch, words, width)."""
        is_unknown = pauses == UNKNOWN
        seconds = torch.where(is_unknown, 0.0, pauses * (BUCKET_MS / 1000))
        inputs = torch.stack([seconds, is_unknown.float()], dim=-1).to(vectors.dtype)
        return cast(Tensor, self.recurrent(torch.cat([vectors, inputs], dim=-1))[0])


def build_fusion(config: PauseConfig, width: int) -> Fusion:
    """Return the configured fusion for vectors of size `width`."""
    if config.kind == "none":
        return Fusion()
    if config.kind == "continuous":
        return ContinuousPauses(width)
    if config.kind == "late-gru":
        return LatePauses(width)
    return DiscretePauses(config, width)
