"""Input and output of `asr-punct stream`: lines of words in, a line for each committed word out."""

import json
import queue
import select
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import TIMEOUT_MAX, Thread

import typer

from asr_punct.errors import InputError
from asr_punct.files import STANDARD_STREAM, display_name, read_lines, write_file
from asr_punct.formats.json.nodes import parse_json
from asr_punct.formats.json.own import timed_word, word_object
from asr_punct.formats.json.vosk import message_words
from asr_punct.formats.kaldi.ctm import could_be_row
from asr_punct.hints import CAPITALS_STAY, CapitalsCheck, OnHint
from asr_punct.inference.stream import Stream
from asr_punct.inference.stream_words import Committed
from asr_punct.text.bare import lowercase_words
from asr_punct.words import Seconds, Word, split_words

_HINT_AFTER = 20
"""Number of words, all in capitals, after which the hint that they stay is given."""
_MESSAGE_KEYS = {"text", "partial", "alternatives"}
"""Keys of Vosk's messages."""
_MAX_LINES = 100_000
"""Maximum number of lines of a message: an hour of speech has about 60,000."""
_Line = tuple[int, str]
"""Number and text of a line."""
_IDLE_S = 1.0
"""Seconds without a line until the hint on a terminal is shown."""


def punctuate_standard_input(
    stream: Stream, flush_after: Seconds, preview: bool, lowercase: bool, on_hint: OnHint
) -> None:
    """Write each word of standard input to standard output as soon as it is committed.

    After `flush_after` seconds without input all words are committed. Other arguments and errors are those of
    `punctuate_lines`.
    """
    lines = with_silences(read_lines(STANDARD_STREAM), flush_after)
    written = punctuate_lines(lines, stream, preview, lowercase, on_hint)
    with write_file(STANDARD_STREAM) as out:

        def write(lines: Iterable[str]) -> None:
            for line in lines:
                out.write(line + "\n")
                out.flush()

        try:
            write(written)
        except (KeyboardInterrupt, SystemExit) as stop:
            # In `punctuate_lines` the exception decides the words that wait. `throw` returns the line of the first one;
            # after the last one the exception is raised again.
            write([written.throw(stop)])
            write(written)


def punctuate_lines(
    lines: Iterable[_Line | Seconds],
    stream: Stream,
    preview: bool = False,
    lowercase: bool = False,
    on_hint: OnHint | None = None,
) -> Generator[str]:
    """Yield each committed word as text, or as JSON if it was read as JSON.

    A line that begins with `{` is one word as JSON, or a message of Vosk's (`{"text": "hola ana"}`), also in several
    lines; any other line has words separated by white space. Words must be in the order of time. An empty line and the
    end of the input end the document.

    Items of `lines` are lines, or the seconds of a silence. With `preview`, JSON with the words that are not
    committed follows each line of words. With `lowercase` words are read in lower case; else `on_hint` gets a
    hint to do so if all are in capitals. Raises InputError for an unreadable line or malformed JSON, after all
    words before it are yielded, as after KeyboardInterrupt and SystemExit.
    """
    as_json: deque[bool] = deque()  # for each word that is not committed yet

    def format_words(committed: Sequence[Committed]) -> Iterator[str]:
        """Yield the line of each word, in the format in which it was read."""
        for item in committed:
            if as_json.popleft():
                yield json.dumps(word_object(replace(item.word, labels=item.labels), stream.glyphs), ensure_ascii=False)
            else:
                yield item.written

    try:
        for item in _read_words(lines, lowercase, None if lowercase else on_hint):
            if isinstance(item, float):
                yield from format_words(stream.idle(item))
                continue
            words, is_json = item
            as_json += [is_json] * len(words)
            yield from format_words(stream.push(*words) if words else stream.flush())
            if preview:
                text = " ".join(word.written for word in stream.preview())
                yield json.dumps({"partial": text}, ensure_ascii=False)
    except (InputError, KeyboardInterrupt, SystemExit):
        yield from format_words(stream.flush())
        raise
    yield from format_words(stream.flush())


