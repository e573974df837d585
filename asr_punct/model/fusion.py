"""Fusion of pauses with word vectors: AutoPunct, section 3.2.1, and the late GRU of Tilk and Alumäe 2016.

A new kind is a class with its name in `FUSIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, cast

import torch
from torch import Tensor, nn

from asr_punct.config import PauseConfig
from asr_punct.pauses import BUCKET_MS, UNKNOWN_PAUSE, smoothing_matrix


class Fusion(nn.Module):
    """Identity, for models without pauses; base class of the other fusions.

    Attributes:
        follows_context: whether it reads the vectors after the context layers, not before them.
    """

    follows_context = False

    def __init__(self, config: PauseConfig, width: int) -> None:
        """Build a fusion for vectors of size `width`."""
        super().__init__()

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Return `vectors` (batch, words, width) fused with the buckets `pauses` (batch, words), in the same shape."""
        return vectors

    def fold(self) -> Fusion:
        """Return an equal module that is faster in inference."""
        return self


class ContinuousPauses(Fusion):
    """Adds the pause in seconds to each value of the vector, or a learnt vector if the pause is unknown."""

    def __init__(self, config: PauseConfig, width: int) -> None:
        super().__init__(config, width)
        self.unknown = nn.Parameter(torch.zeros(width))

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Return the sums, (batch, words, width)."""
        seconds = (pauses * (BUCKET_MS / 1000)).unsqueeze(-1).to(vectors.dtype)
        is_unknown = (pauses == UNKNOWN_PAUSE).unsqueeze(-1)
        return vectors + torch.where(is_unknown, self.unknown.to(vectors.dtype), seconds)


class DiscretePauses(Fusion):
    """Adds the embedding of the pause's bucket, averaged over neighbouring buckets with equal weights."""

    shape: ClassVar[Literal["uniform", "gaussian"]] = "uniform"
    smoothing: Tensor
    """(buckets + 1, buckets + 1), weights of the average; each row sums to 1."""

    def __init__(self, config: PauseConfig, width: int) -> None:
        super().__init__(config, width)
        self.config = config
        matrix = smoothing_matrix(self.shape, config.window_s, config.sigma_s)
        self.register_buffer("smoothing", torch.from_numpy(matrix), persistent=False)
        self.embedding = nn.Parameter(torch.empty(len(matrix), width).normal_(std=0.02))

    def table(self, buckets: Tensor | None = None) -> Tensor:
        """Return the averaged embeddings of `buckets`, or of all: (buckets + 1, width), the unknown pause last."""
        smoothing = self.smoothing if buckets is None else self.smoothing[buckets]
        with torch.autocast(self.embedding.device.type, enabled=False):
            return smoothing @ self.embedding

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Return the sums, (batch, words, width)."""
        if pauses.is_cuda:  # `unique` would stall the GPU
            return vectors + nn.functional.embedding(pauses, self.table())
        buckets, rows = cast(tuple[Tensor, Tensor], torch.unique(pauses, return_inverse=True))
        return vectors + nn.functional.embedding(rows, self.table(buckets))

    def fold(self) -> Fusion:
        """Return a fusion with a table of averaged embeddings."""
        return FoldedPauses(self.config, self.table().detach())


class GaussianPauses(DiscretePauses):
    """The same with Gaussian weights."""

    shape = "gaussian"


class FoldedPauses(Fusion):
    """Adds the row of `table` (buckets + 1, width) for the pause's bucket."""

    def __init__(self, config: PauseConfig, table: Tensor) -> None:
        super().__init__(config, table.shape[1])
        self.table = nn.Buffer(table)

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Return the sums, (batch, words, width)."""
        return vectors + nn.functional.embedding(pauses, self.table)


class LatePauses(Fusion):
    """A GRU over contextual vectors and pauses (Tilk and Alumäe 2016, second stage).

    It reads the pause in seconds, as in the paper, and a flag for unknown pauses, which the paper does not have.
    """

    follows_context = True

    def __init__(self, config: PauseConfig, width: int) -> None:
        super().__init__(config, width)
        self.recurrent = nn.GRU(width + 2, width, batch_first=True)

    def forward(self, vectors: Tensor, pauses: Tensor) -> Tensor:
        """Return the GRU's states, (batch, words, width)."""
        is_unknown = pauses == UNKNOWN_PAUSE
        seconds = torch.where(is_unknown, 0.0, pauses * (BUCKET_MS / 1000))
        inputs = torch.stack([seconds, is_unknown.float()], dim=-1).to(vectors.dtype)
        return cast(Tensor, self.recurrent(torch.cat([vectors, inputs], dim=-1))[0])


FUSIONS: Mapping[str, type[Fusion]] = {
    "none": Fusion,
    "continuous": ContinuousPauses,
    "discrete-uniform": DiscretePauses,
    "discrete-gaussian": GaussianPauses,
    "late-gru": LatePauses,
}
"""The kinds of `PauseConfig`."""
