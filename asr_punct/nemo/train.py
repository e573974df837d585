"""Training with NeMo's tools and Hydra (`conf/nemo/*.yaml`): `python -m asr_punct.nemo.train model.data=DIR`."""

from functools import partial

from lightning.fabric.utilities.exceptions import MisconfigurationException
from lightning.pytorch import Trainer
from nemo.core.config import hydra_runner
from nemo.utils.exp_manager import exp_manager
from omegaconf import DictConfig

from asr_punct.errors import ConfigError, first_line, run_script
from asr_punct.hub import configuration_directory
from asr_punct.nemo.model import AsrPunctModel


def train_with_nemo(cfg: DictConfig) -> AsrPunctModel:
    """Train a model. NeMo's `exp_manager` writes checkpoints, logs and the `.nemo` file into its experiment directory.

    `cfg` has the keys `model`, `trainer` and `exp_manager` of `conf/nemo/punctuation.yaml`. Raises AsrPunctError for an
    unusable configuration or data.
    """
    try:
        trainer = Trainer(**cfg.trainer)
    except (TypeError, ValueError, MisconfigurationException) as error:
        raise ConfigError("trainer", first_line(error), "arguments of Lightning's Trainer") from None
    exp_manager(trainer, cfg.get("exp_manager"))
    model = AsrPunctModel(cfg.model, trainer)
    trainer.fit(model)
    return model


@hydra_runner(config_path=str(configuration_directory("nemo")), config_name="punctuation")  # type: ignore[untyped-decorator]
def main(cfg: DictConfig) -> None:
    """Train with the settings of the command line."""
    run_script(partial(train_with_nemo, cfg))  # inside Hydra, which prints a traceback of errors


if __name__ == "__main__":
    main()
