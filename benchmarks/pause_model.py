"""Fit the pause model's parameters on recordings, and compare drawn pauses with spoken ones.

    python benchmarks/pause_model.py CALLS.tsv [--data DIR] [--corpus DIR] [--draws 20]

CALLS.tsv are recordings with labels and pauses on which the parameters are fitted: Earnings-22, 111 English earnings
calls with times of a forced alignment, as `egs/models/local/speech_to_tsv.py` writes it. Without marks it also prints
the pauses by place in the sentence and beside fillers. The differences between speakers are those of speakers with 30
periods.

DIR (default: $ASR_PUNCT_DATA) has `speech/asr_formats`: the output of several recognisers for one TED talk, which show
the errors of sources of times. Times are those of Amazon, IBM and Speechmatics. A sentence ends where Amazon, Google or
Speechmatics ends it; other commas are those of Amazon or Google. There is no manual punctuation, and a recogniser may
use pauses for its periods. Google extends words into pauses, so its times show which pauses such a recogniser hides.
With --corpus, a directory with an English train.tsv, also print how the log-odds of a pause rise with those of a mark
(`asr_punct/training/pause_model.py`).

The talk and the other recordings are for comparison only: nothing is fitted on them. `speech/ted` has a few hundred
words.
"""

from __future__ import annotations

import argparse
import csv
import os
import string
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from asr_punct import formats
from asr_punct.checkpoint import load_tokenizer, read_info
from asr_punct.files import read_json_file
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.hub import find_trainable_model
from asr_punct.marks import MARKS, SENTENCE_ENDS, STRONGEST_FIRST, Mark
from asr_punct.scoring.edit import align_words
from asr_punct.training.mapped import StoredCorpus
from asr_punct.training.pause_model import MarkOdds, PauseParameters, sample_pauses
from asr_punct.words import Seconds, Utterance, Word, marks_of

Floats = npt.NDArray[np.float64]
_MARKS = {",": Mark.COMMA, ".": Mark.PERIOD, "?": Mark.QUESTION, "!": Mark.EXCLAMATION, ";": Mark.SEMICOLON}
_MARKS |= {":": Mark.COLON, "…": Mark.ELLIPSIS, "—": Mark.DASH, "–": Mark.DASH}
_ENDS = tuple(mark for mark in STRONGEST_FIRST if mark in SENTENCE_ENDS)
_FITTED = (None, Mark.COMMA, Mark.PERIOD, Mark.QUESTION, Mark.ELLIPSIS, Mark.COLON, Mark.SEMICOLON)
_FILLERS = frozenset(("uh", "um", "er", "hmm", "mm", "ah"))
_MIN_PERIODS = 30
"""Periods of a speaker whose pace is measured."""
_WINDOW_WORDS = 128
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


def read_calls(path: Path) -> dict[str, Spoken]:
    """Read the words of each speaker of recordings with labels and pauses; the speaker is the end of the id."""
    marks, pauses = defaultdict[str, list[Mark | None]](list), defaultdict[str, list[float]](list)
    for utterance in read_tsv(path):
        speaker = f"{utterance.document} {utterance.id.rpartition('-')[2]}"
        marks[speaker] += map(_mark, utterance.words)
        pauses[speaker] += [np.nan if pause is None else pause for pause in utterance.pauses]
    return {speaker: Spoken(marks[speaker], np.array(pauses[speaker])) for speaker in marks}


def _mark(word: Word) -> Mark | None:
    """Return the mark of a word; of several, the one of a sentence end."""
    return max(marks_of(word), key=lambda mark: (mark in SENTENCE_ENDS, mark), default=None)


def fit_calls(speakers: dict[str, Spoken]) -> None:
    """Print the pauses at each mark, and how speakers differ."""
    spoken = joined(speakers.values())
    for mark in _FITTED:
        print(f"  {mark or 'no mark':10} {_fitted(spoken.at(mark))}")
    talkative = [each for each in speakers.values() if len(each.at(Mark.PERIOD)) >= _MIN_PERIODS]
    logs = [np.log(gaps[gaps >= _SHORTEST]) for gaps in (each.at(Mark.PERIOD) for each in talkative)]
    pace = np.array([each.mean() for each in logs])
    odds = {mark: np.array([_log_odds(each.at(mark)) for each in talkative]) for mark in (Mark.PERIOD, None)}
    own, unmarked = np.mean([each.std() for each in logs]), odds[None].std()
    slope = np.polyfit(pace, odds[Mark.PERIOD], 1)[0]
    print(f"  {len(talkative)} speakers: log(pace) deviates by {pace.std():.2f}, one's log(pause) by {own:.2f},")
    print(
        f"  the log-odds of a pause without a mark by {unmarked:.2f}; at a period they rise by {slope:.2f} a log(pace)"
    )


def joined(parts: Iterable[Spoken]) -> Spoken:
    """Join recordings to one."""
    parts = list(parts)
    return Spoken([mark for part in parts for mark in part.marks], np.concatenate([part.pauses for part in parts]))


def _fitted(gaps: Floats) -> str:
    logs = np.log(gaps[gaps >= _SHORTEST])
    return f"n {len(gaps):6}  {_numbers((len(logs) / max(1, len(gaps)), np.exp(logs.mean()), logs.std()))}"


def _log_odds(gaps: Floats) -> float:
    """Return the log-odds of a pause, with half a pause added to both sides."""
    paused = int((gaps >= _SHORTEST).sum())
    return float(np.log((paused + 0.5) / (len(gaps) - paused + 0.5)))


