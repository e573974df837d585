"""Configuration of training, and the content of a `conf/*.yaml`."""

from dataclasses import dataclass, field
from typing import Literal

from asr_punct.config.checks import check_at_least_one, check_not_negative, check_positive, check_probabilities
from asr_punct.config.model import ModelConfig
from asr_punct.errors import ConfigError


@dataclass(frozen=True)
class OptimizerConfig:
    """The optimiser, and the steps of the `staircase` schedule; other schedule settings are in `TrainingConfig`."""

    kind: Literal["adamw", "radam", "muon", "adagrad"] = "adamw"
    """AdamW (Adam if `weight_decay` is 0), RAdam (Liu et al. 2020), Muon (Jordan et al. 2024) for matrices of linear
    layers and AdamW for all other weights, or AdaGrad (Duchi et al. 2011) with sparse gradients of embeddings."""
    muon_learning_rate: float = 0.02
    """Peak learning rate of Muon; `training.learning_rate` is then AdamW's."""
    lookahead_steps: int = 0
    """Synchronisation period of LookAhead (Zhang et al. 2019) in steps; 0 disables it."""
    lookahead_rate: float = 0.5
    """Step size of LookAhead's slow weights (alpha)."""
    weight_decay: float = 0.01
    """Weight decay of matrices: with Muon those that Muon optimises, with AdaGrad none."""
    clip_norm: float = 1.0
    """Maximum gradient norm; larger gradients are scaled down to it. 0 disables clipping."""
    ema_decay: float = 0.0
    """Decay of an exponential moving average of the weights, which is evaluated and saved; 0 disables it."""
    staircase_rate: float = 0.95
    """Factor on the learning rate at each step of the `staircase` schedule (Poláček et al. 2023, section 4.2)."""
    staircase_steps: int = 10_000
    """Batches from one step of that schedule to the next."""

    def __post_init__(self) -> None:
        check_at_least_one("optimizer", self, "staircase_steps")
        check_positive("optimizer", self, "muon_learning_rate", "lookahead_rate", "staircase_rate")
        check_not_negative("optimizer", self, "lookahead_steps", "weight_decay", "clip_norm")
        check_probabilities("optimizer", self, "lookahead_rate", "ema_decay", "staircase_rate")


@dataclass(frozen=True)
class TrainingWindowConfig:
    """How documents are cut into training windows."""

    kind: Literal["passes", "uniform", "sliding", "sentences"] = "passes"
    """Where the windows of one pass over the corpus start. `passes`: each where the previous one ends; the first one of
    a document has a random length. `uniform`: at random words (sequence boundary sampling, Shi et al. 2021).
    `sliding`: one at every word (Courtland et al. 2020). `sentences`: each where the previous one ends; a window has a
    random number of sentences (Poláček et al. 2023)."""
    sentences: int = 10
    """Maximum number of sentences in a window (`sentences`)."""
    cut_share: float = 0.0
    """Share of the windows that are cut further, at random words, every 24 words on average. The cut is not flagged as
    the end of a document, so the model learns to label words without right context, as in a stream."""

    def __post_init__(self) -> None:
        check_at_least_one("windows", self, "sentences")
        check_probabilities("windows", self, "cut_share")


@dataclass(frozen=True)
class NoiseConfig:
    """Simulated recognition errors in training windows. Rates are per word; labels are kept."""

    windows: float = 0.0
    """Share of windows with errors."""
    substitution: float = 0.0
    """Probability that a word is replaced by one with similar sound or spelling, or a misspelt form of itself."""
    any_word: float = 0.1
    """Share of the substitutions that take any word of the corpus, drawn by frequency."""
    name_substitution: float = 0.0
    """`substitution` for names: words that are mostly capitalised inside sentences. They have more misspelt forms."""
    deletion: float = 0.0
    """Probability that a common word (at least 1 in 2,000 words of the corpus) without labels is deleted."""
    repetition: float = 0.0
    """Probability that a common word, as in `deletion`, is repeated."""
    filler: float = 0.0
    """Probability that a filler is inserted after a word."""
    fillers: str = ""
    """Filler words, separated by spaces."""

    def __post_init__(self) -> None:
        check_probabilities("noise", self, "windows", "substitution", "any_word", "name_substitution")
        check_probabilities("noise", self, "deletion", "repetition", "filler")
        if self.filler and not self.fillers.split():
            raise ConfigError(f"noise: fillers must contain a word if filler is above 0, found {self.fillers!r}")