def _read_words(
    lines: Iterable[_Line | Seconds], lowercase: bool, on_hint: OnHint | None
) -> Iterator[tuple[Sequence[Word], bool] | Seconds]:
    """Yield the words of each line with whether they were JSON, and the seconds of each silence."""
    last_start, capitals = 0.0, CapitalsCheck()
    for item in _whole_messages(lines):
        if isinstance(item, float):
            yield item
            continue
        number, line = item
        is_json = line.lstrip().startswith("{")
        if number == 1 and could_be_row(line.split()):
            place, expected = f"{display_name(STANDARD_STREAM)}:1", "words, or JSON words (a file: asr-punct punctuate)"
            raise InputError(place, "a row of a CTM", expected)
        words = _json_words(line, number, last_start) if is_json else split_words(line)
        if is_json and not words:
            continue
        last_start = (words[-1].start or last_start) if words else 0.0
        capitals.add(words)
        if on_hint and capitals.are_capitals(_HINT_AFTER):
            on_hint(CAPITALS_STAY)
            on_hint = None
        yield lowercase_words(words) if lowercase else words, is_json
    if on_hint and capitals.are_capitals():
        on_hint(CAPITALS_STAY)


def _whole_messages(lines: Iterable[_Line | Seconds]) -> Iterator[_Line | Seconds]:
    """Yield the lines; those from `{` to `}`, as Vosk prints a message, are one."""
    first, parts = 0, list[str]()
    for item in lines:
        line = "" if isinstance(item, float) else item[1].strip()
        if parts and line and not isinstance(item, float):
            parts.append(line)
        elif line == "{" and not isinstance(item, float):
            first, parts = item[0], [line]
        else:
            yield item
        if parts and (line == "}" or len(parts) > _MAX_LINES):
            yield first, " ".join(parts)
            parts = []
    if parts:
        yield first, " ".join(parts)


def _json_words(line: str, number: int, last_start: Seconds) -> Sequence[Word]:
    """Parse a word, or a message of Vosk's. No word may start before the last one, which starts at `last_start`."""
    place = f"{display_name(STANDARD_STREAM)}:{number}"
    value = parse_json(line, place)
    is_message = isinstance(value, dict) and "word" not in value and not value.keys().isdisjoint(_MESSAGE_KEYS)
    words = message_words(value, place) if is_message else (timed_word(value, place),)
    for word in words:
        if word.start is not None and word.start < last_start:
            raise InputError(place, f"start {word.start} after {last_start}", "words in the order of time")
        last_start = word.start or last_start
    return words


def hint_if_idle(hint: str) -> None:
    """Print the hint if nothing is typed for a second; only if both streams are terminals, and not on Windows."""

    def wait() -> None:
        with suppress(OSError, ValueError):  # standard input was closed; on Windows, `select` accepts no terminal
            if not select.select([sys.stdin], [], [], _IDLE_S)[0]:
                typer.echo(hint, err=True)

    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        Thread(target=wait, daemon=True).start()


def with_silences(lines: Iterable[_Line], seconds: Seconds) -> Iterator[_Line | Seconds]:
    """Yield lines as they arrive, and `seconds` once if no line follows a line for so long.

    A thread reads up to 64 lines ahead. Errors of `lines` are raised after the lines before them.
    """
    waiting = queue.Queue[_Line | BaseException | None](maxsize=64)

    def read() -> None:
        """Put the lines into the queue, then None, or the error that ended them."""
        end = None
        try:
            for line in lines:
                waiting.put(line)
        except BaseException as error:
            end = error
        waiting.put(end)

    Thread(target=read, daemon=True).start()
    is_silent = True
    while True:
        try:
            item = waiting.get(timeout=None if is_silent else min(seconds, TIMEOUT_MAX))
        except queue.Empty:
            is_silent = True
            yield seconds
            continue
        if item is None:
            return
        if isinstance(item, BaseException):
            raise item
        is_silent = False
        yield item
