"""Punctuation and capitals for speech recognition output, from the words and the pauses between them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asr_punct.formats import read, write
    from asr_punct.inference.punctuator import Punctuator
    from asr_punct.scoring.paired_texts import score

__all__ = ["Punctuator", "read", "score", "write"]
_MODULES = {
    "Punctuator": "asr_punct.inference.punctuator",
    "read": "asr_punct.formats",
    "score": "asr_punct.scoring.paired_texts",
    "write": "asr_punct.formats",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: the command line's help must not wait for numpy and onnxruntime."""
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
