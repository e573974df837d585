#!/usr/bin/env python3
"""Write a benchmark's exp/scores.json, and exp/RESULTS.md with our results beside the published ones.

Reads data/summary.json, data/tokens, exp/decode, and the published results, if any: published.tsv,
published_ablations.tsv, published_classes.tsv and published_sweeps.tsv.
"""

import argparse
import csv
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from environment import describe_environment

from asr_punct.corpora.iwslt import CLASSES
from asr_punct.errors import InputError, plural, run_script
from asr_punct.files import read_json_file, read_lines, write_file
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.scoring import Counts, Difference, Scores, compare_counts, pair_words, write_score_sets
from asr_punct.scoring.markdown import difference_cells, interval, percent, table

EXP = Path("exp")
FACTS = "facts.json"
MARKS = ("COMMA", "PERIOD", "QUESTION")
TITLES = {"ref": "Ref.", "asr": "ASR", "news": "News"}
_SYNTHETIC = "**All numbers here are of small synthetic files**: they only show that the recipe runs."
_RATES = (
    *("COMMA P", "R", "F1", "PERIOD P", "R", "F1", "QUESTION P", "R", "F1"),
    *("P", "R", "micro F1", "95 %", "mean F1", "untuned"),
)


class Decoded:
    """The results of one decoding, `exp/decode/NAME/facts.json`."""

    def __init__(self, name: str) -> None:
        self.name, self.path = name, EXP / "decode" / name / FACTS
        self.facts = read_object(self.path, ("scores", "merged", "untuned", "parameters", "words_per_second"))
        try:
            self.scores = {key: Scores.from_dict(value) for key, value in self.facts["scores"].items()}
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(self.path, f"{type(error).__name__} {error}", "scores by test set") from None

    def rates(self, test: str) -> list[str]:
        scores = self.scores[test]
        rates = [rate for mark in MARKS for rate in _three(scores.marks[mark])]
        micro = interval(scores.ci95.get("micro.f1"))
        untuned = self.facts["untuned"].get(test)
        return [*rates, *_three(scores.micro), micro, percent(scores.mean_f1), percent(untuned)]


def _three(rate: Any) -> list[str]:
    return [percent(rate.precision), percent(rate.recall), percent(rate.f1)]


def read_object(path: Path, keys: Sequence[str]) -> Mapping[str, Any]:
    """Read a JSON object. Raises InputError if a key is missing."""
    value = read_json_file(path)
    missing = [key for key in keys if not isinstance(value, dict) or key not in value]
    if missing:
        raise InputError(path, f"no key {missing[0]!r}", f"an object with {', '.join(keys)}")
    return dict(value)


def read_published(kind: str) -> list[dict[str, str]]:
    path = Path(f"published{kind}.tsv")
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return list(csv.DictReader(lines, delimiter="\t"))


def published(test: str) -> Iterator[list[str]]:
    for line in read_published(""):
        name, system, encoder, source, *rates, micro, mean = line.values()
        if name == test:
            known = ("" if rate == "-" else rate for rate in (*rates, micro))
            yield [f"{system} ({source})", encoder, "", "", *known, "", mean, ""]


def _conditions(options: argparse.Namespace, summary: Mapping[str, Any], scored: Mapping[str, int]) -> Iterator[str]:
    """Yield the conditions of the run; `scored` is the number of tokens of each test set."""
    counts = summary["words"]
    sizes = ", ".join(f"{number:,} of {TITLES.get(test, test)}" for test, number in scored.items())
    yield from describe_environment(options.command)
    yield f"* Encoder where one is given: {options.encoder}"
    yield (
        f"* Trained on: {summary['source']}, {counts['train']:,} words ({summary['overlapping_documents']} documents "
        "left out that share eight words in a row with a test set, or sixteen with the development set); epochs "
        f"chosen on {counts['dev']:,} and decoding tuned on {counts['tune']:,} words of the development set"
    )
    yield f"* Scored on the benchmark's own tokens ({sizes}); COMMA is , : – and PERIOD is . ; ! as in all rows"
    yield (
        "* Decoding: with the class weights or thresholds of the highest micro F1 on the development set; "
        '"untuned" is without them'
    )
    yield f"* Budget `{options.budget}`. Settings that differ from those of `conf/`:"
    for name, part, settings in _read_settings(options):
        if settings:
            yield f"  * `{name}`{'' if part == 'train' else f', {part}'}: `{settings}`"
    yield ""


