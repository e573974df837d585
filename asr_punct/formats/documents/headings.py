"""What stands above a paragraph of a document: who speaks, from when."""

import os
from typing import NamedTuple
from urllib.parse import quote

from asr_punct.words import Utterance


class Heading(NamedTuple):
    """A paragraph's speaker, its start as `1:02:03`, and the address of that place in the audio file.

    Each is "" if it is unknown; the speaker also if the paragraph before has the same.
    """

    speaker: str
    start: str
    link: str


def heading_of(utterance: Utterance, previous: Utterance | None) -> Heading:
    """Return the heading of a paragraph after another one of the document; None: it is the first."""
    is_same = previous is not None and previous.speaker == utterance.speaker
    seconds = utterance.start
    if seconds is None:
        return Heading("" if is_same else utterance.speaker, "", "")
    minutes, rest = divmod(int(seconds), 60)
    clock = f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
    link = f"{quote(os.fsencode(utterance.audio))}#t={seconds:g}" if utterance.audio else ""
    return Heading("" if is_same else utterance.speaker, clock, link)
