"""Types shared by encoders and the layers that read them."""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class EncoderOutput:
    """Output of an encoder for a batch of windows.

    `words` has a vector for each word, (batch, words, width), `states` one for each token, (batch, tokens, width): the
    input of the masked-LM decoder if the encoder has one. `states` is None if the encoder has no context.
    """

    words: Tensor
    states: Tensor | None = None


@dataclass(frozen=True)
class VocabularyLayer:
    """A masked-LM decoder: the linear layer from token states to logits over the vocabulary.

    `weight` is (sub-words, width), `bias` (sub-words,) or None.
    """

    weight: Tensor
    bias: Tensor | None
