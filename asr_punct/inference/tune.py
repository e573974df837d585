"""Fit the decoding settings of a model directory on a development corpus."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from asr_punct.checkpoint import read_info, write_info
from asr_punct.decode import DecodeSettings
from asr_punct.decode.fitting import DevSet, calibration_errors, decoded_f1, fit_settings
from asr_punct.errors import InputError, plural
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.inference.restorer import Restorer
from asr_punct.inference.tokens import gather_labels
from asr_punct.marks import CASES, MARKS
from asr_punct.text.bare import bare

log = logging.getLogger(__name__)
_MIN_WORDS = 20
"""Fewer words have too few marks to fit anything to them."""
_FEW_WORDS = 2_000
"""es-eu tuned on 500, 1,000 or 2,000 words of press conferences lost 3, 1 and 0 points of F1 on others."""


@dataclass(frozen=True)
class Tuning:
    """The effect of tuning on the development corpus."""

    words: int
    micro_f1: tuple[float, float]
    """With the old settings, and with the new ones."""
    calibration_error: dict[str, tuple[float, float]]
    """Expected calibration error by mark, without and with calibration; empty for a model of classes."""
    class_weights: dict[str, float]
    """Fitted weights by class; empty for a model without classes."""

    def lines(self) -> Iterator[str]:
        """Yield the lines of a report."""
        yield f"{self.words} words: micro F1 {self.micro_f1[0]:.3f} before, {self.micro_f1[1]:.3f} after"
        for name, weight in self.class_weights.items():
            yield f"{name:<12} weight {weight:.3f}"
        for name, (before, after) in self.calibration_error.items():
            yield f"{name:<12} calibration error {before:.5f} before, {after:.5f} after"


def tune(directory: Path, corpus: Path, restorer: Restorer) -> Tuning:
    """Fit the settings of a model directory on a corpus and write them to its `config.json`.

    `corpus` is a TSV file of labelled text that the model was not trained on. `restorer` is the model, with the windows
    in which it will be used. Raises AsrPunctError for an unusable or tiny corpus; nothing is written then.
    """
    info = read_info(directory)
    dev = read_dev_set(restorer, corpus)
    words = len(dev.labels)
    if words < _MIN_WORDS:
        raise InputError(corpus, plural(words, "word"), f"{_FEW_WORDS} words or more")
    if words < _FEW_WORDS:
        log.warning("%s: %d words; on fewer than %d, new settings are often worse", corpus, words, _FEW_WORDS)
    settings = fit_settings(dev)
    errors = zip(calibration_errors(dev, DecodeSettings()), calibration_errors(dev, settings), strict=True)
    result = Tuning(
        words=words,
        micro_f1=(decoded_f1(dev, info.decoding), decoded_f1(dev, settings)),
        calibration_error={str(mark): pair for mark, pair in zip(MARKS, errors, strict=False)},
        class_weights=dict(settings.class_weights),
    )
    write_info(directory, replace(info, decoding=settings))
    return result


def read_dev_set(restorer: Restorer, path: Path) -> DevSet:
    """Return a model's probabilities for a TSV corpus, and its labels, but for sounds (`[noise]`).

    The model reads the words in lower case.

    Raises InputError if the corpus is malformed, has no words, or has words that consist of marks.
    """
    utterances = [utterance for utterance in read_tsv(path) if utterance.words]
    tokens = [restorer.reader.read(bare(utterance).words) for utterance in utterances]
    rows = zip(tokens, utterances, strict=True)
    labels = [label for read, utterance in rows for label in gather_labels(read, utterance.labels)]
    if not labels or not all(token.core or token.is_bare_sound for read in tokens for token in read):
        raise InputError(path, "no words, or words that consist of marks", "a labelled corpus")
    parts = list(restorer.predict(map(bare, utterances)))
    ends = np.cumsum([len(part.tokens) for part in parts])
    return DevSet(
        labels=np.concatenate([part.labels for part in parts]),
        cases=np.concatenate([part.cases for part in parts]),
        true_marks=np.array([[mark in label.marks for mark in MARKS] for label in labels]),
        true_cases=np.array([CASES.index(label.case) for label in labels]),
        ends=tuple(int(end) for end, part in zip(ends, parts, strict=True) if part.end),
        flags=np.concatenate([part.flags for part in parts]),
        classes=restorer.classes,
        language=restorer.info.model.language,
    )
