"""Kaldi's transcripts, `utterance word word …`, an utterance a line: `data/*/text`, `decode*/scoring_kaldi/*/N.txt`.

Each utterance is a separate document: the order of ids need not be that of speech, and if utterances were context for
each other, the model, which has no pauses here, would put fewer marks at their ends.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from asr_punct.formats.files import Lines, Pathlike, display_name, keep_line
from asr_punct.formats.kaldi import named_utterances
from asr_punct.formats.lines import LineOrigin, line_origin, with_lines_after
from asr_punct.formats.tokens import written_words
from asr_punct.marks import Glyphs
from asr_punct.words import Utterance, Word

_FORMAT = "kaldi-text"
_LINE = re.compile(r"(\s*\S+\s*)(.*)", re.DOTALL)
_ID = re.compile(r"(?=.{4})[A-Za-z][\w.@:+-]*[0-9][\w.@:+-]*(?<![.:])|[0-9]+(?:[_-][0-9A-Za-z]+){2,}", re.ASCII)
"""A token that is an id rather than a word: `utt1`, `sw02001-A_000098-001156`, `4507-16021-0012`; not `A1` or `B2`."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}")


def has_ids(lines: Sequence[str]) -> bool:
    """Whether all lines that are not empty, at least two, begin with an id, and these differ."""
    names = [line.split(maxsplit=1)[0] for line in lines if line.strip()]
    is_id = all(_ID.fullmatch(name) and not _DATE.fullmatch(name) for name in names)
    return is_id and len(names) == len(set(names)) >= 2


def read_kaldi_text(lines: Lines, path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each line; one with an id alone has no words. Raises InputError as `files.read_lines`."""
    name = display_name(path)
    previous: Utterance | None = None
    pending: list[str] = []
    for number, line in lines:
        match = _LINE.fullmatch(line)
        if not match:
            keep_line(pending, line, f"{name}:{number}")
            continue
        id_ = match[1].strip()
        utterance = Utterance(
            tuple(map(Word, match[2].split())),
            id_,
            document=id_,
            origin=LineOrigin(_FORMAT, tuple(pending), match[1]),
        )
        pending.clear()
        if previous is not None:
            yield previous
        previous = utterance
    if previous:
        yield with_lines_after(previous, pending)


def write_kaldi_text(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write a line for each utterance, with the marks attached to the words.

    Utterances that were read from such a file keep their id, the white space after it, and their order. Others are
    named as in a data directory (`kaldi.named_utterances`) and sorted by name; those without words are left out.
    """
    others: list[Utterance] = []
    for utterance in utterances:
        origin = line_origin(utterance.origin, _FORMAT)
        if origin is None:
            others += [utterance] * bool(utterance.words)
            continue
        line = origin.head + " ".join(written_words(utterance, glyphs))
        out.writelines(f"{part}\n" for part in (*origin.before, line, *origin.after))
    out.writelines(sorted(f"{each.id} {' '.join(written_words(each, glyphs))}\n" for each in named_utterances(others)))
