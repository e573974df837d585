"""Configuration of training, and the content of a `conf/*.yaml`."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from asr_punct.config.fields import CheckedConfig
from asr_punct.config.model import ModelConfig
from asr_punct.declared import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, Range, Share
from asr_punct.errors import ConfigError


@dataclass(frozen=True)
class OptimizerConfig(CheckedConfig):
    """The optimiser, and the steps of the `staircase` schedule; other schedule settings are in `TrainingConfig`."""

    kind: Literal["adamw", "radam", "muon", "adagrad"] = "adamw"
    """AdamW (Adam if `weight_decay` is 0), RAdam (Liu et al. 2020), Muon (Jordan et al. 2024) for matrices of linear
    layers and AdamW for all other weights, or AdaGrad (Duchi et al. 2011) with sparse gradients of embeddings."""
    muon_learning_rate: PositiveFloat = 0.02
    """Peak learning rate of Muon; `training.learning_rate` is then AdamW's."""
    lookahead_steps: NonNegativeInt = 0
    """Synchronisation period of LookAhead (Zhang et al. 2019) in steps; 0 disables it."""
    lookahead_rate: Annotated[float, Range(0, 1, excludes_low=True)] = 0.5
    """Step size of LookAhead's slow weights (alpha)."""
    weight_decay: NonNegativeFloat = 0.01
    """Weight decay of matrices: with Muon those that Muon optimises, with AdaGrad none."""
    clip_norm: NonNegativeFloat = 1.0
    """Maximum gradient norm; larger gradients are scaled down to it. 0 disables clipping."""
    ema_decay: Share = 0.0
    """Decay of an exponential moving average of the weights, which is evaluated and saved; 0 disables it."""
    staircase_rate: Annotated[float, Range(0, 1, excludes_low=True)] = 0.95
    """Factor on the learning rate at each step of the `staircase` schedule (Poláček et al. 2023, section 4.2)."""
    staircase_steps: PositiveInt = 10_000
    """Batches from one step of that schedule to the next."""


@dataclass(frozen=True)
class TrainingWindowConfig(CheckedConfig):
    """How documents are cut into training windows."""

    kind: Literal["passes", "uniform", "sliding", "sentences"] = "passes"
    """Where the windows of one pass over the corpus start. `passes`: each where the previous one ends; the first one of
    a document has a random length. `uniform`: at random words (sequence boundary sampling, Shi et al. 2021).
    `sliding`: one at every word (Courtland et al. 2020). `sentences`: each where the previous one ends; a window has a
    random number of sentences (Poláček et al. 2023)."""
    sentences: PositiveInt = 10
    """Maximum number of sentences in a window (`sentences`)."""
    label: Literal["all", "middle"] = "all"
    """Words of a window whose labels are learnt: all, or the one in the middle, for sequential prediction (Courtland et
    al. 2020, section 4), with `kind` `sliding`."""
    cut_share: Share = 0.0
    """Share of the windows that are cut further, at random words, every 24 words on average. The cut is not flagged as
    the end of a document, so the model learns to label words without right context, as in a stream."""


