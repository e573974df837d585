"""The score page: one HTML file that needs no other."""

from asr_punct.scoring.html.page import write_page

__all__ = ["write_page"]
