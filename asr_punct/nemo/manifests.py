"""Manifests of NeMo, JSON lines of what was transcribed, with marks and capitals."""

from __future__ import annotations

from asr_punct.formats import read_utterances, write_utterances
from asr_punct.formats.files import Pathlike
from asr_punct.inference.punctuator import Punctuator


def punctuate_manifest(source: Pathlike, output: Pathlike, punctuator: Punctuator) -> None:
    """Write the manifest with marks and capitals in its texts and words; all else is as it was.

    Consecutive lines of one audio file are context for each other. The file appears when it is complete.

    Args:
        source: manifest of transcriptions (`pred_text`, `word`) or alignments (`words`, `alignments`); `-` is standard
            input.
        output: the manifest to write; `-` is standard output.
        punctuator: the model.

    Raises:
        InputError: `source` is no manifest, or `output` cannot be written.
    """
    restored = punctuator.restore(read_utterances(source, "nemo"))
    write_utterances(restored, output, punctuator.glyphs, "nemo")
