"""`prepare iwslt`: the IWSLT punctuation benchmark of TED talks (Che et al. 2016) to the corpora that training reads.

Its files have `token TAB label` a line, with the labels O, COMMA, PERIOD and QUESTION, and no sentence breaks. Clitics
are tokens of their own there (`i 'm`, `do n't`), and so are some dashes; a recogniser writes `i'm` and `don't`.
`as_recognised` joins them for a model, `on_tokens` brings a model's labels back onto the benchmark's own tokens, on
which published scores are computed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from asr_punct.corpora.summary import Summary
from asr_punct.errors import InputError
from asr_punct.formats.files import Pathlike, make_directory, read_lines, write_file
from asr_punct.formats.tsv import write_tsv
from asr_punct.marks import LEFT, Labels, Mark
from asr_punct.words import Utterance, Word, annotate

PARTS = {"train2012": "train", "dev2012": "dev", "test2011": "test", "test2011asr": "test_asr"}
"""Files of the benchmark, and the corpora that they become."""
CLASSES = 4
"""That it is scored over, as `scoring` names them: three marks and none."""
_SUFFIXES = ("", ".txt", ".xz")
CLITICS = frozenset(("'s", "'re", "'m", "'ll", "'ve", "'d", "n't"))
"""Tokens that a recogniser writes together with the word before them."""
_LABELS = {name: Labels(frozenset({Mark(name)})) for name in ("COMMA", "PERIOD", "QUESTION")} | {"O": Labels()}
_SENTENCE_ENDS = {Mark.PERIOD, Mark.QUESTION}
_LEFT = frozenset(LEFT)

_Token = tuple[str, Labels]


def prepare_iwslt(source: Path, output: Path) -> Summary:
    """Write `train.tsv`, `dev.tsv`, `test.tsv` and `test_asr.tsv`, words as a recogniser writes them.

    Args:
        source: directory of `train2012`, `dev2012`, `test2011` and `test2011asr`, as they are or with `.txt` or `.xz`
            after their names; the summary tells which are missing.
        output: directory to write into.

    Raises:
        InputError: none of the files is there, or one has another form.
    """
    found = {name: path for name in PARTS if (path := find_file(source, name))}
    if not found:
        raise InputError(source, "none of the benchmark's files", f"a directory of {', '.join(PARTS)}")
    make_directory(output)
    summary = Summary(problems=[f"{source / name}: no such file" for name in PARTS if name not in found])
    for name, part in PARTS.items():
        if name in found:
            with write_file(output / f"{part}.tsv") as out:
                write_tsv(summary.counted(map(as_recognised, read_iwslt(found[name])), part, found[name]), out)
    return summary


def find_file(folder: Path, name: str) -> Path | None:
    """The benchmark's file of that name, as it is or with `.txt` or `.xz` after it."""
    return next((path for suffix in _SUFFIXES if (path := folder / f"{name}{suffix}").is_file()), None)


def read_iwslt(path: Pathlike) -> Iterator[Utterance]:
    """Utterances of the file's own tokens, cut after the reference's sentence ends, all of one recording.

    The cuts bound memory and give the bootstrap its units; models are not told of them, for the utterances of a
    recording are one running text.

    Raises:
        InputError: a line without two columns, or another label.
    """
    recording = Path(path).name.removesuffix(".xz")
    waiting: list[_Token] = []
    number = 0
    for group in _groups(_read_tokens(path)):
        waiting.extend(group)
        if group[-1][1].marks & _SENTENCE_ENDS:
            number += 1
            yield _utterance(waiting, recording, number)
            waiting = []
    if waiting:
        yield _utterance(waiting, recording, number + 1)


def _read_tokens(path: Pathlike) -> Iterator[_Token]:
    for number, line in read_lines(path):
        columns = line.split("\t")
        if len(columns) == 2 and not columns[0].strip():
            continue  # the published dev2012 has a line whose token is empty
        if len(columns) != 2 or columns[0].split() != columns[:1]:
            raise InputError(f"{path}:{number}", repr(line), "2 columns: token TAB label")
        if columns[1] not in _LABELS:
            raise InputError(f"{path}:{number}", f"label {columns[1]!r}", f"one of {' '.join(_LABELS)}")
        yield columns[0], _LABELS[columns[1]]


def _utterance(tokens: Sequence[_Token], recording: str, number: int) -> Utterance:
    return annotate(
        Utterance(words=tuple(Word(text) for text, _ in tokens), id=f"{recording}-{number}", recording=recording),
        labels=tuple(labels for _, labels in tokens),
    )


def _groups(tokens: Iterable[_Token]) -> Iterator[list[_Token]]:
    """Tokens that are one word for a recogniser: a word with its clitics, and with a dash that stands alone."""
    group: list[_Token] = []
    for token in tokens:
        if group and not (token[0] in CLITICS or _is_mark(token[0])):
            yield group
            group = []
        group.append(token)
    if group:
        yield group


def _is_mark(token: str) -> bool:
    return not any(char.isalnum() for char in token)


def first_words(utterances: list[Utterance], words: int) -> list[Utterance]:
    """The first utterances, of so many words together at least; all of them for 0."""
    if not words:
        return utterances
    totals = list(accumulate(len(utterance.words) for utterance in utterances))
    return utterances[: bisect_left(totals, words) + 1]


def as_recognised(tokens: Utterance) -> Utterance:
    """The benchmark's tokens as words: clitics joined, lone dashes left out, their marks on the joined word."""
    words, labels = [], []
    for group in _groups(_labelled(tokens)):
        text = "".join(token for token, _ in group if not _is_mark(token))
        words.append(Word(text or group[0][0]))
        labels.append(Labels(frozenset().union(*(label.marks for _, label in group)), group[0][1].case))
    return annotate(replace(tokens, words=tuple(words)), labels=tuple(labels))


def on_tokens(words: Utterance, tokens: Utterance) -> Utterance:
    """Labels of joined words on the benchmark's tokens: those after a word on its last one, all else on its first.

    Args:
        words: `as_recognised(tokens)` with labels.
        tokens: what they were joined from.
    """
    labels: list[Labels] = []
    for group, label in zip(_groups(_labelled(tokens)), words.labels or (), strict=True):
        labels.extend(_spread(label, len(group)))
    return annotate(tokens, labels=tuple(labels))


def _labelled(tokens: Utterance) -> Iterator[_Token]:
    labels = tokens.labels
    return ((word.text, label) for word, label in zip(tokens.words, labels, strict=True))


def _spread(label: Labels, tokens: int) -> list[Labels]:
    if tokens == 1:
        return [label]
    before = label.marks & _LEFT
    return [Labels(before, label.case), *[Labels()] * (tokens - 2), Labels(label.marks - before)]
