"""Context layers, between pause fusion and heads: they relate the words of a window to each other.

`width` is the size of their output vectors; `word_mask` (batch, words) is 0 at padding. A new kind is a class with its
name in `CONTEXTS`.
"""

from collections.abc import Mapping
from typing import cast

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from asr_punct.config import ContextConfig
from asr_punct.errors import ConfigError
from asr_punct.model.attention import AttentionLayer, RotaryAttention
from asr_punct.model.convolution import GatedConvolution
from asr_punct.model.encoder import modern_bert


class Context(nn.Module):
    """The identity, for models without context layers; base class of context layers.

    Attributes:
        width: size of the output vectors.
        values_per_head: the width of the input is a multiple of this for each attention head: 1, 2 with rotary
            positions, 0 without attention.
    """

    values_per_head = 0

    def __init__(self, config: ContextConfig, width: int, max_words: int) -> None:
        """Build layers for word vectors of size `width`, and windows of at most `max_words` words."""
        super().__init__()
        self.width = width

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        """Return contextual vectors (batch, words, width) of `vectors` (batch, words, size)."""
        return vectors


class RecurrentContext(Context):
    """A bidirectional GRU, a GRU over its states, attention to all states, and late fusion.

    Tilk and Alumäe 2016, sections 2.1 and 2.2.

    The second GRU does not read the output of attention, so that attention is computed for all words at once.
    """

    def __init__(self, config: ContextConfig, width: int, max_words: int) -> None:
        super().__init__(config, width, max_words)
        self.ahead = nn.GRU(width, width, batch_first=True)
        self.back = nn.GRU(width, width, batch_first=True)
        self.decoder = nn.GRU(2 * width, width, batch_first=True)
        self.attention = AdditiveAttention(width, 2 * width, width)
        self.fusion = LateFusion(2 * width, width)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        states = _both_directions(self.ahead, self.back, vectors, word_mask)
        decoded = self.decoder(states)[0]
        previous = nn.functional.pad(decoded, (0, 0, 1, 0))[:, :-1]
        return cast(Tensor, self.fusion(self.attention(previous, states, word_mask), decoded))


class BidirectionalLSTM(Context):
    """A bidirectional LSTM (Alam et al. 2020, section 4.1), over words instead of tokens."""

    def __init__(self, config: ContextConfig, width: int, max_words: int) -> None:
        super().__init__(config, 2 * width, max_words)
        self.ahead = nn.LSTM(width, width, batch_first=True)
        self.back = nn.LSTM(width, width, batch_first=True)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        return _both_directions(self.ahead, self.back, vectors, word_mask)


