"""Word times from a CTC model: the most probable path of its symbols through the words.

CTC models emit a symbol on a frame or two somewhere in its sound, and blanks for the rest of it. So the frames of a
symbol are taken for the middle of its sound, and its sound for as long as the median distance from one symbol to the
next of the same word: a word begins half of that before the middle of its first symbol, or with its first frame, and
ends half of it after the middle of its last one, or with its last frame. Words that would overlap meet half way. The
pauses that remain are for `pauses.refine`, to which these times are `ctc`.

What the vocabulary lacks is a filler, one for each run of it in a word. Pratap et al. (2024) let audio that the text
does not spell meet a star, whose probability is 1 on every frame. A star takes silence too, so here a filler has the
probability of the frame's best symbol, less a little: it costs as good as nothing where the model hears what the words
around it do not have, and a blank is better where it hears nothing. The words around it keep the frames that fit them
best, for they gain nothing by moving. Fillers that touch share their time by the number of their characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from asr_punct.align.emissions import AcousticModel, windows
from asr_punct.align.spelling import UNKNOWN, Vocabulary
from asr_punct.align.viterbi import FILLER, CtcPath, Floats, Ints, NoPathError, least_frames, viterbi
from asr_punct.audio import Samples
from asr_punct.errors import InputError
from asr_punct.progress import counted
from asr_punct.words import Word

_FILLER_COST = 0.1
"""So much less probable (in nats) than the frame's best symbol is a filler."""
_COLUMNS = 2
"""The blank and the filler, before the symbols of the text."""

Times = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Targets:
    """What is said, as what a path goes through.

    Attributes:
        symbols: (symbols,), those of the text, each once, in order.
        columns: (targets,), what each target is: `FILLER`, or 2 and its place in `symbols`.
        characters: (targets,), how many a filler stands for; 1 for all others.
        words: (words, 2), first target of each word and the one after its last; the same for one without sound.
    """

    symbols: Ints
    columns: Ints
    characters: Ints
    words: Ints


def align(
    blocks: Iterable[Samples], words: Sequence[str], model: AcousticModel, place: str = "audio"
) -> tuple[Word, ...]:
    """Find when each word is said.

    A word without sound gets no length, at the end of the word before it.

    Args:
        blocks: float32 (samples,) pieces of the recording, at the model's rate.
        words: what is said, in order.
        model: what hears it.
        place: name of the recording, for messages.

    Returns:
        The words with start and end in seconds from the first sample, in order and without overlaps.

    Raises:
        InputError: no audio or too little for the words, or log-probabilities that are NaN or allow no path.
        ModelError: the model does not fit its vocabulary.
    """
    if not words:
        return ()
    targets = targets_of(words, model.vocabulary)
    recording = _Counted(counted(blocks, "seconds", size=lambda block: len(block) / model.rate))
    heard = windows(model, recording, place)
    if not len(targets.columns):
        return tuple(Word(word, 0.0, 0.0) for word in words)
    try:
        path = viterbi((emitted(piece, model.vocabulary.blank, targets.symbols) for piece in heard), targets.columns)
    except NoPathError as error:
        least = least_frames(targets.columns)
        if error.frames < least:
            raise InputError(place, f"{error.frames} frames of audio", f"{least} or more for its text") from None
        raise InputError(place, "log-probabilities with no path through the text", "one of some probability") from None
    frames = word_frames(path, targets)
    times = np.round(np.minimum(frames * model.hop, recording.samples) / model.rate, 3).tolist()
    return tuple(Word(word, start, end) for word, (start, end) in zip(words, times, strict=True))


class _Counted:
    """Pieces of a recording; `samples` are those that have been read."""

    def __init__(self, blocks: Iterable[Samples]) -> None:
        self._blocks = blocks
        self.samples = 0

    def __iter__(self) -> Iterator[Samples]:
        for block in self._blocks:
            self.samples += len(block)
            yield block


