"""What the mintzai recipe reports: the page of results and the comparison of times."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from asr_punct.marks import Case, Labels, Mark
from asr_punct.scoring import score
from asr_punct.words import Utterance, Word, annotate

sys.path.insert(0, str(Path(__file__).parent.parent / "egs" / "mintzai" / "local"))

from results_page import Page, Result

LABELLED = annotate(
    Utterance((Word("bai"), Word("ez"))),
    labels=(Labels(frozenset({Mark.COMMA}), Case.FIRST_CAP), Labels(frozenset({Mark.PERIOD}))),
)


@pytest.fixture
def page(tmp_path):
    file = tmp_path / "es" / "test.tsv"
    file.parent.mkdir()
    file.write_text("bai\tCOMMA+QUOTE\t-\tO\nez\tPERIOD\t-\tO\n\n")
    scores = score([LABELLED], [LABELLED])
    main = Result("gaussian+bert", "es", scores, 5000.4, "torch")
    other = Result("none", "es", scores, 6000.0, "torch")
    alignment = {"es/test": {"words": 3, "pause_f1": 0.9}}

    def lines(synthetic):
        page = Page([main], [other], synthetic, "run.sh", [file], alignment)
        return "\n".join(page.lines()).splitlines()

    return lines


def tables(lines):
    """Headers and rows of the Markdown tables."""
    current = []
    for line in [*lines, ""]:
        if line.startswith("|"):
            current.append([cell.strip() for cell in line.strip("|").split("|")])
        elif current:
            yield current[0], current[2:]
            current = []


def test_every_table_is_rectangular(page):
    found = list(tables(page(False)))
    assert len(found) == 9
    for header, rows in found:
        assert rows
        assert {len(row) for row in rows} == {len(header)}


def test_our_numbers_stand_beside_the_paper(page):
    found = {tuple(header): rows for header, rows in tables(page(False))}
    columns = ("S", "D", "f", "B", "EU paper", "EU here", "ES paper", "ES here", "ES+EU paper", "ES+EU here")
    by_system = [rows for header, rows in tables(page(False)) if tuple(header) == columns]
    assert ["✓", "✓", "G", "✓", "76.7", "", "78.9", "100.0", "76.4", ""] in by_system[0]
    assert ["–", "–", "–", "–", "76.2", "", "78.2", "100.0", "75.4", ""] in by_system[0]
    assert ["✓", "✓", "G", "✓", "3071", "", "3322", "5000", "3068", ""] in by_system[2]
    assert found[("set", "utterances", "words", "marks")] == [["es/test", "1", "2", "3"]]


def test_synthetic_numbers_say_so(page):
    lines = page(True)
    assert "synthetic" in lines[0]
    ours = [cell for header, rows in tables(lines) for cell in [*header, *(row[0] for row in rows)] if "here" in cell]
    assert len(ours) == 11
    assert all("synthetic corpus" in cell for cell in ours)
    assert all("synthetic" in line for line in lines if line.startswith("## ") and "here" in line)
    assert not any("synthetic" in line for line in page(False))
