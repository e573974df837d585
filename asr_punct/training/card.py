"""The README.md of a model directory: what the model is and what it was trained on."""

from __future__ import annotations

from pathlib import Path

from asr_punct.checkpoint import CARD, read_info
from asr_punct.io.files import write_file

_PERCENT = {"dev_f1": "punctuation micro F1 on the development set", "dev_case_f1": "case micro F1 on it"}


def write_card(directory: Path) -> None:
    """Write the card from the directory's `config.json`."""
    info = read_info(directory)
    model, facts = info.model, info.training
    encoder = model.encoder.name or f"a transformer of {model.encoder.layers} layers, built from its configuration"
    lines = [
        f"# {directory.resolve().name}",
        "",
        "A punctuation and capitalisation model of asr_punct: 13 marks and case, from words and pauses.",
        "",
        f"* language: {model.language}",
        f"* encoder: {encoder}",
        f"* pauses: {model.pauses.kind}; context: {model.context.kind}",
        f"* trained on {facts['words']} words of `{facts['data']}`, chosen by {facts['dev_words']} words",
        *(f"* {text}: {facts[name]:.3f}" for name, text in _PERCENT.items()),
        "",
        "```",
        f"asr-punct punctuate --model {directory} input.ctm",
        "```",
    ]
    with write_file(directory / CARD) as out:
        out.write("\n".join(lines) + "\n")
