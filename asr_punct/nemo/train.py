"""`python -m asr_punct.nemo.train model.data=DIR`: training by NeMo's tools, set by Hydra (`conf/nemo/*.yaml`)."""

from __future__ import annotations

from lightning.pytorch import Trainer
from nemo.core.config import hydra_runner
from nemo.utils.exp_manager import exp_manager
from omegaconf import DictConfig

from asr_punct.nemo.model import AsrPunctModel
from asr_punct.shipped import configuration_directory


def train(cfg: DictConfig) -> AsrPunctModel:
    """Train a model; the experiment's folder then has its `.nemo` file.

    Args:
        cfg: `model`, `trainer` and `exp_manager`.

    Raises:
        AsrPunctError: the configuration or the data cannot be used.
    """
    trainer = Trainer(**cfg.trainer)
    exp_manager(trainer, cfg.get("exp_manager"))
    model = AsrPunctModel(cfg.model, trainer)
    trainer.fit(model)
    return model


@hydra_runner(config_path=str(configuration_directory("nemo")), config_name="punctuation")  # type: ignore[untyped-decorator]
def main(cfg: DictConfig) -> None:
    """Train as the command line says."""
    train(cfg)


if __name__ == "__main__":
    main()
