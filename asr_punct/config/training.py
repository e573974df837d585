"""Configuration of training, and the content of a file in `conf/`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from asr_punct.config.checks import check_amounts, check_probabilities, check_sizes
from asr_punct.config.model import ModelConfig
from asr_punct.errors import ConfigError


@dataclass(frozen=True)
class OptimizerConfig:
    """Optimiser. Its learning rates and schedule are in `TrainingConfig`, except Muon's."""

    kind: Literal["adamw", "radam", "muon", "adagrad"] = "adamw"
    """AdamW, which is Adam without weight decay; RAdam (Liu et al. 2020); Muon (Jordan et al. 2024) for the matrices of
    linear layers and AdamW for all other weights; or AdaGrad (Duchi et al. 2011) with sparse gradients of tables."""
    muon_learning_rate: float = 0.02
    """Peak learning rate of Muon; `training.learning_rate` is then AdamW's."""
    lookahead_steps: int = 0
    """Synchronisation period of LookAhead (Zhang et al. 2019) in steps; 0 disables it."""
    lookahead_rate: float = 0.5
    """Step size of LookAhead's slow weights (alpha)."""
    weight_decay: float = 0.01
    """Weight decay of matrices, with Muon only of Muon's; biases and normalisation have none. AdaGrad has none."""
    clip_norm: float = 1.0
    """Largest gradient norm; 0 disables clipping."""
    ema_decay: float = 0.0
    """Decay of an exponential moving average of the weights; 0 disables it. The average is evaluated and kept."""
    staircase_rate: float = 0.95
    """Factor on the learning rate at each step of the `staircase` schedule (Poláček et al. 2023, section 4.2)."""
    staircase_steps: int = 10_000
    """Batches between two steps of that schedule."""

    def __post_init__(self) -> None:
        check_sizes("optimizer", self, "staircase_steps")
        check_amounts("optimizer", self, "muon_learning_rate", "lookahead_rate", "staircase_rate", above=True)
        check_amounts("optimizer", self, "lookahead_steps", "weight_decay", "clip_norm")
        check_probabilities("optimizer", self, "lookahead_rate", "ema_decay", "staircase_rate")


@dataclass(frozen=True)
class SamplingConfig:
    """Cutting of training windows out of documents."""

    kind: Literal["passes", "uniform", "sliding", "sentences"] = "passes"
    """`passes`: each word once a pass, the first window of a document has a random length. `uniform`: random starts,
    each word expected once a pass (sequence boundary sampling, Shi et al. 2021). `sliding`: a window at every word
    (Courtland et al. 2020). `sentences`: 1 to `sentences` sentences, each word once a pass (Poláček et al. 2023)."""
    sentences: int = 10
    """Most sentences in a window (`sentences`)."""
    cut_share: float = 0.0
    """Share of the windows cut at random words, every 24 words on average, without flagging a document end: the right
    context ends as it does in a stream. No word is lost."""

    def __post_init__(self) -> None:
        check_sizes("windows", self, "sentences")
        check_probabilities("windows", self, "cut_share")


@dataclass(frozen=True)
class NoiseConfig:
    """Simulated recognition errors in training windows (`training.noise`). Labels are kept; rates are per word."""

    windows: float = 0.0
    """Share of windows with errors."""
    substitution: float = 0.0
    """Probability that a word is replaced by one with similar sound or spelling."""
    any_word: float = 0.1
    """Share of substitutions by any word, drawn by frequency."""
    name_substitution: float = 0.0
    """Probability of a substitution for words that are usually capitalised; candidates include misspelt forms."""
    deletion: float = 0.0
    """Probability that a common word without labels is deleted."""
    repetition: float = 0.0
    """Probability that a common word is repeated."""
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
    """Share of changes that are substitutions, which keep the labels (alpha_sub)."""
    deletion: float = 0.4
    """Share of changes that are deletions of a word and its labels (alpha_del). All others are insertions."""
    replacement: Literal["unknown", "random"] = "unknown"
    """Substituted and inserted word: the unknown word, or a random word of the corpus vocabulary."""

    def __post_init__(self) -> None:
        check_probabilities("augment", self, "rate", "substitution", "deletion")
        if round(self.substitution + self.deletion, 9) > 1:
            shares = f"{self.substitution} and {self.deletion}"
            raise ConfigError(f"augment: the sum of substitution and deletion must be 1 or less, found {shares}")


