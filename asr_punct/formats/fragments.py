"""Segments that are tokens (`-ml 1` of whisper.cpp: ` super`, `mar`, `ket`): a word in several segments is reported.

Each segment of whisper.cpp that begins a word begins with a space.
"""

import logging

from asr_punct.errors import plural

_LOG = logging.getLogger(__name__)


class Fragments:
    """Counts the segments of a file by the beginnings of their texts."""

    def __init__(self) -> None:
        self._count = self._spaced = self._inside = 0
        self._first = ""

    def add(self, text: str) -> None:
        """Add the text of a segment, with the white space before it."""
        if not text.strip():
            return
        self._count += 1
        if text[0].isspace():
            self._spaced += 1
        elif self._spaced and text[0].isalnum():
            self._inside += 1
            self._first = self._first or text.split()[0]

    def report(self, place: str) -> None:
        """Log how many segments begin inside a word, if at least half of all begin with a space."""
        if self._inside and 2 * self._spaced >= self._count:
            found = f"{plural(self._inside, 'segment')} inside a word (first: {self._first!r})"
            _LOG.warning(
                "%s: %s, as whisper.cpp writes tokens: its option -sow or its JSON has whole words", place, found
            )
