"""`prepare nemo-labels`: the training files of NeMo's punctuation models to those that training reads here.

NeMo has a file of words and one of labels for each part (`formats.nemo_labels`): `text_train.txt`, `labels_train.txt`,
or `text.txt` and `labels.txt` in a folder `train`; `dev` and `test` likewise. Files of another user of it, `text.txt`
and `labels.txt` alone, are divided as `prepare text` divides text.
"""

from __future__ import annotations

from pathlib import Path

from asr_punct import progress
from asr_punct.corpora.summary import Summary
from asr_punct.corpora.written import divide
from asr_punct.errors import InputError
from asr_punct.formats.files import make_directory, write_file
from asr_punct.formats.nemo_labels import read_nemo_labels
from asr_punct.formats.tsv import write_tsv

_PARTS = ("train", "dev", "test")
_WHOLE = ("text.txt", "labels.txt")


def prepare_nemo_labels(source: Path, output: Path, *, dev: float = 0.05, test: float = 0.05, seed: int = 1) -> Summary:
    """Write `train.tsv`, `dev.tsv` and `test.tsv`; the summary tells which parts are missing.

    The lines of a file are one running text, for windows go over several of them; an empty line ends a document.

    Args:
        source: directory of the files.
        output: directory to write into.
        dev: share of development where `source` has no parts.
        test: share of testing there.
        seed: of the division there.

    Raises:
        InputError: there are no such files, or one has another form.
        AsrPunctError: shares that leave nothing for training.
    """
    parts = {part: pair for part in _PARTS if (pair := _pair(source, part))}
    summary = Summary()
    if parts:
        make_directory(output)
        summary.problems += [f"{source}: no files of {part}" for part in _PARTS if part not in parts]
        for part, (text, labels) in parts.items():
            with write_file(output / f"{part}.tsv") as out:
                spoken = (utterance for utterance in read_nemo_labels(text, labels) if utterance.words)
                write_tsv(summary.counted(spoken, part, text), out)
    elif all((source / name).is_file() for name in _WHOLE):
        text, labels = (source / name for name in _WHOLE)
        utterances = progress.counted(read_nemo_labels(text, labels), "lines", source=text)
        divide(utterances, output, summary, place=str(text), dev=dev, test=test, seed=seed)
    else:
        expected = (
            "text_train.txt and labels_train.txt, train/text.txt and train/labels.txt, or text.txt and labels.txt"
        )
        raise InputError(source, "none of NeMo's training files", expected)
    return summary


def _pair(source: Path, part: str) -> tuple[Path, Path] | None:
    """Words and labels of a part."""
    beside = source / f"text_{part}.txt", source / f"labels_{part}.txt"
    within = source / part / _WHOLE[0], source / part / _WHOLE[1]
    return next((pair for pair in (beside, within) if all(path.is_file() for path in pair)), None)
