"""More context layers for a trained model: they start as the identity, so that nothing is lost."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from asr_punct.checkpoint import TOKENIZER, WEIGHTS, checked_file, read_info, write_info
from asr_punct.errors import ModelError
from asr_punct.formats.files import make_directory
from asr_punct.model.encoder import encoder_from_settings
from asr_punct.model.tagger import build_tagger
from asr_punct.model.weights import load_tagger, save_tagger


def grow(directory: Path, output: Path, kernels: tuple[int, ...]) -> None:
    """Write a model of more layers whose probabilities are those of the model it was.

    Args:
        directory: a model with convolutions as context layers, and its weights.
        output: directory to write into.
        kernels: of the layers that come after its own, as in `ContextConfig.kernels`.

    Raises:
        AsrPunctError: the directory is damaged or has other layers, a kernel is none, or the output holds files.
    """
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise ModelError(output, "files", "a directory to make")
    info = read_info(directory)
    context = info.model.context
    if context.kind != "convolution":
        raise ModelError(directory, f"context layers of kind {context.kind}", "convolution")
    longer = replace(context, kernels=(*context.kernels, *kernels))
    grown = replace(info, model=replace(info.model, context=longer))
    trained = load_tagger(checked_file(directory, info, WEIGHTS), info)
    tokenizer = checked_file(directory, info, TOKENIZER)
    model = build_tagger(grown.model, encoder_from_settings(grown.encoder))
    model.load_state_dict(model.state_dict() | trained.state_dict())
    make_directory(output)
    shutil.copyfile(tokenizer, output / TOKENIZER)
    save_tagger(model, output / WEIGHTS)
    write_info(output, grown)
