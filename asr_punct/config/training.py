"""The training of a model, and the whole that a file of `conf/` holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from asr_punct.config.checks import check_amounts, check_probabilities, check_sizes, check_weights
from asr_punct.config.model import ModelConfig
from asr_punct.errors import ConfigError


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
        check_probabilities("noise", self, *rates)
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
        check_probabilities("augment", self, "rate", "substitution", "deletion")
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
    `decay_rate` after every `decay_steps` batches (Poláček et al. 2023, section 4.2)."""
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
    """Arithmetic; auto is bf16 where the processor has it and does not emulate it."""
    seed: int = 1
    """Seed of the weights, the windows and dropout."""

    def __post_init__(self) -> None:
        sizes = ("epochs", "epochs_per_pass", "sentences", "batch_size", "patience", "decay_steps")
        check_sizes("training", self, *sizes)
        above = ("learning_rate", "encoder_learning_rate", "muon_learning_rate", "lookahead_rate", "decay_rate")
        check_amounts("training", self, *above, above=True)
        check_amounts("training", self, "warmup_epochs", "weight_decay", "clip_norm", "workers")
        check_amounts("training", self, "lookahead_steps", "focal_gamma")
        shares = ("average", "pause_dropout", "word_pause_dropout", "subword_dropout", "boundary_dropout")
        check_probabilities("training", self, *shares, "lookahead_rate", "decay_rate")
        check_weights("training: class_weights", self.class_weights)
        if self.optimizer == "muon" and self.encoder_learning_rate is not None:
            raise ConfigError("training: encoder_learning_rate goes with every optimizer but muon")
        if not 0 <= self.seed < 2**32:
            raise ConfigError(f"training: seed is 0 or more and below 2**32, found {self.seed}")


@dataclass(frozen=True)
class Config:
    """What a file in `conf/` holds."""

    model: ModelConfig = field(default_factory=ModelConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
