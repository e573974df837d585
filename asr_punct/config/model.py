"""Configuration of a model's components."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from asr_punct.config.fields import CheckedConfig
from asr_punct.declared import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, Range, Share
from asr_punct.errors import ConfigError
from asr_punct.languages import DEFAULT_LANGUAGE
from asr_punct.marks import MARKS, NO_MARKS

MAX_TOKENS = 512
"""Longest encoder input in sub-words, with both special tokens: the usual limit of pretrained encoders."""
PART_OF_SPEECH_TAGS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
"""Universal part-of-speech tags (universaldependencies.org/u/pos), in the order of the outputs of a model's tagger."""


@dataclass(frozen=True)
class EncoderConfig(CheckedConfig):
    """Sub-word encoder: a pretrained one, or one built from the sizes below with random weights."""

    name: str | None = None
    """Hub name or directory of a pretrained transformers encoder; None builds one."""
    kind: Literal["transformer", "electra", "lookup", "table"] = "transformer"
    """Architecture of a built encoder: ModernBERT (`transformer`), ELECTRA (Clark et al. 2020), or embeddings without
    context: those of a word's sub-words and of word pairs (`lookup`), or that of its last sub-word (`table`)."""
    tokenizer: Literal["bpe", "unigram", "word"] = "bpe"
    """Tokenizer trained on the corpus for a built encoder: byte pairs, SentencePiece unigrams (Kudo 2018), or whole
    words that occur at least twice."""
    vocabulary: PositiveInt = 8000
    """Maximum vocabulary size of that tokenizer."""
    layers: PositiveInt = 2
    """Transformer layers (built encoders)."""
    width: PositiveInt = 128
    """Hidden size (built encoders)."""
    heads: PositiveInt = 4
    """Attention heads (built encoders)."""
    feed_forward: PositiveInt = 256
    """Width of the feed-forward layers (built encoders)."""
    local_attention: PositiveInt = 32
    """Attention window of every second ModernBERT layer, in sub-words; the other layers attend globally."""
    dropout: Share = 0.1
    """Dropout (built encoders)."""
    attention_dropout: Share | None = None
    """Dropout of attention weights in a pretrained encoder; None keeps the checkpoint's rate, 0 is faster on a CPU."""
    hidden_dropout: Share | None = None
    """All other dropout in a pretrained encoder; None keeps the checkpoint's rates."""
    max_tokens: Annotated[int, Range(0, MAX_TOKENS)] = 512
    """Longest input in sub-words including both special tokens, at most 512 (built encoders)."""
    max_subwords: Annotated[int, Range(2)] = 16
    """Maximum number of sub-words of a word; of a longer word the first ones and the last one are kept."""
    table_width: PositiveInt = 128
    """Width of a sub-word embedding (lookup encoders, ELECTRA)."""
    pairs: NonNegativeInt = 0
    """Rows of the hash table of embeddings of neighbouring word pairs; 0 disables it (lookup encoders)."""
    pair_width: PositiveInt = 32
    """Width of a row of that table."""
    sequence_hidden: NonNegativeInt = 0
    """Outputs of a linear layer on each token's masked-LM logits. They are concatenated over the window and feed one
    linear layer that labels all tokens (Courtland et al. 2020, section 3). 0 disables both layers."""
    sequence_dropout: Share = 0.2
    """Dropout after the second of these layers, which batch normalisation follows."""

    def __post_init__(self) -> None:
        super().__post_init__()
        multiple = 2 * self.heads if self.kind == "transformer" else self.heads  # rotary: even head size
        if self.width % multiple and self.kind in ("transformer", "electra") and not self.name:
            raise ConfigError("width", str(self.width), f"a multiple of {multiple} with {self.heads} heads")
        if self.max_tokens < self.max_subwords + 2:
            raise ConfigError("max_tokens", str(self.max_tokens), f"max_subwords + 2 = {self.max_subwords + 2} or more")