def report_places(utterances: Iterable[Utterance]) -> None:
    """Print the pauses without a mark by their distance from the sentence's ends, and pauses beside fillers."""
    gaps = defaultdict[str, list[float]](list)
    for sentence in (sentence for utterance in utterances for sentence in _sentences(utterance.words)):
        for i, (word, following) in enumerate(pairwise(sentence)):
            kind = _place(word, following, i + 1, len(sentence) - i - 1)
            if word.pause is not None and kind:
                gaps[kind].append(word.pause)
    for kind in sorted(gaps):
        print(f"  {kind:34} {_fitted(np.array(gaps[kind]))}")


def _sentences(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    stops = [i + 1 for i, word in enumerate(words) if not SENTENCE_ENDS.isdisjoint(marks_of(word))]
    for start, stop in zip([0, *stops], [*stops, len(words)], strict=True):
        yield words[start:stop]


def _place(word: Word, following: Word, after: int, before: int) -> str:
    """Return the kind of a place, or "" if it is of none: words after the sentence's start and before its end."""
    marks = marks_of(word)
    if marks - {Mark.COMMA}:
        return ""
    mark = "comma" if marks else "no mark"
    if word.text in _FILLERS or following.text in _FILLERS:
        return f"{mark}, {'after' if word.text in _FILLERS else 'before'} a filler"
    if marks:
        return "comma, elsewhere"
    if min(after, before) > 4:
        return "no mark, elsewhere"
    return f"no mark, {after} words after the start" if after <= before else f"no mark, {before} words before the end"


def drawn(spoken: Spoken, parameters: PauseParameters, draws: int) -> Spoken:
    """Draw pauses for the same marks with the model, each window with another speaker."""
    bits = np.array([0 if mark is None else 1 << MARKS.index(mark) for mark in spoken.marks], np.uint16)
    windows = np.resize(bits, (draws * -(-len(bits) // _WINDOW_WORDS), _WINDOW_WORDS))
    pauses = sample_pauses(windows, np.random.default_rng(0), parameters).ravel()[: draws * len(bits)] / 100
    return Spoken(spoken.marks * draws, np.where(np.isnan(np.tile(spoken.pauses, draws)), np.nan, pauses))


def report_talk(talk: dict[str, Spoken]) -> None:
    """Print the pauses by mark of the talk, by recogniser and their mean."""
    for name, marks in (("no_mark", (None,)), ("comma", (Mark.COMMA,)), ("period", _ENDS)):
        values = []
        for system in _EXACT:
            gaps = talk[system].at(*marks)
            logs = np.log(gaps[gaps >= _SHORTEST])
            values.append((len(logs) / len(gaps), np.exp(logs.mean()), logs.std()))
            print(f"  {name:8} {system:13} n {len(gaps):5}  {_numbers(values[-1])}")
        print(f"  {name:8} {'mean':13}          {_numbers(np.mean(values, axis=0))}")


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
    odds = MarkOdds.from_corpus(known).log_odds(ids[:-1], ids[1:])
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


def _report_all_hesitations(calls: Path, speech: Path, recognised: dict[str, Spoken], corpus: Path) -> None:
    spoken_words = [word for utterance in read_tsv(calls) for word in utterance.words]
    pauses = np.array([np.nan if word.pause is None else word.pause for word in spoken_words])
    report_hesitations("calls", Spoken(list(map(_mark, spoken_words)), pauses), hesitations_at(spoken_words, corpus))
    log_odds = hesitations_at(read_words(speech / "asr_formats" / "amazonTranscribe.sample.json"), corpus)
    for system in _EXACT:
        report_hesitations(system, recognised[system], log_odds)
    interview = speech / "interview" / "first_half.json"
    words = [Word(item["word"]) for item in read_json_file(interview)]
    report_hesitations("interview", read_interview(interview), hesitations_at(words, corpus))


def main() -> None:
    """Fit, draw, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", type=Path)
    parser.add_argument("--data", type=Path, default=os.environ.get("ASR_PUNCT_DATA"))
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--draws", type=int, default=20)
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("--data: found none, expected a folder with speech/")
    print("Fitted: share of pauses of 50 ms or more, their median by the mean of the logarithm, its deviation")
    calls = read_calls(arguments.calls)
    fit_calls(calls)
    report_places(read_tsv(arguments.calls))
    speech = Path(arguments.data) / "speech"
    recognised = talk(speech / "asr_formats")
    print("The talk:")
    report_talk(recognised)
    report_sources(recognised)
    exact = PauseParameters(stretched=0, clipped=0, emitted=0, frames_ms=(10,))
    models = {"drawn, any speaker": exact, "drawn, any source": PauseParameters()}
    if arguments.corpus is not None:
        _report_all_hesitations(arguments.calls, speech, recognised, arguments.corpus)
    materials = {
        "calls (fitted on)": {"spoken": joined(calls.values())},
        "talk": recognised,
        "ted": {"spoken": read_csv((speech / "ted").glob("*.csv"))},
        "interview (test)": {"spoken": read_interview(speech / "interview" / "first_half.json")},
    }
    for name, spoken in materials.items():
        first = next(iter(spoken.values()))
        draws = 1 if name.startswith("calls") else arguments.draws
        compare(name, spoken | {label: drawn(first, model, draws) for label, model in models.items()})


if __name__ == "__main__":
    main()