def targets_of(words: Sequence[str], vocabulary: Vocabulary) -> Targets:
    """The words as targets, with a separator between them where the vocabulary has one."""
    numbers, characters, bounds = list[int](), list[int](), list[tuple[int, int]]()
    for word in words:
        spelled = list(_merged(vocabulary.encode(word), len(word)))
        if spelled and numbers and vocabulary.separator is not None:
            numbers.append(vocabulary.separator)
            characters.append(1)
        bounds.append((len(numbers), len(numbers) + len(spelled)))
        numbers += [number for number, _ in spelled]
        characters += [count for _, count in spelled]
    symbols, columns = np.unique(np.array(numbers, np.int64), return_inverse=True)
    known = symbols[symbols != UNKNOWN]
    columns = np.where(np.array(numbers) == UNKNOWN, FILLER, columns - (len(symbols) - len(known)) + _COLUMNS)
    return Targets(known, columns, np.array(characters), np.array(bounds))


def _merged(numbers: Sequence[int], length: int) -> Iterator[tuple[int, int]]:
    """Symbols of a word of so many characters, a run of unknown ones as one with the number of characters in it."""
    for number, run in groupby(numbers):
        count = len(list(run))
        if number == UNKNOWN:
            yield number, length if count == len(numbers) else count
        else:
            yield from [(number, 1)] * count


def emitted(log_probs: Floats, blank: int, symbols: Ints) -> Floats:
    """What the path reads of a piece: (frames, 2 + symbols), relative to the best symbol of each frame."""
    best = np.maximum(log_probs.max(axis=1, keepdims=True), np.finfo(np.float32).min)
    filler = np.full_like(best, -_FILLER_COST)
    return np.concatenate([log_probs[:, [blank]] - best, filler, log_probs[:, symbols] - best], axis=1)


def word_frames(path: CtcPath, targets: Targets) -> Times:
    """Where every word begins and ends, in frames that need not be whole: (words, 2)."""
    spans = np.stack([path.first, path.last + 1], axis=1).astype(np.float64)
    _share(spans, targets)
    half = np.where(targets.columns == FILLER, 0, _pace(spans, targets) / 2)
    middles = spans.mean(axis=1)
    begins, ends = np.minimum(spans[:, 0], middles - half), np.maximum(spans[:, 1], middles + half)
    spoken = np.flatnonzero(targets.words[:, 1] > targets.words[:, 0])
    first, last = targets.words[spoken, 0], targets.words[spoken, 1] - 1
    frames = np.full((len(targets.words), 2), np.nan)
    frames[spoken] = np.clip(np.stack([begins[first], ends[last]], axis=1), 0, path.frames)
    for before, word, end, begin in zip(spoken, spoken[1:], spans[last, 1], spans[first[1:], 0], strict=False):
        if frames[before, 1] > frames[word, 0]:
            middle = (frames[before, 1] + frames[word, 0]) / 2
            frames[before, 1] = frames[word, 0] = np.clip(middle, end, begin)
    for word in np.flatnonzero(np.isnan(frames[:, 0])):
        frames[word] = frames[word - 1, 1] if word else frames[spoken[0], 0]
    return frames


def _share(spans: Times, targets: Targets) -> None:
    """Divide what fillers that touch have together by their characters."""
    for column, run in groupby(range(len(spans)), key=targets.columns.__getitem__):
        if column == FILLER:
            at = list(run)
            parts = np.append(0, np.cumsum(targets.characters[at])) / targets.characters[at].sum()
            edges = spans[at[0], 0] + (spans[at[-1], 1] - spans[at[0], 0]) * parts
            spans[at] = np.stack([edges[:-1], edges[1:]], axis=1)


def _pace(spans: Times, targets: Targets) -> float:
    """Median number of frames from one symbol to the next of the same word; 0 where no word has two."""
    inside = np.zeros(len(targets.columns), np.bool_)
    for first, after in targets.words:
        inside[first + 1 : after] = True
    known = targets.columns != FILLER
    inside[1:] &= known[1:] & known[:-1]
    return float(np.median(np.diff(spans.mean(axis=1))[inside[1:]])) if inside.any() else 0.0
