"""The score page: one HTML file that needs no other."""

from asr_punct.scoring.html.page import Comparison, write_page

__all__ = ["Comparison", "write_page"]
