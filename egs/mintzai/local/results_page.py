#!/usr/bin/env python3
"""Write exp/scores.json, and exp/RESULTS.md: our results, and the paper's tables with ours beside.

Reads exp/{models,ablation}/**/config.json, exp/decode/**/{plain,tuned,speed}.json, data/tsv and exp/align.json.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from corpus_tables import LANGUAGES, corpus_tables, read_paper
from environment import describe_environment
from typer import Option

from asr_punct.checkpoint import read_info
from asr_punct.errors import run_script
from asr_punct.files import read_json_file, write_file
from asr_punct.marks import MARKS
from asr_punct.scoring import Scores, write_score_sets
from asr_punct.scoring.markdown import interval, percent, table

EXP = Path("exp")
SYNTHETIC_NAME = "a synthetic corpus of mintzai-ST's layout"
SYSTEMS = {
    "none": ("–", "–", "–", "–"),
    "none+bert": ("–", "–", "–", "✓"),
    "continuous": ("✓", "–", "–", "–"),
    "continuous+bert": ("✓", "–", "–", "✓"),
    "gaussian": ("✓", "✓", "G", "–"),
    "gaussian+bert": ("✓", "✓", "G", "✓"),
    "uniform": ("✓", "✓", "U", "–"),
    "uniform+bert": ("✓", "✓", "U", "✓"),
    "brnn": ("BRNN", "", "", ""),
}
"""Rows of the paper's tables: columns S, D, f, B. Another system has its name in column S."""
_LEGEND = "S: silences; D: discrete; f: averaged in a Gaussian (G) or uniform (U) window; B: custom BERT."
_SYNTHETIC = """**Every number of this run is measured on a synthetic corpus**: text written for it, spoken by
espeak-ng. They show that the recipe works and say nothing about real speech. The paper's numbers are measured on
mintzai-ST v1.0, for comparison with a run with `--corpus`.
"""


_DECODING = """Decoding: *plain* is the paper's, a mark where its probability is over a half (of a model with classes
the likeliest class) and the likeliest case; *tuned* has the decoder's rules and settings fitted on the development set
(`asr-punct tune`). The paper's tables have the plain results beside them.
"""


@dataclass(frozen=True)
class Result:
    """One test set, decoded plainly as in the paper, and with rules and tuned settings.

    `system` is its row of the paper's tables, `language` that of the model and of the set.
    """

    system: str
    language: str
    plain: Scores
    tuned: Scores
    words_per_second: float
    runtime: str


@dataclass(frozen=True)
class Page:
    """The page.

    Attributes:
        results: of the main models.
        ablation: results of the systems of Table 4, if they were trained.
        synthetic: whether the corpus is synthetic.
        name: name of another corpus.
        command: command line of the training.
        files: the TSV files of the corpus.
        news: those of the text that the first stage of the BRNN is trained on.
        alignment: figures of `compare_times.py` by set; empty if the true times are unknown.
    """

    results: Sequence[Result]
    ablation: Sequence[Result]
    synthetic: bool
    name: str
    command: str
    files: Sequence[Path]
    news: Sequence[Path]
    alignment: Mapping[str, Mapping[str, Any]]

    @property
    def title(self) -> str:
        """Name of the main system."""
        name = self.results[0].system
        return "AutoPunct" if name in SYSTEMS and name != "brnn" else name

    @property
    def here(self) -> str:
        """Label of our numbers."""
        return "here, synthetic corpus" if self.synthetic else "here"

    def lines(self) -> Iterator[str]:
        yield f"# {self.title} on {SYNTHETIC_NAME if self.synthetic else self.name}\n"
        if self.synthetic:
            yield _SYNTHETIC
        yield from self._conditions()
        yield from corpus_tables(self.files, self.news, self.here)
        yield from self._summary()
        yield from self._alignment()
        yield "## The paper's tables"
        yield "Paper: González-Docasal et al. 2021, AutoPunct, Tables 4 to 7; F1 in per cent."
        yield f"{_LEGEND}\n"
        yield from self._by_system("Table 4: micro F1 of the marks", 4, lambda r: percent(r.plain.micro.f1))
        for language in LANGUAGES:
            yield from self._by_mark(language)
        yield from self._by_system("Table 6: micro F1 of case", 6, lambda r: percent(r.plain.case.micro.f1))
        title = "Table 7: words a second (the paper's on an Nvidia RTX 2080 Ti)"
        yield from self._by_system(title, 7, lambda r: f"{r.words_per_second:.0f}")

    def _conditions(self) -> Iterator[str]:
        yield from describe_environment(self.command)
        yield ""

    def _summary(self) -> Iterator[str]:
        yield f"## Results ({self.here})"
        yield _DECODING
        header = "test set, decoding, words, micro F1, 95 %, mean F1, slot error rate, case F1, 95 %, words/s, runtime"
        rows = []
        for result in self.results:
            for decoding, scores in ("plain", result.plain), ("tuned", result.tuned):
                marks = percent(scores.micro.f1), interval(scores.ci95.get("micro.f1"))
                rates = percent(scores.mean_f1), percent(scores.slot_error_rate)
                case = percent(scores.case.micro.f1), interval(scores.ci95.get("case.micro.f1"))
                speed = (f"{result.words_per_second:.0f}", result.runtime) if decoding == "plain" else ("", "")
                rows.append((result.language, decoding, str(scores.words), *marks, *rates, *case, *speed))
        yield table(header.split(", "), rows)

    def _alignment(self) -> Iterator[str]:
        if self.alignment:
            yield f"## Word times against the true ones ({self.here})"
            columns = list(next(iter(self.alignment.values())))
            rows = [(name, *(str(row[column]) for column in columns)) for name, row in self.alignment.items()]
            yield table(("set", *columns), rows)

    def _by_system(self, title: str, number: int, value: Callable[[Result], str]) -> Iterator[str]:
        """Yield a table of the paper, a row a system, with our columns beside those of each language."""
        paper = {row["system"]: row for row in read_paper(number)}
        ours = {(result.system, result.language): value(result) for result in (*self.results, *self.ablation)}
        rows = []
        others = (result.system for result in self.results if result.system not in SYSTEMS)
        for system in dict.fromkeys((*SYSTEMS, *others)):
            pairs = ((paper.get(system, {}).get(lang, ""), ours.get((system, lang), "")) for lang in LANGUAGES)
            rows.append((*SYSTEMS.get(system, (system, "", "", "")), *(cell for pair in pairs for cell in pair)))
        yield f"### {title}"
        columns = (f"{language.upper()} {whose}" for language in LANGUAGES for whose in ("paper", self.here))
        yield table(("S", "D", "f", "B", *columns), [row for row in rows if any(row[4:])])

    def _by_mark(self, language: str) -> Iterator[str]:
        """Yield Table 5 for a language, a column a mark, our rows below the paper's, which lacks OPEN_DASH."""
        rows = [
            ("paper", *SYSTEMS[row["system"]], *(row.get(mark, "") for mark in MARKS))
            for row in read_paper(5)
            if row["set"] == language
        ]
        for result in (*self.results, *self.ablation):
            if result.language == language:
                rates = (percent(result.plain.marks[mark].f1) for mark in MARKS)
                rows.append((self.here, *SYSTEMS.get(result.system, (result.system, "", "", "")), *rates))
        yield f"### Table 5: F1 of each mark, {language.upper()}"
        yield table(("", "S", "D", "f", "B", *MARKS), rows)


