"""The application with all its commands: each of these modules registers its own."""

from asr_punct.cli import batch, recognition, restore, results, serving, times, training  # noqa: F401
from asr_punct.cli.base import app

__all__ = ["app"]
