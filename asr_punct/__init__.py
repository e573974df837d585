"""Punctuation and capitals for speech recognition output, from the words and the pauses between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asr_punct.nemo.queries import Punctuator

__all__ = ["Punctuator"]


def __getattr__(name: str) -> Any:
    """Import `Punctuator` when it is first asked for: the command line's help must not wait for onnxruntime."""
    if name == "Punctuator":
        from asr_punct.nemo.queries import Punctuator

        return Punctuator
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