@dataclass(frozen=True)
class PauseConfig(CheckedConfig):
    """Fusion of the pause after a word with the word's vector (AutoPunct, section 3.2.1)."""

    kind: Literal["none", "continuous", "discrete-uniform", "discrete-gaussian", "late-gru"] = "discrete-gaussian"
    """`continuous` adds the pause in seconds to every value of the vector. `discrete-uniform` and `discrete-gaussian`
    add the embedding of its 10 ms bucket, averaged over neighbouring buckets with equal or Gaussian weights.
    `late-gru` is a GRU over context vectors and pauses (Tilk and Alumäe 2016, second stage)."""
    window_s: NonNegativeFloat = 1.0
    """Width of the averaging window in seconds."""
    sigma_s: PositiveFloat = 1 / 6
    """Standard deviation of the Gaussian weights in seconds; not given in the paper."""


@dataclass(frozen=True)
class PosConfig(CheckedConfig):
    """Part-of-speech embeddings, concatenated with the word vectors (Shi et al. 2021, section 2.1).

    A frozen tagger predicts the tags. The embeddings are trained with the model.
    """

    tagger: Literal["none", "own", "flair"] = "none"
    """`own` is a small tagger trained by `recipes/pos.py` and stored in the model. `flair` cannot be exported."""
    weights: Literal["tagger", "random"] = "tagger"
    """Initial embeddings: the weights of the tagger's softmax layer, or random (the paper's ablation)."""
    name: str = "flair/upos-english-fast"
    """Name or file of the flair tagger."""
    width: PositiveInt = 128
    """Hidden size of the `own` tagger, and size of its tag embeddings; those of the paper's flair tagger have 512."""
    table_width: PositiveInt = 64
    """Width of a sub-word embedding in the `own` tagger."""
    kernels: tuple[int, ...] = (5, 5, 5)
    """Kernel sizes of its gated convolutions, in words."""
    dropout: Share = 0.2
    """Dropout in its training."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width % 2:
            raise ConfigError("width", str(self.width), "an even number")
        _check_kernels(self.kernels, allow_zero=False)


@dataclass(frozen=True)
class ContextConfig(CheckedConfig):
    """Layers between pause fusion and heads, with random initial weights (AutoPunct's custom BERT, section 3.2.2)."""

    kind: Literal["none", "bert", "transformer", "convolution", "brnn", "bilstm", "lstm", "attention"] = "transformer"
    """Layers over the word vectors of a window: BERT layers (AutoPunct's), ModernBERT layers (`transformer`), gated
    convolutions with attention layers, a bidirectional GRU with attention (Tilk and Alumäe 2016), a bidirectional LSTM
    (Alam et al. 2020, section 4.1), a stack of LSTM and GRU layers (`lstm`, Poláček et al. 2023, Table 1), or
    self-attention (Shi et al. 2021, section 2.1)."""
    layers: PositiveInt = 4
    """Number of layers (bert, transformer, attention), or of pairs of BiLSTM and GRU, each of half the width (lstm)."""
    heads: PositiveInt = 4
    """Attention heads."""
    feed_forward: PositiveInt | None = None
    """Width of the feed-forward layers, or channels of a convolution. None: 8/3 of the vector width in a transformer,
    4 times it in bert and self-attention (Vaswani et al. 2017), equal to it in a convolution."""
    local_attention: PositiveInt = 16
    """Attention window of every second `transformer` layer, in words; all other layers attend to the whole window."""
    kernels: tuple[int, ...] = (5, 9, 9, 0, 15)
    """Kernel size of each gated convolution, in words; 0 is an attention layer instead."""
    dropout: Share = 0.1
    """Dropout."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_kernels(self.kernels, allow_zero=True)


@dataclass(frozen=True)
class HeadConfig(CheckedConfig):
    """Punctuation and case heads: dense layer, activation, dropout, linear layer (AutoPunct, section 3.2.3)."""

    kind: Literal["multilabel", "classes"] = "multilabel"
    """Output of the punctuation head: a sigmoid for each mark, or a softmax over sets of marks."""
    class_count: PositiveInt = 1000
    """A set of several marks becomes a class if at least this many training words have it."""
    classes: tuple[str, ...] = ()
    """Classes that training finds in its corpus: `O`, single marks from frequent to rare, sets (`QUOTE+PERIOD`). A word
    with any other set is labelled with its rarest mark, or `O` if none of its marks is a class."""
    crf: Literal["none", "marginals", "path"] = "none"
    """Linear-chain CRF over the classes (Alam et al. 2020, section 5.3). The probability of a class is the sum over all
    paths through it (`marginals`), or that of the best one (`path`); the likeliest classes are then the best path."""
    hidden: NonNegativeInt | None = None
    """Width of the dense layer; None is the width of the input vectors, 0 leaves only the linear layer."""
    activation: Literal["gelu", "selu"] = "gelu"
    """Activation of the dense layer; Poláček et al. 2023, section 3.1, use SELU (Klambauer et al. 2017)."""
    dropout: Share = 0.1
    """Dropout before the last layer."""
    case_context: Literal["previous", "own"] = "previous"
    """Mark probabilities that the case head reads: those of this word and the previous one, or its own only."""
    case_vectors: Literal["encoder", "context"] = "encoder"
    """Word vectors that the case head reads; `context` is for encoders without context."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the punctuation head has an output for."""
        return self.classes if self.kind == "classes" else MARKS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.crf != "none" and self.kind != "classes":
            raise ConfigError("kind", repr(self.kind), f"'classes' with crf {self.crf!r}")
        if self.classes and self.classes[0] != NO_MARKS:
            raise ConfigError("classes", f"{self.classes[0]!r} first", f"{NO_MARKS!r} first")


@dataclass(frozen=True)
class WindowConfig(CheckedConfig):
    """Windows over consecutive utterances, in training and in inference."""

    words: int = 96
    """Words in a window."""
    margin: NonNegativeInt = 10
    """Words at each edge of a window that the neighbouring window predicts instead."""
    tokens: Annotated[int, Range(1, MAX_TOKENS)] = MAX_TOKENS
    """Maximum number of sub-words in a window, with both special tokens; a sequence layer always reads this many."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.words <= 2 * self.margin:
            raise ConfigError("words", str(self.words), f"more than twice margin = {2 * self.margin}")


@dataclass(frozen=True)
class ModelConfig:
    """Architecture of a model, one configuration for each component."""

    language: str = DEFAULT_LANGUAGE
    """Language code, or several joined by `+`; output has the marks of the first (`¿` in es, `।` in bn)."""
    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    pauses: PauseConfig = field(default_factory=PauseConfig)
    pos: PosConfig = field(default_factory=PosConfig)
    context: ContextConfig = field(default_factory=ContextConfig)
    heads: HeadConfig = field(default_factory=HeadConfig)
    window: WindowConfig = field(default_factory=WindowConfig)
    speakers: bool = False
    """Whether words beside a change of speaker have vectors of their own. Without them a change of speaker is for the
    model as the edge of a document."""

    def __post_init__(self) -> None:
        room = self.encoder.max_subwords + 2  # for a long word and both special tokens
        if self.window.tokens < room:
            raise ConfigError(
                "window.tokens", str(self.window.tokens), f"the encoder's max_subwords + 2 = {room} or more"
            )


def _check_kernels(kernels: Sequence[int], *, allow_zero: bool) -> None:
    """Refuse an empty sequence, and even and negative kernel sizes; 0 is valid with `allow_zero`."""
    if not kernels or not all((kernel % 2 == 1 and kernel > 0) or (allow_zero and kernel == 0) for kernel in kernels):
        raise ConfigError("kernels", str(list(kernels)), f"odd numbers{' or 0' if allow_zero else ''}")
