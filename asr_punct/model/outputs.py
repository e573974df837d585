"""Types shared by encoders and the layers that read them."""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class EncoderOutput:
    """Output of an encoder for a batch of windows.

    Attributes:
        words: *Shape:* (batch, words, width), a vector for each word.
        states: *Shape:* (batch, tokens, width), a vector for each token: the input of the masked-LM decoder if the
            encoder has one. None if the encoder has no context.
    """

    words: Tensor
    states: Tensor | None = None


@dataclass(frozen=True)
class VocabularyLayer:
    """A masked-LM decoder: the linear layer from token states to logits over the vocabulary.

    Attributes:
        weight: *Shape:* (sub-words, width).
        bias: *Shape:* (sub-words,), or None.
    """

    weight: Tensor
    bias: Tensor | None
