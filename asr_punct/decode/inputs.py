"""What the decoder reads for each word: flags of the input, and logits from a model's probabilities.

A model that decides each mark on its own gives logits of logit(p) - logit(threshold) + sensitivity, where p is the
calibrated probability, so a mark is set where its logit is above 0.

The labels of other models are classes, each a set of marks (Poláček et al. 2023, section 3.5). Their probabilities are
multiplied by class weights, and the logit of a mark is the log-probability of the most likely weighted class that
contains it minus that of the most likely one that does not: only the marks of the most likely class are above 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntFlag
from functools import cache

import numpy as np
import numpy.typing as npt

from asr_punct.decode.settings import Calibration, DecodeSettings
from asr_punct.marks import CAPITAL_FOLLOWS, CASES, MARKS, Case, Kind, Labels, Mark, mark_bits, parse_marks
from asr_punct.words import PROBABLE_LABELS, Probabilities

FloatArray = npt.NDArray[np.float32]
Float64Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
FlagArray = npt.NDArray[np.uint32]

MIN_LISTED = 0.05
"""Minimum probability of a label that is listed without being set."""
CAPITAL_MARKS = [MARKS.index(mark) for mark in CAPITAL_FOLLOWS]
"""Indices of the marks that a capital follows: . and ?"""
_GIVEN = 16
"""Bit of the flags of a word from which on they have the marks of the input, in the order of `MARKS`."""
_DECIMALS = 4
_MIN_PROBABILITY = 1e-6
IS_LEFT = np.array([mark.is_left for mark in MARKS])
"""Whether each mark is before a word, (marks,)."""
_IS_QUOTE = np.array([mark.kind in (Kind.QUOTE, Kind.DASH) for mark in MARKS])


class WordFlag(IntFlag):
    """What the input says about a word: the places of its marks and capitals, and the kind of word that it is.

    The marks themselves are further bits of the flags (`given_flags`).
    """

    LEFT_TAKEN = 1
    """The input has a ¿ or ¡ before the word: no mark is added there."""
    RIGHT_TAKEN = 2
    """The input has a mark after the word that is no quotation mark: no mark is added there."""
    QUOTED = 4
    """The input has a quotation mark or bracket beside the word: no « or » and no dash is added there."""
    ENDED = 8
    """The marks of the input end a sentence after the word: the next one has a capital."""
    CASE_FIXED = 16
    """The word already has a capital, or cannot have one."""
    NEVER_NAME = 32
    """An article, conjunction or other function word that is never a name, nor the beginning of one."""
    LONG_WORD = 64
    """A word of seven letters or more, or drawn out (`pfff`): hardly ever an abbreviation in capitals."""
    MUST_OPEN = 128
    """The words are in a language with ¿ and ¡: a ? or ! of the input after the word needs one."""
    NEVER_OPEN = 256
    """The words are in a language without ¿ and ¡: none is added for a ? or ! of the input after the word."""
    NO_CAPITAL = 512
    """The word begins with no letter: it needs no capital at the beginning of a sentence."""
    TURN_ENDS = 1024
    """Another person speaks after the word: no pair stays open there."""
    LETTER = 2048
    """The word is one letter."""
    CONJUNCTION = 4096
    """The letter is a conjunction, such as Spanish `y`."""
    MUST_END = 8192
    """A dash of the input begins a turn after the word: its sentence ends, and the next word has a capital."""
    HESITATION = 16384
    """A hesitation, such as `eh`."""
    OPENS = 32768
    """The input has an opening quotation mark or bracket before the word."""
    CLOSES = 1 << 29
    """The input has a closing quotation mark or bracket after the word."""
    REPORTED = 1 << 30
    """The decoder's own: a clause follows that says who speaks (`"ven", dijo ana`); it goes on with the sentence."""
    ANSWERED = 1 << 31
    """The turn that the word ends is a question if it may be one: the next one begins with a reply."""


def given_flags(marks: Iterable[Mark]) -> int:
    """Return the flags of a word to which the input gives these marks."""
    return mark_bits(marks) << _GIVEN


def given_marks(flags: FlagArray) -> BoolArray:
    """Return the marks that the input gives to each word, (words, marks)."""
    return np.asarray(flags[:, None] >> np.arange(_GIVEN, _GIVEN + len(MARKS)) & 1 > 0)


def has_flag(flags: FlagArray, flag: WordFlag) -> BoolArray:
    """Return whether each word has a flag, (words,)."""
    return np.asarray(flags & int(flag) > 0)


