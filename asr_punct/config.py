"""One documented dataclass for each component of a model and of its training.

They are plain data: a model directory keeps `ModelConfig` as JSON, `conf/*.yaml` holds a whole `Config`.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from asr_punct.errors import ConfigError
from asr_punct.marks import MARKS, NO_MARKS

T = TypeVar("T")
MAX_TOKENS = 512
"""Longest input of any encoder in sub-words: more than a window of words needs, and what pretrained ones take."""

LEFT_WORDS, RIGHT_WORDS = 100, 3
"""Words before and after a word that a stream decides it by where nothing else is said (Poláček et al. 2023,
section 5)."""


def _check_sizes(component: str, config: Any, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        if value is not None and value < 1:
            raise ConfigError(f"{component}: {name} is 1 or more, found {value}")


def _check_amounts(component: str, config: Any, *names: str, above: bool = False) -> None:
    for name in names:
        value = getattr(config, name)
        if not math.isfinite(value) or value < 0 or (above and value == 0):
            raise ConfigError(f"{component}: {name} is {'above 0' if above else '0 or more'}, found {value}")


def _check_probabilities(component: str, config: Any, *names: str) -> None:
    for name in names:
        if not 0 <= getattr(config, name) <= 1:
            raise ConfigError(f"{component}: {name} is a probability, found {getattr(config, name)}")


def _check_weights(place: str, weights: Mapping[str, float]) -> None:
    names = (NO_MARKS, *MARKS)
    for name, weight in weights.items():
        if name not in names:
            raise ConfigError(f"{place}: found {name!r}, expected one of {', '.join(names)}")
        if not math.isfinite(weight) or weight <= 0:
            raise ConfigError(f"{place}: {name} is above 0, found {weight}")


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
    """Dropout of the attention's probabilities in a named encoder; its own where none is given. On a CPU it costs a
    third of the speed of training."""
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
        _check_sizes("encoder", self, *sizes)
        _check_amounts("encoder", self, "pairs", "sequence_hidden")
        given = ["attention_dropout"] if self.attention_dropout is not None else []
        _check_probabilities("encoder", self, "dropout", "sequence_dropout", *given)
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
        _check_amounts("pauses", self, "window_s")
        _check_amounts("pauses", self, "sigma_s", above=True)


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
        _check_sizes("pos", self, "width", "table_width")
        _check_probabilities("pos", self, "dropout")
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
        _check_sizes("context", self, "layers", "heads", "feed_forward", "local_attention")
        _check_probabilities("context", self, "dropout")
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
    """Its non-linearity; SELU (Klambauer et al. 2017) in Polacek et al. 2023, section 3.1."""
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
        _check_sizes("heads", self, "class_count")
        _check_amounts("heads", self, *(["hidden"] if self.hidden is not None else []))
        _check_probabilities("heads", self, "dropout")


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


@dataclass(frozen=True)
class NoiseConfig:
    """A recogniser's errors, made in the words of training windows; `training.noise` says what those of real ones are.

    Labels stay as they are; probabilities are for each word of a noisy window.
    """

    windows: float = 0.0
    """Share of the windows that are noisy."""
    substitution: float = 0.0
    """Probability that a word becomes one that sounds or looks like it."""
    any_word: float = 0.1
    """Share of these substitutions that are by any word, drawn by its frequency."""
    name_substitution: float = 0.0
    """The probability of a substitution for words that are mostly capitalised; their misspelt forms take part."""
    deletion: float = 0.0
    """Probability that a common word without labels is left out."""
    repetition: float = 0.0
    """Probability that a common word stands twice."""
    filler: float = 0.0
    """Probability that a filler follows a word."""
    fillers: str = ""
    """Words that fill a speaker's pauses or that recognisers hear in noise, separated by spaces."""

    def __post_init__(self) -> None:
        rates = ("windows", "substitution", "any_word", "name_substitution", "deletion", "repetition", "filler")
        _check_probabilities("noise", self, *rates)
        if self.filler and not self.fillers.split():
            raise ConfigError(f"noise: filler is {self.filler}, but fillers names no words")


