"""The pause model's parameters, measured on recordings, and what it draws beside what was spoken.

    python benchmarks/pause_model.py [--data DIR] [--draws 300]

DIR (default: $ASR_PUNCT_DATA) holds `speech/asr_formats`, the words and times that several recognisers give for one
TED talk. The parameters are fitted on it: the times are those of Amazon, IBM and Speechmatics, and a sentence ends
where one of Amazon, Google and Speechmatics ends it; other commas are those of Amazon or Google. Nobody punctuated
it by hand, and a recogniser that hears pauses may have placed its periods by them. Google's times show which pauses a
recogniser hides that stretches words.

The other recordings are for comparison only. `speech/prosograph_ted` and `speech/ted` are a few hundred words, and
most of the former's periods have no pause at all, so that its times are doubtful. `speech/interview` is what models
are tested on: nothing is fitted on it. One choice was made with this comparison in sight: that hesitations are more
frequent than in the talk, and are so whatever a speaker's pace; its numbers lean on the literature.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from asr_punct.align.edit import align
from asr_punct.formats import read_utterances
from asr_punct.marks import MARKS, Mark
from asr_punct.training.pause_model import PauseAt, PauseParameters, sample_pauses
from asr_punct.words import Seconds, Word

Floats = npt.NDArray[np.float64]
_MARKS = {",": Mark.COMMA, ".": Mark.PERIOD, "?": Mark.QUESTION, "!": Mark.EXCLAMATION, ";": Mark.SEMICOLON}
_MARKS |= {":": Mark.COLON, "…": Mark.ELLIPSIS, "—": Mark.DASH, "–": Mark.DASH}
_ENDS = (Mark.QUESTION, Mark.EXCLAMATION, Mark.PERIOD)
_EXACT = ("amazon", "ibm", "speechmatics")
_SHORTEST: Seconds = 0.045
"""A gap of 50 ms, whatever the rounding, is a pause."""
_LONG: Seconds = 0.15


@dataclass(frozen=True)
class Spoken:
    """A recording: the mark after each word (None for none), and the pause in seconds (NaN where unknown)."""

    marks: list[Mark | None]
    pauses: Floats

    def at(self, *marks: Mark | None) -> Floats:
        """Known pauses after words with one of these marks."""
        return self.pauses[np.array([mark in marks for mark in self.marks]) & ~np.isnan(self.pauses)]


def mark_of(token: str) -> Mark | None:
    """The last mark of a written word, quotation marks aside."""
    return _MARKS.get(token.rstrip("\"'”’»)]")[-1:])


def read_words(path: Path) -> list[Word]:
    """All words of a recogniser's file, those that have marks with their marks."""
    return [word for utterance in read_utterances(path) for word in utterance.words]


def gaps(words: Sequence[Word]) -> Floats:
    """Seconds from each word's end to the next one's start, NaN after the last word."""
    starts, ends = (np.array([getattr(word, edge) for word in words], np.float64) for edge in ("start", "end"))
    return np.append(starts[1:] - ends[:-1], np.nan)


def onto(words: Sequence[Word], others: Sequence[Word]) -> npt.NDArray[np.int64]:
    """For each word the place in `others` of the same word if the one after it is the same, too, else -1."""
    reference, hypothesis = ([word.text.lower().strip(string.punctuation) for word in row] for row in (words, others))
    alignment = align(reference, hypothesis)
    place = np.full(len(words) + 1, -2)
    place[alignment.reference[alignment.equal]] = alignment.hypothesis[alignment.equal]
    return np.where((place[:-1] >= 0) & (place[1:] == place[:-1] + 1), place[:-1], -1)


def talk(folder: Path) -> dict[str, Spoken]:
    """The talk by Amazon's words, with the pauses that each recogniser gives for them."""
    systems = {
        "amazon": read_words(folder / "amazonTranscribe.sample.json"),
        "ibm": read_words(folder / "ibmTedTalkTranscript.sample.json"),
        "speechmatics": read_words(folder / "speechmaticsTedTalkTranscript.sample.json"),
        "google": read_words(folder / "gcpSttPunctuation.sample.json"),
    }
    words = systems["amazon"]
    places = {name: onto(words, others) for name, others in systems.items()}
    votes = [
        {mark_of(systems[name][place[i]].text) for name, place in places.items() if place[i] >= 0}
        for i in range(len(words))
    ]
    marks = [next((mark for mark in (*_ENDS, Mark.COMMA) if mark in vote), None) for vote in votes]
    return {
        name: Spoken(marks, np.where(place >= 0, gaps(systems[name])[place], np.nan)) for name, place in places.items()
    }


def read_csv(paths: Iterable[Path]) -> Spoken:
    """Proscript tables: the mark and the pause before each word; an excerpt's first word follows nothing."""
    marks: list[Mark | None] = []
    pauses: list[float] = []
    for path in sorted(paths):
        with path.open(encoding="utf-8", newline="") as lines:
            rows = [row for row in csv.DictReader(lines, delimiter="|") if row["word"] != "<END>"][1:]
        marks += [mark_of(row["punctuation_before"]) for row in rows]
        pauses += [float(row["pause_before"]) for row in rows]
    return Spoken(marks, np.array(pauses))


def read_interview(path: Path) -> Spoken:
    """The interview; pauses beside interpolated times are unknown."""
    items = json.loads(path.read_text(encoding="utf-8"))
    pauses = gaps([Word(item["word"], item["start"], item["end"]) for item in items])
    exact = np.array([item["exact"] for item in items])
    pauses[~(exact & np.append(exact[1:], False))] = np.nan
    return Spoken([mark_of(item["word"]) for item in items], pauses)


def drawn(spoken: Spoken, parameters: PauseParameters, draws: int) -> Spoken:
    """Pauses that the model draws for the same marks, each draw with a speaker of its own."""
    bits = np.array([0 if mark is None else 1 << MARKS.index(mark) for mark in spoken.marks], np.uint16)
    pauses = sample_pauses(np.tile(bits, (draws, 1)), np.random.default_rng(0), parameters) / 100
    return Spoken(spoken.marks * draws, np.where(np.isnan(np.tile(spoken.pauses, draws)), np.nan, pauses.ravel()))


def fit(talk: dict[str, Spoken]) -> dict[str, PauseAt]:
    """Pauses by mark as measured on the talk, by recogniser and in the mean; all are printed."""
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
    """Print what recognisers leave between words that follow each other, and which pauses Google's times show."""
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


def compare(name: str, rows: dict[str, Spoken]) -> None:
    """Print shares and medians by mark, and how well a bare pause tells sentence ends."""
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


def main() -> None:
    """Fit, draw, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("ASR_PUNCT_DATA"))
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
    materials = {
        "talk (fitted on)": recognised,
        "prosograph_ted": {"spoken": read_csv((speech / "prosograph_ted").glob("*.csv"))},
        "ted": {"spoken": read_csv((speech / "ted").glob("*.csv"))},
        "interview (test)": {"spoken": read_interview(speech / "interview" / "first_half.json")},
    }
    for name, spoken in materials.items():
        first = next(iter(spoken.values()))
        compare(name, spoken | {label: drawn(first, model, arguments.draws) for label, model in models.items()})


if __name__ == "__main__":
    main()
