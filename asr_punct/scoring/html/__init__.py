"""Scores as one page that needs nothing beside itself."""

from asr_punct.scoring.html.page import write_page

__all__ = ["write_page"]