@dataclass(frozen=True)
class AugmentConfig:
    """Words substituted, deleted and inserted at random in training windows (Alam et al. 2020, section 4.1.2).

    What is neither a substitution nor a deletion is an insertion of a word without labels.
    """

    rate: float = 0.0
    """Probability that a word is changed (alpha; 0.15 is the paper's best); 0 for none."""
    substitution: float = 0.4
    """Share of the changes that are a substitution, which keeps the word's labels (alpha_sub)."""
    deletion: float = 0.4
    """Share of the changes that are a deletion, of the word with its labels (alpha_del)."""
    replacement: Literal["unknown", "random"] = "unknown"
    """What substitutes and is inserted: the unknown word, or any word of the corpus, frequent or not."""

    def __post_init__(self) -> None:
        _check_probabilities("augment", self, "rate", "substitution", "deletion")
        if round(self.substitution + self.deletion, 9) > 1:
            shares = f"{self.substitution} and {self.deletion}"
            raise ConfigError(f"augment: substitution and deletion are 1 together at most, found {shares}")


@dataclass(frozen=True)
class TrainingConfig:
    """How a model is trained (AutoPunct, section 4)."""

    epochs: int = 50
    """Most epochs."""
    monitor: Literal["f1", "perplexity"] = "f1"
    """What chooses the best epoch and when to stop, on the development set: F1 of punctuation, or the perplexity of
    each word's marks, the exponential of their cross-entropy, whatever `focal_gamma` and `class_weights` train on."""
    epochs_per_pass: int = 1
    """Epochs of one pass over the corpus (`windows`); more of them where a pass is so long that scores and checkpoints
    are wanted sooner."""
    windows: Literal["passes", "uniform", "sliding", "sentences"] = "passes"
    """How windows are cut. `passes`: each word once a pass, the first window of each document of random length.
    `uniform`: starts drawn uniformly, each word expected once a pass (sequence boundary sampling, Shi et al. 2021).
    `sliding`: starts one word apart, each word as often in a pass as a window has words (Courtland et al. 2020).
    `sentences`: random numbers of whole sentences, each word once a pass (Poláček et al. 2023)."""
    sentences: int = 10
    """Most sentences of a window that is cut by `sentences`."""
    patience: int = 20
    """Epochs without a better score on the development set before training stops."""
    batch_size: int = 8
    """Windows of one step; of short ones more, to as many words."""
    optimizer: Literal["adamw", "radam", "muon", "adagrad"] = "adamw"
    """AdamW, which is Adam where `weight_decay` is 0; RAdam (Liu et al. 2020), whose steps do not go by the gradient's
    variance as long as too few estimate it; Muon (Jordan et al. 2024) for the matrices of the layers and AdamW for all
    else; or AdaGrad (Duchi et al. 2011), which changes only those rows of tables that a batch reads."""
    lookahead_steps: int = 0
    """Steps of the optimiser after which LookAhead (Zhang et al. 2019) takes its own one; 0 for none."""
    lookahead_rate: float = 0.5
    """How far LookAhead goes from where it was to where the optimiser is: alpha in the paper."""
    learning_rate: float = 2e-5
    """Highest learning rate, with Muon that of AdamW."""
    encoder_learning_rate: float | None = None
    """That of the encoder's own weights, those that `frozen_encoder` holds; `learning_rate` where none is given. Not
    with Muon."""
    frozen_encoder: bool = False
    """Whether the encoder's own weights stay as they are, and its dropout is off: what a named encoder brings, or the
    tables and their mixing of one that looks up. What is learnt beside it is trained: edges of documents and all layers
    after it. A second run goes on from there with all weights (Courtland et al. 2020, section 3)."""
    muon_learning_rate: float = 0.02
    """Highest learning rate of Muon."""
    warmup_epochs: float = 5.0
    """Epochs over which the learning rate rises from 0."""
    decay: Literal["none", "linear", "staircase"] = "none"
    """After the warm-up: constant; falling to 0 at the last epoch; or, from the second pass over the corpus on, times
    `decay_rate` after every `decay_steps` batches (Polacek et al. 2023, section 4.2)."""
    decay_rate: float = 0.95
    """What is kept of the learning rate at a step of the staircase."""
    decay_steps: int = 10_000
    """Batches from one step of the staircase to the next; the first one ends so many after the first pass."""
    focal_gamma: float = 0.0
    """Focal loss of the marks (Lin et al. 2018, equation 4): the exponent of 1 - p, with p the probability of what is
    right; 0 for cross-entropy."""
    class_weights: Mapping[str, float] = field(default_factory=dict)
    """Factors on the loss of the marks, by mark or `O`; 1 where none is given. A multi-label head's are on the terms of
    words that bear the mark, and `O` is on those of marks that a word does not bear; a head of classes has one for each
    class, the largest of its marks'. The loss stays a mean over words, whatever their weights."""
    weight_decay: float = 0.01
    """Weight decay, not on biases and normalisation, with Muon on its matrices alone, with AdaGrad on nothing."""
    clip_norm: float = 1.0
    """Largest norm of the gradient; 0 for any."""
    average: float = 0.0
    """What a running average of the weights keeps of itself at each step; 0 for no average. Where there is one, it is
    what is scored and kept: at a constant rate the weights themselves never settle."""
    pause_dropout: float = 0.15
    """Probability that all pauses of a training window are unknown."""
    word_pause_dropout: float = 0.05
    """Probability that a known pause is unknown, word by word."""
    subword_dropout: float = 0.0
    """Probability that a sub-word is the unknown one, sub-word by sub-word."""
    boundary_dropout: float = 0.3
    """Probability that a window's first and last words are not told to begin or end a document."""
    generated_pauses: bool = False
    """Whether windows without a known pause are given those of `pause_model`, before any is withheld."""
    noise: NoiseConfig = field(default_factory=NoiseConfig)
    """Errors in the words of training windows."""
    augment: AugmentConfig = field(default_factory=AugmentConfig)
    """Random changes of the words of training windows, after those errors."""
    pos_tagger: str | None = None
    """What `recipes/pos.py` wrote for the encoder's tokenizer: a directory or its weights (where `model.pos.tagger` is
    own and the model is new)."""
    workers: int = 0
    """Processes that make batches while the model computes; 0 for none, which is enough where it runs on the CPU."""
    compile: bool = False
    """Whether the model is compiled (by `torch.compile`), which pays on a GPU and needs a C++ compiler."""
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    """Arithmetic; auto is bf16 where the processor has it."""
    seed: int = 1
    """Seed of the weights, the windows and dropout."""

    def __post_init__(self) -> None:
        sizes = ("epochs", "epochs_per_pass", "sentences", "batch_size", "patience", "decay_steps")
        _check_sizes("training", self, *sizes)
        above = ["learning_rate", "muon_learning_rate", "lookahead_rate", "decay_rate"]
        above += ["encoder_learning_rate"] if self.encoder_learning_rate is not None else []
        _check_amounts("training", self, *above, above=True)
        _check_amounts("training", self, "warmup_epochs", "weight_decay", "clip_norm", "workers")
        _check_amounts("training", self, "lookahead_steps", "focal_gamma")
        shares = ("average", "pause_dropout", "word_pause_dropout", "subword_dropout", "boundary_dropout")
        _check_probabilities("training", self, *shares, "lookahead_rate", "decay_rate")
        _check_weights("training: class_weights", self.class_weights)
        if self.optimizer == "muon" and self.encoder_learning_rate is not None:
            raise ConfigError("training: encoder_learning_rate goes with every optimizer but muon")
        if not 0 <= self.seed < 2**32:
            raise ConfigError(f"training: seed is 0 or more and below 2**32, found {self.seed}")


