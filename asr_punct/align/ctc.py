"""Word times from a CTC model: forced alignment by the most probable path through the symbols of the words.

CTC models emit a symbol on one or two frames somewhere in its sound, and blanks elsewhere. The frames of a symbol are
therefore taken as the middle of its sound, and the median distance between neighbouring symbols of a word as the length
of every symbol. Words that would overlap meet half way. `pauses.move_to_silences` later moves the edges onto silences.

A run of symbols that are not in the vocabulary becomes a filler. Pratap et al. (2024) use a star token of probability 1
on every frame for untranscribed audio. A star also absorbs silence, so the filler here has the probability of the
frame's best symbol, less `_FILLER_COST`: it is cheap where the model hears speech, and the blank is better in silence.
Adjacent fillers divide their time in proportion to their characters.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from asr_punct.align.ctc_model import UNKNOWN_SYMBOL, AcousticModel, CtcVocabulary, windowed_log_probs
from asr_punct.align.viterbi import FILLER, CtcPath, Floats, Ints, NoPathError, min_frames, viterbi
from asr_punct.audio import Samples
from asr_punct.errors import InputError
from asr_punct.progress import track
from asr_punct.words import Word

_FILLER_COST = 0.1
"""Log-probability of the best symbol of a frame minus that of the filler, in nats."""
_FIRST_SYMBOL = 2
"""Emission column of the first symbol, after those of the blank (0) and `FILLER` (1)."""

Times = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Targets:
    """The text as targets of the alignment: symbols and fillers.

    Attributes:
        symbols: (symbols,), sorted ids of the different symbols of the text.
        columns: (targets,), emission column: `FILLER`, or `_FIRST_SYMBOL` + index in `symbols`.
        characters: (targets,), number of characters that a filler replaces; 1 for symbols.
        words: (words, 2), first target of each word and end (exclusive); equal for a word that is not pronounced.
    """

    symbols: Ints
    columns: Ints
    characters: Ints
    words: Ints


def ctc_align(
    blocks: Iterable[Samples], words: Sequence[str], model: AcousticModel, place: str = "audio"
) -> tuple[Word, ...]:
    """Find the start and end of each word of a recording, in seconds from its first sample; they do not overlap.

    A word that is not pronounced (`—`) gets length 0 at the end of the word before it. `blocks` are consecutive blocks
    of the recording at the model's rate, `place` its name in errors. Raises InputError if there is too little audio for
    the words, or a log-probability is NaN or inf; ModelError if the output's shape differs from the model's vocabulary
    and hop.
    """
    if not words:
        return ()
    targets = _targets(words, model.vocabulary)
    if not len(targets.columns):
        return tuple(Word(word, 0.0, 0.0) for word in words)
    lengths = list[int]()

    def counted() -> Iterator[Samples]:
        for block in track(blocks, "seconds", size=lambda block: len(block) / model.rate):
            lengths.append(len(block))
            yield block

    windows = windowed_log_probs(model, counted(), place)
    try:
        path = viterbi((_emissions(w, model.vocabulary.blank, targets.symbols) for w in windows), targets.columns)
    except NoPathError as error:
        found, expected = "log-probabilities with no path through the text", "one with a probability above 0"
        least = min_frames(targets.columns)
        if error.frames < least:
            found, expected = f"{error.frames} frames of audio", f"{least} or more for its text"
        raise InputError(place, found, expected) from None
    frames = _word_frames(path, targets)
    times = np.round(np.minimum(frames * model.hop, sum(lengths)) / model.rate, 3).tolist()
    return tuple(Word(word, start, end) for word, (start, end) in zip(words, times, strict=True))


def _targets(words: Sequence[str], vocabulary: CtcVocabulary) -> _Targets:
    """Spell the words. Put the vocabulary's separator between them, if it has one."""
    ids, characters, spans = list[int](), list[int](), list[tuple[int, int]]()
    for word in words:
        spelled = list(_merge_unknown(vocabulary.encode(word), len(word)))
        if spelled and ids and vocabulary.separator is not None:
            ids.append(vocabulary.separator)
            characters.append(1)
        spans.append((len(ids), len(ids) + len(spelled)))
        ids += [symbol for symbol, _ in spelled]
        characters += [count for _, count in spelled]
    targets = np.array(ids, np.int64)
    symbols = np.unique(targets[targets != UNKNOWN_SYMBOL])
    columns = np.where(targets == UNKNOWN_SYMBOL, FILLER, np.searchsorted(symbols, targets) + _FIRST_SYMBOL)
    return _Targets(symbols, columns, np.array(characters), np.array(spans))


