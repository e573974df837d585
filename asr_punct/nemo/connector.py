"""How NeMo saves and restores our models: with the files of a model directory, and nothing run that a file says."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from nemo.core.classes import ModelPT
from nemo.core.connectors.save_restore_connector import SaveRestoreConnector
from nemo.utils.get_rank import is_global_rank_zero

from asr_punct.errors import ModelError, first_line
from asr_punct.nemo.archive import NEMO_CONFIG, NEMO_WEIGHTS, check_archive, check_weights


class Connector(SaveRestoreConnector):  # type: ignore[misc]
    """Writes and reads `.nemo` files that `nemo.archive` describes."""

    def save_to(self, model: Any, save_path: str) -> None:
        """Write the model; the file appears when it is complete."""
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
        """The model of a file that has been looked through, or its configuration.

        Raises:
            ModelError: the file, its configuration or its weights are not ours.
        """
        check_archive(restore_path)
        try:
            return super().restore_from(calling_cls, restore_path, *arguments, **options)
        finally:  # NeMo leaves the state as it is where a model cannot be built
            calling_cls._set_model_restore_state(is_being_restored=False)

    @staticmethod
    def _load_state_dict_from_disk(model_weights: str, map_location: Any = "cpu") -> Any:
        check_weights(Path(model_weights))
        try:
            return torch.load(model_weights, map_location=map_location, weights_only=True)
        except Exception as error:  # torch raises pickle, zip and runtime errors alike
            raise ModelError(NEMO_WEIGHTS, first_line(error), "tensors by name") from None

    def load_instance_with_state_dict(self, instance: ModelPT, state_dict: Any, strict: bool) -> None:
        """The weights into the model. Raises ModelError where they are another's."""
        try:
            super().load_instance_with_state_dict(instance, state_dict, strict)
        except (RuntimeError, TypeError, AttributeError) as error:
            raise ModelError(NEMO_WEIGHTS, str(error), f"the weights of {NEMO_CONFIG}") from None
