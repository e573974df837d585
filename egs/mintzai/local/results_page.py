"""The page RESULTS.md: our results, and the paper's Tables 4 to 7 with our rows or columns beside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asr_punct.formats.tsv import read_tsv
from asr_punct.marks import MARKS
from asr_punct.scoring.environment import describe_environment
from asr_punct.scoring.scores import Scores
from asr_punct.scoring.tables import interval, percent, table

PAPER = Path(__file__).parent / "paper"
LANGUAGES = ("eu", "es", "es+eu")
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


@dataclass(frozen=True)
class Result:
    """One decoded test set.

    Attributes:
        system: row of the paper's tables.
        language: language of the model and of its test set.
        scores: of the test set.
        words_per_second: speed.
        runtime: torch or onnxruntime.
    """

    system: str
    language: str
    scores: Scores
    words_per_second: float
    runtime: str


@dataclass(frozen=True)
class Page:
    """The page.

    Attributes:
        results: of the main models.
        ablation: results of the systems of Table 4, if they were trained.
        synthetic: whether the corpus is synthetic.
        command: command line of the training.
        files: the TSV files of the corpus.
        alignment: figures of `compare_times.py` by set; empty if the true times are unknown.
    """

    results: Sequence[Result]
    ablation: Sequence[Result]
    synthetic: bool
    command: str
    files: Sequence[Path]
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
        corpus = "a synthetic corpus of mintzai-ST's layout" if self.synthetic else "mintzai-ST v1.0"
        yield f"# {self.title} on {corpus}\n"
        if self.synthetic:
            yield _SYNTHETIC
        yield from self._conditions()
        yield from self._summary()
        yield from self._alignment()
        yield "## The paper's tables"
        yield "Paper: González-Docasal et al. 2021, AutoPunct, Tables 4 to 7; F1 in per cent."
        yield f"{_LEGEND}\n"
        yield from self._by_system("Table 4: micro F1 of the marks", 4, lambda r: percent(r.scores.micro.f1))
        for language in LANGUAGES:
            yield from self._by_mark(language)
        yield from self._by_system("Table 6: micro F1 of case", 6, lambda r: percent(r.scores.case.micro.f1))
        title = "Table 7: words a second (the paper's on an Nvidia RTX 2080 Ti)"
        yield from self._by_system(title, 7, lambda r: f"{r.words_per_second:.0f}")

    def _conditions(self) -> Iterator[str]:
        yield from describe_environment(self.command)
        yield ""
        sizes = [(f"{file.parent.name}/{file.stem}", *map(str, _size(file))) for file in self.files]
        yield table(("set", "utterances", "words", "marks"), sizes)

    def _summary(self) -> Iterator[str]:
        yield f"## Results ({self.here})"
        header = "test set, words, micro F1, 95 %, mean F1, slot error rate, case F1, 95 %, words/s, runtime"
        rows = []
        for result in self.results:
            scores = result.scores
            marks = percent(scores.micro.f1), interval(scores.ci95.get("micro.f1"))
            rates = percent(scores.mean_f1), percent(scores.slot_error_rate)
            case = percent(scores.case.micro.f1), interval(scores.ci95.get("case.micro.f1"))
            speed = f"{result.words_per_second:.0f}", result.runtime
            rows.append((result.language, str(scores.words), *marks, *rates, *case, *speed))
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
                rates = (percent(result.scores.marks[mark].f1) for mark in MARKS)
                rows.append((self.here, *SYSTEMS.get(result.system, (result.system, "", "", "")), *rates))
        yield f"### Table 5: F1 of each mark, {language.upper()}"
        yield table(("", "S", "D", "f", "B", *MARKS), rows)


def read_paper(number: int) -> list[dict[str, str]]:
    lines = (PAPER / f"table{number}.tsv").read_text(encoding="utf-8").splitlines()
    header, *rows = (line.split("\t") for line in lines)
    return [dict(zip(header, row, strict=True)) for row in rows]


def _size(path: Path) -> tuple[int, int, int]:
    utterances = words = marks = 0
    for utterance in read_tsv(path):
        utterances += 1
        words += len(utterance.words)
        marks += sum(len(labels.marks) for labels in utterance.labels)
    return utterances, words, marks