def _merge_unknown(ids: Sequence[int], word_length: int) -> Iterator[tuple[int, int]]:
    """Yield the symbols of a word with their numbers of characters, a run of unknown symbols as one."""
    for symbol, run in groupby(ids):
        count = len(list(run))
        if symbol == UNKNOWN_SYMBOL:  # a sub-word model may have one for a whole word
            yield symbol, word_length if count == len(ids) else count
        else:
            yield from [(symbol, 1)] * count


def _emissions(log_probs: Floats, blank: int, symbols: Ints) -> Floats:
    """Return (frames, 2 + symbols) log-probabilities of blank, filler and symbols, less those of the best symbol."""
    best = np.maximum(log_probs.max(axis=1, keepdims=True), np.finfo(np.float32).min)
    filler = np.full_like(best, -_FILLER_COST)
    return np.concatenate([log_probs[:, [blank]] - best, filler, log_probs[:, symbols] - best], axis=1)


def _word_frames(path: CtcPath, targets: _Targets) -> Times:
    """Return the start and end of every word, (words, 2), in frames.

    A word begins half a symbol length before the middle of its first symbol, or with that symbol's first frame if this
    is earlier; its end likewise.
    """
    spans = np.stack([path.first, path.last + 1], axis=1).astype(np.float64)
    _divide_fillers(spans, targets)
    half = np.where(targets.columns == FILLER, 0, _symbol_length(spans, targets) / 2)
    middles = spans.mean(axis=1)
    starts, ends = np.minimum(spans[:, 0], middles - half), np.maximum(spans[:, 1], middles + half)

    pronounced = targets.words[:, 1] > targets.words[:, 0]
    first, last = targets.words[pronounced, 0], targets.words[pronounced, 1] - 1
    words = np.clip(np.stack([starts[first], ends[last]], axis=1), 0, path.frames)
    _meet_half_way(words, spans[first, 0], spans[last, 1])

    word_before = np.cumsum(pronounced) - 1
    silent: Times = np.where(word_before < 0, words[0, 0], words[word_before, 1])
    frames = silent[:, None].repeat(2, axis=1)
    frames[pronounced] = words
    return frames


def _divide_fillers(spans: Times, targets: _Targets) -> None:
    """Divide the time of adjacent fillers in proportion to their numbers of characters, in place."""
    for column, run in groupby(range(len(spans)), key=targets.columns.__getitem__):
        if column == FILLER:
            fillers = list(run)
            shares = np.append(0, np.cumsum(targets.characters[fillers])) / targets.characters[fillers].sum()
            edges = spans[fillers[0], 0] + (spans[fillers[-1], 1] - spans[fillers[0], 0]) * shares
            spans[fillers] = np.stack([edges[:-1], edges[1:]], axis=1)


def _symbol_length(spans: Times, targets: _Targets) -> float:
    """Return the median distance in frames between neighbouring symbols of a word, 0 if no word has two symbols."""
    same_word = np.zeros(len(targets.columns), np.bool_)
    for first, end in targets.words:
        same_word[first + 1 : end] = True
    is_symbol = targets.columns != FILLER
    pairs = same_word[1:] & is_symbol[1:] & is_symbol[:-1]
    return float(np.median(np.diff(spans.mean(axis=1))[pairs])) if pairs.any() else 0.0


def _meet_half_way(words: Times, first_starts: Times, last_ends: Times) -> None:
    """Move the edges of overlapping neighbours to their middle, but not into frames of their symbols, in place."""
    for i in np.flatnonzero(words[:-1, 1] > words[1:, 0]):
        words[i, 1] = words[i + 1, 0] = np.clip((words[i, 1] + words[i + 1, 0]) / 2, last_ends[i], first_starts[i + 1])
