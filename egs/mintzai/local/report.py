#!/usr/bin/env python3
"""Gather the recipe's scores: exp/scores.json, and exp/RESULTS.md with the paper's tables beside them.

local/report.py --languages "es eu es+eu" --systems "" --synthetic true --command "run.sh …" [--system brnn]

Reads exp/{models,ablation}/**/config.json, exp/decode/**/{scores,speed}.json, data/tsv and exp/align.json.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from results_page import Page, Result

from asr_punct.checkpoint import read_info
from asr_punct.config import ModelConfig
from asr_punct.formats.files import write_file
from asr_punct.scoring import Scores, write_score_sets
from asr_punct.scoring.tables import percent

EXP = Path("exp")


def read_json(path: Path) -> Any:
    """Content of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def read_result(name: str, language: str, system: str = "") -> Result:
    """Result of the model `exp/NAME/LANGUAGE`, where NAME is `models` or `ablation/SYSTEM`.

    Without the name of a system it is the row of the paper's Table 4 that the configuration says.
    """
    config = read_info(EXP / name / language).model
    decoded = EXP / "decode" / name.removeprefix("models") / language
    speed = read_json(decoded / "speed.json")
    return Result(
        system=system or row_of_table(config),
        language=language,
        scores=Scores.from_dict(read_json(decoded / "scores.json")),
        words_per_second=speed["words_per_second"],
        runtime=speed["runtime"],
    )


def row_of_table(config: ModelConfig) -> str:
    """The row of the paper's Table 4 that a model is."""
    return config.pauses.kind.removeprefix("discrete-") + ("" if config.context.kind == "none" else "+bert")


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("languages", "systems", "synthetic", "command"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--system", default="", help="what the models are, where not AutoPunct")
    options = parser.parse_args()
    languages, systems = options.languages.split(), options.systems.split()
    results = [read_result("models", language, options.system) for language in languages]
    ablation = [read_result(f"ablation/{system}", language) for system in systems for language in languages]
    alignment = read_json(EXP / "align.json") if (EXP / "align.json").exists() else {}
    files = [Path("data/tsv", language, f"{split}.tsv") for language in languages for split in ("train", "dev", "test")]
    page = Page(results, ablation, options.synthetic == "true", options.command, files, alignment)
    write_score_sets({result.language: result.scores for result in results}, EXP / "scores.json")
    with write_file(EXP / "RESULTS.md") as out:
        out.writelines(f"{line}\n" for line in page.lines())
    for result in results:
        marks, case = percent(result.scores.micro.f1), percent(result.scores.case.micro.f1)
        speed = f"{result.words_per_second:.0f} words/s"
        print(f"  {result.language}: marks F1 {marks}, case F1 {case}, {speed} ({page.here})")


if __name__ == "__main__":
    main()
