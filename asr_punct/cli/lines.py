"""The input and output of `asr-punct stream`: lines of words in, lines of committed words out."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from asr_punct.errors import InputError
from asr_punct.formats.files import STANDARD_STREAM, display_name, read_lines, write_file
from asr_punct.formats.json import timed_word, word_object
from asr_punct.formats.json_values import parse_json
from asr_punct.inference.stream import Committed, Stream
from asr_punct.marks import Glyphs
from asr_punct.words import Seconds, Word


def punctuate_standard_input(stream: Stream, glyphs: Glyphs) -> None:
    """Write each word of standard input to standard output as soon as it is committed.

    Raises:
        InputError: a line is not UTF-8 or malformed JSON; the words before it are written.
    """
    with write_file(STANDARD_STREAM) as out:
        for line in punctuate_lines(read_lines(STANDARD_STREAM), stream, glyphs):
            out.write(line + "\n")
            out.flush()


def punctuate_lines(lines: Iterable[tuple[int, str]], stream: Stream, glyphs: Glyphs) -> Iterator[str]:
    """Return committed words as text, or as JSON if they were read as JSON.

    A line has words, or one word as JSON if it begins with a brace; words are in the order of time. An empty line
    ends the document, and so does the last line.

    Args:
        lines: line numbers and lines of standard input.
        stream: commits the words.
        glyphs: how words are written.

    Raises:
        InputError: an unreadable line or malformed JSON; all words before it are returned first.
    """
    as_json: deque[bool] = deque()
    latest = 0.0

    def written(committed: Sequence[Committed]) -> Iterator[str]:
        for item in committed:
            if as_json.popleft():
                yield json.dumps(word_object(replace(item.word, labels=item.labels), glyphs), ensure_ascii=False)
            else:
                yield item.written

    try:
        for number, line in lines:
            is_json = line.lstrip().startswith("{")
            words = [_json_word(line, number, latest)] if is_json else [Word(token) for token in line.split()]
            latest = (words[-1].start or latest) if words else 0.0
            for word in words:
                as_json.append(is_json)
                yield from written(stream.push(word))
            if not words:
                yield from written(stream.flush())
    except InputError:
        yield from written(stream.flush())
        raise
    yield from written(stream.flush())


def _json_word(line: str, number: int, latest: Seconds) -> Word:
    """Parse the word of a line, which must not start before `latest`, the start of the word before it."""
    place = f"{display_name(STANDARD_STREAM)}:{number}"
    word = timed_word(parse_json(line, place), place)
    if word.start is not None and word.start < latest:
        raise InputError(place, f"start {word.start} after {latest}", "words in the order of time")
    return word