class LstmStack(Context):
    """An LSTM, then pairs of a bidirectional LSTM and a GRU, which halve the width (Poláček et al. 2023, Table 1)."""

    def __init__(self, config: ContextConfig, width: int, max_words: int) -> None:
        pairs = config.layers
        super().__init__(config, width >> pairs, max_words)
        self.first = nn.LSTM(width, width, batch_first=True)
        sizes = [width >> pair for pair in range(pairs)]
        self.ahead, self.back = (
            nn.ModuleList(nn.LSTM(size, size // 2, batch_first=True) for size in sizes) for _ in range(2)
        )
        self.narrow = nn.ModuleList(nn.GRU(size // 2 * 2, size // 2, batch_first=True) for size in sizes)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        vectors = self.first(vectors)[0]
        for ahead, back, narrow in zip(self.ahead, self.back, self.narrow, strict=True):
            vectors = narrow(_both_directions(ahead, back, vectors, word_mask))[0]
        return vectors


class AdditiveAttention(nn.Module):
    """Additive attention (Bahdanau et al. 2015, section A.1.2): e_ti = v tanh(W q_t + U k_i + b).

    The arguments are sizes; the keys are also the values.
    """

    def __init__(self, query: int, key: int, hidden: int) -> None:
        super().__init__()
        self.query = nn.Linear(query, hidden, bias=False)
        self.key = nn.Linear(key, hidden)
        self.energy = nn.Linear(hidden, 1, bias=False)

    def forward(self, queries: Tensor, keys: Tensor, word_mask: Tensor) -> Tensor:
        """Return a weighted mean of `keys` (batch, words, key) for each of `queries` (batch, words, query)."""
        hidden = torch.tanh(self.query(queries).unsqueeze(2) + self.key(keys).unsqueeze(1))
        energies = self.energy(hidden).squeeze(-1).masked_fill(word_mask.unsqueeze(1) == 0, -1e4)
        return cast(Tensor, energies.softmax(dim=-1).to(keys.dtype) @ keys)


class LateFusion(nn.Module):
    """Gated sum of attention a and state h (Tilk and Alumäe 2016): a W_fa * s(a W_fa W_ff + h W_fh + b_f) + h."""

    def __init__(self, attended: int, width: int) -> None:
        super().__init__()
        self.found = nn.Linear(attended, width, bias=False)  # W_fa
        self.gate_found = nn.Linear(width, width, bias=False)  # W_ff
        self.gate_state = nn.Linear(width, width)  # W_fh, b_f

    def forward(self, attended: Tensor, state: Tensor) -> Tensor:
        """Return the sums, (..., width), for the output of attention (..., attended) and `state` (..., width)."""
        attended = self.found(attended)
        return attended * torch.sigmoid(self.gate_found(attended) + self.gate_state(state)) + state


def _both_directions(ahead: nn.Module, back: nn.Module, vectors: Tensor, word_mask: Tensor) -> Tensor:
    reversed_states = _reverse(back(_reverse(vectors, word_mask))[0], word_mask)
    return torch.cat([ahead(vectors)[0], reversed_states], dim=-1)


def _reverse(vectors: Tensor, word_mask: Tensor) -> Tensor:
    """Reverse the words of each window, (batch, words, width); padding stays at the end."""
    positions = torch.arange(vectors.shape[1], device=vectors.device)
    mirrored = word_mask.sum(dim=1, keepdim=True) - 1 - positions
    index = torch.where(mirrored >= 0, mirrored, positions)
    # With expand_as, the number of words would be a constant in the exported graph.
    return torch.gather(vectors, 1, index.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))


class ConvolutionContext(Context):
    """One layer for each kernel of the configuration: a gated convolution, or attention if the kernel is 0."""

    values_per_head = 2

    def __init__(self, config: ContextConfig, width: int, max_words: int) -> None:
        super().__init__(config, width, max_words)
        hidden = config.feed_forward or width
        self.layers = nn.ModuleList(
            GatedConvolution(width, hidden, kernel, config.dropout)
            if kernel
            else RotaryAttention(width, config.heads, max_words, config.dropout)
            for kernel in config.kernels
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        for layer in self.layers:
            vectors = layer(vectors, word_mask)
        return cast(Tensor, self.norm(vectors))


class AttentionContext(Context):
    """Layers of self-attention over the window (Shi et al. 2021, section 2.1)."""

    values_per_head = 1

    def __init__(self, config: ContextConfig, width: int, max_words: int) -> None:
        super().__init__(config, width, max_words)
        hidden = config.feed_forward or 4 * width
        self.layers = nn.ModuleList(
            AttentionLayer(width, config.heads, hidden, config.dropout) for _ in range(config.layers)
        )

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        for layer in self.layers:
            vectors = layer(vectors, word_mask)
        return vectors


class BertContext(Context):
    """BERT over the words of the window: the custom BERT of AutoPunct (González-Docasal et al. 2021, section 3.2.2).

    Learnt positions are added to the vectors, and each layer is followed by normalisation (Devlin et al. 2019).
    """

    values_per_head = 1

    def __init__(self, config: ContextConfig, width: int, max_words: int) -> None:
        super().__init__(config, width, max_words)
        settings = BertConfig(
            vocab_size=1,
            pad_token_id=0,
            hidden_size=width,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            intermediate_size=config.feed_forward or 4 * width,
            hidden_dropout_prob=config.dropout,
            attention_probs_dropout_prob=config.dropout,
            max_position_embeddings=max_words,
            type_vocab_size=1,
        )
        self.layers = BertModel(settings, add_pooling_layer=False)

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        return cast(Tensor, self.layers(inputs_embeds=vectors, attention_mask=word_mask).last_hidden_state)


class TransformerContext(Context):
    """A small ModernBERT over the words of the window: pre-normalised layers with rotary positions."""

    values_per_head = 2

    def __init__(self, config: ContextConfig, width: int, max_words: int) -> None:
        super().__init__(config, width, max_words)
        self.layers = modern_bert(
            vocab_size=1,
            hidden_size=width,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            # A gated layer has three matrices: at 8/3 of the width they have as many weights as two at 4 times it.
            intermediate_size=config.feed_forward or 8 * width // 3,
            local_attention=config.local_attention,
            dropout=config.dropout,
            max_position_embeddings=max_words,
            pad_token_id=0,
        )

    def forward(self, vectors: Tensor, word_mask: Tensor) -> Tensor:
        return cast(Tensor, self.layers(inputs_embeds=vectors, attention_mask=word_mask).last_hidden_state)


CONTEXTS: Mapping[str, type[Context]] = {
    "none": Context,
    "bert": BertContext,
    "transformer": TransformerContext,
    "convolution": ConvolutionContext,
    "brnn": RecurrentContext,
    "bilstm": BidirectionalLSTM,
    "lstm": LstmStack,
    "attention": AttentionContext,
}
"""The kinds of `ContextConfig`."""


def build_context(config: ContextConfig, width: int, max_words: int) -> Context:
    """Return the configured context layers for word vectors of size `width`, and windows of at most `max_words` words.

    Raises ConfigError if the width is not a multiple of the number of heads, or of twice that with rotary positions.
    """
    kind = CONTEXTS[config.kind]
    multiple = kind.values_per_head * config.heads
    if multiple and width % multiple:
        expected = f"a width that is a multiple of {multiple}, with {config.heads} heads"
        raise ConfigError("model.context.heads", f"word vectors of width {width}", expected)
    return kind(config, width, max_words)
