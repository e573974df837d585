"""One documented dataclass for each component of a model and of its training.

The `config.json` of a model directory contains a `ModelConfig`, each `conf/*.yaml` a `Config`.
"""

from asr_punct.config.fields import as_mapping as as_mapping
from asr_punct.config.fields import below as below
from asr_punct.config.fields import differing_keys as differing_keys
from asr_punct.config.fields import from_mapping as from_mapping
from asr_punct.config.model import MAX_TOKENS as MAX_TOKENS
from asr_punct.config.model import PART_OF_SPEECH_TAGS as PART_OF_SPEECH_TAGS
from asr_punct.config.model import ContextConfig as ContextConfig
from asr_punct.config.model import EncoderConfig as EncoderConfig
from asr_punct.config.model import HeadConfig as HeadConfig
from asr_punct.config.model import ModelConfig as ModelConfig
from asr_punct.config.model import PauseConfig as PauseConfig
from asr_punct.config.model import PosConfig as PosConfig
from asr_punct.config.model import WindowConfig as WindowConfig
from asr_punct.config.training import AugmentConfig as AugmentConfig
from asr_punct.config.training import Config as Config
from asr_punct.config.training import LossConfig as LossConfig
from asr_punct.config.training import NoiseConfig as NoiseConfig
from asr_punct.config.training import OptimizerConfig as OptimizerConfig
from asr_punct.config.training import TrainingConfig as TrainingConfig
from asr_punct.config.training import TrainingWindowConfig as TrainingWindowConfig
