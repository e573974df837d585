"""`AsrPunctModel`, a model that NeMo's tools save, restore and train."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from lightning.pytorch import Trainer
from nemo.core.classes import ModelPT, common
from nemo.core.classes.common import PretrainedModelInfo
from nemo.utils.app_state import AppState
from omegaconf import DictConfig, OmegaConf
from torch import Tensor
from torch.optim import Optimizer

from asr_punct.casing import parse_casing
from asr_punct.checkpoint import CASING, ONNX, ONNX_INT8, TOKENIZER, WEIGHTS, read_info, write_info
from asr_punct.config import Config
from asr_punct.errors import AsrPunctError, ConfigError, ModelError
from asr_punct.hub import find_model, find_trainable_model, shipped_models
from asr_punct.inference.backend import OnnxBackend
from asr_punct.inference.punctuator import Punctuator
from asr_punct.inference.restorer import Restorer
from asr_punct.model.tagger import TaggerOutput
from asr_punct.model.torch_backend import TorchBackend
from asr_punct.model.weights import save_tagger
from asr_punct.nemo.connector import Connector
from asr_punct.nemo.parts import NO_DATA, ModelParts, new_parts, read_parts, restore_parts
from asr_punct.partial import make_directory
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.batches import Batch
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.lightning_module import TRAIN_LOSS, PunctuationModule
from asr_punct.training.mapped import Corpora

log = logging.getLogger(__name__)
_FILES = "asr_punct_files"
"""Key of the model's files in a checkpoint."""
_OLD_NAMES = {"punctuation_en_bert": "en", "punctuation_en_distilbert": "en"}
"""Models of NeMo 2.4 and earlier, and the shipped models that replace them."""
_PACKAGE = "asr_punct."

# From the first use of AsrPunctModel on, which imports this module: `ModelPT.restore_from`, which users may call,
# imports the class of a `.nemo` file from these packages only. Older versions of NeMo have no such list.
if hasattr(common, "ALLOWED_TARGET_PREFIXES") and _PACKAGE not in common.ALLOWED_TARGET_PREFIXES:
    common.ALLOWED_TARGET_PREFIXES.append(_PACKAGE)


