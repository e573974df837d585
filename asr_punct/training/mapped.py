"""Training corpora as memory-mapped arrays, which several processes share.

A corpus NAME.tsv is read once. Its arrays are in the directory NAME.DIGEST.arrays beside it: DIGEST is the start of the
SHA-256 of the file, so a changed file gets new arrays. The directory has a .npy file for each column of `WordColumns`,
10 bytes for each word, and words.txt, the vocabulary. If the TSV file is missing, its arrays are read.
"""

from __future__ import annotations

import glob
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from asr_punct import progress
from asr_punct.checkpoint import file_sha256
from asr_punct.errors import InputError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, NO_BOUNDARY, TURN_END, TURN_START
from asr_punct.files import InputFile, write_file
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.marks import CASES, Labels, Mark, mark_bits, marks_of_bits
from asr_punct.partial import write_directory
from asr_punct.pauses import buckets
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.corpus import BLOCK_WORDS, Corpus, Vocabulary, WordColumns
from asr_punct.words import Utterance, changes_speaker, word_count

TRAIN, DEV = "train.tsv", "dev.tsv"
"""Files of a data directory."""
_COLUMN_TYPES = {"words": np.int32, "marks": np.uint16, "cases": np.uint8, "pauses": np.int16, "boundaries": np.uint8}
_VOCABULARY_FILE = "words.txt"
_DIGEST_LENGTH = 12
"""Hexadecimal digits of the SHA-256 in the name of a directory."""


@dataclass(frozen=True)
class StoredCorpus:
    """The arrays of a TSV corpus. Each process maps them into its memory when it first reads them."""

    directory: Path

    def __reduce__(self) -> tuple[type[StoredCorpus], tuple[Path]]:
        return StoredCorpus, (self.directory,)  # without the content

    @classmethod
    def open(cls, path: Path) -> StoredCorpus:
        """Find the arrays for the content of a TSV corpus, or make them: one process makes them and the others wait.

        Raises InputError if the file is missing and has no arrays or several, it is malformed, it has no words, or its
        directory cannot be written.
        """
        if not path.is_file():
            found = list(_all_arrays(path))
            if len(found) != 1:
                raise InputError(path, "no such file", "a corpus")
            return cls(found[0])
        directory = path.with_name(f"{path.stem}.{file_sha256(path)[:_DIGEST_LENGTH]}.arrays")
        if not directory.is_dir():
            try:
                with FileLock(path.with_name(f".{path.stem}.lock")):
                    if not directory.is_dir():
                        _make_arrays(path, directory)
            except OSError as error:
                found_error, expected = error.strerror or "an error", "a place for the arrays of the corpus"
                raise InputError(directory, found_error, expected) from None
        return cls(directory)

    @property
    def digest(self) -> str:
        """The start of the SHA-256 of the TSV file."""
        return self.directory.name.split(".")[-2]

    @cached_property
    def columns(self) -> WordColumns:
        """The words and labels. Raises InputError if an array is damaged."""
        return WordColumns(**{name: self._column(self.directory / f"{name}.npy") for name in _COLUMN_TYPES})

    def _column(self, path: Path) -> npt.NDArray[Any]:
        try:
            return np.asarray(np.load(path, mmap_mode="r"))
        except (OSError, ValueError):
            raise InputError(path, "no array", "arrays of asr-punct train (remove the directory)") from None

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """The distinct words, lower-case."""
        return tuple((self.directory / _VOCABULARY_FILE).read_text(encoding="utf-8").split("\n")[:-1])

    def words(self) -> Iterator[str]:
        """Yield the lower-case words."""
        for block in self.columns.blocks():
            yield from (self.vocabulary[word] for word in block.words.tolist())

    def mark_sets(self) -> Counter[frozenset[Mark]]:
        """Return the number of words with each set of marks."""
        counts: Counter[int] = Counter()
        for block in self.columns.blocks():
            bits, numbers = np.unique(block.marks, return_counts=True)
            counts.update(dict(zip(bits.tolist(), numbers.tolist(), strict=True)))
        return Counter({marks_of_bits(bits): count for bits, count in counts.items()})

    def encode(self, tokenizer: SubwordTokenizer) -> Corpus:
        """Return the corpus with the sub-words of its words."""
        return Corpus(**vars(self.columns), vocabulary=Vocabulary.encode(self.vocabulary, tokenizer))


