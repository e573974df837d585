"""Compare the marks of four commercial recognisers with those of asr_punct on the same words; writes docs/services.md.

    python benchmarks/services.py DIR [--model en] [--calls N] [--page FILE]

DIR has the earnings calls of Earnings-21, earnings21_test and earnings21_test_services (.jsonl or .jsonl.xz): human
transcripts, and what Google, Amazon, Speechmatics and Microsoft made of the same audio, with their marks. The words of
each service are read bare, with its times, punctuated by the model, and both versions are compared with the marks and
capitals of the transcript: on the words that are equal in both, and on all words by alignment (`scoring.project`). The
words of the open recogniser Kaldi have no marks of their own. Intervals are from a bootstrap over the calls.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

sys.path += [str(Path(__file__).resolve().parent.parent / folder) for folder in ("recipes/utils", "egs/models/local")]
from environment import describe_environment
from peers import replace_between
from services_plot import draw
from training_text.speech import read_recordings

from asr_punct.errors import InputError
from asr_punct.files import read_lines, read_text_file
from asr_punct.formats.labelled import labelled
from asr_punct.inference.punctuator import Punctuator
from asr_punct.scoring import Counts, Difference, compare_counts, pair_words, score_counts
from asr_punct.scoring.markdown import percent, table
from asr_punct.scoring.projection import project
from asr_punct.text.bare import bare
from asr_punct.words import Utterance, Word, annotate, with_time_source

PAGE = Path(__file__).resolve().parent.parent / "docs/services.md"
PLOT = "services.svg"
SERVICES = {"google": "Google", "amazon": "Amazon", "speechmatics": "Speechmatics", "microsoft": "Microsoft"}
RECOGNISER = "Kaldi (open, no marks)"
METRICS = {
    "marks.COMMA.f1": "comma",
    "marks.PERIOD.f1": "period",
    "marks.QUESTION.f1": "question",
    "micro.f1": "the three marks",
    "case.micro.f1": "capitals",
    "slot_error_rate": "slot error rate",
}
"""Names of the scores by their place in `scoring`."""
_CLASSES = 4
"""Comma, period, question and no mark: what all services write."""
_AGREE, _ALL = "words that agree", "all words"


@dataclass(frozen=True)
class Call:
    """A transcript with marks, and the words of each service with its own marks and times."""

    reference: Utterance
    outputs: Mapping[str, Utterance]


@dataclass(frozen=True)
class Versions:
    """The words of one service in all calls: as a person would write them, as the service does, and as the model does.

    `agree` says for each word whether the transcript has it too.
    """

    reference: Sequence[Utterance]
    own: Sequence[Utterance]
    ours: Sequence[Utterance]
    agree: Sequence[Sequence[bool]]


def read_calls(folder: Path) -> Iterator[Call]:
    """Yield the calls. Raises InputError if a file is missing or has another form."""
    services = {str(row["doc"]): row for row in _rows(_find(folder, "earnings21_test_services"))}
    path = _find(folder, "earnings21_test")
    recognised = {str(row["doc"]): row["asr_rev_kaldi"] for row in _rows(path)}
    for name, turns in read_recordings(path):
        words = tuple(word for turn in turns for part in turn for word in part.words)
        found = {title: services[name][key] for key, title in SERVICES.items()} | {RECOGNISER: recognised[name]}
        outputs = {title: _output(name, tokens) for title, tokens in found.items()}
        yield Call(Utterance(words, id=name, document=name, recording=name), outputs)


def _find(folder: Path, name: str) -> Path:
    found = next(iter(sorted(folder.glob(f"{name}.jsonl*"))), None)
    if found is None:
        raise InputError(folder, "no such file", f"{name}.jsonl.xz, the calls of Earnings-21")
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for _, line in read_lines(path))


def _output(name: str, tokens: Iterable[Sequence[Any]]) -> Utterance:
    words = tuple(Word(text, start, end) for text, start, end in tokens if any(map(str.isalnum, text)))
    return labelled(with_time_source(Utterance(words, id=name, document=name, recording=name), "asr"), "en")


def punctuate(calls: Sequence[Call], service: str, punctuator: Punctuator) -> Versions:
    """Return the versions of the words of one service."""
    own = [call.outputs[service] for call in calls]
    projections = [project(call.reference, output) for call, output in zip(calls, own, strict=True)]
    agree = []
    for projection in projections:
        alignment = projection.alignment
        equal = dict(zip(alignment.hypothesis.tolist(), alignment.equal.tolist(), strict=True))
        agree.append([equal[i] for i in range(len(projection.utterance.words))])
    ours = list(punctuator.restore(map(bare, own)))
    return Versions([each.utterance for each in projections], own, ours, agree)


def count(versions: Versions, found: Sequence[Utterance], words: str) -> Counts:
    """Return the counts of each call for the service's marks or the model's, on all words or those that agree."""
    everywhere = words == _ALL
    expected, output = (
        [
            _selected(utterance, [each or everywhere for each in agree])
            for utterance, agree in zip(side, versions.agree, strict=True)
        ]
        for side in (versions.reference, found)
    )
    return pair_words(expected, output, _CLASSES).count()


def _selected(utterance: Utterance, chosen: Sequence[bool]) -> Utterance:
    """Return the chosen words in lower case with their labels, without times."""
    words = tuple(
        replace(word, labels=label)
        for word, label, keep in zip(
            bare(annotate(utterance, pauses=None)).words, utterance.labels, chosen, strict=True
        )
        if keep
    )
    return Utterance(tuple(replace(word, start=None, end=None, origin=None) for word in words), utterance.id)


def compare(versions: Versions, words: str) -> dict[str, Difference]:
    """Return the scores of the service's marks and of the model's, and their differences."""
    return compare_counts(count(versions, versions.own, words), count(versions, versions.ours, words))


def lines_of(results: Mapping[str, Mapping[str, Mapping[str, Difference]]], ours: Mapping[str, Counts]) -> list[str]:
    """Return the tables of the page: for each choice of words each service beside the model on its words."""
    lines = list[str]()
    for words, by_service in results.items():
        head = ["words of", *(f"{name}: own → ours" for name in METRICS.values())]
        rows = [
            [service, *(_cell(metric, differences[metric]) for metric in METRICS)]
            for service, differences in by_service.items()
        ]
        scores = score_counts(ours[words], samples=0).as_dict()
        rows.append([RECOGNISER, *(f"→ {_shown(metric, _at(scores, metric))}" for metric in METRICS)])
        lines += [f"**On {words}**", "", table(head, rows), ""]
    return lines


def _cell(metric: str, difference: Difference) -> str:
    low, high = difference.ci95 or (float("nan"), float("nan"))
    scale = 1 if metric == "slot_error_rate" else 100
    change = f"{scale * difference.difference:+.{2 if scale == 1 else 1}f}"
    bounds = f"{scale * low:+.{2 if scale == 1 else 1}f} to {scale * high:+.{2 if scale == 1 else 1}f}"
    return f"{_shown(metric, difference.first)} → {_shown(metric, difference.second)} ({change}; {bounds})"


def _shown(metric: str, value: float | None) -> str:
    return f"{value:.2f}" if metric == "slot_error_rate" and value is not None else percent(value)


def _at(scores: Mapping[str, Any], metric: str) -> float | None:
    value: Any = scores
    for key in metric.split("."):
        value = value[key]
    return None if value is None else float(value)


def main() -> None:
    """Measure, print the tables, and put them and the plot into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of the calls")
    parser.add_argument("--model", default="en", help="model, by name or directory")
    parser.add_argument("--calls", type=int, help="number of calls, the first ones; by default all")
    parser.add_argument("--page", type=Path, default=PAGE, help="page to put the tables into")
    options = parser.parse_args()
    page = read_text_file(options.page)
    replace_between(page, [], options.page)
    punctuator, calls = (
        Punctuator.from_pretrained(options.model),
        list(islice(read_calls(options.folder), options.calls)),
    )
    results: dict[str, dict[str, Difference]] = {}
    by_words: dict[str, dict[str, dict[str, Difference]]] = {_AGREE: {}, _ALL: {}}
    for service in SERVICES.values():
        versions = punctuate(calls, service, punctuator)
        share = sum(map(sum, versions.agree)) / sum(map(len, versions.agree))
        for words, found in by_words.items():
            found[service] = compare(versions, words)
        results[service] = by_words[_AGREE][service]
        print(f"{service}: {100 * share:.1f} % of the words agree", flush=True)
    versions = punctuate(calls, RECOGNISER, punctuator)
    ours = {words: count(versions, versions.ours, words) for words in by_words}
    limit = f" --calls {options.calls}" if options.calls else ""
    spoken = sum(len(call.reference.words) for call in calls)
    facts = [f"* {len(calls)} calls, {spoken:,} words of the transcripts, model `{options.model}`"]
    facts += describe_environment(f"python benchmarks/services.py DIR{limit}")
    lines = [f"![F1 of each service and of asr_punct on its words]({PLOT})", "", *lines_of(by_words, ours), *facts]
    print("\n".join(lines))
    (options.page.parent / PLOT).write_text(draw(results, METRICS), encoding="utf-8")
    options.page.write_text(replace_between(page, lines), encoding="utf-8")


if __name__ == "__main__":
    main()