def read_result(name: str, language: str, system: str = "") -> Result:
    """Read the result of the model `exp/NAME/LANGUAGE`, where NAME is `models` or `ablation/SYSTEM`.

    Without the name of a system it is the row of the paper's Table 4 with the same configuration.
    """
    config = read_info(EXP / name / language).model
    row = config.pauses.kind.removeprefix("discrete-") + ("" if config.context.kind == "none" else "+bert")
    decoded = EXP / "decode" / name.removeprefix("models") / language
    speed = read_json_file(decoded / "speed.json")
    return Result(
        system=system or row,
        language=language,
        plain=Scores.from_dict(read_json_file(decoded / "plain.json")),
        tuned=Scores.from_dict(read_json_file(decoded / "tuned.json")),
        words_per_second=speed["words_per_second"],
        runtime=speed["runtime"],
    )


def main(
    languages: Annotated[str, Option()],
    command: Annotated[str, Option(help="Command line of the training.")],
    synthetic: Annotated[bool, Option()] = False,
    name: Annotated[str, Option(help="Name of the corpus.")] = "mintzai-ST v1.0",
    ablations: Annotated[str, Option(help="Systems of Table 4 that were trained.")] = "",
    system: Annotated[str, Option(help="System of the models, if not AutoPunct.")] = "",
) -> None:
    codes = languages.split()
    results = [read_result("models", language, system) for language in codes]
    others = [read_result(f"ablation/{name}", language) for name in ablations.split() for language in codes]
    alignment = read_json_file(EXP / "align.json") if (EXP / "align.json").exists() else {}
    files = [Path("data/tsv", language, f"{split}.tsv") for language in codes for split in ("train", "dev", "test")]
    news = sorted(Path("data/text").glob("*/*.tsv"))
    page = Page(results, others, synthetic, name, command, files, news, alignment)
    decoded = {f"{result.language} plain": result.plain for result in results}
    write_score_sets({result.language: result.tuned for result in results} | decoded, EXP / "scores.json")
    with write_file(EXP / "RESULTS.md") as out:
        out.writelines(f"{line}\n" for line in page.lines())
    for result in results:
        marks, tuned = percent(result.plain.micro.f1), percent(result.tuned.micro.f1)
        case, speed = percent(result.plain.case.micro.f1), f"{result.words_per_second:.0f} words/s"
        print(f"  {result.language}: marks F1 {marks} plain, {tuned} tuned, case F1 {case}, {speed} ({page.here})")


if __name__ == "__main__":
    run_script(main)
