#!/usr/bin/env python3
"""Write exp/scores.json, and exp/RESULTS.md with our results beside the paper's tables.

Reads exp/{models,ablation}/**/config.json, exp/decode/**/{scores,speed}.json, data/tsv and exp/align.json.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from results_page import Page, Result
from typer import Option

from asr_punct.checkpoint import read_info
from asr_punct.config import ModelConfig
from asr_punct.errors import run_script
from asr_punct.formats.files import read_json_file, write_file
from asr_punct.scoring import Scores, write_score_sets
from asr_punct.scoring.tables import percent

EXP = Path("exp")


def read_result(name: str, language: str, system: str = "") -> Result:
    """Read the result of the model `exp/NAME/LANGUAGE`, where NAME is `models` or `ablation/SYSTEM`.

    Without the name of a system it is the row of the paper's Table 4 with the same configuration.
    """
    config = read_info(EXP / name / language).model
    decoded = EXP / "decode" / name.removeprefix("models") / language
    speed = read_json_file(decoded / "speed.json")
    return Result(
        system=system or row_of_table(config),
        language=language,
        scores=Scores.from_dict(read_json_file(decoded / "scores.json")),
        words_per_second=speed["words_per_second"],
        runtime=speed["runtime"],
    )


def row_of_table(config: ModelConfig) -> str:
    """Return the row of the paper's Table 4 with this configuration."""
    return config.pauses.kind.removeprefix("discrete-") + ("" if config.context.kind == "none" else "+bert")


def main(
    languages: Annotated[str, Option()],
    command: Annotated[str, Option(help="Command line of the training.")],
    synthetic: Annotated[bool, Option()] = False,
    ablations: Annotated[str, Option(help="Systems of Table 4 that were trained.")] = "",
    system: Annotated[str, Option(help="System of the models, if not AutoPunct.")] = "",
) -> None:
    codes = languages.split()
    results = [read_result("models", language, system) for language in codes]
    others = [read_result(f"ablation/{name}", language) for name in ablations.split() for language in codes]
    alignment = read_json_file(EXP / "align.json") if (EXP / "align.json").exists() else {}
    files = [Path("data/tsv", language, f"{split}.tsv") for language in codes for split in ("train", "dev", "test")]
    page = Page(results, others, synthetic, command, files, alignment)
    write_score_sets({result.language: result.scores for result in results}, EXP / "scores.json")
    with write_file(EXP / "RESULTS.md") as out:
        out.writelines(f"{line}\n" for line in page.lines())
    for result in results:
        marks, case = percent(result.scores.micro.f1), percent(result.scores.case.micro.f1)
        speed = f"{result.words_per_second:.0f} words/s"
        print(f"  {result.language}: marks F1 {marks}, case F1 {case}, {speed} ({page.here})")


if __name__ == "__main__":
    run_script(main)