@dataclass(frozen=True)
class NoiseConfig(CheckedConfig):
    """Simulated recognition errors in training windows. Rates are per word; labels are kept."""

    windows: Share = 0.0
    """Share of windows with errors."""
    substitution: Share = 0.0
    """Probability that a word is replaced by one with similar sound or spelling, or a misspelt form of itself."""
    any_word: Share = 0.1
    """Share of the substitutions that take any word of the corpus, drawn by frequency."""
    name_substitution: Share = 0.0
    """`substitution` for names: words that are mostly capitalised inside sentences. They have more misspelt forms."""
    deletion: Share = 0.0
    """Probability that a common word (at least 1 in 2,000 words of the corpus) without labels is deleted."""
    repetition: Share = 0.0
    """Probability that a common word, as in `deletion`, is repeated."""
    filler: Share = 0.0
    """Probability that a filler is inserted after a word."""
    fillers: str = ""
    """Filler words, separated by spaces."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.filler and not self.fillers.split():
            raise ConfigError("fillers", repr(self.fillers), "a word if filler is above 0")


@dataclass(frozen=True)
class AugmentConfig(CheckedConfig):
    """Random substitutions, deletions and insertions of words in training windows (Alam et al. 2020, section 4.1.2)."""

    rate: Share = 0.0
    """Probability that a word is changed (alpha; 0.15 is the paper's best); 0 disables augmentation."""
    substitution: Share = 0.4
    """Share of changes that replace a word and keep its labels (alpha_sub)."""
    deletion: Share = 0.4
    """Share of changes that delete a word and its labels (alpha_del). The remaining changes are insertions."""
    replacement: Literal["unknown", "random", "subword"] = "unknown"
    """Word that is inserted or substituted: the unknown token, a random word of the corpus, or a random token of the
    tokenizer's vocabulary (`subword`; Alam et al. 2020, Table 7)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if round(self.substitution + self.deletion, 9) > 1:
            raise ConfigError("substitution", f"{self.substitution} and deletion {self.deletion}", "a sum of 1 or less")


@dataclass(frozen=True)
class LossConfig(CheckedConfig):
    """The loss of a punctuation head with classes; by default the cross-entropy."""

    focal_gamma: NonNegativeFloat = 0.0
    """Focal loss (Lin et al. 2017): a word's cross-entropy is multiplied by (1 - p)^gamma, with p the probability of
    its class; 0 is the cross-entropy."""
    class_weight_power: NonNegativeFloat = 0.0
    """Weight of a class: its share of the training words to the power of minus this; 0: equal, 1: inverse. The mean
    weight of the words is 1."""


@dataclass(frozen=True)
class TrainingConfig(CheckedConfig):
    """Training of a model (AutoPunct, section 4)."""

    epochs: PositiveInt = 50
    """Maximum number of epochs."""
    epochs_per_pass: PositiveInt = 1
    """Epochs in one pass over the corpus, fewer if that has fewer batches. Each ends with a score and a checkpoint."""
    epoch_words: NonNegativeInt = 0
    """Words of an epoch at most; 0: no limit. A pass over a larger corpus has more epochs than `epochs_per_pass`, and
    about so many words of a larger development set, drawn at random, are scored."""
    monitor: Literal["f1", "perplexity"] = "f1"
    """Metric of marks on the development set, for early stopping and the choice of the best epoch."""
    patience: PositiveInt = 20
    """Epochs without improvement before training stops."""
    batch_size: PositiveInt = 8
    """Full-length windows in a batch. A batch of shorter windows has more of them, up to the same number of words."""
    accumulate: PositiveInt = 1
    """Gradient accumulation: each process divides its share of a batch into this many parts and trains them one after
    the other, to save memory. The batch and its gradient stay the same (but not with `encoder.sequence_hidden`, which
    normalises over a part)."""
    learning_rate: PositiveFloat = 2e-5
    """Peak learning rate."""
    encoder_learning_rate: PositiveFloat | None = None
    """Peak learning rate of the encoder; None is `learning_rate`. Must be None with Muon."""
    frozen_encoder: bool = False
    """Train no weights of the encoder except its embeddings of document boundaries, and use no dropout in it."""
    warmup_epochs: NonNegativeFloat = 5.0
    """Epochs of linear warm-up."""
    decay: Literal["none", "linear", "staircase"] = "none"
    """Learning rate after the warm-up: constant, falling to 0 at the last epoch (`linear`), or falling in steps from
    the second pass over the corpus on (`staircase`, see `optimizer.staircase_rate`)."""
    pause_dropout: Share = 0.15
    """Probability that all pauses of a training window become unknown."""
    word_pause_dropout: Share = 0.05
    """Probability that the pause after a word becomes unknown."""
    subword_dropout: Share = 0.0
    """Probability that a sub-word is replaced by the unknown token."""
    boundary_dropout: Share = 0.3
    """Probability that a training window hides the flags of the start and the end of its document."""
    speaker_dropout: Share = 0.3
    """Probability that a training window hides all changes of speaker; 1 trains without them."""
    generated_pauses: bool = False
    """Draw pauses for windows without known pauses, and errors of sources of times for all pauses, before pause dropout
    (`asr_punct.training.pause_model`)."""
    teacher: str | None = None
    """Name or directory of a trained model with weights, whose probabilities the model learns beside the labels (Hinton
    et al. 2015). Its encoder, tokenizer and heads may differ. It runs on every training batch; words that do not
    fit its input are dropped."""
    teacher_share: Share = 0.5
    """Weight of the loss for the teacher's probabilities; the loss for the labels has the rest."""
    pos_tagger: str | None = None
    """Directory or weights file of a tagger trained by `recipes/pos.py`; needed if `model.pos.tagger` is `own`."""
    workers: NonNegativeInt = 0
    """Processes that prepare batches; 0 prepares them in the training process, which is enough on a CPU."""
    compile: bool = False
    """Compile the model with `torch.compile`: faster on a GPU, needs a C++ compiler."""
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    """Number format of the arithmetic; `auto` is bf16 if the processor has it natively, otherwise fp32."""
    seed: Annotated[int, Range(0, 2**32 - 1)] = 1
    """Seed of weights, windows and dropout."""
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    loss: LossConfig = field(default_factory=LossConfig)
    windows: TrainingWindowConfig = field(default_factory=TrainingWindowConfig)
    noise: NoiseConfig = field(default_factory=NoiseConfig)
    augment: AugmentConfig = field(default_factory=AugmentConfig)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.optimizer.kind == "muon" and self.encoder_learning_rate is not None:
            raise ConfigError("encoder_learning_rate", str(self.encoder_learning_rate), "none with optimizer muon")


@dataclass(frozen=True)
class Config:
    """Content of a `conf/*.yaml`."""

    model: ModelConfig = field(default_factory=ModelConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
