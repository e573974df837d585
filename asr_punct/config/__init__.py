"""One documented dataclass for each component of a model and of its training.

The `config.json` of a model directory contains a `ModelConfig`, each `conf/*.yaml` a `Config`.
"""

from asr_punct.config.mapping import as_mapping, differing_keys, from_mapping
from asr_punct.config.model import (
    MAX_TOKENS,
    PART_OF_SPEECH_TAGS,
    STREAM_FLUSH_AFTER_S,
    STREAM_LEFT_WORDS,
    STREAM_PATIENCE_WORDS,
    STREAM_RIGHT_WORDS,
    ContextConfig,
    EncoderConfig,
    HeadConfig,
    ModelConfig,
    PauseConfig,
    PosConfig,
    WindowConfig,
)
from asr_punct.config.training import (
    AugmentConfig,
    Config,
    NoiseConfig,
    OptimizerConfig,
    TrainingConfig,
    TrainingWindowConfig,
)

__all__ = [
    "MAX_TOKENS",
    "PART_OF_SPEECH_TAGS",
    "STREAM_FLUSH_AFTER_S",
    "STREAM_LEFT_WORDS",
    "STREAM_PATIENCE_WORDS",
    "STREAM_RIGHT_WORDS",
    "AugmentConfig",
    "Config",
    "ContextConfig",
    "EncoderConfig",
    "HeadConfig",
    "ModelConfig",
    "NoiseConfig",
    "OptimizerConfig",
    "PauseConfig",
    "PosConfig",
    "TrainingConfig",
    "TrainingWindowConfig",
    "WindowConfig",
    "as_mapping",
    "differing_keys",
    "from_mapping",
]