@dataclass(frozen=True)
class AugmentConfig:
    """Random substitutions, deletions and insertions of words in training windows (Alam et al. 2020, section 4.1.2)."""

    rate: float = 0.0
    """Probability that a word is changed (alpha; 0.15 is the paper's best); 0 disables augmentation."""
    substitution: float = 0.4
    """Share of changes that replace a word and keep its labels (alpha_sub)."""
    deletion: float = 0.4
    """Share of changes that delete a word and its labels (alpha_del). The remaining changes are insertions."""
    replacement: Literal["unknown", "random"] = "unknown"
    """Word that is inserted or substituted: the unknown token, or a random word of the corpus."""

    def __post_init__(self) -> None:
        check_probabilities("augment", self, "rate", "substitution", "deletion")
        if round(self.substitution + self.deletion, 9) > 1:
            shares = f"{self.substitution} and {self.deletion}"
            raise ConfigError(f"augment: the sum of substitution and deletion must be 1 or less, found {shares}")


@dataclass(frozen=True)
class TrainingConfig:
    """Training of a model (AutoPunct, section 4)."""

    epochs: int = 50
    """Maximum number of epochs."""
    epochs_per_pass: int = 1
    """Epochs in one pass over the corpus, fewer if that has fewer batches. Each ends with a score and a checkpoint."""
    monitor: Literal["f1", "perplexity"] = "f1"
    """Metric of marks on the development set, for early stopping and the choice of the best epoch."""
    patience: int = 20
    """Epochs without improvement before training stops."""
    batch_size: int = 8
    """Full-length windows in a batch. A batch of shorter windows has more of them, up to the same number of words."""
    accumulate: int = 1
    """Gradient accumulation: each process divides its share of a batch into this many parts and trains them one after
    the other, to save memory. The batch and its gradient stay the same (but not with `encoder.sequence_hidden`, which
    normalises over a part)."""
    learning_rate: float = 2e-5
    """Peak learning rate."""
    encoder_learning_rate: float | None = None
    """Peak learning rate of the encoder; None is `learning_rate`. Must be None with Muon."""
    frozen_encoder: bool = False
    """Train no weights of the encoder except its embeddings of document boundaries, and use no dropout in it."""
    warmup_epochs: float = 5.0
    """Epochs of linear warm-up."""
    decay: Literal["none", "linear", "staircase"] = "none"
    """Learning rate after the warm-up: constant, falling to 0 at the last epoch (`linear`), or falling in steps from
    the second pass over the corpus on (`staircase`, see `optimizer.staircase_rate`)."""
    pause_dropout: float = 0.15
    """Probability that all pauses of a training window become unknown."""
    word_pause_dropout: float = 0.05
    """Probability that the pause after a word becomes unknown."""
    subword_dropout: float = 0.0
    """Probability that a sub-word is replaced by the unknown token."""
    boundary_dropout: float = 0.3
    """Probability that a training window hides the flags of the start and the end of its document."""
    generated_pauses: bool = False
    """Draw pauses for windows without known pauses, and errors of sources of times for all pauses, before pause dropout
    (`asr_punct.training.pause_model`)."""
    teacher: str | None = None
    """Name or directory of a trained model with weights, whose probabilities the model learns beside the labels (Hinton
    et al. 2015). Its encoder, tokenizer and heads may differ. It runs on every training batch; words that do not
    fit its input are dropped."""
    teacher_share: float = 0.5
    """Weight of the loss for the teacher's probabilities; the loss for the labels has the rest."""
    pos_tagger: str | None = None
    """Directory or weights file of a tagger trained by `recipes/pos.py`; needed if `model.pos.tagger` is `own`."""
    workers: int = 0
    """Processes that prepare batches; 0 prepares them in the training process, which is enough on a CPU."""
    compile: bool = False
    """Compile the model with `torch.compile`: faster on a GPU, needs a C++ compiler."""
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    """Number format of the arithmetic; `auto` is bf16 if the processor has it natively, otherwise fp32."""
    seed: int = 1
    """Seed of weights, windows and dropout."""
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    windows: TrainingWindowConfig = field(default_factory=TrainingWindowConfig)
    noise: NoiseConfig = field(default_factory=NoiseConfig)
    augment: AugmentConfig = field(default_factory=AugmentConfig)

    def __post_init__(self) -> None:
        check_at_least_one("training", self, "epochs", "epochs_per_pass", "batch_size", "accumulate", "patience")
        check_positive("training", self, "learning_rate", "encoder_learning_rate")
        check_not_negative("training", self, "warmup_epochs", "workers")
        check_probabilities("training", self, "pause_dropout", "word_pause_dropout", "subword_dropout")
        check_probabilities("training", self, "boundary_dropout", "teacher_share")
        rate = self.encoder_learning_rate
        if self.optimizer.kind == "muon" and rate is not None:
            raise ConfigError(f"training: encoder_learning_rate must be unset with optimizer muon, found {rate}")
        if not 0 <= self.seed < 2**32:
            raise ConfigError(f"training: seed must be 0 or more and below 2**32, found {self.seed}")


@dataclass(frozen=True)
class Config:
    """Content of a `conf/*.yaml`."""

    model: ModelConfig = field(default_factory=ModelConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
