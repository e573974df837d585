"""Fit the pause model's parameters on recordings, and compare drawn pauses with spoken ones.

    python benchmarks/pause_model.py [--data DIR] [--corpus DIR] [--draws 300]

DIR (default: $ASR_PUNCT_DATA) has `speech/asr_formats`: the output of several recognisers for one TED talk, on which
the parameters are fitted. Times are those of Amazon, IBM and Speechmatics. A sentence ends where Amazon, Google or
Speechmatics ends it; other commas are those of Amazon or Google. There is no manual punctuation, and a recogniser may
use pauses for its periods. Google extends words into pauses, so its times show which pauses such a recogniser hides.
With --corpus, a directory with an English train.tsv, also print how the log-odds of a pause rise with those of a mark
(`asr_punct/training/pause_model.py`).

The other recordings are for comparison only. `speech/ted` has a few hundred words. `speech/interview` is a test set:
nothing is fitted on it. One choice was made after this comparison: hesitations are more frequent than in the talk, at
every pace; their numbers follow the literature.
"""

from __future__ import annotations

import argparse
import csv
import os
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from asr_punct import formats
from asr_punct.checkpoint import load_tokenizer, read_info
from asr_punct.files import read_json_file
from asr_punct.hub import find_trainable_model
from asr_punct.marks import MARKS, Mark
from asr_punct.scoring.edit import align_words
from asr_punct.training.mapped import StoredCorpus
from asr_punct.training.pause_model import Hesitations, PauseAt, PauseParameters, sample_pauses
from asr_punct.words import Seconds, Word

Floats = npt.NDArray[np.float64]
_MARKS = {",": Mark.COMMA, ".": Mark.PERIOD, "?": Mark.QUESTION, "!": Mark.EXCLAMATION, ";": Mark.SEMICOLON}
_MARKS |= {":": Mark.COLON, "…": Mark.ELLIPSIS, "—": Mark.DASH, "–": Mark.DASH}
_ENDS = (Mark.QUESTION, Mark.EXCLAMATION, Mark.PERIOD)
_EXACT = ("amazon", "ibm", "speechmatics")
_SHORTEST: Seconds = 0.045
"""Shortest pause: a gap of 50 ms, minus the rounding error of the times."""
_LONG: Seconds = 0.15


@dataclass(frozen=True)
class Spoken:
    """A recording: the mark after each word, or None, and the pause in seconds, NaN if unknown."""

    marks: list[Mark | None]
    pauses: Floats

    def at(self, *marks: Mark | None) -> Floats:
        """Return the known pauses after words with one of these marks."""
        return self.pauses[np.array([mark in marks for mark in self.marks]) & ~np.isnan(self.pauses)]


def mark_of(token: str) -> Mark | None:
    """Return the last mark of a written word, ignoring quotation marks."""
    return _MARKS.get(token.rstrip("\"'”’»)]")[-1:])


def read_words(path: Path) -> list[Word]:
    """Read all words of a recogniser's file, with their marks."""
    return [word for utterance in formats.read(path) for word in utterance.words]


def gaps(words: Sequence[Word]) -> Floats:
    """Return the seconds from each word's end to the next start, NaN after the last word."""
    starts, ends = (np.array([getattr(word, edge) for word in words], np.float64) for edge in ("start", "end"))
    return np.append(starts[1:] - ends[:-1], np.nan)


def find_equal(words: Sequence[Word], others: Sequence[Word]) -> npt.NDArray[np.int64]:
    """Return the index in `others` of each word if it and the next word are equal there, else -1."""
    reference, hypothesis = ([word.text.lower().strip(string.punctuation) for word in row] for row in (words, others))
    alignment = align_words(reference, hypothesis)
    place = np.full(len(words) + 1, -2)
    place[alignment.reference[alignment.equal]] = alignment.hypothesis[alignment.equal]
    return np.where((place[:-1] >= 0) & (place[1:] == place[:-1] + 1), place[:-1], -1)


def talk(folder: Path) -> dict[str, Spoken]:
    """Return the talk in Amazon's words, with the pauses of each recogniser."""
    systems = {
        "amazon": read_words(folder / "amazonTranscribe.sample.json"),
        "ibm": read_words(folder / "ibmTedTalkTranscript.sample.json"),
        "speechmatics": read_words(folder / "speechmaticsTedTalkTranscript.sample.json"),
        "google": read_words(folder / "gcpSttPunctuation.sample.json"),
    }
    words = systems["amazon"]
    places = {name: find_equal(words, others) for name, others in systems.items()}
    votes = [
        {mark_of(systems[name][place[i]].text) for name, place in places.items() if place[i] >= 0}
        for i in range(len(words))
    ]
    marks = [next((mark for mark in (*_ENDS, Mark.COMMA) if mark in vote), None) for vote in votes]
    return {
        name: Spoken(marks, np.where(place >= 0, gaps(systems[name])[place], np.nan)) for name, place in places.items()
    }


