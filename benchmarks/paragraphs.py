"""Compare paragraphs with those of written texts: by `asr_punct.paragraphs`, equal lengths, and pauses alone.

    python benchmarks/paragraphs.py TEXT… [--language es] [key=value …]

TEXT has a paragraph a line and an empty line between documents (.xz allowed). Documents with fewer than three
paragraphs are left out. `equal` cuts at the sentence ends nearest to equal lengths, `pauses` at the longest pauses,
both into as many paragraphs as ours. The pauses are drawn by training's pause model, which knows nothing of paragraphs:
no text at hand has both paragraphs and recorded pauses. key=value changes `ParagraphSettings`.

Pk (Beeferman et al. 1999) and WindowDiff (Pevzner and Hearst 2002) over sentences: a window of half the mean length of
a paragraph slides over the document; lower is better. Intervals are from 1000 samples of documents.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from asr_punct.files import read_lines
from asr_punct.glyphs import glyphs
from asr_punct.marks import MARKS, Mark
from asr_punct.paragraphs import ParagraphSettings, paragraphs
from asr_punct.sentences import sentences
from asr_punct.training.pause_model import sample_pauses
from asr_punct.words import Utterance, split_words

Cuts = frozenset[int]


def documents(path: str, language: str) -> Iterator[list[Utterance]]:
    """Yield the paragraphs of each document with three or more."""
    lines: list[Utterance] = []
    for _, line in [*read_lines(path), (0, "")]:
        if line.strip():
            lines.append(Utterance(split_words(line), document="1", language=language))
        elif lines:
            if len(lines) > 2:
                yield lines
            lines = []


def cuts_of(lengths: Sequence[int]) -> Cuts:
    """Return the numbers of sentences before each cut."""
    return frozenset(list(accumulate(lengths))[:-1])


def errors(reference: Cuts, found: Cuts, count: int) -> tuple[float, float]:
    """Return Pk and WindowDiff of cuts between `count` sentences."""
    window = max(2, round(count / (len(reference) + 1) / 2))
    places = range(count - window)
    if not places:
        return float("nan"), float("nan")
    pairs = [[sum(first < cut <= first + window for cut in cuts) for cuts in (reference, found)] for first in places]
    return (
        sum((a > 0) != (b > 0) for a, b in pairs) / len(pairs),
        sum(a != b for a, b in pairs) / len(pairs),
    )


def equal_cuts(sizes: Sequence[int], number: int) -> Cuts:
    """Return the sentence ends nearest to equal lengths in words."""
    ends = np.array(list(accumulate(sizes)))
    targets = ends[-1] * np.arange(1, number + 1) / (number + 1)
    return frozenset(int(np.abs(ends[:-1] - target).argmin()) + 1 for target in targets)


def pause_cuts(count: int, number: int, rng: np.random.Generator) -> Cuts:
    """Return the sentence ends with the longest of drawn pauses."""
    pauses = sample_pauses(np.full((1, count), 1 << MARKS.index(Mark.PERIOD), dtype=np.uint16), rng)[0]
    return frozenset((np.argsort(-(pauses[:-1] + rng.random(count - 1)))[:number] + 1).tolist())


def rows(path: str, language: str, settings: ParagraphSettings) -> Iterator[dict[str, tuple[float, float]]]:
    """Yield the errors of each way of cutting, for each document."""
    written_as, rng = glyphs(language), np.random.default_rng(1)
    for written in documents(path, language):
        parts = [len(list(sentences([paragraph], written_as))) for paragraph in written]
        spoken = [sentence for paragraph in written for sentence in sentences([paragraph], written_as)]
        found = paragraphs(spoken, written_as, settings)
        sizes, reference = [len(sentence.words) for sentence in spoken], cuts_of(parts)
        ends = {end: number for number, end in enumerate(accumulate(sizes), start=1)}
        ours = frozenset(ends[end] for end in list(accumulate(len(each.words) for each in found))[:-1])
        number = len(ours)
        ways = {
            "ours": ours,
            "equal": equal_cuts(sizes, number),
            "pauses": pause_cuts(len(sizes), number, rng),
        }
        yield {name: errors(reference, cuts, len(sizes)) for name, cuts in ways.items()}


def main() -> None:
    """Print a table of the mean errors of each text and way, and of the differences from ours."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="+")
    parser.add_argument("--language", default="en")
    arguments, rng = parser.parse_intermixed_args(), np.random.default_rng(1)
    changed: dict[str, Any] = dict(text.split("=") for text in arguments.texts if "=" in text)
    changed = {key: float(value) for key, value in changed.items()}
    settings = replace(ParagraphSettings(), **changed)
    print("| text | documents | way | Pk | WindowDiff | Pk − ours | WindowDiff − ours |\n|---|---|---|---|---|---|---|")
    for path in (text for text in arguments.texts if "=" not in text):
        found = list(rows(path, arguments.language, settings))
        samples = rng.integers(len(found), size=(1000, len(found)))
        ours = np.array([row["ours"] for row in found])
        for way in found[0]:
            theirs = np.array([row[way] for row in found])
            means, differences = np.nanmean(theirs, axis=0), np.nanmean((theirs - ours)[samples], axis=1)
            low, high = np.nanpercentile(differences, (2.5, 97.5), axis=0)
            intervals = (f"{a:+.3f} to {b:+.3f}" if way != "ours" else "" for a, b in zip(low, high, strict=True))
            print(f"| {Path(path).name.split('.')[0]} | {len(found)} | {way} |", end="")
            print(f" {means[0]:.3f} | {means[1]:.3f} | {' | '.join(intervals)} |")


if __name__ == "__main__":
    main()
