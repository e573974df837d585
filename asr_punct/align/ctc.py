"""Word times from a CTC model, by the most probable path of its symbols through the words.

CTC models emit a symbol on one or two frames somewhere in its sound and blanks elsewhere. So the frames of a symbol
are taken for the middle of its sound, and the median distance between neighbouring symbols of a word for its length. A
word begins half of that length before the middle of its first symbol, or with its first frame, and ends half of it
after the middle of its last one, or with its last frame. Words that would overlap meet half way. `pauses.refine`
moves the edges onto silences later: the time source is `ctc`.

A run of symbols that the vocabulary lacks becomes a filler. Pratap et al. (2024) use a star of probability 1 on every
frame for untranscribed audio. A star absorbs silence too, so a filler here has the probability of the frame's best
symbol, less a little: it costs almost nothing where the model finds speech that the neighbouring words lack, and a
blank is better in silence. Neighbouring words do not gain by moving. Fillers that touch share their time by their
number of characters.
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
"""How much less probable than the frame's best symbol a filler is, in nats."""
_COLUMNS = 2
"""Columns of the blank and the filler, before those of the symbols."""

Times = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Targets:
    """The text as labels of a path.

    Attributes:
        symbols: (symbols,), ids of the text's symbols, each once, sorted.
        columns: (targets,), `FILLER`, or 2 and the index in `symbols`.
        characters: (targets,), how many characters a filler replaces; 1 for symbols.
        words: (words, 2), first target of each word and the one after its last; equal for a word without sound.
    """

    symbols: Ints
    columns: Ints
    characters: Ints
    words: Ints


def align(
    blocks: Iterable[Samples], words: Sequence[str], model: AcousticModel, place: str = "audio"
) -> tuple[Word, ...]:
    """Find the times of the words in a recording.

    A word without sound gets no length, at the end of the word before it.

    Args:
        blocks: float32 (samples,) consecutive blocks of the recording, at the model's rate.
        words: the spoken words, in order.
        model: the acoustic model.
        place: name of the recording, for messages.

    Returns:
        The words with start and end in seconds from the first sample, in order and without overlaps.

    Raises:
        InputError: no audio, too little for the words, or log-probabilities that are NaN or allow no path.
        ModelError: the model does not fit its vocabulary.
    """
    if not words:
        return ()
    targets = targets_of(words, model.vocabulary)
    lengths = list[int]()

    def count(blocks: Iterable[Samples]) -> Iterator[Samples]:
        for block in blocks:
            lengths.append(len(block))
            yield block

    shown = counted(blocks, "seconds", size=lambda block: len(block) / model.rate)
    log_probs = windows(model, count(shown), place)
    if not len(targets.columns):
        return tuple(Word(word, 0.0, 0.0) for word in words)
    try:
        path = viterbi((emissions(w, model.vocabulary.blank, targets.symbols) for w in log_probs), targets.columns)
    except NoPathError as error:
        least = least_frames(targets.columns)
        if error.frames < least:
            raise InputError(place, f"{error.frames} frames of audio", f"{least} or more for its text") from None
        raise InputError(place, "log-probabilities with no path through the text", "one of some probability") from None
    frames = word_frames(path, targets)
    times = np.round(np.minimum(frames * model.hop, sum(lengths)) / model.rate, 3).tolist()
    return tuple(Word(word, start, end) for word, (start, end) in zip(words, times, strict=True))


def targets_of(words: Sequence[str], vocabulary: Vocabulary) -> Targets:
    """Spell the words, with a separator between them if the vocabulary has one."""
    ids, characters, bounds = list[int](), list[int](), list[tuple[int, int]]()
    for word in words:
        spelled = list(_merge_unknown(vocabulary.encode(word), len(word)))
        if spelled and ids and vocabulary.separator is not None:
            ids.append(vocabulary.separator)
            characters.append(1)
        bounds.append((len(ids), len(ids) + len(spelled)))
        ids += [symbol for symbol, _ in spelled]
        characters += [count for _, count in spelled]
    targets = np.array(ids, np.int64)
    symbols = np.unique(targets[targets != UNKNOWN])
    columns = np.where(targets == UNKNOWN, FILLER, np.searchsorted(symbols, targets) + _COLUMNS)
    return Targets(symbols, columns, np.array(characters), np.array(bounds))


