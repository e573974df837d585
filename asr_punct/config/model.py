"""The components of a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from asr_punct.config.checks import check_amounts, check_probabilities, check_sizes
from asr_punct.errors import ConfigError
from asr_punct.marks import NO_MARKS

MAX_TOKENS = 512
"""Longest input of any encoder in sub-words: more than a window of words needs, and what pretrained ones take."""

LEFT_WORDS, RIGHT_WORDS = 100, 3
"""Words before and after a word that a stream decides it by where nothing else is said (Poláček et al. 2023,
section 5)."""


@dataclass(frozen=True)
class EncoderConfig:
    """The encoder of sub-words: one by name, or one built from these numbers."""

    name: str | None = None
    """Name or directory of a pretrained transformers encoder; without one the encoder is built."""
    kind: Literal["transformer", "electra", "lookup", "table"] = "transformer"
    """What is built: a ModernBERT; an ELECTRA (Clark et al. 2020); tables of sub-words and pairs of words without any
    context of their own; or one table with a row for each word, by its last sub-word."""
    tokenizer: Literal["bpe", "unigram", "word"] = "bpe"
    """What is trained on the corpus (built encoders): sub-words by byte pairs, or by SentencePiece's unigram model
    (Kudo 2018); or whole words that it holds twice or more."""
    vocabulary: int = 8000
    """Most sub-words or words of that tokenizer."""
    layers: int = 2
    """Transformer layers (built encoders)."""
    width: int = 128
    """Hidden size (built encoders; a named encoder brings its own)."""
    heads: int = 4
    """Attention heads (built encoders)."""
    feed_forward: int = 256
    """Width of the feed-forward layers, gated in a ModernBERT (built encoders)."""
    local_attention: int = 32
    """Sub-words that every second layer of a ModernBERT attends to (built encoders); the others attend to all."""
    dropout: float = 0.1
    """Dropout in the encoder (built encoders)."""
    attention_dropout: float | None = None
    """Dropout of the attention's probabilities in a named encoder; its own where none is given."""
    hidden_dropout: float | None = None
    """All other dropout in a named encoder; its own where none is given. On a CPU drawing either costs a good part of
    the speed of training."""
    max_tokens: int = 512
    """Longest input in sub-words, both special tokens included, 512 at most (built encoders)."""
    max_subwords: int = 16
    """Sub-words kept of one word: the first ones and the last."""
    table_width: int = 128
    """Width of a sub-word's row (look-up encoders, ELECTRA)."""
    pairs: int = 0
    """Rows for pairs of neighbouring words, which share them by a hash; 0 for none (look-up encoders)."""
    pair_width: int = 32
    """Width of such a row (look-up encoders)."""
    sequence_hidden: int = 0
    """Outputs of the token layer on a transformer's masked-LM output, which a sequence layer over the whole window
    reads (Courtland et al. 2020, section 3); 0 for neither layer."""
    sequence_dropout: float = 0.2
    """Dropout before the sequence layer."""

    def __post_init__(self) -> None:
        sizes = (
            "vocabulary",
            "layers",
            "width",
            "heads",
            "feed_forward",
            "local_attention",
            "table_width",
            "pair_width",
        )
        check_sizes("encoder", self, *sizes)
        check_amounts("encoder", self, "pairs", "sequence_hidden")
        check_probabilities("encoder", self, "dropout", "attention_dropout", "hidden_dropout", "sequence_dropout")
        if self.width % self.heads:
            raise ConfigError(f"encoder: width {self.width} is not a multiple of heads {self.heads}")
        if self.max_tokens > MAX_TOKENS:
            raise ConfigError(f"encoder: max_tokens is at most {MAX_TOKENS}, found {self.max_tokens}")
        if self.max_subwords < 2 or self.max_tokens < self.max_subwords + 2:
            raise ConfigError("encoder: max_subwords is at least 2, and max_tokens at least max_subwords + 2")


@dataclass(frozen=True)
class PauseConfig:
    """How the silence after a word enters the model (AutoPunct, section 3.2.1)."""

    kind: Literal["none", "continuous", "discrete-uniform", "discrete-gaussian", "late-gru"] = "discrete-gaussian"
    """No silences; their value repeated over the vector; embeddings of 10 ms buckets averaged over neighbours; or,
    after the context layers, a GRU that reads their vectors and the silences (Tilk and Alumäe 2016, second stage)."""
    window_s: float = 1.0
    """Width of the averaging window in seconds."""
    sigma_s: float = 1 / 6
    """Standard deviation of the Gaussian in seconds; the paper gives none."""

    def __post_init__(self) -> None:
        check_amounts("pauses", self, "window_s")
        check_amounts("pauses", self, "sigma_s", above=True)


@dataclass(frozen=True)
class PosConfig:
    """Parts of speech beside the encoder's vectors (Shi et al. 2021, section 2.1).

    A tagger says a word's part of speech, and the row of that tag in the tagger's softmax weights is joined to the
    word's vector. The tagger stays as it is, the rows are trained on.
    """

    tagger: Literal["none", "own", "flair"] = "none"
    """No tags; those of a small tagger that `recipes/pos.py` trains and that becomes a part of the model; or those of a
    flair tagger, where flair is installed, which no graph can hold."""
    weights: Literal["tagger", "random"] = "tagger"
    """What the rows are before training: the tagger's softmax weights, or random (the paper's ablation)."""
    name: str = "flair/upos-english-fast"
    """The flair tagger by name or file (flair)."""
    width: int = 128
    """Hidden size and width of the rows (own; a flair tagger brings its own, 512 in the paper)."""
    table_width: int = 64
    """Width of a sub-word's row in the tagger (own)."""
    kernels: tuple[int, ...] = (5, 5, 5)
    """Words that each of its gated convolutions spans (own)."""
    dropout: float = 0.2
    """Its dropout, in its own training alone (own)."""

    def __post_init__(self) -> None:
        check_sizes("pos", self, "width", "table_width")
        check_probabilities("pos", self, "dropout")
        if self.width % 2:
            raise ConfigError(f"pos: width is even, found {self.width}")
        if not self.kernels or any(kernel < 1 or kernel % 2 == 0 for kernel in self.kernels):
            raise ConfigError(f"pos: kernels are odd numbers, found {list(self.kernels)}")


