"""The README.md of a model directory: what the model is and what it was trained on."""

from __future__ import annotations

from pathlib import Path

from asr_punct.checkpoint import CARD, read_info
from asr_punct.formats.files import write_file
from asr_punct.marks import MARKS

_SCORES = {"dev_f1": "punctuation micro F1 on the development set", "dev_case_f1": "case micro F1 on it"}


def write_card(directory: Path) -> None:
    """Write the card from the directory's `config.json`."""
    info = read_info(directory)
    model, facts = info.model, info.training
    heads = model.heads
    marks = f"{len(MARKS)} marks" if heads.kind == "multilabel" else f"marks in {len(heads.classes)} classes"
    inputs = "words" if model.pauses.kind == "none" else "words and pauses"
    lines = [
        f"# {directory.resolve().name}",
        "",
        f"A punctuation and capitalisation model of asr_punct: {marks} and case, from {inputs}.",
        "",
        f"* language: {model.language}",
        f"* encoder: {model.encoder.name or info.encoder.get('model_type')}",
        f"* pauses: {model.pauses.kind}; context: {model.context.kind}",
        f"* trained on {facts['words']} words of `{facts['data']}`, chosen by {facts['dev_words']} words",
        *(f"* {text}: {facts[name]:.3f}" for name, text in _SCORES.items()),
        "",
        "```",
        f"asr-punct punctuate --model {directory} input.ctm",
        "```",
    ]
    with write_file(directory / CARD) as out:
        out.write("\n".join(lines) + "\n")
