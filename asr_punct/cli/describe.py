"""Texts of `asr-punct info` and `asr-punct models`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from asr_punct.checkpoint import SCORES, WEIGHTS, ModelInfo, existing_file, read_info
from asr_punct.config import HeadConfig
from asr_punct.hub import DEFAULT_MODEL
from asr_punct.marks import MARKS
from asr_punct.scoring import Scores, read_score_sets
from asr_punct.scoring.tables import NONE, percent, table

SCORE_COLUMNS = ("test set", "words", "classes", "marks", "case")
_MODEL_COLUMNS = ("model", "languages", "size", "parameters", "licence")


def describe(directory: Path, info: ModelInfo) -> str:
    """Return language, parts, training and files of a model directory, a line each.

    Raises:
        ModelError: a file of the directory is missing.
    """
    model = info.model
    files = (f"{name} ({_size(existing_file(directory, info, name))})" for name in info.files)
    weights = ", ".join(f"{name} {weight:.2f}" for name, weight in info.decoding.class_weights.items())
    rows = {
        "directory": str(directory),
        "language": model.language,
        "encoder": encoder_of(info),
        **({"sequence layer": f"over {model.window.tokens} tokens"} if model.encoder.sequence_hidden else {}),
        "pauses": model.pauses.kind,
        **({"parts of speech": f"{model.pos.tagger} tagger"} if model.pos.tagger != "none" else {}),
        "context": model.context.kind,
        "punctuation head": _punctuation_head(model.heads),
        **({"class weights": weights} if weights else {}),
        "case head reads": f"{model.heads.case_context} punctuation scores",
        "windows": f"{model.window.words} words, margin {model.window.margin}",
        **{name.replace("_", " "): _shown(value) for name, value in info.training.items()},
        "files": ", ".join(files),
    }
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows.items())


def encoder_of(info: ModelInfo) -> str:
    """Return the encoder's name, or its type if it was built from a configuration."""
    return info.model.encoder.name or f"{info.encoder.get('model_type')} built from its configuration"


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"


def _shown(value: object) -> str:
    """Return a value of the training, floats with at most four decimals."""
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _punctuation_head(heads: HeadConfig) -> str:
    if heads.kind == "multilabel":
        return f"{len(MARKS)} marks, multi-label"
    return f"{len(heads.classes)} classes{'' if heads.crf == 'none' else f', CRF ({heads.crf})'}"


def list_models(directories: Mapping[str, Path]) -> str:
    """Return a table of models and one of their scores, at most 80 columns wide.

    Raises:
        ModelError: a directory is damaged.
        InputError: its file of scores is missing or malformed.
    """
    models = [_summary(name, directory, read_info(directory)) for name, directory in directories.items()]
    rows = [
        (name, *row)
        for name, directory in directories.items()
        for row in score_rows(read_score_sets(directory / SCORES))
    ]
    title = "F1 in per cent on documents held out from training, all classes of marks pooled:"
    return "\n".join((table(_MODEL_COLUMNS, models), f"{title}\n", table(("model", *SCORE_COLUMNS), rows)))


def score_rows(sets: Mapping[str, Scores]) -> Iterator[tuple[str, ...]]:
    """Yield a row of `SCORE_COLUMNS` for each test set; classes: 13 marks, or fewer merged ones."""
    for name, scores in sets.items():
        f1 = (percent(scores.micro.f1), percent(scores.case.micro.f1))
        yield name, f"{scores.words:,}", str(len(scores.marks)), *f1


def megabytes_to_run(directory: Path, info: ModelInfo) -> str:
    """Return the size of all files but the weights for training."""
    names = (name for name in info.files if name != WEIGHTS)
    return f"{sum(existing_file(directory, info, name).stat().st_size for name in names) / 1e6:.1f} MB"


def parameters_of(info: ModelInfo) -> str:
    """Return the number of parameters, if known."""
    count = info.training.get("parameters")
    return NONE if count is None else f"{count / 1e6:.1f} M"


def _summary(name: str, directory: Path, info: ModelInfo) -> tuple[str, ...]:
    return (
        f"{name} (default)" if name == DEFAULT_MODEL else name,
        " ".join(info.model.language.split("+")),
        megabytes_to_run(directory, info),
        parameters_of(info),
        str(info.training.get("licence", NONE)),
    )
