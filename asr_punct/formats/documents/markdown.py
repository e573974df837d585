"""Markdown: a paragraph for each utterance, under its speaker in bold and its start.

The start is a link into the audio file, if it is known (`talk.wav#t=65.2`, a media fragment of the W3C).
"""

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from asr_punct.formats.documents.headings import heading_of
from asr_punct.glyphs import Glyphs
from asr_punct.words import Utterance, text_of_utterance

_SPECIAL = re.compile(r"([\\`*_\[\]>#])")
_NOT_ESCAPED = {ord(char): f"&#{ord(char)};" for char in "<|~"}
"""Characters before which some programs show a backslash."""
_AT_START = re.compile(r"^(\d+)([.)])(?=\s|$)|^([-+])(?=\s|$)")
"""A list item at the start of a paragraph: `1. `, `- `."""


def write_markdown(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write a paragraph for each utterance, and a line (`* * *`) where the document changes."""
    out.write("\n\n".join(_blocks(utterances, glyphs)) + "\n")


def _blocks(utterances: Iterable[Utterance], glyphs: Glyphs) -> Iterator[str]:
    previous: Utterance | None = None
    for utterance in utterances:
        if not utterance.words:
            continue
        if previous is not None and previous.context != utterance.context:
            yield "* * *"
            previous = None
        heading = heading_of(utterance, previous)
        start = f"[{heading.start}]({heading.link})" if heading.link else heading.start
        head = " ".join(filter(None, [heading.speaker and f"**{_escaped(heading.speaker)}**", start]))
        text = _AT_START.sub(_escaped_start, _escaped(text_of_utterance(utterance, glyphs)))
        yield f"{head}  \n{text}" if head else text  # a backslash is no line break for Python-Markdown
        previous = utterance


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text).translate(_NOT_ESCAPED)


def _escaped_start(match: re.Match[str]) -> str:
    number, point, bullet = match.groups()
    return f"\\{bullet}" if bullet else f"{number}\\{point}"
