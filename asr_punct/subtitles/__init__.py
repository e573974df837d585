"""Subtitles from words with times: cues that break at marks and pauses, under limits."""

from asr_punct.subtitles.cues import Cue, make_cues
from asr_punct.subtitles.limits import BBC, LIMIT_NAMES, NETFLIX, PRESETS, UNE, Limits, parse_limits
from asr_punct.subtitles.report import Problem, check_cues, report_lines, summarise

__all__ = [
    "BBC",
    "LIMIT_NAMES",
    "NETFLIX",
    "PRESETS",
    "UNE",
    "Cue",
    "Limits",
    "Problem",
    "check_cues",
    "make_cues",
    "parse_limits",
    "report_lines",
    "summarise",
]
