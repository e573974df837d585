"""Read treebanks in CoNLL-U (universaldependencies.org/format.html): words as a recogniser writes them, with tags."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from asr_punct.config import PART_OF_SPEECH_TAGS
from asr_punct.corpora.iwslt import CLITICS
from asr_punct.errors import InputError, plural
from asr_punct.files import Pathlike, read_lines

_UNSPOKEN = frozenset(("PUNCT", "SYM"))
_COLUMNS = 10


class TaggedWord(NamedTuple):
    """A word in lower case, without spaces and the period of an abbreviation, and one of `PART_OF_SPEECH_TAGS`."""

    text: str
    tag: str


class _Row(NamedTuple):
    """A token, or a range of tokens, from `first` to `last`, that are written as one word (without a tag)."""

    first: int
    last: int
    form: str
    tag: str


def read_conllu(path: Pathlike) -> Iterator[list[TaggedWord]]:
    """Read the sentences of a treebank, plain or `.xz`, with words as a recogniser writes them.

    Punctuation, symbols and sentences without words are skipped. Tokens that are written together (a range: `del`,
    `don't`) are one word, and so are a word and the English clitic after it, with the tag of the first part. Raises
    InputError for a line without ten columns, a wrong identifier, or an unknown part of speech.
    """
    lines = ((number, line) for number, line in read_lines(path) if not line.startswith("#"))
    for is_sentence, group in groupby(lines, key=lambda item: bool(item[1].strip())):
        rows = (_row(line, f"{path}:{number}") for number, line in group if is_sentence)
        if words := _spoken(_written_words(row for row in rows if row)):
            yield words


def _row(line: str, place: str) -> _Row | None:
    """Return the token or range of a line, or None for an empty node, which is not spoken."""
    columns = line.split("\t")
    if len(columns) != _COLUMNS:
        raise InputError(place, plural(len(columns), "column"), f"{_COLUMNS} columns with TABs between them")
    identifier, form, tag = columns[0], columns[1], columns[3]
    first, dash, last = identifier.partition("-")
    if first.partition(".")[2].isdecimal():
        return None
    if not (first.isdecimal() and (last.isdecimal() or not dash)):
        raise InputError(place, f"identifier {identifier!r}", "a number, or a range such as 1-2")
    if not dash and tag not in PART_OF_SPEECH_TAGS:
        raise InputError(place, f"part of speech {tag!r}", f"one of {' '.join(PART_OF_SPEECH_TAGS)}")
    return _Row(int(first), int(last or first), form, "" if dash else tag)


def _spoken(written: Iterable[tuple[str, str]]) -> list[TaggedWord]:
    words: list[TaggedWord] = []
    for form, tag in written:
        text = "".join(form.split()).lower().replace("’", "'").rstrip(".")
        if words and text in CLITICS:
            words[-1] = words[-1]._replace(text=words[-1].text + text)
        elif any(char.isalnum() for char in text):
            words.append(TaggedWord(text, tag))
    return words


def _written_words(rows: Iterable[_Row]) -> Iterator[tuple[str, str]]:
    """Yield form and tag of each spoken word; a range has its own form, and the tag of its first spoken token."""
    range_form, range_end = "", 0
    for row in rows:
        if row.last > row.first:
            range_form, range_end = row.form, row.last
        elif row.tag in _UNSPOKEN:
            continue
        elif row.first > range_end:
            yield row.form, row.tag
        elif range_form:
            yield range_form, row.tag
            range_form = ""
