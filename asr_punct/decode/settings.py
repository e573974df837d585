"""The decoder's settings: those stored with a model, the marks that may be added, and class weights.

Multiplying the odds of a probability by w equals dividing the odds of its threshold by w, so the class weights of a
model that decides each mark on its own change its thresholds.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from asr_punct.declared import Range
from asr_punct.errors import ArgumentError, ModelError
from asr_punct.languages import facts_of
from asr_punct.marks import CASES, MARKS, PAIRS, Case, Kind, Mark


def _chosen(default: Any) -> Any:
    """Return a field that a model directory does not store."""
    return field(default=default, metadata={"is_stored": False})


_FINITE = Range(-math.inf)
_MIN_SCALE = 1e-3  # of factors on logits (with 0 the model would have no influence) and temperatures (divisors)
_WEIGHTS = Range(0, excludes_low=True)  # of classes: their logarithms are taken
_UNOPENED = {closing: 2.0 for _, closing in PAIRS if closing.kind is Kind.END}


@dataclass(frozen=True)
class Calibration:
    """Platt scaling of each mark and temperature of the case (Platt 1999; Guo et al. 2017); none by default.

    `scale`, above 0, is a factor on the logit of each mark, and `bias` is added to the scaled logit.
    `case_temperature`, above 0, divides the log-probabilities of cases.
    """

    scale: Mapping[Mark, float] = field(default_factory=lambda: dict.fromkeys(MARKS, 1.0))
    bias: Mapping[Mark, float] = field(default_factory=lambda: dict.fromkeys(MARKS, 0.0))
    case_temperature: float = 1.0


@dataclass(frozen=True)
class DecodeSettings:
    """The decoder's settings: those stored with a model, and those that a user chooses when it is opened.

    Attributes:
        thresholds: calibrated probability from which a mark is set, by mark; from 0 to 1.
        unopened: penalty in logits for a QUESTION or EXCLAMATION that no ¿ or ¡ opens, by mark; 0 or more.
        calibration: calibration of the probabilities.
        case_bias: added to the calibrated log-probability of each case.
        sentence_capitals: whether texts are sentences: . and ? need a capital after them (see `decode.capitals`), and a
            document ends with a mark.
        class_weights: factors on the probabilities of a model's classes, by name; above 0, 1 by default.
        enabled: marks that may be set; all by default.
        plain: whether each word is decided on its own (see `decode.plain`).
        sensitivity: added to the logit of each mark: above 0 more marks are set, below 0 fewer.
        language: of the words, as a code or mixture (`es+eu`); empty if it is not known.
    """

    thresholds: Mapping[Mark, float] = field(default_factory=lambda: dict.fromkeys(MARKS, 0.5))
    unopened: Mapping[Mark, float] = field(default_factory=_UNOPENED.copy)
    calibration: Calibration = field(default_factory=Calibration)
    case_bias: Mapping[Case, float] = field(default_factory=lambda: dict.fromkeys(CASES, 0.0))
    sentence_capitals: bool = False
    class_weights: Mapping[str, float] = field(default_factory=dict)
    enabled: frozenset[Mark] = _chosen(frozenset(MARKS))
    plain: bool = _chosen(False)
    sensitivity: float = _chosen(0.0)
    language: str = _chosen("")


def new_settings(language: str) -> DecodeSettings:
    """Return the settings of a new model: in a language without ¿ and ¡, a ? or ! without them costs nothing."""
    settings = DecodeSettings()
    opens = facts_of(language).opens_sentences
    return settings if opens else replace(settings, unopened=dict.fromkeys(settings.unopened, 0.0))


def check_stored(settings: DecodeSettings, classes: Collection[str], place: str) -> None:
    """Check the numbers that the file `place` gives for a model with these `classes`. Raises ModelError."""
    calibration, temperature = settings.calibration, {"case_temperature": settings.calibration.case_temperature}
    _check_numbers(f"{place}: thresholds", settings.thresholds, MARKS, Range(0, 1))
    _check_numbers(f"{place}: unopened", settings.unopened, DecodeSettings().unopened, Range(0))
    _check_numbers(f"{place}: case_bias", settings.case_bias, CASES)
    _check_numbers(f"{place}: class_weights", settings.class_weights, (), _WEIGHTS)
    _check_numbers(f"{place}: calibration.scale", calibration.scale, MARKS, Range(_MIN_SCALE))
    _check_numbers(f"{place}: calibration.bias", calibration.bias, MARKS)
    _check_numbers(f"{place}: calibration", temperature, (), Range(_MIN_SCALE))
    unknown = [name for name in settings.class_weights if name not in classes]
    if unknown:
        expected = f"names from {' '.join(classes)}" if classes else "none, for the model's head has no classes"
        raise ModelError(f"{place}: class_weights", repr(unknown[0]), expected)


def _check_numbers(
    place: str, values: Mapping[Any, float], required: Collection[Any], allowed: Range = _FINITE
) -> None:
    missing = [name for name in required if name not in values]
    if missing:
        raise ModelError(place, f"no key {str(missing[0])!r}", f"all of {', '.join(map(str, required))}")
    for name, value in values.items():
        if value not in allowed:
            raise ModelError(f"{place}.{name}", repr(value), str(allowed))


def with_class_weights(
    settings: DecodeSettings, weights: Mapping[str, float], classes: tuple[str, ...]
) -> DecodeSettings:
    """Return the settings with their class weights multiplied by these.

    `classes` are empty for a model that decides each mark on its own: its weights are by mark, and the odds of the
    mark's threshold are divided by the weight. Raises ArgumentError for an unknown class or mark, or a weight that is
    not above 0.
    """
    names = classes or MARKS
    for name, weight in weights.items():
        if name.upper() not in names:
            raise ArgumentError("class_weights", repr(name), f"names from {','.join(names)}")
        if weight not in _WEIGHTS:
            raise ArgumentError("class_weights", f"{weight} for {name}", "a number above 0")
    weights = {name.upper(): weight for name, weight in weights.items()}
    if classes:
        current = settings.class_weights
        product = {name: current.get(name, 1.0) * weight for name, weight in weights.items()}
        return replace(settings, class_weights={**current, **product})
    thresholds = {mark: _divide_odds(limit, weights.get(mark, 1.0)) for mark, limit in settings.thresholds.items()}
    return replace(settings, thresholds=thresholds)


def parse_class_weights(text: str) -> dict[str, float]:
    """Parse class weights such as `QUESTION=2,COMMA=0.8`.

    Raises ArgumentError if the text has another form, or a name occurs twice.
    """
    weights: dict[str, float] = {}
    for item in text.split(","):
        name, _, weight = map(str.strip, item.partition("="))
        if name.upper() in map(str.upper, weights):
            raise ArgumentError("class_weights", f"{name} twice", "each name once")
        try:
            weights[name] = float(weight)
        except ValueError:
            raise ArgumentError("class_weights", repr(item), "a name and a number as COMMA=0.8") from None
    return weights


def _divide_odds(threshold: float, weight: float) -> float:
    return threshold / (threshold + weight * (1 - threshold))