@dataclass(frozen=True)
class TrainingConfig:
    """Training of a model (AutoPunct, section 4)."""

    epochs: int = 50
    """Most epochs."""
    epochs_per_pass: int = 1
    """Epochs in one pass over the corpus; more give evaluations and checkpoints within a long pass."""
    monitor: Literal["f1", "perplexity"] = "f1"
    """Development metric for early stopping and the best epoch: F1 of the marks, or their perplexity."""
    patience: int = 20
    """Epochs without improvement before training stops."""
    batch_size: int = 8
    """Windows in a batch; batches of shorter windows have more, up to the same number of words."""
    learning_rate: float = 2e-5
    """Peak learning rate."""
    encoder_learning_rate: float | None = None
    """Peak learning rate of the encoder; None is `learning_rate`. Not with Muon."""
    frozen_encoder: bool = False
    """Keep the encoder's weights and switch its dropout off; the embeddings of document edges are still trained."""
    warmup_epochs: float = 5.0
    """Epochs of linear warm-up."""
    decay: Literal["none", "linear", "staircase"] = "none"
    """Schedule after the warm-up: constant; linear to 0 at the last epoch; or steps from the second pass on."""
    pause_dropout: float = 0.15
    """Probability that all pauses of a training window are hidden."""
    word_pause_dropout: float = 0.05
    """Probability that the pause of a word is hidden."""
    subword_dropout: float = 0.0
    """Probability that a sub-word is replaced by the unknown token."""
    boundary_dropout: float = 0.3
    """Probability that the document edges of a window are hidden."""
    generated_pauses: bool = False
    """Draw pauses for windows without any from `pause_model`, before pauses are hidden."""
    pos_tagger: str | None = None
    """Tagger trained by `recipes/pos.py`, as a directory or a weights file (new models with `model.pos.tagger=own`)."""
    workers: int = 0
    """Processes that prepare batches; 0 is enough on a CPU."""
    compile: bool = False
    """Compile the model with `torch.compile`; pays on a GPU and needs a C++ compiler."""
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    """Arithmetic; auto is bf16 where the processor has it natively."""
    seed: int = 1
    """Seed of weights, windows and dropout."""
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    windows: SamplingConfig = field(default_factory=SamplingConfig)
    noise: NoiseConfig = field(default_factory=NoiseConfig)
    augment: AugmentConfig = field(default_factory=AugmentConfig)
    MOVED_KEYS: ClassVar[Mapping[str, str]] = {
        "average": "optimizer.ema_decay",
        "clip_norm": "optimizer.clip_norm",
        "decay_rate": "optimizer.staircase_rate",
        "decay_steps": "optimizer.staircase_steps",
        "lookahead_rate": "optimizer.lookahead_rate",
        "lookahead_steps": "optimizer.lookahead_steps",
        "muon_learning_rate": "optimizer.muon_learning_rate",
        "sentences": "windows.sentences",
        "weight_decay": "optimizer.weight_decay",
    }
    """Present names of keys of earlier versions, for the error message."""

    def __post_init__(self) -> None:
        check_sizes("training", self, "epochs", "epochs_per_pass", "batch_size", "patience")
        check_amounts("training", self, "learning_rate", "encoder_learning_rate", above=True)
        check_amounts("training", self, "warmup_epochs", "workers")
        check_probabilities("training", self, "pause_dropout", "word_pause_dropout", "subword_dropout")
        check_probabilities("training", self, "boundary_dropout")
        if self.optimizer.kind == "muon" and self.encoder_learning_rate is not None:
            raise ConfigError(
                f"training: encoder_learning_rate must be unset with optimizer muon, found {self.encoder_learning_rate}"
            )
        if not 0 <= self.seed < 2**32:
            raise ConfigError(f"training: seed must be 0 or more and below 2**32, found {self.seed}")


@dataclass(frozen=True)
class Config:
    """Content of a file in `conf/`."""

    model: ModelConfig = field(default_factory=ModelConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
