"""Kaldi's transcripts, `utterance word word …`, an utterance a line: `data/*/text`, `decode*/scoring_kaldi/*/N.txt`.

Each utterance is a separate document: the order of ids need not be that of speech, and if utterances were context for
each other, the model, which has no pauses here, would put fewer marks at their ends.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from asr_punct.formats.files import Pathlike, display_name, read_lines
from asr_punct.formats.kaldi import TEXT_LINE, named_utterances
from asr_punct.formats.lines import LineOrigin, attach_lines, line_origin, lines_around
from asr_punct.formats.tokens import written_words
from asr_punct.marks import Glyphs
from asr_punct.words import Utterance, split_words

_FORMAT = "kaldi-text"
_ID = re.compile(r"(?=.{4})[A-Za-z][\w.@:+-]*[0-9][\w.@:+-]*(?<![.:])|[0-9]+(?:[_-][0-9A-Za-z]+){2,}", re.ASCII)
"""A token that is an id rather than a word: `utt1`, `sw02001-A_000098-001156`, `4507-16021-0012`; not `A1` or `B2`."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}")


def has_ids(lines: Sequence[str]) -> bool:
    """Whether all lines that are not empty, at least two, begin with an id, and these differ."""
    names = [line.split(maxsplit=1)[0] for line in lines if line.strip()]
    is_id = all(_ID.fullmatch(name) and not _DATE.fullmatch(name) for name in names)
    return is_id and len(names) == len(set(names)) >= 2


def read_kaldi_text(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance for each line; one with an id alone has no words."""
    name = display_name(path)
    return attach_lines((f"{name}:{number}", _utterance(line) or line) for number, line in read_lines(path))


def _utterance(line: str) -> Utterance | None:
    match = TEXT_LINE.fullmatch(line)
    if not match:
        return None
    name, words = match[1].strip(), split_words(match[2])
    return Utterance(words, name, document=name, origin=LineOrigin(_FORMAT, head=match[1]))


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
        out.write(lines_around(origin, " ".join(written_words(utterance, glyphs))))
    out.writelines(sorted(f"{each.id} {' '.join(written_words(each, glyphs))}\n" for each in named_utterances(others)))