@dataclass(frozen=True)
class PretrainingConfig:
    """Pre-training by replaced-token detection (ELECTRA), before the training proper."""

    epochs: int = 16
    """Epochs; how much of the corpus one is, `training.epochs_per_pass` says."""
    hides: Literal["words", "tokens"] = "words"
    """What is hidden and told: the last sub-words of words; or any sub-word (ELECTRA), where the encoder is a
    transformer."""
    masked: float = 0.15
    """Probability that one is hidden, and the generator's guess stands in its place."""
    generator: float = 0.25
    """Width of the generator's layers, as a share of the model's."""
    detection_weight: float = 50.0
    """Weight of the detection's loss beside the generator's."""
    learning_rate: float = 1e-3
    """Highest learning rate of AdamW."""
    muon_learning_rate: float = 0.02
    """Highest learning rate of Muon."""
    warmup_epochs: float = 0.5
    """Epochs over which the learning rate rises from 0."""
    decay: Literal["none", "linear"] = "linear"
    """After the warm-up: constant, or falling to 0 at the last epoch."""

    def __post_init__(self) -> None:
        _check_sizes("pretraining", self, "epochs")
        _check_amounts("pretraining", self, "learning_rate", "muon_learning_rate", above=True)
        _check_amounts("pretraining", self, "warmup_epochs", "detection_weight")
        _check_probabilities("pretraining", self, "masked", "generator")


