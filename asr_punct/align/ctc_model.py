"""CTC models: the spelling of words in their symbols, and their log-probabilities for recordings of any length.

A character model spells each character on its own, a sub-word model a word as a whole. If symbols are missing, the
character or word is also tried in lower case, in upper case, without accents, and without characters that are not
pronounced (`-`). The variant with the fewest missing symbols is used, with `UNKNOWN_SYMBOL` for each of them.

Log-probabilities are computed in windows of 30 s plus 3 s of context on either side, whose frames are discarded. A
recording of up to 33 s is processed in one window.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from asr_punct.audio import Samples
from asr_punct.characters import shape_of
from asr_punct.errors import InputError, ModelError
from asr_punct.words import Seconds

UNKNOWN_SYMBOL = -1
"""Replaces the id of a symbol that the vocabulary lacks. `align.ctc` aligns it with any sound."""
_PRONOUNCED = frozenset("aAo0%")
"""Classes of `characters.shape_of`: lower-case, upper-case and other letters, digits, pronounced symbols."""
WINDOW: Seconds = 30.0
CONTEXT: Seconds = 3.0
_SHORTEST: Seconds = 0.25
"""Shorter input is padded with silence, because models fail below 25 to 100 ms."""
_TOLERANCE = 3
"""Largest accepted difference from the number of frames that the hop predicts: models pad differently."""
_PROBE = 40960
"""Length in samples of the shorter of two inputs that measure the hop: a multiple of all usual hops."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class CtcVocabulary:
    """The output symbols of a CTC model.

    `size` is their number, with the blank; `separator` is the symbol between words, if any. `encode` spells a word as
    symbol ids, with `UNKNOWN_SYMBOL` for a missing symbol.
    """

    size: int
    blank: int
    separator: int | None
    encode: Callable[[str], Sequence[int]]


def character_vocabulary(symbols: Mapping[str, int], size: int, blank: int, separator: str | None) -> CtcVocabulary:
    """Return the vocabulary of a character model, from the id of each character.

    Longer keys, and ids from `size` on, which the model does not output, are ignored.
    """
    known = {char: id_ for char, id_ in symbols.items() if char != separator and id_ != blank and id_ < size}

    def spell(text: str) -> list[int]:
        return [known.get(char, UNKNOWN_SYMBOL) for char in text]

    def encode(word: str) -> list[int]:
        return [id_ for char in word for id_ in _best_spelling(char, spell)]

    separator_id = None if separator is None else symbols.get(separator)
    return CtcVocabulary(size, blank, None if separator_id is None or separator_id >= size else separator_id, encode)


def subword_vocabulary(
    encode: Callable[[str], Sequence[int]], size: int, blank: int, unknown: int | None
) -> CtcVocabulary:
    """Return the vocabulary of a sub-word model. Its tokenizer's `encode` returns `unknown` for unknown text."""

    def spell(text: str) -> list[int]:
        return [UNKNOWN_SYMBOL if n in (unknown, blank) or n >= size else n for n in encode(text)] if text else []

    return CtcVocabulary(size, blank, None, lambda word: _best_spelling(word, spell))


def _best_spelling(text: str, spell: Callable[[str], list[int]]) -> list[int]:
    ids = spell(text)
    if UNKNOWN_SYMBOL in ids:
        ids = min(map(spell, _variants(text)), key=lambda spelling: spelling.count(UNKNOWN_SYMBOL))
    return ids


def _variants(text: str) -> Iterator[str]:
    """Yield the text as written, in lower and in upper case; these three without accents; the pronounced characters."""
    cases = (text, text.lower(), text.upper())
    yield from cases
    for case in cases:
        yield "".join(c for c in unicodedata.normalize("NFD", case) if not unicodedata.combining(c))
    yield "".join(c for c, shape in zip(text, shape_of(text), strict=True) if shape in _PRONOUNCED)


class AcousticModel(Protocol):
    """A CTC model: its name for errors, the sample rate of its input, its hop in samples, and its vocabulary."""

    name: str
    rate: int
    hop: int
    vocabulary: CtcVocabulary

    def log_probs(self, samples: Samples) -> Floats:
        """Return the log-probabilities, float32 (frames, vocabulary), of float32 (samples,)."""
        ...


def measure_hop(log_probs: Callable[[Samples], Floats], name: str) -> int:
    """Measure a model's hop in samples, because configurations state it in different ways.

    Raises ModelError if longer audio does not give more frames.
    """
    short, long = (len(log_probs(np.zeros(samples, np.float32))) for samples in (_PROBE, 2 * _PROBE))
    if long <= short:
        found = f"{long} frames of {2 * _PROBE} samples"
        raise ModelError(name, found, f"more than {short}, as of half as many samples")
    return round(_PROBE / (long - short))


def windowed_log_probs(model: AcousticModel, blocks: Iterable[Samples], place: str) -> Iterator[Floats]:
    """Yield the log-probabilities of a recording window by window, float32 (frames, vocabulary), every frame once.

    `blocks` are consecutive, of any length, at the model's rate; `place` names the recording in errors. Raises
    ModelError for an unexpected number of symbols or frames, and InputError for NaN or positive infinity.
    """
    core, context = (round(seconds * model.rate / model.hop) for seconds in (WINDOW, CONTEXT))
    buffer, left = np.zeros(0, np.float32), 0  # samples, and frames of context before the next window
    for block in blocks:
        buffer = np.concatenate([buffer, block])
        while len(buffer) > (left + core + context) * model.hop:
            frames = _run(model, buffer[: (left + core + context) * model.hop], place)
            yield frames[left : left + core]
            buffer = buffer[(left + core - context) * model.hop :]
            left = context
    if len(buffer):
        yield _run(model, buffer, place)[left:]


def _run(model: AcousticModel, samples: Samples, place: str) -> Floats:
    """Run the model, check the shape and values of its output, and cut off the frames of padding."""
    shortest = round(_SHORTEST * model.rate)
    frames = model.log_probs(np.pad(samples, (0, max(0, shortest - len(samples)))))
    expected = max(len(samples), shortest) / model.hop
    if frames.ndim != 2 or frames.shape[1] != model.vocabulary.size or abs(len(frames) - expected) > _TOLERANCE:
        found = f"log-probabilities of shape {frames.shape} for {len(samples)} samples"
        raise ModelError(model.name, found, f"({expected:.0f}, {model.vocabulary.size})")
    if np.isnan(frames).any() or (frames == np.inf).any():
        raise InputError(place, f"log-probabilities of {model.name} with NaN or inf", "numbers")
    return frames[: -(-len(samples) // model.hop)]