def read_csv(paths: Iterable[Path]) -> Spoken:
    """Read Proscript tables: the mark and the pause before each word, except the first word of an excerpt."""
    marks: list[Mark | None] = []
    pauses: list[float] = []
    for path in sorted(paths):
        with path.open(encoding="utf-8", newline="") as lines:
            rows = [row for row in csv.DictReader(lines, delimiter="|") if row["word"] != "<END>"][1:]
        marks += [mark_of(row["punctuation_before"]) for row in rows]
        pauses += [float(row["pause_before"]) for row in rows]
    return Spoken(marks, np.array(pauses))


def read_interview(path: Path) -> Spoken:
    """Read the interview; pauses beside interpolated times are unknown."""
    items = read_json_file(path)
    pauses = gaps([Word(item["word"], item["start"], item["end"]) for item in items])
    exact = np.array([item["exact"] for item in items])
    pauses[~(exact & np.append(exact[1:], False))] = np.nan
    return Spoken([mark_of(item["word"]) for item in items], pauses)


def drawn(spoken: Spoken, parameters: PauseParameters, draws: int) -> Spoken:
    """Draw pauses for the same marks with the model, each draw with another speaker."""
    bits = np.array([0 if mark is None else 1 << MARKS.index(mark) for mark in spoken.marks], np.uint16)
    pauses = sample_pauses(np.tile(bits, (draws, 1)), np.random.default_rng(0), parameters) / 100
    return Spoken(spoken.marks * draws, np.where(np.isnan(np.tile(spoken.pauses, draws)), np.nan, pauses.ravel()))


def fit(talk: dict[str, Spoken]) -> dict[str, PauseAt]:
    """Return the mean pauses by mark of the talk, and print them by recogniser."""
    fitted = {}
    print("Fitted: share of pauses of 50 ms or more, their median by the mean of the logarithm, its deviation")
    for name, marks in (("no_mark", (None,)), ("comma", (Mark.COMMA,)), ("period", _ENDS)):
        values = []
        for system in _EXACT:
            gaps = talk[system].at(*marks)
            logs = np.log(gaps[gaps >= _SHORTEST])
            values.append((len(logs) / len(gaps), np.exp(logs.mean()), logs.std()))
            print(f"  {name:8} {system:13} n {len(gaps):5}  {_numbers(values[-1])}")
        print(f"  {name:8} {'mean':13}          {_numbers(np.mean(values, axis=0))}")
        fitted[name] = PauseAt(*np.mean(values, axis=0).tolist())
    return fitted


def report_sources(talk: dict[str, Spoken]) -> None:
    """Print the gaps below 50 ms of each recogniser, and the share of pauses that Google's times show."""
    for name in _EXACT:
        gaps = talk[name].pauses[~np.isnan(talk[name].pauses)]
        slack = gaps[(gaps > 0.005) & (gaps < _SHORTEST)]
        print(f"  slack    {name:13} share {len(slack) / len(gaps):.3f}, mean {slack.mean():.3f} s")
    both = ~np.isnan(talk["google"].pauses) & ~np.isnan(talk["amazon"].pauses)
    lengths, kept = talk["amazon"].pauses[both], talk["google"].pauses[both] > _SHORTEST
    for low, high in ((_SHORTEST, 0.3), (0.3, 0.6), (0.6, 0.8), (0.8, 1.0), (1.0, np.inf)):
        inside = (lengths >= low) & (lengths < high)
        print(
            f"  of {inside.sum():3} pauses of {low:.2f} to {high:.2f} s Google's times show {kept[inside].mean():.2f}"
        )


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value:.2f}" for value in values)


def hesitations_at(words: Sequence[Word], corpus: Path) -> Floats:
    """Return the log-odds of a mark after each word, by the marks of a corpus; NaN beside words that it lacks."""
    directory = find_trainable_model("en")
    known = StoredCorpus.open(corpus / "train.tsv").encode(load_tokenizer(directory, read_info(directory)))
    index = {word: number for number, word in enumerate(known.vocabulary.words)}
    ids = np.array([index.get(word.text.lower().strip(string.punctuation), -1) for word in words], np.int32)
    odds = Hesitations.from_corpus(known).log_odds(ids[:-1], ids[1:])
    return np.append(np.where((ids[:-1] >= 0) & (ids[1:] >= 0), odds, np.nan), np.nan)


