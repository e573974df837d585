"""Compare the aligner's word times and pauses with true times.

    python benchmarks/align.py [--ted DIR]

The recordings are sentences of espeak-ng, which reports the true times: with voices that the aligner does not use,
inserted pauses, noise and AAC compression. --ted (default: $ASR_PUNCT_DATA/speech/ted) adds clips with TextGrids and
lists their pauses.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from asr_punct import audio
from asr_punct.align.dtw import dtw_align
from asr_punct.align.espeak import synthesise
from asr_punct.formats.tiers.textgrid import read_textgrid
from asr_punct.pauses import pause_after
from asr_punct.words import Word

sys.path.append(str(Path(__file__).parent.parent / "recipes/utils"))
from word_times import LONG_PAUSE, TimeComparison, compare, is_long

_RATE = 16000
_TEXTS = {
    "es": (
        "Señor presidente, señorías: la comisión ha estudiado el presupuesto, y lo que propone no es poco.",
        "¿Quién pagará los 3.500 millones que faltan? No lo sé, pero mañana volveremos a preguntarlo.",
        "Gracias por su paciencia; el grupo que represento votará en contra de la enmienda número doce.",
    ),
    "eu": (
        "Egun on guztioi, eta eskerrik asko. Gaur hezkuntzaren legeaz hitz egingo dugu hemen.",
        "Nork ordainduko du hori? Jaurlaritzak esan du hamabi milioi euro behar direla, gutxienez.",
        "Azkenean, batzordeak txostena onartu du; hala ere, zalantza handiak ditugu oraindik.",
    ),
    "en": (
        "Thank you all for coming, and good morning. The report that we publish today is a long one.",
        "Who will pay for the new bridge? Nobody knows, but the council meets again on Thursday.",
        "In the end, most of the members agreed; two of them, however, asked for another week.",
    ),
}
_VARIANTS = ("f2", "m7", "klatt2", "f5")


def describe(comparison: TimeComparison) -> str:
    """Return the figures on one line."""
    figures = comparison.figures()
    milliseconds = {key: 1000 * (figures[key] or 0.0) for key in ("median_error_s", "mean_error_s")}
    return (
        f"{figures['words']:5} words, starts off by median {milliseconds['median_error_s']:5.1f} ms, mean "
        f"{milliseconds['mean_error_s']:5.1f} ms, within 50 ms {figures['within_50_ms'] or 0.0:4.0%}, within 100 ms "
        f"{figures['within_100_ms'] or 0.0:4.0%}; pauses over {LONG_PAUSE:.2f} s: {figures['pauses']}, found "
        f"{figures['pauses_found']}, F1 {figures['pause_f1'] or 0.0:.2f}"
    )


def align_words(path: Path, words: Sequence[Word], language: str) -> tuple[Word, ...]:
    """Align the words with a file."""
    return dtw_align(audio.read_samples(path, _RATE), _RATE, [word.text for word in words], language)


def report_ted(folder: Path) -> None:
    """Print the figures of the clips, and every true long pause with the aligned one."""
    comparison, lines = TimeComparison(), []
    for path in sorted(folder.glob("*.TextGrid")):
        (utterance,) = read_textgrid(path)
        truth, found = utterance.words, align_words(path.with_suffix(".wav"), utterance.words, "en")
        comparison += compare(truth, found)
        for pair, other in zip(pairwise(truth), pairwise(found), strict=True):
            if is_long(pause_after(*pair) or 0.0):
                words = " - ".join(word.text for word in pair)
                lines.append(f"    {path.stem}: {words}: {_pause(*pair)}, found {_pause(*other)}")
    print(f"{folder}: {describe(comparison)}", *lines, sep="\n")


def _pause(word: Word, following: Word) -> str:
    return f"{word.end:.2f} to {following.start:.2f} ({pause_after(word, following) or 0.0:.2f} s)"


def report_synthetic(language: str, texts: Iterable[str], folder: Path) -> None:
    """Print the figures of synthetic sentences with pauses between marks, noise and AAC compression."""
    rng, comparison, seconds, spent = np.random.default_rng(1), TimeComparison(), 0.0, 0.0
    for number, text in enumerate(texts):
        for variant in _VARIANTS:
            breaks = {int(rng.integers(1, 5)): 0.4, int(rng.integers(6, 10)): 0.25}
            rate = int(rng.integers(140, 220))
            speech = synthesise(text, f"{language}+{variant}", words_per_minute=rate, breaks=breaks)
            path = folder / f"{language}{number}{variant}.m4a"
            noise = rng.standard_normal(len(speech.samples)).astype(np.float32)
            audio.write_samples(path, speech.samples + 0.003 * noise, speech.rate)
            begin = time.process_time()
            words = [Word(w.text.strip(".,;:?¿!").lower(), w.start, w.end) for w in speech.words]
            comparison += compare(words, align_words(path, words, language))
            spent += time.process_time() - begin
            seconds += len(speech.samples) / speech.rate
    print(f"espeak, {language}: {describe(comparison)}; {seconds / spent:.0f} times faster than speech")


def main() -> None:
    """Print a line for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = os.environ.get("ASR_PUNCT_DATA")
    parser.add_argument("--ted", type=Path, default=Path(data, "speech", "ted") if data else None, metavar="DIR")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        dtw_align(np.zeros(_RATE, np.float32), _RATE, ["a"], "es")  # import and first call, without timing
        for language, texts in _TEXTS.items():
            report_synthetic(language, texts, Path(folder))
    if arguments.ted:
        report_ted(arguments.ted)


if __name__ == "__main__":
    main()
