"""Corpora as memory-mapped arrays, which several processes share.

A corpus NAME.tsv is read once. Its arrays are in the directory NAME.DIGEST.arrays beside it: DIGEST is the start of the
SHA-256 of the file, so a changed file gets new arrays. The directory has a .npy file for each column of `WordColumns`,
10 bytes for each word, and words.txt, the vocabulary. If the TSV file is missing, its arrays are read.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from asr_punct import progress
from asr_punct.checkpoint import file_sha256
from asr_punct.errors import InputError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.formats.files import write_directory, write_file
from asr_punct.formats.tsv import read_tsv
from asr_punct.marks import CASES, Labels, Mark, mark_bits, marks_of_bits
from asr_punct.pauses import buckets
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.corpus import BLOCK_WORDS, Corpus, Vocabulary, WordColumns
from asr_punct.words import Utterance, word_count

TRAIN, DEV = "train.tsv", "dev.tsv"
"""Files of a data directory."""
_TYPES = {"words": np.int32, "marks": np.uint16, "cases": np.uint8, "pauses": np.int16, "boundaries": np.uint8}
_WORDS = "words.txt"
_DIGEST_LETTERS = 12


def read_corpus(path: Path, tokenizer: SubwordTokenizer) -> Corpus:
    """Open a TSV corpus; its columns are memory-mapped. Raises InputError as `find_arrays`."""
    directory = find_arrays(path)
    return Corpus(
        **vars(_open_columns(directory)), vocabulary=Vocabulary.encode(_read_vocabulary(directory), tokenizer)
    )


def read_words(path: Path) -> Iterator[str]:
    """Yield the lower-case words of a TSV corpus. Raises as `find_arrays`."""
    directory = find_arrays(path)
    vocabulary = _read_vocabulary(directory)
    for _, block in _open_columns(directory).blocks():
        yield from (vocabulary[word] for word in block.words.tolist())


def count_marks(path: Path) -> Counter[frozenset[Mark]]:
    """Return the number of words with each set of marks of a TSV corpus. Raises as `find_arrays`."""
    counts: Counter[int] = Counter()
    for _, block in _open_columns(find_arrays(path)).blocks():
        bits, numbers = np.unique(block.marks, return_counts=True)
        counts.update(dict(zip(bits.tolist(), numbers.tolist(), strict=True)))
    return Counter({marks_of_bits(bits): count for bits, count in counts.items()})


def has_corpus(path: Path) -> bool:
    """Return whether there is a TSV corpus of this name, or its arrays."""
    return path.is_file() or any(_all_arrays(path))


def find_arrays(path: Path) -> Path:
    """Return the directory of the arrays of a TSV corpus; make it if there is none for the content of the file.

    Arrays of an earlier content are removed. If several processes need the same arrays, one makes them and the others
    wait. Raises InputError if the file is missing and has no arrays, it is malformed, it has no words, or its directory
    cannot be written.
    """
    if not path.is_file():
        return _arrays_without_file(path)
    directory = path.with_name(f"{path.stem}.{file_sha256(path)[:_DIGEST_LETTERS]}.arrays")
    if not directory.is_dir():
        try:
            with FileLock(path.with_name(f".{path.stem}.lock")):
                if not directory.is_dir():
                    _make_arrays(path, directory)
        except OSError as error:
            raise InputError(directory, error.strerror or "an error", "a place for the arrays of the corpus") from None
    return directory


def _arrays_without_file(path: Path) -> Path:
    """Return the arrays of a missing TSV file. Raises InputError if there are none, or of several versions of it."""
    found = list(_all_arrays(path))
    if len(found) != 1:
        raise InputError(path, "no such file", "a corpus")
    return found[0]


def _all_arrays(path: Path) -> Iterator[Path]:
    return path.parent.glob(f"{path.stem}.*.arrays")


def _make_arrays(path: Path, directory: Path) -> None:
    with write_directory(directory) as partial, ExitStack() as stack:
        files = {name: stack.enter_context(_array_file(partial / f"{name}.npy", kind)) for name, kind in _TYPES.items()}
        index: dict[str, int] = {}
        for block in _read_blocks(path, index):
            for name, append in files.items():
                append(getattr(block, name))
        if not index:
            raise InputError(path, "no words", "a corpus")
        with write_file(partial / _WORDS) as out:
            out.writelines(f"{word}\n" for word in index)
    for other in _all_arrays(path):
        if other != directory:
            shutil.rmtree(other, ignore_errors=True)


@contextmanager
def _array_file(path: Path, kind: npt.DTypeLike) -> Iterator[Callable[[npt.NDArray[np.integer]], None]]:
    """Write a .npy file with one axis; yield a function that appends values.

    The header is written again at the end. Its length does not depend on the size: numpy leaves room for it to grow.
    """
    header = {"descr": np.lib.format.dtype_to_descr(np.dtype(kind)), "fortran_order": False, "shape": (0,)}
    size = 0
    with open(path, "wb") as file:

        def append(values: npt.NDArray[np.integer]) -> None:
            nonlocal size
            size += len(values)
            file.write(values.astype(kind).tobytes())

        np.lib.format.write_array_header_1_0(file, header)
        yield append
        file.seek(0)
        np.lib.format.write_array_header_1_0(file, {**header, "shape": (size,)})


def _read_blocks(path: Path, index: dict[str, int]) -> Iterator[WordColumns]:
    """Yield the words of a TSV corpus in blocks of about `BLOCK_WORDS`; `index` numbers the distinct words."""
    values: list[list[int]] = [[], [], [], []]
    pauses: list[float | None] = []
    for utterance, starts, ends in _with_edges(path):
        words, marks, cases, boundaries = values
        words += [index.setdefault(word.text.lower(), len(index)) for word in utterance.words]
        for labels in utterance.labels:
            bits, case = _label_ids(labels)
            marks.append(bits)
            cases.append(case)
        flags = [0] * len(utterance.words)
        flags[0] += DOCUMENT_START * starts
        flags[-1] += DOCUMENT_END * ends
        boundaries += flags
        pauses += utterance.pauses
        if len(words) >= BLOCK_WORDS:
            yield _columns(values, pauses)
            values, pauses = [[], [], [], []], []
    yield _columns(values, pauses)


def _columns(values: list[list[int]], pauses: list[float | None]) -> WordColumns:
    words, marks, cases, boundaries = (np.array(column, np.int64) for column in values)
    columns = {"words": words, "marks": marks, "cases": cases, "pauses": buckets(pauses), "boundaries": boundaries}
    return WordColumns(**{name: column.astype(_TYPES[name]) for name, column in columns.items()})


def _with_edges(path: Path) -> Iterator[tuple[Utterance, bool, bool]]:
    """Yield the utterances of a corpus, and whether each is the first and the last of its document."""
    utterances = progress.track(read_tsv(path), f"words of {path.name}", size=word_count, source=path)
    starts = True
    for utterance, following in pairwise(chain(utterances, [None])):
        if utterance:
            ends = following is None or following.context != utterance.context
            yield utterance, starts, ends
            starts = ends


@cache
def _label_ids(labels: Labels) -> tuple[int, int]:
    return mark_bits(labels.marks), CASES.index(labels.case)


def _open_columns(directory: Path) -> WordColumns:
    """Map the columns into memory. Raises InputError if a file is missing or is not an array."""
    columns = {}
    for name in _TYPES:
        path = directory / f"{name}.npy"
        try:
            columns[name] = np.asarray(np.load(path, mmap_mode="r"))
        except (OSError, ValueError):
            raise InputError(path, "no array", "arrays of asr-punct train (remove the directory)") from None
    return WordColumns(**columns)


def _read_vocabulary(directory: Path) -> tuple[str, ...]:
    return tuple((directory / _WORDS).read_text(encoding="utf-8").split("\n")[:-1])