def report_hesitations(name: str, spoken: Spoken, log_odds: Floats) -> None:
    """Print the slope of a logistic regression of pauses on the log-odds of a mark, without and with a mark."""
    marked = np.array([mark is not None for mark in spoken.marks])
    known = ~np.isnan(spoken.pauses) & ~np.isnan(log_odds)
    for label, chosen in (("no mark", known & ~marked), ("a mark", known & marked)):
        paused = spoken.pauses[chosen] >= _SHORTEST
        slope, error = _regress(log_odds[chosen], paused.astype(np.float64))
        print(f"  pauses by the words  {name:13} {label:8} n {chosen.sum():5}, slope {slope:5.2f} ± {error:.2f}")


def _regress(x: Floats, y: Floats) -> tuple[float, float]:
    """Return the slope of a logistic regression of y on x, and its standard error, by Newton's method."""
    inputs, weights = np.stack([x, np.ones_like(x)], axis=1), np.zeros(2)
    for _ in range(20):
        p = 1 / (1 + np.exp(-inputs @ weights))
        hessian = inputs.T @ (inputs * (p * (1 - p))[:, None])
        weights += np.linalg.solve(hessian, inputs.T @ (y - p))
    return float(weights[0]), float(np.sqrt(np.linalg.inv(hessian)[0, 0]))


def compare(name: str, rows: dict[str, Spoken]) -> None:
    """Print shares and medians by mark, and precision and recall of pauses as sentence ends."""
    print(f"\n{name}: share over {_LONG} s / median pause / median of those over {_LONG} s; detector of sentence ends")
    for label, spoken in rows.items():
        cells = []
        for mark in (None, Mark.COMMA, Mark.PERIOD, Mark.QUESTION):
            pauses = spoken.at(mark)
            if not len(pauses):
                cells.append(f"{'-':^15}")
                continue
            long = pauses[pauses > _LONG]
            median = f"{np.median(long):.2f}" if len(long) else "  - "
            cells.append(f"{len(long) / len(pauses):.3f}/{np.median(pauses):.2f}/{median}")
        detectors = [_detector(spoken, threshold) for threshold in (_LONG, 0.5)]
        print(f"  {label:22} {'  '.join(cells)}  {'  '.join(detectors)}")


def _detector(spoken: Spoken, threshold: Seconds) -> str:
    known = ~np.isnan(spoken.pauses)
    ends = np.array([mark in _ENDS for mark in spoken.marks])[known]
    found = spoken.pauses[known] > threshold
    hits = (ends & found).sum()
    return f"{threshold} s: P {hits / max(1, found.sum()):.2f} R {hits / max(1, ends.sum()):.2f}"


def _report_all_hesitations(speech: Path, recognised: dict[str, Spoken], corpus: Path) -> None:
    log_odds = hesitations_at(read_words(speech / "asr_formats" / "amazonTranscribe.sample.json"), corpus)
    for system in _EXACT:
        report_hesitations(system, recognised[system], log_odds)
    interview = speech / "interview" / "first_half.json"
    words = [Word(item["word"]) for item in read_json_file(interview)]
    report_hesitations("interview", read_interview(interview), hesitations_at(words, corpus))


def main() -> None:
    """Fit, draw, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("ASR_PUNCT_DATA"))
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--draws", type=int, default=300)
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("--data: found none, expected a folder with speech/")
    speech = Path(arguments.data) / "speech"
    recognised = talk(speech / "asr_formats")
    fitted = fit(recognised)
    report_sources(recognised)
    exact = PauseParameters(stretched=0, clipped=0, emitted=0, frames_ms=(10,))
    end = fitted["period"]
    measured = replace(exact, no_mark=fitted["no_mark"], comma=fitted["comma"], period=end, question=end)
    same = replace(measured, pace_spread=0.0, hesitation_spread=0.0)
    models = {"drawn, talk's speaker": same, "drawn, any speaker": exact, "drawn, any source": PauseParameters()}
    if arguments.corpus is not None:
        _report_all_hesitations(speech, recognised, arguments.corpus)
    materials = {
        "talk (fitted on)": recognised,
        "ted": {"spoken": read_csv((speech / "ted").glob("*.csv"))},
        "interview (test)": {"spoken": read_interview(speech / "interview" / "first_half.json")},
    }
    for name, spoken in materials.items():
        first = next(iter(spoken.values()))
        compare(name, spoken | {label: drawn(first, model, arguments.draws) for label, model in models.items()})


if __name__ == "__main__":
    main()
