"""Saving and restoring of `.nemo` files that also contain the files of a model directory."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from nemo.core.classes import ModelPT
from nemo.core.connectors.save_restore_connector import SaveRestoreConnector
from nemo.utils.get_rank import is_global_rank_zero

from asr_punct.asr.nemo_data import check_archive
from asr_punct.errors import ModelError, first_line
from asr_punct.nemo.parts import KEPT_FILES, NEMO_CONFIG, NEMO_WEIGHTS


class Connector(SaveRestoreConnector):  # type: ignore[misc]
    """The connector that `AsrPunctModel` gives to NeMo."""

    def save_to(self, model: Any, save_path: str) -> None:
        """Write the model. The file appears when it is complete."""
        if not is_global_rank_zero():
            return
        with TemporaryDirectory() as name:
            folder, partial = Path(name), f"{save_path}.partial"
            model.to_config_file(path2yaml_file=str(folder / NEMO_CONFIG))
            torch.save(model.state_dict(), folder / NEMO_WEIGHTS)
            for kept, content in model.files.items():
                (folder / kept).write_bytes(content)
            try:
                self._make_nemo_file_from_folder(partial, name)
                os.replace(partial, save_path)
            finally:
                Path(partial).unlink(missing_ok=True)

    def restore_from(self, calling_cls: type[ModelPT], restore_path: str, *arguments: Any, **options: Any) -> Any:
        """Restore a model, or its configuration with `return_config=True`. Raises ModelError if the file is invalid."""
        check_archive(restore_path, (NEMO_CONFIG, NEMO_WEIGHTS, *KEPT_FILES))
        try:
            return super().restore_from(calling_cls, restore_path, *arguments, **options)
        finally:  # NeMo does not reset the state after an error
            calling_cls._set_model_restore_state(is_being_restored=False)

    @staticmethod
    def _load_state_dict_from_disk(model_weights: str, map_location: Any = "cpu") -> Any:
        try:
            return torch.load(model_weights, map_location=map_location, weights_only=True)
        except Exception as error:  # torch raises pickle, zip and runtime errors alike
            raise ModelError(NEMO_WEIGHTS, first_line(error), "tensors by name") from None

    def load_instance_with_state_dict(self, instance: ModelPT, state_dict: Any, strict: bool) -> None:
        """Load the weights. Raises ModelError if they are not those of the model."""
        try:
            super().load_instance_with_state_dict(instance, state_dict, strict)
        except (RuntimeError, TypeError, AttributeError) as error:
            raise ModelError(NEMO_WEIGHTS, str(error), f"the weights of {NEMO_CONFIG}") from None