@dataclass(frozen=True)
class ContextConfig:
    """The layers between fusion and heads (AutoPunct's custom BERT, section 3.2.2)."""

    kind: Literal["none", "transformer", "convolution", "brnn", "bilstm", "attention"] = "transformer"
    """None, or over the words, from scratch: a transformer; gated convolutions and layers of attention; recurrent
    layers of the encoder's width with attention (Tilk and Alumäe 2016); a bidirectional LSTM of the encoder's width in
    each direction (Alam et al. 2020, section 4.1); or plain self-attention, which fuses words and their tags (Shi et
    al. 2021, section 2.1)."""
    layers: int = 4
    """Layers of a transformer or of self-attention."""
    heads: int = 4
    """Its attention heads."""
    feed_forward: int | None = None
    """Width of its feed-forward layers; where none is given, 8/3 of the width of its vectors in a transformer, 4 times
    it in self-attention (Vaswani et al. 2017), else that width."""
    local_attention: int = 16
    """Words that every second layer of a transformer attends to; the others attend to the whole window."""
    kernels: tuple[int, ...] = (5, 9, 9, 0, 15)
    """Words that each convolution spans; 0 is a layer of attention over the window."""
    dropout: float = 0.1
    """Its dropout."""

    def __post_init__(self) -> None:
        check_sizes("context", self, "layers", "heads", "feed_forward", "local_attention")
        check_probabilities("context", self, "dropout")
        if not self.kernels or any(kernel < 0 or (kernel and kernel % 2 == 0) for kernel in self.kernels):
            raise ConfigError(f"context: kernels are odd numbers or 0, found {list(self.kernels)}")


@dataclass(frozen=True)
class HeadConfig:
    """Both heads: dense layer, non-linearity, dropout, linear layer (AutoPunct, section 3.2.3)."""

    kind: Literal["multilabel", "classes"] = "multilabel"
    """What the punctuation head decides: each mark on its own, or one class, which is a set of marks."""
    class_count: int = 1000
    """Words of the training corpus that a set of several marks must stand on to be a class."""
    classes: tuple[str, ...] = ()
    """The classes, which training finds in its corpus: `O`, its marks from the most frequent one to the rarest, sets
    of several (`QUOTE+PERIOD`). A word with another set counts as its rarest mark, and as `O` where none is a class."""
    crf: Literal["none", "marginals", "path"] = "none"
    """A linear-chain conditional random field over the words' classes (Alam et al. 2020, section 5.3): none; with one,
    a class is as likely as all paths through it together, or as the likeliest of them, which decides for the likeliest
    path of all."""
    hidden: int | None = None
    """Width of the dense layer; where none is given, that of the word vectors that the head reads; 0 for a linear layer
    alone."""
    activation: Literal["gelu", "selu"] = "gelu"
    """Its non-linearity; SELU (Klambauer et al. 2017) in Poláček et al. 2023, section 3.1."""
    dropout: float = 0.1
    """Dropout before the last layer."""
    case_context: Literal["previous", "own"] = "previous"
    """Punctuation scores that the case head reads: of the word and of the one before, or of the word alone."""
    case_vectors: Literal["encoder", "context"] = "encoder"
    """Word vectors that it reads: the encoder's, or those of the context layers where the encoder only looks up."""

    def __post_init__(self) -> None:
        if self.crf != "none" and self.kind != "classes":
            raise ConfigError(f"heads: crf {self.crf} goes with kind classes, found {self.kind}")
        if self.classes and self.classes[0] != NO_MARKS:
            raise ConfigError(f"heads: the first of classes is {NO_MARKS}, found {self.classes[0]!r}")
        check_sizes("heads", self, "class_count")
        check_amounts("heads", self, "hidden")
        check_probabilities("heads", self, "dropout")


@dataclass(frozen=True)
class WindowConfig:
    """Windows over consecutive utterances, in training and in inference."""

    words: int = 96
    """Words of a window."""
    margin: int = 16
    """Words at an inner edge of a window whose result the neighbouring window gives."""
    tokens: int = MAX_TOKENS
    """Most sub-words of a window, both special tokens included; the size of a sequence layer."""

    def __post_init__(self) -> None:
        if not 1 <= self.tokens <= MAX_TOKENS:
            raise ConfigError(f"window: tokens is from 1 to {MAX_TOKENS}, found {self.tokens}")
        if self.margin < 0 or self.words <= 2 * self.margin:
            raise ConfigError(f"window: {self.words} words leave nothing between two margins of {self.margin}")


@dataclass(frozen=True)
class ModelConfig:
    """A whole model."""

    language: str = "es"
    """Language code, or several joined by +; the first one's glyphs are written."""
    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    pauses: PauseConfig = field(default_factory=PauseConfig)
    pos: PosConfig = field(default_factory=PosConfig)
    context: ContextConfig = field(default_factory=ContextConfig)
    heads: HeadConfig = field(default_factory=HeadConfig)
    window: WindowConfig = field(default_factory=WindowConfig)

    def __post_init__(self) -> None:
        if self.window.tokens < self.encoder.max_subwords + 2:
            found = f"{self.window.tokens} and {self.encoder.max_subwords}"
            raise ConfigError(f"window: tokens is at least the encoder's max_subwords + 2, found {found}")
