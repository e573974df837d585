#!/usr/bin/env python3
"""Write the card of a shipped model: README.md in its directory, with the front matter that model hubs read.

Reads config.json and scores.json of the directory; the table of the sources of its training text; Markdown notes; and
from the folder of measurements, each optional, calibration.json (tuning), int8.json (compare_graphs.py), speed.json
(benchmarks/speed.py) and pauses.json (score_pauses.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from asr_punct.checkpoint import CARD, SCORES, ModelInfo, read_info
from asr_punct.cli.describe import SCORE_COLUMNS, megabytes_to_run, parameters_of, score_rows
from asr_punct.corpora.sources import Source, read_sources
from asr_punct.errors import InputError, run_script
from asr_punct.formats.files import read_text_file, write_file
from asr_punct.scoring import Difference, Rate, Scores, read_score_sets
from asr_punct.scoring.mark_classes import MarkClasses
from asr_punct.scoring.tables import NONE, comparison, interval, percent, table

_LANGUAGES = {"es": "Spanish", "eu": "Basque", "en": "English"}
_TAGS = ("punctuation-restoration", "capitalization", "speech-recognition", "onnx")
_MEASURED = {"int8": "int8 against fp32", "speed": "Speed"}
_CITATION = """```bibtex
@article{gonzalezdocasal2021autopunct,
  title   = {{AutoPunct}: A {BERT}-based Automatic Punctuation and Capitalisation System for {Spanish} and {Basque}},
  author  = {González-Docasal, Ander and García-Pablos, Aitor and Arzelus, Haritz and Álvarez, Aitor},
  journal = {Procesamiento del Lenguaje Natural},
  volume  = {67},
  year    = {2021},
  doi     = {10.26342/2021-67-5}
}
```"""


def card(directory: Path, sources: Sequence[Source], notes: str, facts: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the card of a model directory.

    Args:
        directory: has config.json with the licence, and scores.json.
        sources: of the training text.
        notes: Markdown, copied unchanged.
        facts: measurements by the name of their file.

    Raises:
        AsrPunctError: the directory is damaged, or has no licence.
    """
    info, sets = read_info(directory), read_score_sets(directory / SCORES)
    if "licence" not in info.training:
        raise InputError(directory, "no licence among the training facts", "the licence of the weights")
    languages = info.model.language.split("+")
    parts = [
        *_front_matter(info, languages, sources),
        f"# {directory.resolve().name}\n",
        *_summary(directory, info, languages),
        notes.strip() + "\n",
        *_scores(sets),
        *_calibration(facts.get("calibration")),
        *_measured(facts),
        *_pauses(facts.get("pauses"), languages),
        *_training_data(info, sources),
        "## Citation\n",
        "The system is that of\n",
        _CITATION,
    ]
    return "\n".join(parts) + "\n"


def _front_matter(info: ModelInfo, languages: Sequence[str], sources: Sequence[Source]) -> Iterator[str]:
    yield "---"
    yield from _yaml_list("language", languages)
    yield f"license: {'-'.join(str(info.training['licence']).lower().split())}"
    yield "library_name: asr-punct"
    yield "pipeline_tag: token-classification"
    yield from _yaml_list("tags", _TAGS)
    yield from _yaml_list("datasets", [source.name for source in sources])
    yield "---\n"


def _yaml_list(key: str, values: Sequence[str]) -> Iterator[str]:
    yield f"{key}:"
    yield from (f"- {value}" for value in values)


def _summary(directory: Path, info: ModelInfo, languages: Sequence[str]) -> Iterator[str]:
    spoken = _joined([_LANGUAGES.get(code, code) for code in languages], "and")
    mixed = ", each and mixed" if len(languages) > 1 else ""
    yield "Punctuation and capitals for the words of a speech recogniser, with the pauses between them or without.\n"
    yield f"```bash\nasr-punct punctuate --model {directory.resolve().name} transcript.txt\n```\n"
    yield f"* languages: {spoken}{mixed}"
    yield f"* parameters: {parameters_of(info)}; files that run: {megabytes_to_run(directory, info)}"
    yield f"* licence of the weights: {info.training['licence']}\n"