class AsrPunctModel(ModelPT):  # type: ignore[misc]
    """A punctuation and case model as a `ModelPT`.

    `cfg` has, for a new model, the keys `config`, `settings`, `data` and `init` (see `conf/nemo/punctuation.yaml`), for
    a model directory the key `directory`; or it is the configuration that `save_to` wrote. `trainer` is needed for
    training only. Raises AsrPunctError for an unusable configuration, data or directory.

    Attributes:
        info: configuration of the model.
        tokenizer: tokenizer of the model.
        task: the Lightning module; None if the model is only an ONNX graph.
    """

    def __init__(self, cfg: DictConfig, trainer: Trainer | None = None) -> None:
        super().__init__(cfg=cfg, trainer=trainer)
        values: dict[str, Any] = OmegaConf.to_container(self._cfg, resolve=True)  # type: ignore[assignment]
        built = _parts(values, self._is_model_being_restored(), trainer.max_epochs if trainer else None)
        self.info, self.tokenizer = built.info, built.tokenizer
        self.task = PunctuationModule(built.tagger, built.training, steps_per_epoch=1) if built.tagger else None
        self._other_files = dict(built.files)  # all but the tokenizer
        self._corpora: PunctuationData | None = None
        self._data = values.get("data")
        self.cfg = OmegaConf.create(
            {"target": values["target"], "nemo_version": values["nemo_version"], "data": self._data, **built.mapping()}
        )

    @classmethod
    def list_available_models(cls) -> list[PretrainedModelInfo]:
        """List the shipped models. Their locations are directories."""
        return [
            PretrainedModelInfo(
                pretrained_model_name=name,
                description=f"punctuation and case, language {read_info(path).model.language}",
                location=str(path),
                class_=cls,
                aliases=[old for old, new in _OLD_NAMES.items() if new == name],
            )
            for name, path in shipped_models().items()
        ]

    @classmethod
    def from_pretrained(
        cls, model_name: str, map_location: Any = None, trainer: Trainer | None = None
    ) -> AsrPunctModel:
        """Load a shipped model, a model directory, `org/name` of the hub, or a `.nemo` file.

        A wheel has only the graphs of the shipped models, which cannot be trained. A checkout has their weights. The
        names of NeMo's former English models load the shipped model `en`. `map_location` is a device, None for a GPU
        if there is one, else the CPU. Raises AsrPunctError if the model is unknown or damaged.
        """
        if model_name in _OLD_NAMES:
            log.warning("%s is replaced by %r of asr_punct", model_name, _OLD_NAMES[model_name])
        name = _OLD_NAMES.get(model_name, model_name)
        if Path(name).is_file():
            restored: AsrPunctModel = cls.restore_from(name, map_location=map_location, trainer=trainer)
            return restored
        try:
            directory = find_trainable_model(name)
        except AsrPunctError:
            directory = find_model(name)
        model = cls(OmegaConf.create({"directory": str(directory)}), trainer)
        model.to(map_location or ("cuda" if torch.cuda.is_available() else "cpu"))
        return model

    def save_to(self, save_path: str) -> None:
        """Write a `.nemo` file with our connector, even if NeMo's own connector restored the model."""
        self._save_restore_connector = Connector()
        super().save_to(str(save_path))

    @classmethod
    def restore_from(cls, restore_path: str, *arguments: Any, **options: Any) -> Any:
        """Restore a `.nemo` file; the arguments are those of `ModelPT.restore_from`.

        Raises ModelError if there is no such file, or `AsrPunctModel` did not write it.
        """
        if not Path(restore_path).expanduser().is_file():
            raise ModelError(restore_path, "no such file", "a .nemo file")
        options.setdefault("save_restore_connector", Connector())
        return super().restore_from(str(restore_path), *arguments, **options)

    @classmethod
    def from_config_dict(cls, config: DictConfig, trainer: Trainer | None = None) -> AsrPunctModel:
        """Make a model of this class. NeMo's method would import the class that the configuration names."""
        return cls(cfg=config, trainer=trainer)

    def save_directory(self, directory: Path) -> None:
        """Write a model directory without a graph (`asr-punct export` adds it). Raises InputError if that fails."""
        make_directory(directory)
        for name, content in self.files.items():
            (directory / name).write_bytes(content)
        if self.task:
            save_tagger(self.task.model, directory / WEIGHTS)
        for graph in {ONNX, ONNX_INT8}.difference(self.files):  # of earlier weights
            (directory / graph).unlink(missing_ok=True)
        write_info(directory, self.info)

    @property
    def files(self) -> dict[str, bytes]:
        """Contents of the files of a model directory that a `.nemo` file contains, by name."""
        return {TOKENIZER: self._checked_tokenizer().to_json().encode(), **self._other_files}

    @property
    def punctuator(self) -> Punctuator:
        """Punctuator with the current weights, on their device. Switches the model to evaluation mode."""
        self.eval()
        graph = next((content for name, content in self._other_files.items() if name.endswith(".onnx")), b"")
        backend = TorchBackend(self.task.model) if self.task else OnnxBackend(graph)
        casing = parse_casing(self._other_files.get(CASING, b"").decode("utf-8").splitlines())
        return Punctuator(Restorer.of(self.info, self._checked_tokenizer(), backend, casing=casing))

    def add_punctuation_capitalization(self, queries: Sequence[str], *arguments: Any, **options: Any) -> list[str]:
        """Return each query with marks and capitals; the arguments are those of `Punctuator`'s method."""
        mode = self.training
        try:
            return self.punctuator.add_punctuation_capitalization(queries, *arguments, **options)
        finally:
            self.train(mode)

    def forward(self, **inputs: Tensor) -> TaggerOutput:
        """Compute the logits of a batch; see `features.Features` for the shapes of the inputs."""
        output: TaggerOutput = self._trainable().model(**inputs)
        return output

    def setup_training_data(self, train_data_config: Any) -> None:
        """Use `train.tsv` and `dev.tsv` of the configuration's `directory`. Raises InputError if a file is missing."""
        directory = Path(train_data_config["directory"])
        self._data, self._corpora = str(Corpora.open(directory).directory), None
        OmegaConf.update(self.cfg, "data", self._data, force_add=True)

    def setup_validation_data(self, val_data_config: Any) -> None:
        """Use the files of `setup_training_data`: one directory has both."""
        self.setup_training_data(val_data_config)

    def setup(self, stage: str | None = None) -> None:
        """Check that the model can be trained, and let the trainer ask for new batches at each epoch."""
        self.propagate_model_guid()
        self._trainable()
        self.trainer.reload_dataloaders_every_n_epochs = 1  # each epoch has its own batches

    def train_dataloader(self) -> Iterable[Batch]:
        """Return the batches of the current epoch."""
        return self.data_module().train_dataloader()

    def val_dataloader(self) -> Iterable[Batch]:
        """Return the batches of the development set."""
        return self.data_module().val_dataloader()

    def data_module(self) -> PunctuationData:
        """Return the batches of the corpora. Raises ConfigError if the configuration names none."""
        if self._corpora is None:
            if not self._data:
                raise ConfigError(*NO_DATA)
            config = Config(self.info.model, self._trainable().training_config)
            if config.training.accumulate > 1:
                found = str(config.training.accumulate)
                raise ConfigError("training.accumulate", found, "1, and trainer.accumulate_grad_batches")
            corpora = Corpora.open(Path(self._data))
            self._corpora = PunctuationData(corpora, self._checked_tokenizer(), config, self.info.max_tokens)
        self._corpora.trainer = self.trainer
        return self._corpora

    def _trainable(self) -> PunctuationModule:
        if self.task is None:
            expected = "one with weights (those of shipped models are in a checkout)"
            raise ModelError("model", "only an ONNX graph", expected)
        return self.task

    def _checked_tokenizer(self) -> SubwordTokenizer:
        if self.tokenizer is None:
            raise ModelError("model", "no tokenizer", "a completely restored model")
        return self.tokenizer

    def configure_optimizers(self) -> Any:
        """Return the optimiser and the schedule of `PunctuationModule`."""
        task = self._trainable()
        task.steps_per_epoch = len(self.data_module().epoch(0))
        return task.configure_optimizers()

    def configure_gradient_clipping(
        self, optimizer: Optimizer, gradient_clip_val: float | None = None, gradient_clip_algorithm: str | None = None
    ) -> None:
        """Clip gradients as `PunctuationModule`, by the norm of its configuration."""
        task = self._trainable()
        task.configure_gradient_clipping(optimizer, task.training_config.optimizer.clip_norm)

    def transfer_batch_to_device(self, batch: Batch, device: torch.device, dataloader_idx: int) -> Batch:
        return batch.to(device)

    def on_train_start(self) -> None:
        """Set training mode."""
        super().on_train_start()
        self._trainable().on_train_start()

    def on_train_batch_start(self, batch: Batch, batch_idx: int, unused: int = 0) -> None:
        """Seed torch with the step, as `PunctuationModule`."""
        super().on_train_batch_start(batch, batch_idx, unused)
        self._trainable().on_train_batch_start(batch, batch_idx)

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        loss = self._trainable().batch_loss(batch)
        self.log(TRAIN_LOSS, loss, on_step=True, on_epoch=True, prog_bar=True, batch_size=len(batch.cases))
        return loss

    def on_validation_epoch_start(self) -> None:
        """Reset the counts of the development set."""
        self._trainable().on_validation_epoch_start()

    def validation_step(self, batch: Batch, batch_idx: int) -> None:
        """Count the labels of a batch."""
        self._trainable().validation_step(batch, batch_idx)

    def on_validation_epoch_end(self) -> None:
        """Log the scores of the development set."""
        for name, score in self._trainable().scores().items():
            self.log(name, score, prog_bar=True)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add the files of the model directory to a checkpoint."""
        checkpoint[_FILES] = {name: content.decode("utf-8") for name, content in self.files.items()}

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Read the tokenizer and the other files from a checkpoint."""
        files = {name: text.encode("utf-8") for name, text in checkpoint[_FILES].items()}
        with TemporaryDirectory() as folder:
            file = Path(folder) / TOKENIZER
            file.write_bytes(files.pop(TOKENIZER))
            self.tokenizer = SubwordTokenizer.from_file(file, self.info.model.encoder.max_subwords)
        self._other_files, self._corpora = files, None


def _parts(values: dict[str, Any], restored: bool, epochs: int | None) -> ModelParts:
    if "info" in values:
        folder = AppState().nemo_file_folder if restored else None
        return restore_parts(values, Path(folder) if folder else None, epochs)
    if values.get("directory"):
        return read_parts(Path(values["directory"]))
    return new_parts(values, epochs)
