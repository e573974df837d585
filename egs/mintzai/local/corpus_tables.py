"""The corpus beside the paper's Tables 1 to 3: words of each partition, and the share of each mark."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from asr_punct.corpora import PARTS
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.marks import MARKS, Mark
from asr_punct.scoring.markdown import table

LANGUAGES = ("eu", "es", "es+eu")
_PAPER = Path(__file__).parent / "paper"
_NEWS = "Text for the first stage of the BRNN (`--text`); the paper's, news of 2012 to 2019, is not published."
_NEWS_PARTS = ("train", "dev")


@dataclass(frozen=True)
class Size:
    """What one partition of a language contains."""

    utterances: int
    words: int
    marks: Counter[Mark]


def corpus_tables(files: Sequence[Path], news: Sequence[Path], here: str) -> Iterator[str]:
    """Yield the tables of the TSV files `LANGUAGE/PART.tsv` of the corpus and of news; `here` labels our numbers."""
    sizes = {(file.parent.name, file.stem): read_size(file) for file in files}
    yield f"## The corpus ({here})"
    rows = [
        (f"{language}/{part}", str(size.utterances), str(size.words), str(size.marks.total()))
        for (language, part), size in sizes.items()
    ]
    yield table(("set", "utterances", "words", "marks"), rows)
    yield f"### Table 1: words of news ({here})"
    yield f"{_NEWS}\n"
    news_sizes = {(file.parent.name, file.stem): read_size(file) for file in news}
    yield _beside(1, "part", _NEWS_PARTS, here, _words(news_sizes))
    yield f"### Table 2: words ({here})"
    yield _beside(2, "part", PARTS, here, _words(sizes))
    marks = {name: sum((sizes[each].marks for each in sizes if each[0] == name), Counter()) for name in LANGUAGES}

    def share(language: str, mark: str) -> str:
        total = marks[language].total()
        return f"{100 * marks[language][Mark(mark)] / total:.2f}" if total else ""

    yield f"### Table 3: share of each mark in per cent ({here})"
    yield _beside(3, "label", MARKS, here, share)


def read_size(path: Path) -> Size:
    utterances, words, marks = 0, 0, Counter[Mark]()
    for utterance in read_tsv(path):
        utterances += 1
        words += len(utterance.words)
        marks.update(mark for labels in utterance.labels for mark in labels.marks)
    return Size(utterances, words, marks)


def read_paper(number: int) -> list[dict[str, str]]:
    """Read a table of the paper, one dictionary a row."""
    lines = (_PAPER / f"table{number}.tsv").read_text(encoding="utf-8").splitlines()
    header, *rows = (line.split("\t") for line in lines)
    return [dict(zip(header, row, strict=True)) for row in rows]


def _words(sizes: Mapping[tuple[str, str], Size]) -> Callable[[str, str], str]:
    return lambda language, part: f"{sizes[language, part].words:,}" if (language, part) in sizes else ""


def _beside(number: int, column: str, names: Sequence[str], here: str, value: Callable[[str, str], str]) -> str:
    """Return a table of the paper with our `value` of each language and row beside it."""
    paper = {row[column]: row for row in read_paper(number)}
    rows = []
    for name in names:
        pairs = ((_grouped(paper.get(name, {}).get(each, "")), value(each, name)) for each in LANGUAGES)
        rows.append((name, *(cell for pair in pairs for cell in pair)))
    return table((column, *(f"{each.upper()} {whose}" for each in LANGUAGES for whose in ("paper", here))), rows)


def _grouped(number: str) -> str:
    return f"{int(number):,}" if number.isdecimal() else number
