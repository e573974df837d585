"""What `asr-punct info` tells of a model."""

from __future__ import annotations

from pathlib import Path

from asr_punct.checkpoint import ModelInfo, present_file


def describe(directory: Path, info: ModelInfo) -> str:
    """Language, parts, training and files of a model directory, a line each.

    Raises:
        ModelError: a file that the directory was written with is missing.
    """
    model = info.model
    files = (f"{name} ({present_file(directory, info, name).stat().st_size / 1e6:.1f} MB)" for name in info.files)
    rows = {
        "directory": str(directory),
        "language": model.language,
        "encoder": model.encoder.name or f"{info.encoder.get('model_type')} built from its configuration",
        "pauses": model.pauses.kind,
        "context": model.context.kind,
        "case head reads": f"{model.heads.case_context} punctuation scores",
        "windows": f"{model.window.words} words, margin {model.window.margin}",
        **{name.replace("_", " "): str(value) for name, value in info.training.items()},
        "files": ", ".join(files),
    }
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows.items())
