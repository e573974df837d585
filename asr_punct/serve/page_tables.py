"""The tables of the package that the page needs, as a module of JavaScript: `/page/tables.js`."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

from asr_punct.formats.cues.writers import SUBTITLE_FORMATS
from asr_punct.formats.registry import FORMATS, READING_FORMATS, WRITABLE_FILES
from asr_punct.glyphs import glyphs
from asr_punct.languages import LANGUAGES
from asr_punct.marks import CASES, LEFT, MARKS, OPENER, RIGHT, SENTENCE_ENDS, Kind
from asr_punct.subtitles import PRESETS, Limits


def page_tables() -> str:
    """Return the source of the module: a constant for each table."""
    return "".join(
        f"export const {name} = {json.dumps(value, ensure_ascii=False)};\n" for name, value in _tables().items()
    )


def _tables() -> dict[str, Any]:
    listed = ("text", *SUBTITLE_FORMATS, *READING_FORMATS, *WRITABLE_FILES)  # those for people first
    formats = [name for name in dict.fromkeys(listed) if name != "docx" or find_spec("docx")]
    return {
        "MARKS": MARKS,
        "BEFORE": LEFT,
        "AFTER": RIGHT,
        "SENTENCE_ENDS": [mark for mark in RIGHT if mark in SENTENCE_ENDS],
        "SEPARATORS": [mark for mark in RIGHT if mark.kind <= Kind.COMMA],
        "OPENERS": {closing: opening for closing, opening in OPENER.items() if closing in SENTENCE_ENDS},
        "OPENING_LANGUAGES": sorted(code for code, each in LANGUAGES.items() if each.opens_sentences),
        "GLYPHS": {mark: mark.glyph for mark in MARKS},
        "ANY_GLYPH": {glyph: mark for code in LANGUAGES for mark, glyph in glyphs(code).glyph.items()},
        "CASES": CASES,
        "SUFFIXES": {name: FORMATS[name].suffixes[0] for name in formats},
        "CUE_FORMATS": [name for name in formats if name in SUBTITLE_FORMATS],
        "PRESETS": {name: _limits(limits) for name, limits in PRESETS.items()},
    }


def _limits(limits: Limits) -> dict[str, Any]:
    """Return the limits that the page keeps; the speed of other languages than those of `speeds` is that of ""."""
    names = "characters", "lines", "min_seconds", "max_seconds", "min_gap", "dash"
    return {name: getattr(limits, name) for name in names} | {"speeds": {"": limits.speed, **limits.speeds}}
