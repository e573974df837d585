"""Log-probabilities of recordings of any length, window by window.

A window is half a minute, and is heard with three seconds more on either side, whose frames are thrown away. What is
no longer than a window and its context is heard in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from asr_punct.align.spelling import Vocabulary
from asr_punct.audio import Samples
from asr_punct.errors import InputError, ModelError
from asr_punct.words import Seconds

WINDOW: Seconds = 30.0
CONTEXT: Seconds = 3.0
_SHORTEST: Seconds = 0.25
"""What is shorter is heard with silence after it: models have a shortest input of some 25 to 100 ms."""
_TOLERANCE = 3
"""Frames that a model may give more or fewer than its hop says: edges are treated in different ways."""
_TRIAL = 40960
"""Samples of the shorter of two trials that tell the hop: a multiple of all usual ones."""

Floats = npt.NDArray[np.float32]


class AcousticModel(Protocol):
    """A CTC model.

    Attributes:
        name: for messages.
        rate: samples a second that it hears.
        hop: samples from one of its frames to the next.
        vocabulary: what it emits.
    """

    name: str
    rate: int
    hop: int
    vocabulary: Vocabulary

    def log_probs(self, samples: Samples) -> Floats:
        """float32 (frames, vocabulary) of float32 (samples,)."""
        ...


def hop_of(log_probs: Callable[[Samples], Floats], name: str) -> int:
    """Samples from one frame of a model to the next, by trial: configurations name it in many ways, or not at all.

    Raises:
        ModelError: longer audio gives no more frames.
    """
    frames = [len(log_probs(np.zeros(samples, np.float32))) for samples in (_TRIAL, 2 * _TRIAL)]
    if frames[1] <= frames[0]:
        raise ModelError(
            name, f"{frames[1]} frames of {2 * _TRIAL} samples", f"more than the {frames[0]} of half of it"
        )
    return round(_TRIAL / (frames[1] - frames[0]))


def windows(model: AcousticModel, blocks: Iterable[Samples], place: str) -> Iterator[Floats]:
    """Log-probabilities of consecutive windows, each frame once.

    Args:
        model: what hears it.
        blocks: the recording in pieces of any length, at the model's rate.
        place: what is heard, for messages.

    Yields:
        float32 (frames, vocabulary).

    Raises:
        ModelError: the model gives another number of symbols or frames than it should.
        InputError: it gives NaN.
    """
    core, context = (round(seconds * model.rate / model.hop) for seconds in (WINDOW, CONTEXT))
    held, left = np.zeros(0, np.float32), 0
    for block in blocks:
        held = np.concatenate([held, block])
        while len(held) > (left + core + context) * model.hop:
            heard = _hear(model, held[: (left + core + context) * model.hop], place)
            yield heard[left : left + core]
            held = held[(left + core - context) * model.hop :]
            left = context
    if len(held):
        yield _hear(model, held, place)[left:]


def _hear(model: AcousticModel, samples: Samples, place: str) -> Floats:
    """Frames of the samples, and none for what is padded."""
    shortest = round(_SHORTEST * model.rate)
    heard = model.log_probs(np.pad(samples, (0, max(0, shortest - len(samples)))))
    expected = max(len(samples), shortest) / model.hop
    if heard.ndim != 2 or heard.shape[1] != model.vocabulary.size or abs(len(heard) - expected) > _TOLERANCE:
        found = f"log-probabilities of shape {heard.shape} for {len(samples)} samples"
        raise ModelError(model.name, found, f"({expected:.0f}, {model.vocabulary.size})")
    if np.isnan(heard).any() or (heard == np.inf).any():
        raise InputError(place, f"log-probabilities of {model.name} that are no numbers", "numbers")
    return heard[: -(-len(samples) // model.hop)]