@dataclass(frozen=True, slots=True)
class DecoderInput:
    """Logits and flags of consecutive words.

    Attributes:
        marks: logits of marks, above 0 where a mark should be set, -inf where it must not be. *Shape:* (words, marks).
        ends: logit of the likelier of . and ? that may be set, and of the likelier one of all. *Shape:* (words, 2).
        cases: calibrated log-probabilities of cases plus their biases. *Shape:* (words, cases).
        flags: sums of `WordFlag` and `given_flags`. *Shape:* (words,).
        words: the words without marks; empty if they are not known.
    """

    marks: Float64Array
    ends: Float64Array
    cases: Float64Array
    flags: FlagArray
    words: tuple[str, ...] = ()

    @classmethod
    def from_probabilities(
        cls,
        labels: FloatArray,
        cases: FloatArray,
        flags: FlagArray,
        settings: DecodeSettings,
        classes: tuple[str, ...],
        words: tuple[str, ...] = (),
    ) -> DecoderInput:
        """Return the input for words with these flags, (words,), and probabilities.

        `labels` are probabilities of marks, (words, marks), or of classes, (words, classes), with `O` among the
        classes; `cases` are those of cases, (words, cases).
        """
        logits = mark_logits(labels, settings, classes)
        marks = allowed_logits(logits, flags, settings)
        ends = np.stack([each[:, CAPITAL_MARKS].max(axis=1) for each in (marks, logits)], axis=1)
        return cls(marks, ends, case_logits(cases, settings), flags, words)

    def __len__(self) -> int:
        return len(self.flags)

    def __getitem__(self, words: slice) -> DecoderInput:
        marks, ends = self.marks[words], self.ends[words]
        return DecoderInput(marks, ends, self.cases[words], self.flags[words], self.words[words])

    def has(self, flag: WordFlag) -> BoolArray:
        """Return whether each word has a flag, (words,)."""
        return has_flag(self.flags, flag)

    @property
    def given(self) -> BoolArray:
        """The marks of the input, (words, marks)."""
        return given_marks(self.flags)

    @property
    def given_bits(self) -> IntArray:
        """The marks of the input as `mark_bits`, (words,)."""
        return (self.flags >> _GIVEN).astype(np.int64) & mark_bits(MARKS)

    def followed_by(self, other: DecoderInput) -> DecoderInput:
        """Return the input of these words and the next ones."""
        columns = ("marks", "ends", "cases", "flags")
        joined = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in columns}
        return DecoderInput(**joined, words=self.words + other.words)


NO_WORDS = DecoderInput(
    np.zeros((0, len(MARKS))), np.zeros((0, 2)), np.zeros((0, len(CASES))), np.zeros(0, dtype=np.uint32)
)