def _scores(sets: Mapping[str, Scores]) -> Iterator[str]:
    """Yield a table of marks and case with intervals, then one of every mark."""
    yield "## Scores\n"
    yield "F1 in per cent on documents held out from training, without pauses; intervals: bootstrap over utterances.\n"
    rows = [
        (*row, interval(scores.ci95.get("micro.f1")), interval(scores.ci95.get("case.micro.f1")))
        for row, scores in zip(score_rows(sets), sets.values(), strict=True)
    ]
    yield table((*SCORE_COLUMNS, "marks 95 %", "case 95 %"), rows)
    for mapping in {MarkClasses(scores.merged).describe(): None for scores in sets.values() if scores.merged}:
        yield f"Sets of {len(mapping.split('; ')) - 1} classes map the marks: {mapping}.\n"
    yield f"F1 by mark, and how often the reference has it (precision, recall and all intervals: {SCORES}):\n"
    rates = {name: {**scores.marks, **scores.case.classes} for name, scores in sets.items()}
    names = dict.fromkeys(name for found in rates.values() for name, rate in found.items() if rate.f1 is not None)
    yield table(("", *sets), [(name, *(_cell(found.get(name)) for found in rates.values())) for name in names])


def _cell(rate: Rate | None) -> str:
    return NONE if rate is None or rate.f1 is None else f"{percent(rate.f1)} ({rate.support:,})"


def _calibration(found: Mapping[str, Any] | None) -> Iterator[str]:
    if not (found and found["calibration_error"]):
        return
    yield "## Calibration\n"
    before, after = found["micro_f1"]
    yield (
        f"Thresholds, penalties and calibration were fitted on {found['words']:,} words that were held out from the "
        f"training text (F1 of all marks {percent(before)} before, {percent(after)} after). Expected calibration error "
        "there in per cent, before and after:\n"
    )
    errors = found["calibration_error"]
    yield table(("", "before", "after"), [(name, *(f"{100 * error:.2f}" for error in errors[name])) for name in errors])


def _measured(facts: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for name, title in _MEASURED.items():
        if name in facts:
            yield f"## {title}\n"
            yield from (f"* {key.replace('_', ' ')}: {_value(value)}" for key, value in facts[name].items())
            yield ""


def _value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _pauses(found: Mapping[str, Any] | None, languages: Sequence[str]) -> Iterator[str]:
    yield "## Effect of pauses\n"
    if found is None:
        spoken = _joined([_LANGUAGES.get(code, code) for code in languages], "or")
        yield f"This could not be measured: no {spoken} recording with times and marks is at hand.\n"
        return
    yield (
        f"F1 in per cent on a recording of {found['words']:,} words, {found['known_pauses']:,} of them with a known "
        "pause (0 s or more), with all pauses withheld and with the pauses; paired bootstrap over sentences.\n"
    )
    wanted = ("micro.f1", "marks.COMMA.f1", "marks.PERIOD.f1", "marks.QUESTION.f1", "case.micro.f1")
    known = {metric: Difference(**found["differences"][metric]) for metric in wanted if metric in found["differences"]}
    yield comparison(known, "withheld", "with pauses")


def _training_data(info: ModelInfo, sources: Sequence[Source]) -> Iterator[str]:
    yield "## Training data\n"
    words = f"{info.training['words']:,} words. " if "words" in info.training else ""
    yield f"{words}A share below 1 is the part of a text that was taken, one above 1 its repetitions.\n"
    rows = [(source.file, source.language, f"{source.share:g}", source.licence) for source in sources]
    yield table(("text", "language", "share", "licence"), rows)


def _joined(names: Sequence[str], word: str) -> str:
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def read_facts(directory: Path | None) -> dict[str, dict[str, Any]]:
    """Read the measurements that exist, by the name of their file.

    Raises:
        InputError: a file is not a mapping.
    """
    facts = {}
    for name in ("calibration", *_MEASURED, "pauses") if directory else ():
        path = (directory or Path()) / f"{name}.json"
        if path.is_file():
            try:
                content = json.loads(read_text_file(path))
            except json.JSONDecodeError as error:
                raise InputError(path, str(error), "JSON") from None
            if not isinstance(content, dict):
                raise InputError(path, repr(content), "keys and values")
            facts[name] = content
    return facts


def main(
    model: Path,
    sources: Annotated[Path, Option(help="Table of sources.")],
    notes: Annotated[Path, Option(help="Markdown: intended use, known failures.")],
    facts: Annotated[Path | None, Option(help="Folder of the measurements.")] = None,
) -> None:
    """Write the card."""
    content = card(model, read_sources(sources), read_text_file(notes), read_facts(facts))
    with write_file(model / CARD) as out:
        out.write(content)


if __name__ == "__main__":
    run_script(main)
