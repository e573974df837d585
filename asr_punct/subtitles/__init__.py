"""Subtitles from words with times: cues that break at marks and pauses, under limits."""

from __future__ import annotations

from asr_punct.subtitles.cues import Cue, make_cues
from asr_punct.subtitles.limits import BBC, LIMIT_NAMES, NETFLIX, PRESETS, UNE, Limits, parse_limits

__all__ = ["BBC", "LIMIT_NAMES", "NETFLIX", "PRESETS", "UNE", "Cue", "Limits", "make_cues", "parse_limits"]
