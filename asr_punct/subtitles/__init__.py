"""Subtitles from words with times: cues whose breaks follow the marks and the pauses, under limits."""

from __future__ import annotations

from asr_punct.subtitles.limits import BBC, LIMIT_NAMES, NETFLIX, PRESETS, Limits, parse_limits
from asr_punct.subtitles.segment import Cue, make_cues

__all__ = ["BBC", "LIMIT_NAMES", "NETFLIX", "PRESETS", "Cue", "Limits", "make_cues", "parse_limits"]
