"""Silence the library transformers."""

from typing import Any, cast

from transformers.utils import logging as transformers_logging


def silence_transformers() -> None:
    """Switch off warnings and progress bars of transformers in this process."""
    messages = cast(Any, transformers_logging)
    messages.set_verbosity_error()
    messages.disable_progress_bar()
