"""`prepare nemo-labels`: convert the training files of NeMo's punctuation models into training corpora.

Each part has a file of words and a file of labels (`formats.nemo_labels`): `text_train.txt` and `labels_train.txt`, or
`train/text.txt` and `train/labels.txt`; likewise `dev` and `test`. A single pair, `text.txt` and `labels.txt`, is
divided like the text of `prepare text`.
"""

from collections.abc import Iterator
from pathlib import Path

from asr_punct import progress
from asr_punct.corpora.summary import Summary
from asr_punct.corpora.written import divide
from asr_punct.errors import InputError
from asr_punct.formats.files import make_directory, write_file
from asr_punct.formats.nemo_labels import read_nemo_labels
from asr_punct.formats.tsv import write_tsv
from asr_punct.words import Utterance, word_count

_PARTS = ("train", "dev", "test")
_EXPECTED = "text_train.txt and labels_train.txt, train/text.txt and train/labels.txt, or text.txt and labels.txt"


def prepare_nemo_labels(source: Path, output: Path, *, dev: float = 0.05, test: float = 0.05, seed: int = 1) -> Summary:
    """Write `train.tsv`, `dev.tsv` and `test.tsv`. An empty line of the input ends a document.

    If `source` has a single pair, `dev` and `test` are shares of its documents, drawn with the random seed. Raises
    InputError if there are no such files, or one is malformed; AsrPunctError for shares that leave nothing for
    training.
    """
    parts = {part: pair for part in _PARTS if (pair := _pair(source, part))}
    summary = Summary()
    if parts:
        make_directory(output)
        summary.problems += [f"{source}: no files of {part}" for part in _PARTS if part not in parts]
        for part, (text, labels) in parts.items():
            with write_file(output / f"{part}.tsv") as out:
                write_tsv(summary.count_words(_nonempty_utterances(text, labels), part, text), out)
        return summary
    text, labels = source / "text.txt", source / "labels.txt"
    if not (text.is_file() and labels.is_file()):
        raise InputError(source, "none of NeMo's training files", _EXPECTED)
    utterances = progress.track(_nonempty_utterances(text, labels), "words", size=word_count, source=text)
    divide(utterances, output, summary, place=str(text), dev=dev, test=test, seed=seed)
    return summary


def _nonempty_utterances(text: Path, labels: Path) -> Iterator[Utterance]:
    return (utterance for utterance in read_nemo_labels(text, labels) if utterance.words)


def _pair(source: Path, part: str) -> tuple[Path, Path] | None:
    flat = source / f"text_{part}.txt", source / f"labels_{part}.txt"
    nested = source / part / "text.txt", source / part / "labels.txt"
    return next((pair for pair in (flat, nested) if all(path.is_file() for path in pair)), None)