@dataclass(frozen=True)
class Corpora:
    """The training and the development corpus of a directory."""

    directory: Path
    train: StoredCorpus
    dev: StoredCorpus

    @classmethod
    def open(cls, directory: Path) -> Corpora:
        """Open `train.tsv` and `dev.tsv`. Raises InputError if one is missing, or as `StoredCorpus.open`."""
        train, dev = directory / TRAIN, directory / DEV
        for path in (train, dev):
            if not path.is_file() and not any(_all_arrays(path)):
                raise InputError(path, "no such file", f"a directory with {TRAIN} and {DEV}")
        return cls(directory, StoredCorpus.open(train), StoredCorpus.open(dev))

    @property
    def digests(self) -> dict[str, str]:
        """The digest of each file by its name."""
        return {TRAIN: self.train.digest, DEV: self.dev.digest}

    @property
    def is_here(self) -> bool:
        """Whether this machine has the arrays; they may be those of another machine with its own copy of the data."""
        return self.train.directory.is_dir() and self.dev.directory.is_dir()


def _all_arrays(path: Path) -> Iterator[Path]:
    return path.parent.glob(f"{glob.escape(path.stem)}.{'[0-9a-f]' * _DIGEST_LENGTH}.arrays")


def _make_arrays(path: Path, directory: Path) -> None:
    """Write the arrays, and remove those of an earlier content of the file."""
    with open(path, "rb") as file:
        size = sum(b"\t" in line for line in file)  # only the lines of words have a TAB
    with write_directory(directory) as partial, ExitStack() as stack:
        files = {name: stack.enter_context(open(partial / f"{name}.npy", "wb")) for name in _COLUMN_TYPES}
        for name, kind in _COLUMN_TYPES.items():
            header = {"descr": np.dtype(kind).str, "fortran_order": False, "shape": (size,)}
            np.lib.format.write_array_header_1_0(files[name], header)
        index: dict[str, int] = {}
        for block in _read_blocks(path, index):
            for name, kind in _COLUMN_TYPES.items():
                files[name].write(np.asarray(block[name], kind).tobytes())
        if not index:
            raise InputError(path, "no words", "a corpus")
        with write_file(partial / _VOCABULARY_FILE) as out:
            out.writelines(f"{word}\n" for word in index)
    for other in _all_arrays(path):
        if other != directory:
            shutil.rmtree(other, ignore_errors=True)


def _read_blocks(path: Path, index: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Yield the columns of a TSV corpus in blocks of about `BLOCK_WORDS` words; `index` numbers the distinct words."""
    block: dict[str, list[Any]] = {name: [] for name in _COLUMN_TYPES}
    for utterance, first, last in _with_edges(path):
        for word, labels in zip(utterance.words, utterance.labels, strict=True):
            bits, case = _label_ids(labels)
            block["words"].append(index.setdefault(word.text.lower(), len(index)))
            block["marks"].append(bits)
            block["cases"].append(case)
            block["boundaries"].append(0)
        block["boundaries"][-len(utterance.words)] += first
        block["boundaries"][-1] += last
        block["pauses"] += utterance.pauses
        if len(block["words"]) >= BLOCK_WORDS:
            yield {**block, "pauses": buckets(block["pauses"])}
            block = {name: [] for name in _COLUMN_TYPES}
    yield {**block, "pauses": buckets(block["pauses"])}


def _with_edges(path: Path) -> Iterator[tuple[Utterance, int, int]]:
    """Yield the utterances of a corpus, and the flags of the first and the last word of each."""
    file = InputFile(path)
    utterances = progress.track(read_tsv(file), f"words of {path.name}", size=word_count, position=file.position)
    first = DOCUMENT_START
    for utterance, following in pairwise(chain(utterances, [None])):
        if utterance:
            last, next_first = _flags_between(utterance, following)
            yield utterance, first, last
            first = next_first


def _flags_between(before: Utterance, after: Utterance | None) -> tuple[int, int]:
    """Return the flags of the last word of an utterance and of the first word of the next one."""
    if after is None or after.context != before.context:
        return DOCUMENT_END, DOCUMENT_START
    return (TURN_END, TURN_START) if changes_speaker(before.speaker, after.speaker) else (NO_BOUNDARY, NO_BOUNDARY)


@cache
def _label_ids(labels: Labels) -> tuple[int, int]:
    return mark_bits(labels.marks), CASES.index(labels.case)
