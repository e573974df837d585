"""The score page: one HTML file that needs no other."""

from asr_punct.scoring.html.page import Comparison, check_audio, write_page

__all__ = ["Comparison", "check_audio", "write_page"]
