"""What transformers tells of its own accord, and a command of ours in one line or not at all."""

from __future__ import annotations

from typing import Any, cast

from transformers.utils import logging as transformers_logging


def silence_transformers() -> None:
    """From now on, in this process, it warns of nothing and draws no bars."""
    messages = cast(Any, transformers_logging)
    messages.set_verbosity_error()
    messages.disable_progress_bar()