def _merge_unknown(ids: Sequence[int], length: int) -> Iterator[tuple[int, int]]:
    """The symbols of a word of `length` characters with their numbers of characters; unknown ones are merged."""
    for symbol, run in groupby(ids):
        count = len(list(run))
        if symbol == UNKNOWN:
            yield symbol, length if count == len(ids) else count
        else:
            yield from [(symbol, 1)] * count


def emissions(log_probs: Floats, blank: int, symbols: Ints) -> Floats:
    """Return the columns of the path for a window: (frames, 2 + symbols), relative to the best symbol of each frame."""
    best = np.maximum(log_probs.max(axis=1, keepdims=True), np.finfo(np.float32).min)
    filler = np.full_like(best, -_FILLER_COST)
    return np.concatenate([log_probs[:, [blank]] - best, filler, log_probs[:, symbols] - best], axis=1)


def word_frames(path: CtcPath, targets: Targets) -> Times:
    """Return the start and end of every word in fractions of frames: (words, 2)."""
    spans = np.stack([path.first, path.last + 1], axis=1).astype(np.float64)
    _divide_fillers(spans, targets)
    half = np.where(targets.columns == FILLER, 0, _symbol_length(spans, targets) / 2)
    middles = spans.mean(axis=1)
    starts, ends = np.minimum(spans[:, 0], middles - half), np.maximum(spans[:, 1], middles + half)

    sounding = np.flatnonzero(targets.words[:, 1] > targets.words[:, 0])
    first, last = targets.words[sounding, 0], targets.words[sounding, 1] - 1
    words = np.clip(np.stack([starts[first], ends[last]], axis=1), 0, path.frames)
    _meet_half_way(words, spans[first, 0], spans[last, 1])

    before = np.cumsum(np.isin(np.arange(len(targets.words)), sounding)) - 1
    frames: Times = np.where(before < 0, words[0, 0], words[before, 1])[:, None].repeat(2, axis=1)  # without sound
    frames[sounding] = words
    return frames


def _divide_fillers(spans: Times, targets: Targets) -> None:
    """Divide the time of adjacent fillers by their number of characters."""
    for column, run in groupby(range(len(spans)), key=targets.columns.__getitem__):
        if column == FILLER:
            at = list(run)
            parts = np.append(0, np.cumsum(targets.characters[at])) / targets.characters[at].sum()
            edges = spans[at[0], 0] + (spans[at[-1], 1] - spans[at[0], 0]) * parts
            spans[at] = np.stack([edges[:-1], edges[1:]], axis=1)


def _symbol_length(spans: Times, targets: Targets) -> float:
    """Median number of frames from one symbol to the next of the same word; 0 if no word has two."""
    same_word = np.zeros(len(targets.columns), np.bool_)
    for first, after in targets.words:
        same_word[first + 1 : after] = True
    known = targets.columns != FILLER
    pairs = same_word[1:] & known[1:] & known[:-1]
    return float(np.median(np.diff(spans.mean(axis=1))[pairs])) if pairs.any() else 0.0


def _meet_half_way(words: Times, first_starts: Times, last_ends: Times) -> None:
    """Move the edges of overlapping neighbours to their middle, outside the frames of their own symbols."""
    for i in np.flatnonzero(words[:-1, 1] > words[1:, 0]):
        words[i, 1] = words[i + 1, 0] = np.clip((words[i, 1] + words[i + 1, 0]) / 2, last_ends[i], first_starts[i + 1])