@dataclass(frozen=True)
class Config:
    """What a file in `conf/` holds."""

    model: ModelConfig = field(default_factory=ModelConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    pretraining: PretrainingConfig = field(default_factory=PretrainingConfig)


def from_mapping(cls: type[T], values: Any, place: str) -> T:
    """A configuration dataclass from nested mappings; keys left out keep their defaults.

    Raises:
        ConfigError: unknown key, value of another type, or values that do not go together; `place` is named.
    """
    if not isinstance(values, Mapping):
        raise ConfigError(f"{place}: found {values!r}, expected keys and values")
    hints = typing.get_type_hints(cls)
    for key in values:
        if key not in hints:
            raise ConfigError(f"{place}: found unknown key {key!r}, expected one of {', '.join(hints)}")
    arguments = {key: _value(hints[key], value, f"{place}: {key}") for key, value in values.items()}
    try:
        return cls(**arguments)
    except ConfigError as error:
        component = place.rpartition(": ")[2]
        raise ConfigError(f"{place}: {str(error).removeprefix(f'{component}: ')}") from None


def _value(hint: Any, value: Any, place: str) -> Any:
    if dataclasses.is_dataclass(hint):
        return from_mapping(typing.cast(type, hint), value, place)
    if typing.get_origin(hint) is Literal:
        if value in typing.get_args(hint):
            return value
        raise ConfigError(f"{place}: found {value!r}, expected one of {', '.join(map(str, typing.get_args(hint)))}")
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"{place}: found {value!r}, expected a list")
        return tuple(_value(typing.get_args(hint)[0], item, place) for item in value)
    if typing.get_origin(hint) is Mapping:
        if not isinstance(value, Mapping):
            raise ConfigError(f"{place}: found {value!r}, expected keys and values")
        of_key, of_value = typing.get_args(hint)
        return {_value(of_key, key, place): _value(of_value, item, f"{place}: {key}") for key, item in value.items()}
    allowed = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    if isinstance(value, bool) == (bool in allowed) and isinstance(value, allowed):
        return value
    if float in allowed and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    names = " or ".join("nothing" if kind is type(None) else kind.__name__ for kind in allowed)
    raise ConfigError(f"{place}: found {value!r}, expected {names}")


def as_mapping(config: Any) -> dict[str, Any]:
    """Inverse of `from_mapping`: nested dictionaries of plain values, as JSON has them."""
    return {name: _plain(value) for name, value in dataclasses.asdict(config).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return list(value) if isinstance(value, tuple) else value
