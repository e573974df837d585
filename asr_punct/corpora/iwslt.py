"""`prepare iwslt`: convert the IWSLT punctuation benchmark of TED talks (Che et al. 2016) into training corpora.

Its files have `token TAB label` per line, with the labels O, COMMA, PERIOD and QUESTION, and no sentence breaks.
Clitics (`i 'm`, `do n't`) and some dashes are tokens; a recogniser writes `i'm` and `don't`. `join_clitics` joins them
for a model, and `label_tokens` gives the model's labels to the tokens, on which published scores are computed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from asr_punct.corpora import Summary
from asr_punct.errors import InputError
from asr_punct.files import InputFile, Pathlike, read_lines
from asr_punct.marks import LEFT, SENTENCE_ENDS, Labels, Mark
from asr_punct.partial import make_directory
from asr_punct.words import Utterance, Word, annotate, is_one_word, marks_of

_PART_OF_FILE = {"train2012": "train", "dev2012": "dev", "test2011": "test", "test2011asr": "test_asr"}
CLASSES = 4
"""Number of classes in published scores: three marks, and no mark."""
CLITICS = frozenset(("'s", "'re", "'m", "'ll", "'ve", "'d", "n't"))
"""Tokens that a recogniser joins to the word before them."""
NO_TEXT = "∅"
"""Text of a token without one: it keeps its mark, which `join_clitics` gives to the word before it."""
_SUFFIXES = ("", ".txt", ".xz")
_LABELS = {name: Labels(frozenset({Mark(name)})) for name in ("COMMA", "PERIOD", "QUESTION")} | {"O": Labels()}


def prepare_iwslt(source: Path, output: Path) -> Summary:
    """Write `train.tsv`, `dev.tsv`, `test.tsv` and `test_asr.tsv`, with words as a recogniser writes them.

    Raises InputError if `source` has none of the benchmark's files, or a malformed one.
    """
    found = {name: path for name in _PART_OF_FILE if (path := find_file(source, name))}
    if not found:
        raise InputError(source, "none of the benchmark's files", f"a directory of {', '.join(_PART_OF_FILE)}")
    make_directory(output)
    summary = Summary(problems=[f"{source / name}: no such file" for name in _PART_OF_FILE if name not in found])
    for name, path in found.items():
        file = InputFile(path)
        summary.write_part(map(join_clitics, read_iwslt(file)), output, _PART_OF_FILE[name], file)
    return summary


def find_file(folder: Path, name: str) -> Path | None:
    """Return the benchmark's file of that name, also with the suffix `.txt` or `.xz`."""
    return next((path for suffix in _SUFFIXES if (path := folder / f"{name}{suffix}").is_file()), None)


def read_iwslt(path: Pathlike) -> Iterator[Utterance]:
    """Yield an utterance of tokens for each sentence of the reference; all have the same document.

    Raises InputError for a line without two columns, or an unknown label.
    """
    document = Path(path).name.removesuffix(".xz")
    for number, sentence in enumerate(_sentences(_read_tokens(path)), start=1):
        yield Utterance(tuple(sentence), id=f"{document}-{number}", document=document)


def _sentences(tokens: Iterable[Word]) -> Iterator[list[Word]]:
    sentence: list[Word] = []
    for group in _word_groups(tokens):
        sentence += group
        if marks_of(group[-1]) & SENTENCE_ENDS:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _read_tokens(path: Pathlike) -> Iterator[Word]:
    for number, line in read_lines(path):
        columns = line.split("\t")
        if len(columns) == 2 and not columns[0].strip():
            columns[0] = NO_TEXT  # one line of the published dev2012, three of Bangla's news
        if len(columns) != 2 or not is_one_word(columns[0]):
            raise InputError(f"{path}:{number}", repr(line), "2 columns: token TAB label")
        if columns[1] not in _LABELS:
            raise InputError(f"{path}:{number}", f"label {columns[1]!r}", f"one of {' '.join(_LABELS)}")
        yield Word(columns[0], labels=_LABELS[columns[1]])


def _word_groups(tokens: Iterable[Word]) -> Iterator[list[Word]]:
    """Yield groups of tokens that a recogniser writes as one word: a token, its clitics, and a dash after it."""
    group: list[Word] = []
    for token in tokens:
        if group and not (token.text in CLITICS or _is_mark(token.text)):
            yield group
            group = []
        group.append(token)
    if group:
        yield group


def _is_mark(token: str) -> bool:
    return not any(char.isalnum() for char in token)


def join_clitics(tokens: Utterance) -> Utterance:
    """Return tokens as a recogniser's words. A word gets all marks of its token, its clitics and the dash after it."""
    words = []
    for group in _word_groups(tokens.words):
        text = "".join(token.text for token in group if not _is_mark(token.text)) or group[0].text
        case = (group[0].labels or Labels()).case
        words.append(Word(text, labels=Labels(frozenset().union(*map(marks_of, group)), case)))
    return replace(tokens, words=tuple(words))


def label_tokens(words: Utterance, tokens: Utterance) -> Utterance:
    """Return the tokens with the labels of the words, which are `join_clitics(tokens)`.

    Opening marks and case go to the first token of a word, other marks to the last.
    """
    token_labels: list[Labels] = []
    for group, labels in zip(_word_groups(tokens.words), words.labels, strict=True):
        opening = labels.marks.intersection(LEFT)
        first, last = Labels(opening, labels.case), Labels(labels.marks - opening)
        token_labels += [labels] if len(group) == 1 else [first, *[Labels()] * (len(group) - 2), last]
    return annotate(tokens, labels=token_labels)
