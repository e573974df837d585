"""Plain text: each line is an utterance, an empty line ends the document."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TextIO

from asr_punct.channels import in_order_of_time
from asr_punct.files import Pathlike, read_lines
from asr_punct.formats.origins import LineOrigin, line_origin
from asr_punct.glyphs import Glyphs
from asr_punct.words import Utterance, text_of_utterance, utterances_of_lines

_EMPTY_LINE = LineOrigin("text")


def read_text(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each line; its words are `line.split()`, with their marks and capitals.

    An empty line is an utterance without words, so that input and output have the same lines.
    """
    for utterance in utterances_of_lines(line for _, line in read_lines(path)):
        yield utterance if utterance.words else replace(utterance, origin=_EMPTY_LINE)


def write_text_lines(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write a line for each utterance, and an empty line where the document changes.

    The turns of a recording with several channels are in the order of time (see `channels.in_order_of_time`).
    An utterance without words is skipped, because an empty line would end the document, unless it was read from one.
    """
    previous: Utterance | None = None
    for utterance in in_order_of_time(utterances, glyphs):
        if not utterance.words and not line_origin(utterance.origin, "text"):
            continue
        if previous is not None:
            out.write("\n\n" if previous.words and previous.context != utterance.context else "\n")
        text = text_of_utterance(utterance, glyphs)
        if previous is None and text.startswith("\ufeff"):
            out.write("\ufeff")  # the byte order mark, which readers remove
        out.write(text)
        previous = utterance
    if previous is not None:
        out.write("\n")
