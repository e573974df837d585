#!/usr/bin/env python3
"""Write the card of a shipped model: README.md in its directory, with the front matter that model hubs read.

Reads config.json and scores.json of the directory; the table of the sources of its training text; Markdown notes; and
from the folder of measurements, each optional, calibration.json (tuning), int8.json (compare_graphs.py), speed.json
(benchmarks/speed.py) and pauses.json (score_pauses.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from jinja2 import Environment, FileSystemLoader
from training_text.sources import Source, read_sources
from typer import Option

from asr_punct.checkpoint import CARD, SCORES, read_info
from asr_punct.errors import InputError, run_script
from asr_punct.files import read_json_file, read_text_file, write_file
from asr_punct.marks import MARKS, Mark
from asr_punct.scoring import Difference, Rate, Scores, read_score_sets
from asr_punct.scoring.markdown import NO_VALUE, comparison, interval, percent, table
from asr_punct.training.run import card as model_head
from asr_punct.training.run import language_names

_FACTS = ("calibration", "int8", "speed", "pauses")
_TITLES = {"int8": "int8 against fp32", "speed": "Speed"}
_PAUSE_METRICS = ("micro.f1", "marks.COMMA.f1", "marks.PERIOD.f1", "marks.QUESTION.f1", "case.micro.f1")


def card(directory: Path, sources: Sequence[Source], notes: str, facts: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the card of a model directory. `facts` are measurements, by the name of their file; `notes` are Markdown.

    Raises AsrPunctError if the directory is damaged, or its config.json has no licence.
    """
    info, sets = read_info(directory), read_score_sets(directory / SCORES)
    if "licence" not in info.training:
        raise InputError(directory, "no licence among the training facts", "the licence of the weights")
    languages = info.model.language.split("+")
    calibration, pauses = facts.get("calibration"), facts.get("pauses")
    errors = calibration["calibration_error"] if calibration else {}
    rows = [(name, *(f"{100 * error:.2f}" for error in before_after)) for name, before_after in errors.items()]
    template = Environment(loader=FileSystemLoader(Path(__file__).parent), trim_blocks=True, lstrip_blocks=True)
    return template.get_template("card.md.j2").render(
        info=info,
        languages=languages,
        names=[language_names(code) for code in languages],
        sources=sources,
        head=model_head(directory, replace(info, training=_without_development_facts(info.training))),
        notes=notes,
        scores=_score_table(sets),
        mappings=dict.fromkeys(_mapping(scores.merged) for scores in sets.values() if scores.merged),
        marks=_mark_table(sets),
        percent=percent,
        calibration=calibration,
        errors=table(("", "before", "after"), rows) if rows else "",
        measured={title: _formatted(facts[name]) for name, title in _TITLES.items() if name in facts},
        pauses=pauses,
        pause_table=_pause_table(pauses) if pauses else "",
        data=table(
            ("text", "language", "share", "licence"),
            [(source.file, source.language, f"{source.share:g}", source.licence) for source in sources],
        ),
    )


def _without_development_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the scores during training: the development texts of two models may differ."""
    return {name: value for name, value in facts.items() if not name.startswith("dev_")}


def _formatted(facts: Mapping[str, float]) -> dict[str, str]:
    """Format numbers as `10,662` or `1.235`."""
    return {name: f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}" for name, value in facts.items()}


def _score_table(sets: Mapping[str, Scores]) -> str:
    header = ("test set", "words", "classes", "marks", "95 %", "case", "95 %")
    rows = []
    for name, scores in sets.items():
        marks = percent(scores.micro.f1), interval(scores.ci95.get("micro.f1"))
        case = percent(scores.case.micro.f1), interval(scores.ci95.get("case.micro.f1"))
        rows.append((name, f"{scores.words:,}", str(len(scores.marks)), *marks, *case))
    return table(header, rows)


def _mapping(classes: Mapping[str, Sequence[Mark]]) -> str:
    """Return the marks of each class on one line: `COMMA = COMMA COLON DASH; …; not scored: …`."""
    scored = {mark for marks in classes.values() for mark in marks}
    mapped = [f"{name} = {' '.join(marks)}" for name, marks in classes.items()]
    return "; ".join([*mapped, "not scored: " + " ".join(mark for mark in MARKS if mark not in scored)])


def _mark_table(sets: Mapping[str, Scores]) -> str:
    rates = [{**scores.marks, **scores.case.classes} for scores in sets.values()]
    names = dict.fromkeys(name for found in rates for name, rate in found.items() if rate.f1 is not None)
    return table(("", *sets), [(name, *(_cell(found.get(name)) for found in rates)) for name in names])


def _cell(rate: Rate | None) -> str:
    return NO_VALUE if rate is None or rate.f1 is None else f"{percent(rate.f1)} ({rate.support:,})"


def _pause_table(found: Mapping[str, Any]) -> str:
    differences = found["differences"]
    known = {metric: Difference(**differences[metric]) for metric in _PAUSE_METRICS if metric in differences}
    return comparison(known, "without", "with pauses")


def read_facts(directory: Path) -> dict[str, dict[str, Any]]:
    """Read the measurements, by the name of their file. Raises InputError if a file is no JSON."""
    return {name: read_json_file(path) for name in _FACTS if (path := directory / f"{name}.json").is_file()}


def main(
    model: Path,
    sources: Annotated[Path, Option(help="Table of sources.")],
    notes: Annotated[Path, Option(help="Markdown: intended use, known failures.")],
    facts: Annotated[Path | None, Option(help="Folder of the measurements.")] = None,
) -> None:
    content = card(model, read_sources(sources), read_text_file(notes), read_facts(facts) if facts else {})
    with write_file(model / CARD) as out:
        out.write(content)


if __name__ == "__main__":
    run_script(main)
