"""The project's own format for corpora and predictions: `word TAB marks TAB pause TAB case`, one word per line.

An empty line ends an utterance. A line is a comment only if it starts with `# ` and has no TAB; the comments
`# id`, `# document`, `# recording`, `# speaker`, `# pause_before` and `# times` describe the utterance that follows.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TextIO

from asr_punct.errors import AsrPunctError, InputError, plural
from asr_punct.files import Pathlike, display_name, read_lines
from asr_punct.formats.time_sources import check_time_source
from asr_punct.formats.values import one_token, parse_seconds
from asr_punct.glyphs import Glyphs
from asr_punct.marks import CASES, Labels, format_marks, parse_case, parse_marks
from asr_punct.words import Seconds, Utterance, Word, is_one_word

_UNKNOWN_PAUSE = "-"
_PAUSE = re.compile(r"-|\d+(\.\d+)?")
_CACHED_LINES = 50_000
"""Maximum number of cached lines: most lines of a corpus occur many times."""
_COLUMNS = "4 columns: word TAB marks TAB pause TAB case"


def is_tsv(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the words of a file's first lines look like rows, beside comments."""
    rows = [row for row in rows if row[0] != "#"]
    return bool(rows) and all(len(row) == 4 and _PAUSE.fullmatch(row[2]) and row[3] in CASES for row in rows)


def read_tsv(path: Pathlike) -> Iterator[Utterance]:
    """Yield the utterances of a TSV file. Raises InputError for wrong columns, labels or pauses."""
    name = display_name(path)
    header: dict[str, str] = {}
    words: list[Word] = []
    parsed: dict[str, Word] = {}
    for number, line in read_lines(path):
        if word := parsed.get(line):
            words.append(word)
        elif not line:
            if words:
                yield _utterance(header, words)
            header, words = {}, []
        elif line.startswith("# ") and "\t" not in line:
            key, separator, value = line[2:].partition(" = ")
            if separator:
                header[key.strip()] = value.strip()
                _check_comment(key.strip(), value.strip(), f"{name}:{number}")
        else:
            word = _parse_word(line, f"{name}:{number}")
            if len(parsed) < _CACHED_LINES:
                parsed[line] = word
            words.append(word)
    if words:
        yield _utterance(header, words)


def _check_comment(key: str, value: str, place: str) -> None:
    if key == "times":
        check_time_source(value, place)
    if key == "pause_before" and value != _UNKNOWN_PAUSE:
        parse_seconds(value, place, "pause_before")


def _parse_word(line: str, place: str) -> Word:
    columns = line.split("\t")
    if len(columns) != 4:
        raise InputError(place, plural(len(columns), "column"), _COLUMNS)
    word, marks, pause, case = columns
    if not is_one_word(word):
        raise InputError(place, f"word {word!r}", "a word without white space")
    try:
        labels = _parse_labels(marks, case)
    except AsrPunctError as error:
        raise InputError(place, error.found, error.expected) from None
    return Word(word, labels=labels, pause=None if pause == _UNKNOWN_PAUSE else parse_seconds(pause, place, "pause"))


@cache  # one object per combination: a corpus has millions of words and few combinations
def _parse_labels(marks: str, case: str) -> Labels:
    return Labels(parse_marks(marks), parse_case(case))


def _utterance(header: dict[str, str], words: list[Word]) -> Utterance:
    before = header.get("pause_before", _UNKNOWN_PAUSE)
    return Utterance(
        words=tuple(words),
        id=header.get("id", ""),
        document=header.get("document", ""),
        recording=header.get("recording", ""),
        speaker=header.get("speaker", ""),
        pause_before=None if before == _UNKNOWN_PAUSE else float(before),
        time_source=check_time_source(header.get("times", "none"), "times"),
    )


def write_tsv(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs | None = None) -> None:
    """Write utterances with words; a missing label is `O`, a missing pause `-`; white space in names becomes `_`."""
    started = False
    for utterance in utterances:
        if not utterance.words:
            continue
        out.write("\n" * started)
        out.writelines(f"# {key} = {value}\n" for key, value in _comments(utterance))
        for word, label, pause in zip(utterance.words, utterance.labels, utterance.pauses, strict=True):
            out.write(f"{word.text}\t{format_marks(label.marks)}\t{_format_pause(pause)}\t{label.case}\n")
        started = True
    out.write("\n" * started)


def _comments(utterance: Utterance) -> Iterator[tuple[str, str]]:
    names = {key: getattr(utterance, key) for key in ("id", "document", "recording", "speaker")}
    yield from ((key, one_token(name)) for key, name in names.items() if name)
    if utterance.pause_before is not None:
        yield "pause_before", _format_pause(utterance.pause_before)
    if utterance.time_source != "none":
        yield "times", utterance.time_source


def _format_pause(pause: Seconds | None) -> str:
    return _UNKNOWN_PAUSE if pause is None else f"{pause:.3f}"