def _read_settings(options: argparse.Namespace) -> list[list[str]]:
    rows = []
    for number, line in read_lines(options.settings):
        rows.append(line.split("\t"))
        if len(rows[-1]) != 3:
            found = plural(len(rows[-1]), "column")
            raise InputError(f"{options.settings}:{number}", found, "3: system, part and settings")
    return rows


def results(rows: Sequence[Decoded], tests: Sequence[str], options: argparse.Namespace) -> Iterator[str]:
    """Yield a table for each test set: our rows, then the published ones."""
    encoder = options.encoder
    settings = _read_settings(options)
    with_encoder = {name for name, _, changed in settings if f"{changed} ".startswith("model.encoder.name=")}
    header = ("system", "encoder", "parameters", "words/s", *_RATES)
    for test in tests:
        yield f"## {TITLES.get(test, test)}: F1 in per cent\n"
        cells = []
        for row in rows:
            own = row.name not in with_encoder
            size, speed = f"{row.facts['parameters'] / 1e6:.1f} M", f"{row.facts['words_per_second']:.0f}"
            cells.append([f"**{row.name}**", "–" if own else Path(encoder).name, size, speed, *row.rates(test)])
        yield table(header, [*cells, *published(test)])


def merged(rows: Sequence[Decoded], tests: Sequence[str]) -> Iterator[str]:
    """Yield the table of merged classes, ours and the published ones."""
    yield "## Micro F1 over merged classes (alam2020, section 5.2)\n"
    yield "4: COMMA, PERIOD, QUESTION and none; 3: PERIOD and QUESTION are one; 2: a mark or none.\n"
    header = ("system", *(f"{TITLES.get(test, test)} {classes}" for test in tests for classes in (4, 3, 2)))
    cells = []
    for row in rows:
        cells.append([f"**{row.name}**"])
        for test in tests:
            merged_f1 = row.facts["merged"][test]
            cells[-1] += map(percent, (row.scores[test].micro.f1, merged_f1["3"], merged_f1["2"]))
    for line in read_published("_classes"):
        cells.append([f"{line['system']} ({line['source']})", *(line[title] for title in header[1:])])
    yield table(header, cells)


def ablations(rows: Sequence[Decoded], tests: Sequence[str]) -> Iterator[str]:
    """Yield a table of systems with and without one part, with the published differences."""
    names = [row.name for row in rows]
    compared = [line for line in read_published("_ablations") if line["row"] in names and line["against"] in names]
    if not compared:
        return
    yield "## Effect of each part: micro F1, in points\n"
    yield (
        "Paired bootstrap over the utterances, both systems on the same samples. A claim holds or does not hold if the "
        "95 % interval excludes 0, else the difference is not significant.\n"
    )
    columns = ("", " 95 %", " p", " published", " claim")
    header = ["part", "row", "against", *(f"{TITLES.get(test, test)}{what}" for test in tests for what in columns)]
    cells = []
    for line in compared:
        cells.append([line["part"], f"**{line['row']}**", f"**{line['against']}**"])
        for test in tests:
            before, after = (counts_of(line[key], test) for key in ("against", "row"))
            cells[-1] += _difference(compare_counts(before, after)["micro.f1"], line.get(test, "-"), line["source"])
    yield table(header, cells)


def counts_of(name: str, test: str) -> Counts:
    """Count a decoding against the tokens of the utterances that were decoded."""
    found = list(read_tsv(EXP / "decode" / name / f"{test}.tsv"))
    return pair_words(islice(read_tsv(Path("data/tokens", f"{test}.tsv")), len(found)), found, CLASSES).count()


def _difference(found: Difference, published: str, source: str) -> list[str]:
    ours = difference_cells(found)
    return [*ours, "", ""] if published == "-" else [*ours, f"{published} ({source})", claim(found, float(published))]


def claim(found: Difference, published: float) -> str:
    """Compare a difference with a published one; empty if the published one is 0."""
    if not published:
        return ""
    if found.ci95 is None or found.ci95[0] <= 0 <= found.ci95[1]:
        return "not significant"
    return "holds" if found.difference * published > 0 else "does not hold"


