"""Texts that `asr-punct info` and `asr-punct models` print."""

import os
from collections.abc import Mapping
from pathlib import Path

from asr_punct.checkpoint import SCORES, WEIGHTS, ModelInfo, existing_file, read_info
from asr_punct.config import HeadConfig
from asr_punct.hub import DEFAULT_MODEL, models_by_language
from asr_punct.languages import describe_languages
from asr_punct.marks import MARKS
from asr_punct.scoring import read_score_sets
from asr_punct.scoring.markdown import NO_VALUE, percent, table

_MODEL_COLUMNS = ("model", "languages", "size", "parameters", "licence")
_WINDOW_LAYER = "one linear layer over all {} tokens of a window"
_CASE_HEAD = {
    "previous": "reads mark probabilities of the word and of the previous word",
    "own": "reads mark probabilities of the word",
}
_SCORE_COLUMNS = ("model", "test set", "words", "classes", "marks", "case")


def describe(directory: Path, info: ModelInfo) -> str:
    """Describe a model directory: language, parts, training and files, one per line.

    Raises ModelError if a file of the directory is missing.
    """
    model = info.model
    files = (f"{name} ({_size(existing_file(directory, info, name))})" for name in info.files)
    weights = ", ".join(f"{name} {weight:.2f}" for name, weight in info.decoding.class_weights.items())
    rows = {
        "directory": str(directory),
        "language": model.language,
        "encoder": model.encoder.name or f"{info.encoder.get('model_type')}, trained from scratch",
        **({"token labelling": _WINDOW_LAYER.format(model.window.tokens)} if model.encoder.sequence_hidden else {}),
        "pauses": model.pauses.kind,
        **({"parts of speech": f"{model.pos.tagger} tagger"} if model.pos.tagger != "none" else {}),
        "context": model.context.kind,
        "punctuation head": _punctuation_head(model.heads),
        **({"class weights": weights} if weights else {}),
        "case head": _CASE_HEAD[model.heads.case_context],
        "windows": f"{model.window.words} words, margin {model.window.margin}",
        **{name.replace("_", " "): _format_value(value) for name, value in info.training.items()},
        "files": ", ".join(files),
    }
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows.items())


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"


def _format_value(value: object) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _punctuation_head(heads: HeadConfig) -> str:
    if heads.kind == "multilabel":
        return f"{len(MARKS)} marks, multi-label"
    return f"{len(heads.classes)} classes{'' if heads.crf == 'none' else f', CRF ({heads.crf})'}"


def list_models(directories: Mapping[str, Path]) -> str:
    """Return a table of models, their choice by language, and a table of their scores, at most 80 columns wide.

    A model may have no scores. Raises ModelError if a directory is damaged, InputError if its scores are malformed.
    """
    models, scores = [], []
    for model, directory in directories.items():
        info = read_info(directory)
        files = [existing_file(directory, info, name) for name in info.files if name != WEIGHTS]  # needed only to train
        parameters = info.training.get("parameters")
        models.append(
            (
                model,
                " ".join(info.model.language.split("+")),
                f"{sum(path.stat().st_size for path in files) / 1e6:.1f} MB",
                NO_VALUE if parameters is None else f"{parameters / 1e6:.1f} M",
                str(info.training.get("licence", NO_VALUE)),
            )
        )
        sets = read_score_sets(directory / SCORES) if os.path.exists(directory / SCORES) else {}
        for test_set, each in sets.items():
            f1 = percent(each.micro.f1), percent(each.case.micro.f1)
            scores.append((model, test_set, f"{each.words:,}", str(len(each.marks)), *f1))
    title = "F1 in per cent on documents held out from training, all classes of marks pooled:"
    return "\n".join((table(_MODEL_COLUMNS, models), _choice(), f"{title}\n", table(_SCORE_COLUMNS, scores)))


def _choice() -> str:
    """Return lines that name the languages of the models that are used without `--model`."""
    codes = dict[str, list[str]]()
    for code, model in models_by_language().items():
        codes.setdefault(model, []).append(code)
    lines = ["Without --model, each text gets the model of its language:\n"]
    for model, languages in codes.items():
        others = ", and other languages" if model == DEFAULT_MODEL else ""
        lines.append(f"* {describe_languages(languages)}{others}: {model}")
    return "\n".join([*lines, ""])