def logits(probabilities: npt.NDArray[np.floating]) -> Float64Array:
    """Return log(p / (1 - p)), with p clipped to [1e-6, 1 - 1e-6]."""
    clipped = np.clip(probabilities.astype(np.float64), _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def sigmoid(values: Float64Array) -> Float64Array:
    """Return the probabilities of logits, without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(values / 2)))


def calibrated_logits(probabilities: FloatArray, calibration: Calibration) -> Float64Array:
    """Return the calibrated logits of marks, (words, marks)."""
    scale = np.array([calibration.scale[mark] for mark in MARKS])
    return np.asarray(logits(probabilities) * scale + [calibration.bias[mark] for mark in MARKS])


def mark_logits(labels: FloatArray, settings: DecodeSettings, classes: tuple[str, ...] = ()) -> Float64Array:
    """Return the logits of all marks, also of those that may not be set, (words, marks); -inf for those in no class.

    The arguments are those of `DecoderInput.from_probabilities`.
    """
    if not classes:
        thresholds = np.array([settings.thresholds[mark] for mark in MARKS], dtype=np.float32)
        return np.asarray(calibrated_logits(labels, settings.calibration) - logits(thresholds) + settings.sensitivity)
    contains = class_marks(classes)
    logs = log_probabilities(labels) + np.log([settings.class_weights.get(name, 1.0) for name in classes])
    logs += settings.sensitivity * contains.any(axis=1)
    result = np.full((len(logs), len(MARKS)), -np.inf)
    for mark in np.flatnonzero(contains.any(axis=0)):
        result[:, mark] = logs[:, contains[:, mark]].max(axis=1) - logs[:, ~contains[:, mark]].max(axis=1)
    return result


def allowed_logits(logits: Float64Array, flags: FlagArray, settings: DecodeSettings) -> Float64Array:
    """Return the logits with -inf for marks that may not be set, (words, marks).

    The classes of a mark that is not enabled still compete: where one of them is most likely, the word gets no other
    mark instead.
    """
    disabled = np.array([mark not in settings.enabled for mark in MARKS])
    return np.asarray(np.where(disabled | _taken_sides(flags), -np.inf, logits))


def possible_marks(settings: DecodeSettings, classes: tuple[str, ...]) -> frozenset[Mark]:
    """Return the marks that are enabled and, for a model of classes, in one of them."""
    known = frozenset(mark for name in classes for mark in parse_marks(name)) if classes else frozenset(MARKS)
    return known & settings.enabled


@cache
def class_marks(classes: tuple[str, ...]) -> BoolArray:
    """Return whether each class contains each mark, (classes, marks)."""
    return np.array([[mark in parse_marks(name) for mark in MARKS] for name in classes], dtype=bool)


def log_probabilities(probabilities: FloatArray) -> Float64Array:
    """Return logarithms of probabilities; that of 0 is finite."""
    return np.asarray(np.log(np.maximum(probabilities.astype(np.float64), np.finfo(np.float32).tiny)))


def _taken_sides(flags: FlagArray) -> BoolArray:
    """Return the marks that cannot be added because of the input's marks, (words, marks)."""
    left, right = has_flag(flags, WordFlag.LEFT_TAKEN), has_flag(flags, WordFlag.RIGHT_TAKEN)
    quoted = has_flag(flags, WordFlag.QUOTED)
    return np.outer(left, IS_LEFT) | np.outer(right, ~IS_LEFT) | np.outer(quoted, _IS_QUOTE)


def case_logs(probabilities: FloatArray) -> Float64Array:
    """Return the log-probabilities of cases, (words, cases), with p at least 1e-6."""
    return np.asarray(np.log(np.maximum(probabilities.astype(np.float64), _MIN_PROBABILITY)))


def case_logits(probabilities: FloatArray, settings: DecodeSettings) -> Float64Array:
    """Return calibrated log-probabilities of cases plus their biases, (words, cases)."""
    bias = [settings.case_bias[case] for case in CASES]
    return np.asarray(case_logs(probabilities) / settings.calibration.case_temperature + bias)


def label_probabilities(
    labels: FloatArray,
    cases: FloatArray,
    flags: FlagArray,
    settings: DecodeSettings,
    classes: tuple[str, ...],
    case: bool,
) -> Float64Array:
    """Return the calibrated probabilities of marks and capitals, (words, marks + capitals), before all rules.

    Labels that the model does not decide have NaN: marks that are not enabled or are on a side that has marks in the
    input, and the case of a word that already has a capital, cannot have one, or gets none without `case`. The other
    arguments are those of `DecoderInput.from_probabilities`.
    """
    if classes:
        marks = labels.astype(np.float64) @ class_marks(classes)
    else:
        marks = sigmoid(calibrated_logits(labels, settings.calibration))
    possible = possible_marks(settings, classes)
    marks[:, [mark not in possible for mark in MARKS]] = np.nan
    marks[_taken_sides(flags)] = np.nan
    weights = np.exp(case_logs(cases) / settings.calibration.case_temperature)
    capitals = np.asarray(weights / weights.sum(axis=1, keepdims=True))[:, 1:]
    capitals[has_flag(flags, WordFlag.CASE_FIXED) | (not case)] = np.nan
    return np.concatenate([marks, capitals], axis=1)


def list_probabilities(
    row: Sequence[float], given: Probabilities | None, given_labels: Labels, labels: Labels
) -> Probabilities:
    """Return the probabilities that `punctuate --probabilities` lists for a word.

    They are those of the labels that the model sets, and of all others from `MIN_LISTED` on, so that three in ten of
    the labels listed with 0.3 should be right, whether they are set or not. `row` has those of the word's marks and
    capitals, in the order of `PROBABLE_LABELS`. The probabilities and labels `given` are those of the input, `labels`
    those of the output.
    """
    added = (labels.marks - given_labels.marks) | ({labels.case} - {given_labels.case, Case.O})
    named = zip(PROBABLE_LABELS, row, strict=True)
    new = {
        name: round(value, _DECIMALS) for name, value in named if value >= MIN_LISTED or (name in added and value >= 0)
    }
    return {**(given or {}), **new}