class Sweep(NamedTuple):
    """Tables of systems that were decoded in several ways, `exp/decode/FOLDER/SYSTEM/SETTING`.

    `own` is the setting with which stage 4 decodes, or "", and `note` a sentence below the title.
    """

    title: str
    folder: str
    settings: Sequence[str]
    own: str = ""
    note: str = ""


SWEEPS = (
    Sweep(
        "Windows that predict each word (courtland2020, Table 2)",
        "windows",
        ("1", "2", "3", "6", "9", "probabilities", "sequential"),
    ),
    Sweep(
        "Look-ahead in words, left context 100 (polacek2023, Table 4; theirs is Czech)",
        "look-ahead",
        ("1", "2", "3", "4", "5", "10", "100", "block"),
        note="block: adjacent windows, each word decided once.",
    ),
    Sweep("Class weights (polacek2023, section 3.5)", "weights", ("1", "of the paper", "tuned"), own="tuned"),
)


def sweep(kind: Sweep, row: str) -> Iterator[str]:
    """Yield the table of a system, with relative times if they were measured."""
    folder = EXP / "decode" / kind.folder / row
    found = {
        setting: Decoded(row if setting == kind.own else f"{kind.folder}/{row}/{setting}")
        for setting in kind.settings
        if setting == kind.own or (folder / setting / FACTS).exists()
    }
    if not found.keys() - {kind.own}:
        return
    yield f"## {kind.title}: {row}\n"
    if kind.note:
        yield f"{kind.note}\n"
    tests = [test for test in TITLES if all(test in decoded.scores for decoded in found.values())]
    timed = folder / "times.json"
    times = read_json_file(timed) if timed.exists() else {}
    columns = [f"{TITLES[t]} {what}" for t in tests for what in ("words", "P", "R", "F1", "one class")]
    rows = (row for row in read_published("_sweeps") if row["sweep"] == kind.folder)
    theirs = {row["setting"]: (row["F1"], row["time"]) for row in rows}
    header = ("", *columns, *(("time",) if times else ()), *(("published F1", "published time") if theirs else ()))
    cells = []
    for setting, decoded in found.items():
        rates = []
        for scores in (decoded.scores[test] for test in tests):
            rates += [f"{scores.words:,}", *_three(scores.micro), percent(scores.one_class.f1)]
        time = [f"{times[setting]:.1f}x" if setting in times else ""] if times else []
        cells.append([setting, *rates, *time, *(theirs.get(setting, ("", "")) if theirs else ())])
    yield table(header, cells)


def page(options: argparse.Namespace, rows: Sequence[Decoded]) -> Iterator[str]:
    summary = read_object(Path("data/summary.json"), ("words", "source", "overlapping_documents"))
    tests = [name for name in summary["words"] if name in rows[0].scores]
    for row in rows:
        if missing := [name for name in tests if name not in row.scores]:
            raise InputError(row.path, f"no scores of {missing[0]!r}", f"those of {', '.join(tests)}")
    yield f"# {Path.cwd().name}: the papers' systems in one framework\n"
    if options.synthetic == "true":
        yield f"{_SYNTHETIC}\n"
    yield from _conditions(options, summary, {test: rows[0].scores[test].words for test in tests})
    yield from results(rows, tests, options)
    for row in rows:
        if row.facts.get("lacks_lm_head"):
            yield f"The encoder of {row.name} has no masked-LM head: its embedding matrix replaces the decoder.\n"
    yield from ablations(rows, tests)
    yield from merged(rows, tests)
    for kind in SWEEPS:
        for row in rows:
            yield from sweep(kind, row.name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("command", "encoder", "budget", "synthetic"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--settings", type=Path, required=True, help="output of train_system.sh --dry-run true")
    parser.add_argument("rows", nargs="+")
    options = parser.parse_args()
    rows = [Decoded(name) for name in options.rows]
    sets = {f"{row.name}/{test}": scores for row in rows for test, scores in row.scores.items()}
    write_score_sets(sets, EXP / "scores.json")
    with write_file(EXP / "RESULTS.md") as out:
        out.writelines(f"{line}\n" for line in page(options, rows))


if __name__ == "__main__":
    run_script(main)
